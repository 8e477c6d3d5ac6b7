// The prices of all assets as the gateway knows them: read through the shim, kept for three seconds per asset, one read in flight per asset
// (specification, "What the service does", 1). An asset that cannot be read keeps its last known price for a while, marked stale, and never holds up
// the others.

import type { Clock } from '../base/clock.ts'
import { defined } from '../base/assert.ts'
import { toFloat } from '../base/fixed-point.ts'
import type { Log } from '../base/log.ts'
import { failureFields, isOutage } from '../chain/failure.ts'
import { ORACLE_CACHE_MS, STALE_PRICE_SERVED_MS } from '../limits.ts'
import type { Price } from '../resources/price.ts'
import { createSemaphore } from '../base/semaphore.ts'

/** A read that takes longer is given up. */
export const PRICE_READ_TIMEOUT_MS = 2_500
/** A request waits so long for a read; after that it gets what is known. */
export const PRICE_WAIT_MS = 1_000
/** Reads under way at a time, over all assets. */
export const MAX_CONCURRENT_PRICE_READS = 7

/** What the shim answered. */
export interface AttestedPrice {
  /** 7-decimal. */
  readonly price: bigint
  /** Unix seconds of the attestation. */
  readonly timestampSec: number
}

/** Asks the shim for one asset's price. */
export type ReadPrice = (asset: string, signal: AbortSignal) => Promise<AttestedPrice>

/** A price as it is served. */
export interface ServedPrice {
  readonly price: Price
  /** The asset cannot be read at the moment; this is its last known price. */
  readonly stale: boolean
}

/** All prices that can be served at one moment, in listing order; assets never read, or unreadable for too long, are missing. Never changed in place. */
export interface PriceSnapshot {
  readonly prices: ReadonlyMap<string, ServedPrice>
  readonly anyStale: boolean
}

export interface Prices {
  /** The board, when no asset needs a read first; the same object for as long as nothing changed. */
  cachedSnapshot(): PriceSnapshot | undefined
  /** The board, after the reads that are due. Never rejects. */
  snapshot(): Promise<PriceSnapshot>
  /** The same for one asset. */
  price(asset: string): Promise<ServedPrice | undefined>
  /** Reads every asset now, in bounded numbers at a time. Never rejects. */
  refresh(signal?: AbortSignal): Promise<void>
}

export interface PricesOptions {
  readonly assets: readonly string[]
  readonly readPrice: ReadPrice
  readonly clock: Clock
  readonly log: Log
  /** Called with every price that was read. */
  readonly onRead?: (asset: string, read: AttestedPrice) => void
}

interface Slot {
  readonly asset: string
  last: { readonly price: Price; readonly readAtMs: number } | null
  /** When the newest read failed; null after a good one. */
  failedAtMs: number | null
  inFlight: { readonly done: Promise<void>; readonly startedAtMs: number } | null
}

export function createPrices(options: PricesOptions): Prices {
  const { clock, log } = options
  const slots = new Map(options.assets.map((asset): [string, Slot] => [asset, { asset, last: null, failedAtMs: null, inFlight: null }]))
  const lanes = createSemaphore(MAX_CONCURRENT_PRICE_READS)
  let outageReported = false
  let kept: { readonly board: PriceSnapshot; readonly untilMs: number } | null = null

  function read(slot: Slot, signal?: AbortSignal): Promise<void> {
    if (slot.inFlight !== null) return slot.inFlight.done
    const done = lanes.run(() => readNow(slot, signal)).finally(() => {
      slot.inFlight = null
      kept = null
    })
    slot.inFlight = { done, startedAtMs: clock.elapsedMs() }
    return done
  }

  async function readNow(slot: Slot, signal?: AbortSignal): Promise<void> {
    try {
      const answer = await withTimeout(clock, signal, (limited) => options.readPrice(slot.asset, limited))
      if (slot.failedAtMs !== null) log.info({ asset: slot.asset }, 'price readable again')
      slot.failedAtMs = null
      outageReported = false
      slot.last = { price: toResource(slot.asset, answer), readAtMs: clock.elapsedMs() }
      options.onRead?.(slot.asset, answer)
    } catch (error) {
      if (slot.failedAtMs === null && signal?.aborted !== true) report(slot, error)
      slot.failedAtMs = clock.elapsedMs()
    }
  }

  /** Once per asset; an outage of the chain, which all assets share, once for all of them. */
  function report(slot: Slot, error: unknown): void {
    if (!isOutage(error)) return log.warn({ asset: slot.asset, ...failureFields(error) }, 'price not readable')
    if (!outageReported) log.warn(failureFields(error), 'prices not readable')
    outageReported = true
  }

  /** Reads the slot when that is due, and waits for it within bounds. */
  async function settle(slot: Slot): Promise<void> {
    const nowMs = clock.elapsedMs()
    if (settledUntilMs(slot, nowMs) !== null) return
    const done = read(slot)
    // What failed is asked for again, but nobody waits for it while there is a price to serve: a network that is away slows nobody.
    if (slot.failedAtMs !== null && serve(slot, nowMs) !== undefined) return
    const waitMs = PRICE_WAIT_MS - (nowMs - (slot.inFlight?.startedAtMs ?? nowMs))
    const waited = new AbortController()
    await Promise.race([done, clock.sleep(waitMs, waited.signal)])
    waited.abort()
  }

  function keepBoard(nowMs: number): PriceSnapshot {
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
    const board = { prices, anyStale }
    kept = { board, untilMs }
    return board
  }

  return {
    cachedSnapshot() {
      const nowMs = clock.elapsedMs()
      if (kept !== null && nowMs < kept.untilMs) return kept.board
      for (const slot of slots.values()) {
        if (settledUntilMs(slot, nowMs) === null) return undefined
      }
      return keepBoard(nowMs)
    },
    async snapshot() {
      await Promise.all([...slots.values()].map(settle))
      return keepBoard(clock.elapsedMs())
    },
    async price(asset) {
      const slot = defined(slots.get(asset), `the price slot of ${asset}`)
      await settle(slot)
      return serve(slot, clock.elapsedMs())
    },
    async refresh(signal) {
      await Promise.all([...slots.values()].map((slot) => read(slot, signal)))
    },
  }
}

/** Until when a request can be answered from this slot without a new read; null when a read is due now. */
function settledUntilMs(slot: Slot, nowMs: number): number | null {
  const { last, failedAtMs, inFlight } = slot
  const freshUntilMs = last !== null && failedAtMs === null ? last.readAtMs + ORACLE_CACHE_MS : 0
  if (nowMs < freshUntilMs) return freshUntilMs
  const endOfServiceMs = last === null ? Number.POSITIVE_INFINITY : last.readAtMs + STALE_PRICE_SERVED_MS
  const boundedMs = nowMs < endOfServiceMs ? endOfServiceMs : Number.POSITIVE_INFINITY
  // A read that hangs is waited for once; whoever comes later gets what is known until it is over.
  if (inFlight !== null && nowMs - inFlight.startedAtMs >= PRICE_WAIT_MS) return boundedMs
  // What has just failed is not asked again at once.
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

/** Gives the work a signal that aborts after the time limit, or with the outer signal. */
async function withTimeout<T>(clock: Clock, outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController()
  const expired = Promise.withResolvers<never>()
  const timer = clock.setTimer(PRICE_READ_TIMEOUT_MS, () => {
    limit.abort()
    expired.reject(new Error(`no answer within ${PRICE_READ_TIMEOUT_MS} ms`))
  })
  const signal = outer === undefined ? limit.signal : AbortSignal.any([outer, limit.signal])
  try {
    return await Promise.race([work(signal), expired.promise])
  } finally {
    timer.cancel()
  }
}
