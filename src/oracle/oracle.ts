// The ticker: reads every price ahead of its expiry, so that requests do not wait, and folds what is new into candles.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CandleTick } from '../projections/candles.ts'
import { createPrices } from './prices.ts'
import type { AttestedPrice, Prices, ReadPrice } from './prices.ts'

/** A round of reads begins this long after the one before: half a second ahead of the three seconds that a price is kept. */
export const TICKER_INTERVAL_MS = 2_500
/** Ticks that wait while the database is away; the oldest are dropped beyond it. */
export const MAX_PENDING_TICKS = 5_000

/** Writes ticks into the candles of every interval, all or nothing. A tick is every read whose attestation time or price is new. */
export type FoldTicks = (ticks: readonly CandleTick[]) => Promise<void>

export interface Oracle {
  readonly prices: Prices
  /** One round of the ticker: reads every price and folds the ticks. Never rejects. */
  step(signal?: AbortSignal): Promise<void>
  /** Rounds until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface OracleOptions {
  readonly assets: readonly string[]
  readonly readPrice: ReadPrice
  readonly foldTicks: FoldTicks
  readonly clock: Clock
  readonly log: Log
}

export function createOracle(options: OracleOptions): Oracle {
  const { clock, log, assets, readPrice } = options
  const latest = new Map<string, AttestedPrice>()
  let pending: CandleTick[] = []
  let folding = true

  const prices = createPrices({
    assets,
    readPrice,
    clock,
    log,
    onRead(asset, read) {
      // A price that no trade could be made at is served as it is, but draws no candle.
      if (read.price <= 0n) return
      const before = latest.get(asset)
      if (before?.price === read.price && before.timestampSec === read.timestampSec) return
      latest.set(asset, read)
      pending.push({ asset, price: read.price, timestampSec: read.timestampSec })
      if (pending.length > MAX_PENDING_TICKS) pending = pending.slice(-MAX_PENDING_TICKS)
    },
  })

  /** Ticks stay pending until a fold took them: a database that was away for a moment leaves no hole in the candles. */
  async function foldPending(): Promise<void> {
    const ticks = pending
    if (ticks.length === 0) return
    pending = []
    try {
      await options.foldTicks(ticks)
      if (!folding) log.info({ ticks: ticks.length }, 'candles move again')
      folding = true
    } catch (error) {
      if (folding) log.warn({ err: error }, 'candles cannot be written')
      folding = false
      pending = [...ticks, ...pending].slice(-MAX_PENDING_TICKS)
    }
  }

  async function step(signal?: AbortSignal): Promise<void> {
    await prices.refresh(signal)
    await foldPending()
  }

  return {
    prices,
    step,
    async run(signal) {
      while (!signal.aborted) {
        const startedAtMs = clock.elapsedMs()
        await step(signal)
        await clock.sleep(Math.max(0, TICKER_INTERVAL_MS - (clock.elapsedMs() - startedAtMs)), signal)
      }
    },
  }
}
