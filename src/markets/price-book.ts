// The last price of every asset, with its age and whether the market still accepts it, and the listeners to its changes.

import type { Clock } from '../base/clock.ts'
import { toFloat } from '../base/fixed-point.ts'
import type { Log } from '../base/log.ts'
import { ORACLE_CACHE_MS, STALE_PRICE_SERVED_MS } from '../limits.ts'
import type { Price } from '../resources/price.ts'

/** Time for which a request waits for a read before it gets the last price. */
export const PRICE_WAIT_MS = 1_000
/** Up to this lag and age, a read from an earlier ledger does not replace the last one. */
const LAG_MAX_LEDGERS = 100
const LAG_MAX_MS = 60_000

/** A price as the shim returns it. */
export interface AttestedPrice {
  /** 7-decimal. */
  readonly price: bigint
  /** Unix seconds of the attestation. */
  readonly timestampSec: number
  /** The ledger at which it was read. */
  readonly ledger: number
}

/** A price as the API serves it. */
export interface ServedPrice {
  readonly price: Price
  /** The asset cannot be read now; this is its last price. */
  readonly outdated: boolean
}

/** All prices at one moment, in listing order. Assets that were never read, or not for too long, are missing. Immutable. */
export interface PriceSnapshot {
  readonly prices: ReadonlyMap<string, ServedPrice>
  readonly anyOutdated: boolean
}

/** Receives the prices that are new, or newly attested, as rows of the API. */
export type PriceListener = (changed: readonly Price[]) => void

/** The state of one asset's price. */
export interface Slot {
  readonly asset: string
  last: { readonly attested: AttestedPrice; readonly priceFloat: number; readonly readAtMs: number; readonly changedAtMs: number } | null
  /** Time at which the last read failed; null after a success. */
  failedAtMs: number | null
  inFlight: { readonly done: Promise<void>; readonly startedAtMs: number } | null
}

export interface PriceBook {
  slots(): Iterable<Slot>
  slot(asset: string): Slot | undefined
  /** The row of the price now; undefined when there is none, or not for too long. */
  serve(slot: Slot): ServedPrice | undefined
  /** Until when this slot can be served without a new read; null when a read is due now. */
  settledUntilMs(slot: Slot, nowMs: number): number | null
  /** The snapshot, when no asset needs a read first. */
  cachedSnapshot(): PriceSnapshot | undefined
  buildSnapshot(): PriceSnapshot
  /** Drops the cached snapshot after a read has begun or ended. */
  invalidate(): void
  /** Stores a read of this asset, unless the asset was replaced, and notifies the listeners when it is new. */
  store(slot: Slot, attested: AttestedPrice): void
  /** As `store`, for several assets at once, with the age up to which the market accepts a price; null: unknown. */
  storeAll(reads: ReadonlyMap<string, AttestedPrice>, maxAgeSec: number | null): void
  subscribe(listener: PriceListener): () => void
  replaceAssets(assets: readonly string[], options: { readonly keep: boolean }): void
  /** The age up to which the market accepts a price; null: unknown. */
  maxAgeSec(): number | null
  /** Milliseconds since any asset was last read successfully; null before that. */
  ageMs(): number | null
}

export function createPriceBook({ assets: firstAssets, clock, log, onRead, nowSec }: {
  readonly assets: readonly string[]
  readonly clock: Clock
  readonly log: Log
  readonly onRead: (asset: string, read: AttestedPrice) => void
  /** The time that ages are relative to, Unix seconds. */
  readonly nowSec: () => number
}): PriceBook {
  let slots = createSlots(firstAssets)
  let lastReadAtMs: number | null = null
  let maxAgeSec: number | null = null
  const listeners = new Set<PriceListener>()
  let cached: { readonly snapshot: PriceSnapshot; readonly untilMs: number; readonly sec: number } | null = null

  /** Stores a successful read; returns whether it has another price or attestation time than the last. */
  function record(slot: Slot, attested: AttestedPrice): boolean {
    if (slot.failedAtMs !== null) log.info({ asset: slot.asset }, 'price readable again')
    slot.failedAtMs = null
    cached = null
    const nowMs = clock.elapsedMs()
    lastReadAtMs = nowMs
    const { last } = slot
    if (last !== null && isEarlierView(attested, last, nowMs)) {
      slot.last = { ...last, readAtMs: nowMs }
      return false
    }
    const changed = last === null || last.attested.price !== attested.price || last.attested.timestampSec !== attested.timestampSec
    slot.last = { attested, priceFloat: toFloat(attested.price), readAtMs: nowMs, changedAtMs: changed ? nowMs : last.changedAtMs }
    onRead(slot.asset, attested)
    return changed
  }

  function announce(changed: readonly Slot[]): void {
    if (changed.length === 0 || listeners.size === 0) return
    const rows = changed.flatMap((slot) => serve(slot)?.price ?? [])
    for (const listener of listeners) listener(rows)
  }

  function serve({ asset, last, failedAtMs }: Slot, sec: number = nowSec()): ServedPrice | undefined {
    const readMs = last === null ? Number.POSITIVE_INFINITY : clock.elapsedMs() - last.readAtMs
    if (last === null || readMs >= STALE_PRICE_SERVED_MS) return undefined
    const { attested: { price, timestampSec, ledger }, priceFloat } = last
    // The time of the ledger may be slightly ahead of this clock.
    const ageSec = Math.max(0, sec - timestampSec)
    const stale = maxAgeSec === null ? null : ageSec > maxAgeSec
    return {
      price: { asset, price: price.toString(), priceFloat, timestamp: timestampSec, stale, ageSec, ledger },
      outdated: failedAtMs !== null || readMs >= ORACLE_CACHE_MS,
    }
  }

  function buildSnapshot(nowMs = clock.elapsedMs(), sec = nowSec()): PriceSnapshot {
    const prices = new Map<string, ServedPrice>()
    let anyOutdated = false
    let untilMs = Number.POSITIVE_INFINITY
    for (const slot of slots.values()) {
      const served = serve(slot, sec)
      untilMs = Math.min(untilMs, settledUntilMs(slot, nowMs) ?? nowMs)
      if (served === undefined) continue
      prices.set(slot.asset, served)
      anyOutdated ||= served.outdated
    }
    const snapshot = { prices, anyOutdated }
    cached = { snapshot, untilMs, sec }
    return snapshot
  }

  return {
    slots: () => slots.values(),
    slot: (asset) => slots.get(asset),
    serve: (slot) => serve(slot),
    settledUntilMs,
    cachedSnapshot() {
      const nowMs = clock.elapsedMs()
      const sec = nowSec()
      if (cached !== null && nowMs < cached.untilMs && sec === cached.sec) return cached.snapshot
      for (const slot of slots.values()) {
        if (settledUntilMs(slot, nowMs) === null) return undefined
      }
      return buildSnapshot(nowMs, sec)
    },
    buildSnapshot: () => buildSnapshot(),
    invalidate() {
      cached = null
    },
    store(slot, attested) {
      if (slots.get(slot.asset) === slot && record(slot, attested)) announce([slot])
    },
    storeAll(reads, nextMaxAgeSec) {
      maxAgeSec = nextMaxAgeSec
      cached = null
      announce([...reads].flatMap(([asset, attested]) => {
        const slot = slots.get(asset)
        return slot !== undefined && record(slot, attested) ? [slot] : []
      }))
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    replaceAssets(assets, { keep }) {
      const before = slots
      slots = createSlots(assets)
      cached = null
      if (keep) for (const [asset, slot] of before) if (slots.has(asset)) slots.set(asset, slot)
    },
    maxAgeSec: () => maxAgeSec,
    ageMs: () => (lastReadAtMs === null ? null : clock.elapsedMs() - lastReadAtMs),
  }
}

function createSlots(assets: readonly string[]): Map<string, Slot> {
  return new Map(assets.map((asset) => [asset, { asset, last: null, failedAtMs: null, inFlight: null }]))
}

/** Until when this slot can be served without a new read; null when a read is due now. */
function settledUntilMs(slot: Slot, nowMs: number): number | null {
  const { last, failedAtMs, inFlight } = slot
  const freshUntilMs = last !== null && failedAtMs === null ? last.readAtMs + ORACLE_CACHE_MS : 0
  if (nowMs < freshUntilMs) return freshUntilMs
  const removedAtMs = last === null ? Number.POSITIVE_INFINITY : last.readAtMs + STALE_PRICE_SERVED_MS
  const boundedMs = nowMs < removedAtMs ? removedAtMs : Number.POSITIVE_INFINITY
  // Only the first requests wait for a read that hangs; later ones get the last price until it ends.
  if (inFlight !== null && nowMs - inFlight.startedAtMs >= PRICE_WAIT_MS) return boundedMs
  // A failed read is not repeated at once.
  if (failedAtMs !== null && nowMs < failedAtMs + ORACLE_CACHE_MS) return Math.min(boundedMs, failedAtMs + ORACLE_CACHE_MS)
  return null
}

/** True if a node that lags behind returned an earlier state than the last read. After a reset of the network, a lower ledger is newer. */
function isEarlierView(next: AttestedPrice, { attested, changedAtMs }: NonNullable<Slot['last']>, nowMs: number): boolean {
  const lag = attested.ledger - next.ledger
  return lag > 0 && lag <= LAG_MAX_LEDGERS && nowMs - changedAtMs < LAG_MAX_MS && next.timestampSec <= attested.timestampSec
}
