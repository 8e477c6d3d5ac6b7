// The prices of all assets: read through the price shim and cached for three seconds, with one read in flight per asset (specification, "What the service
// does", 1). An asset that cannot be read keeps its last price for a while, marked stale, and never delays the others.

import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { toFloat } from '../base/fixed-point.ts'
import type { Log } from '../base/log.ts'
import { createSemaphore } from '../base/semaphore.ts'
import { failureFields, isOutage } from '../chain/failure.ts'
import { ORACLE_CACHE_MS, STALE_PRICE_SERVED_MS } from '../limits.ts'
import type { Price } from '../resources/price.ts'

/** Time limit of a read. */
export const PRICE_READ_TIMEOUT_MS = 2_500
/** How long a request waits for a read before it gets the last price. */
export const PRICE_WAIT_MS = 1_000
/** Maximum concurrent reads, over all assets. */
export const MAX_CONCURRENT_PRICE_READS = 7

/** A price as the shim returns it. */
export interface AttestedPrice {
  /** 7-decimal. */
  readonly price: bigint
  /** Unix seconds of the attestation. */
  readonly timestampSec: number
}

/** Reads one asset's price from the shim. */
export type ReadPrice = (asset: string, signal: AbortSignal) => Promise<AttestedPrice>

/** A price as the API serves it. */
export interface ServedPrice {
  readonly price: Price
  /** The asset cannot be read now; this is its last price. */
  readonly stale: boolean
}

/** All prices at one moment, in listing order. Assets that were never read, or not for too long, are missing. Immutable. */
export interface PriceSnapshot {
  readonly prices: ReadonlyMap<string, ServedPrice>
  readonly anyStale: boolean
}

/** The last read of one asset. */
export interface PriceReading {
  readonly asset: string
  /** Null: never read, or not for too long. */
  readonly price: Price | null
  /** False: the last read failed, or there was none. */
  readonly isReadable: boolean
}

export interface Prices {
  /** The snapshot, when no asset needs a read first. Returns the same object until something changes. */
  cachedSnapshot(): PriceSnapshot | undefined
  /** The snapshot after the reads that are due. Never rejects. */
  snapshot(): Promise<PriceSnapshot>
  /** The last read of every asset, in listing order. */
  readings(): readonly PriceReading[]
  /** Milliseconds since any asset was last read successfully; null before that. */
  ageMs(): number | null
  /** One asset's price, after a read if it is due. Never rejects. */
  price(asset: string): Promise<ServedPrice | undefined>
  /** As `price`: the price itself, 7-decimal. */
  lastPrice(asset: string): Promise<bigint | undefined>
  /** Reads every asset now, with bounded concurrency. Never rejects. */
  refresh(signal?: AbortSignal): Promise<void>
  /** Serves these assets from now on. `keep` keeps the last prices of those that were served before. */
  replaceAssets(assets: readonly string[], options: { readonly keep: boolean }): void
}

export interface PricesOptions {
  readonly assets: readonly string[]
  readonly readPrice: ReadPrice
  readonly clock: Clock
  readonly log: Log
  /** Called with every price that is read. */
  readonly onRead?: (asset: string, read: AttestedPrice) => void
}

interface Slot {
  readonly asset: string
  last: { readonly price: Price; readonly readAtMs: number } | null
  /** When the last read failed; null after a success. */
  failedAtMs: number | null
  inFlight: { readonly done: Promise<void>; readonly startedAtMs: number } | null
}

export function createPrices(options: PricesOptions): Prices {
  const { clock, log } = options
  let slots = createSlots(options.assets)
  const semaphore = createSemaphore(MAX_CONCURRENT_PRICE_READS)
  let isOutageReported = false
  let lastReadAtMs: number | null = null
  let cached: { readonly snapshot: PriceSnapshot; readonly untilMs: number } | null = null

  function read(slot: Slot, signal?: AbortSignal): Promise<void> {
    if (slot.inFlight !== null) return slot.inFlight.done
    const done = semaphore.run(() => readNow(slot, signal)).finally(() => {
      slot.inFlight = null
      cached = null
    })
    slot.inFlight = { done, startedAtMs: clock.elapsedMs() }
    return done
  }

  async function readNow(slot: Slot, signal?: AbortSignal): Promise<void> {
    try {
      const attested = await withDeadline(clock, { limitMs: PRICE_READ_TIMEOUT_MS, timeoutError, signal }, (limited) => options.readPrice(slot.asset, limited))
      if (slot.failedAtMs !== null) log.info({ asset: slot.asset }, 'price readable again')
      slot.failedAtMs = null
      isOutageReported = false
      // A read of a replaced asset ends here.
      if (slots.get(slot.asset) !== slot) return
      lastReadAtMs = clock.elapsedMs()
      slot.last = { price: toResource(slot.asset, attested), readAtMs: lastReadAtMs }
      options.onRead?.(slot.asset, attested)
    } catch (error) {
      if (slot.failedAtMs === null && signal?.aborted !== true) report(slot, error)
      slot.failedAtMs = clock.elapsedMs()
    }
  }

  /** Logs a failure once per asset, and an outage of the RPC once for all assets. */
  function report(slot: Slot, error: unknown): void {
    if (!isOutage(error)) return log.warn({ asset: slot.asset, ...failureFields(error) }, 'price is not readable')
    if (!isOutageReported) log.warn(failureFields(error), 'prices are not readable')
    isOutageReported = true
  }

  /** Reads the slot when a read is due, and waits for it for a limited time. */
  async function settle(slot: Slot): Promise<void> {
    const nowMs = clock.elapsedMs()
    if (settledUntilMs(slot, nowMs) !== null) return
    const done = read(slot)
    // After a failure, requests do not wait for the next read while there is a price to serve, so that an outage does not slow them down.
    if (slot.failedAtMs !== null && serve(slot, nowMs) !== undefined) return
    const waitMs = PRICE_WAIT_MS - (nowMs - (slot.inFlight?.startedAtMs ?? nowMs))
    const wait = new AbortController()
    await Promise.race([done, clock.sleep(waitMs, wait.signal)])
    wait.abort()
  }

  async function readPrice(asset: string): Promise<ServedPrice | undefined> {
    const slot = slots.get(asset)
    if (slot === undefined) return undefined
    await settle(slot)
    return serve(slot, clock.elapsedMs())
  }

  function buildSnapshot(nowMs: number): PriceSnapshot {
    const prices = new Map<string, ServedPrice>()
    let anyStale = false
    let untilMs = Number.POSITIVE_INFINITY
    for (const slot of slots.values()) {
      const served = serve(slot, nowMs)
      untilMs = Math.min(untilMs, settledUntilMs(slot, nowMs) ?? nowMs)
      if (served === undefined) continue
      prices.set(slot.asset, served)
      anyStale ||= served.stale
    }
    const snapshot = { prices, anyStale }
    cached = { snapshot, untilMs }
    return snapshot
  }

  return {
    cachedSnapshot() {
      const nowMs = clock.elapsedMs()
      if (cached !== null && nowMs < cached.untilMs) return cached.snapshot
      for (const slot of slots.values()) {
        if (settledUntilMs(slot, nowMs) === null) return undefined
      }
      return buildSnapshot(nowMs)
    },
    async snapshot() {
      await Promise.all([...slots.values()].map(settle))
      return buildSnapshot(clock.elapsedMs())
    },
    readings: () => [...slots.values()].map((slot) => ({
      asset: slot.asset,
      price: serve(slot, clock.elapsedMs())?.price ?? null,
      isReadable: slot.last !== null && slot.failedAtMs === null,
    })),
    ageMs: () => (lastReadAtMs === null ? null : clock.elapsedMs() - lastReadAtMs),
    price: readPrice,
    async lastPrice(asset) {
      const served = await readPrice(asset)
      return served === undefined ? undefined : BigInt(served.price.price)
    },
    async refresh(signal) {
      await Promise.all([...slots.values()].map((slot) => read(slot, signal)))
    },
    replaceAssets(assets, { keep }) {
      const before = slots
      slots = createSlots(assets)
      cached = null
      if (keep) for (const [asset, slot] of before) if (slots.has(asset)) slots.set(asset, slot)
    },
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

function serve(slot: Slot, nowMs: number): ServedPrice | undefined {
  if (slot.last === null) return undefined
  const ageMs = nowMs - slot.last.readAtMs
  if (ageMs >= STALE_PRICE_SERVED_MS) return undefined
  return { price: slot.last.price, stale: slot.failedAtMs !== null || ageMs >= ORACLE_CACHE_MS }
}

function toResource(asset: string, { price, timestampSec }: AttestedPrice): Price {
  return { asset, price: price.toString(), priceFloat: toFloat(price), timestamp: timestampSec }
}

function timeoutError(): Error {
  return new Error(`no response within ${PRICE_READ_TIMEOUT_MS} ms`)
}
