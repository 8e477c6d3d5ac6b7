// The prices of all assets: read through the price shim and cached for three seconds, with one read in flight per asset (specification, "What the service
// does", 1). An asset that cannot be read keeps its last price for a while, marked as outdated, and never delays the others.

import type { Clock } from '../base/clock.ts'
import { nowSec } from '../base/clock.ts'
import { waitAtMost, withDeadline } from '../base/deadline.ts'
import type { Log } from '../base/log.ts'
import { createSemaphore } from '../base/semaphore.ts'
import { failureFields, isOutage } from '../chain/rpc/failure.ts'
import { ORACLE_CACHE_MS, PRICE_STALENESS_LIMIT_SEC } from '../limits.ts'
import type { Price } from '../resources/price.ts'
import { createPriceBook, PRICE_WAIT_MS } from './price-book.ts'
import type { AttestedPrice, PriceListener, PriceSnapshot, ServedPrice, Slot } from './price-book.ts'

/** Time limit of a read. */
export const PRICE_READ_TIMEOUT_MS = 2_500
/** Maximum concurrent reads, over all assets. */
export const MAX_CONCURRENT_PRICE_READS = 7

/** Reads one asset's price from the shim. */
type ReadPrice = (asset: string, signal: AbortSignal) => Promise<AttestedPrice>

/** The last read of one asset. */
export interface PriceReading {
  readonly asset: string
  /** Null: never read, or not for too long. */
  readonly price: Price | null
  /** False: the last read failed, or there was none. */
  readonly isReadable: boolean
}

export interface Prices {
  /** The snapshot, when no asset needs a read first. Returns the same object until a price changes or the next second begins. */
  cachedSnapshot(): PriceSnapshot | undefined
  /** The snapshot after the reads that are due. Never rejects. */
  snapshot(): Promise<PriceSnapshot>
  /** The last read of every asset, in listing order. */
  readings(): readonly PriceReading[]
  /** Assets whose last price can be read, but is older than the market accepts, in listing order. */
  unpublished(): readonly string[]
  /** The age up to which the market accepts a price for opening a position, seconds; null: unknown. */
  maxAgeSec(): number | null
  /** Milliseconds since any asset was last read successfully; null before that. */
  ageMs(): number | null
  /** One asset's last price, without a read. */
  current(asset: string): ServedPrice | undefined
  /** One asset's price, after a read if it is due. Never rejects. */
  price(asset: string): Promise<ServedPrice | undefined>
  /** As `price`: the price itself, 7-decimal. */
  lastPrice(asset: string): Promise<bigint | undefined>
  /** Reads these assets now, with bounded concurrency; all by default. Never rejects. */
  refresh(signal?: AbortSignal, assets?: readonly string[]): Promise<void>
  /** Assets whose last read expires within this time, unless one is in flight. */
  expiring(withinMs: number): readonly string[]
  /** Takes prices that were read elsewhere, all at once, and the age up to which the exchange accepts a price; null: unknown. */
  observe(reads: ReadonlyMap<string, AttestedPrice>, maxAgeSec: number | null): void
  /** Calls the listener at once with prices that change. Returns a function that removes it. */
  subscribe(listener: PriceListener): () => void
  /** Serves these assets from now on. `keep` keeps the last prices of those that were served before. */
  replaceAssets(assets: readonly string[], options: { readonly keep: boolean }): void
}

export interface PricesOptions {
  readonly assets: readonly string[]
  readonly readPrice: ReadPrice
  readonly clock: Clock
  readonly log: Log
  /** The time that ages are relative to, Unix seconds: that of the exchange, as far as it is known. The clock's by default. */
  readonly nowSec?: () => number
  /** Called with every price that is read. */
  readonly onRead?: (asset: string, read: AttestedPrice) => void
}

export function createPrices(options: PricesOptions): Prices {
  const { clock, log } = options
  const semaphore = createSemaphore(MAX_CONCURRENT_PRICE_READS)
  let isOutageReported = false
  const book = createPriceBook({
    assets: options.assets, clock, log, nowSec: options.nowSec ?? (() => nowSec(clock)),
    onRead(asset, attested) {
      isOutageReported = false
      options.onRead?.(asset, attested)
    },
  })

  function read(slot: Slot, signal?: AbortSignal): Promise<void> {
    if (slot.inFlight !== null) return slot.inFlight.done
    const done = semaphore.run(() => readNow(slot, signal)).finally(() => {
      slot.inFlight = null
      book.invalidate()
    })
    slot.inFlight = { done, startedAtMs: clock.elapsedMs() }
    return done
  }

  async function readNow(slot: Slot, signal?: AbortSignal): Promise<void> {
    try {
      const attested = await withDeadline(clock, { limitMs: PRICE_READ_TIMEOUT_MS, timeoutError, signal }, (limited) => options.readPrice(slot.asset, limited))
      book.store(slot, attested)
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
    if (book.settledUntilMs(slot, nowMs) !== null) return
    const done = read(slot)
    // After a failure, requests do not wait for the next read while there is a price to serve, so that an outage does not slow them down.
    if (slot.failedAtMs !== null && book.serve(slot) !== undefined) return
    await waitAtMost(clock, PRICE_WAIT_MS - (nowMs - (slot.inFlight?.startedAtMs ?? nowMs)), done)
  }

  function readings(): readonly PriceReading[] {
    return [...book.slots()].map((slot) => ({
      asset: slot.asset,
      price: book.serve(slot)?.price ?? null,
      isReadable: slot.last !== null && slot.failedAtMs === null,
    }))
  }

  async function readPrice(asset: string): Promise<ServedPrice | undefined> {
    const slot = book.slot(asset)
    if (slot === undefined) return undefined
    await settle(slot)
    return book.serve(slot)
  }

  return {
    cachedSnapshot: book.cachedSnapshot,
    async snapshot() {
      await Promise.all([...book.slots()].map(settle))
      return book.buildSnapshot()
    },
    readings,
    unpublished() {
      const acceptedSec = book.maxAgeSec() ?? PRICE_STALENESS_LIMIT_SEC
      return readings().filter(({ price, isReadable }) => isReadable && price !== null && (price.ageSec ?? 0) > acceptedSec).map(({ asset }) => asset)
    },
    maxAgeSec: book.maxAgeSec,
    ageMs: book.ageMs,
    current(asset) {
      const slot = book.slot(asset)
      return slot === undefined ? undefined : book.serve(slot)
    },
    price: readPrice,
    async lastPrice(asset) {
      const served = await readPrice(asset)
      return served === undefined ? undefined : BigInt(served.price.price)
    },
    async refresh(signal, assets) {
      const due = assets === undefined ? [...book.slots()] : assets.flatMap((asset) => book.slot(asset) ?? [])
      await Promise.all(due.map((slot) => read(slot, signal)))
    },
    expiring(withinMs) {
      const untilMs = clock.elapsedMs() + withinMs
      const due = [...book.slots()].filter(({ last, failedAtMs, inFlight }) => {
        return inFlight === null && Math.max(last?.readAtMs ?? -Infinity, failedAtMs ?? -Infinity) + ORACLE_CACHE_MS <= untilMs
      })
      return due.map(({ asset }) => asset)
    },
    observe: book.storeAll,
    subscribe: book.subscribe,
    replaceAssets: book.replaceAssets,
  }
}

function timeoutError(): Error {
  return new Error(`no response within ${PRICE_READ_TIMEOUT_MS} ms`)
}
