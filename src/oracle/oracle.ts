// The ticker: refreshes every price before it expires, so that requests do not wait, and writes new prices into candles.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { CandleTick } from '../projections/candles.ts'
import { createCandleFiller } from './candle-filler.ts'
import type { CandleFillerOptions } from './candle-filler.ts'
import { createPrices } from './prices.ts'
import type { AttestedPrice, Prices, ReadPrice } from './prices.ts'

/** Interval between rounds: half a second less than the three seconds that a price is cached. */
export const TICKER_INTERVAL_MS = 2_500
/** Maximum number of ticks that wait while the database is unavailable; the oldest are dropped. */
export const MAX_PENDING_TICKS = 5_000

/** Writes ticks into the candles of every interval, atomically. A tick is a read with a new price or attestation time. */
export type FoldTicks = (ticks: readonly CandleTick[]) => Promise<void>

export interface Oracle {
  readonly prices: Prices
  /** Runs one round: reads every price and writes the ticks. Never rejects. */
  step(signal?: AbortSignal): Promise<void>
  /** Fills candles that the ticker missed. Rejects when the database cannot be used. */
  fillCandles(signal?: AbortSignal): Promise<number>
  /** Runs the ticker, and the filling of candles besides it, until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface OracleOptions {
  readonly deployment: CurrentDeployment
  readonly readPrice: ReadPrice
  readonly foldTicks: FoldTicks
  readonly filling: Pick<CandleFillerOptions, 'readHead' | 'fillPage'>
  readonly clock: Clock
  readonly log: Log
}

export function createOracle(options: OracleOptions): Oracle {
  const { clock, log, deployment, readPrice } = options
  const filler = createCandleFiller({ assets: () => deployment.current.assets.symbols, ...options.filling, clock, log })
  const latest = new Map<string, AttestedPrice>()
  let pending: CandleTick[] = []
  let isWriting = true

  const prices = createPrices({
    assets: deployment.current.assets.symbols,
    readPrice,
    clock,
    log,
    onRead(asset, read) {
      // A price of zero or less is served, but is not part of a candle: no trade can happen at it.
      if (read.price <= 0n) return
      const previous = latest.get(asset)
      if (previous?.price === read.price && previous.timestampSec === read.timestampSec) return
      latest.set(asset, read)
      pending.push({ asset, price: read.price, timestampSec: read.timestampSec })
      if (pending.length > MAX_PENDING_TICKS) pending = pending.slice(-MAX_PENDING_TICKS)
    },
  })

  deployment.subscribe((next, previous) => {
    const isSameSource = next.contracts.oracleShim === previous.contracts.oracleShim
    if (!isSameSource) latest.clear()
    prices.replaceAssets(next.assets.symbols, { keep: isSameSource })
  })

  /** Ticks stay pending until they are written, so that a short outage of the database leaves no gap in the candles. */
  async function foldPending(): Promise<void> {
    const ticks = pending
    if (ticks.length === 0) return
    pending = []
    try {
      await options.foldTicks(ticks)
      if (!isWriting) log.info({ ticks: ticks.length }, 'candle writes recovered')
      isWriting = true
    } catch (error) {
      if (isWriting) log.warn({ err: error }, 'candles could not be written')
      isWriting = false
      pending = [...ticks, ...pending].slice(-MAX_PENDING_TICKS)
    }
  }

  async function step(signal?: AbortSignal): Promise<void> {
    await prices.refresh(signal)
    await foldPending()
  }

  async function tick(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAtMs = clock.elapsedMs()
      await step(signal)
      await clock.sleep(Math.max(0, TICKER_INTERVAL_MS - (clock.elapsedMs() - startedAtMs)), signal)
    }
  }

  return {
    prices,
    step,
    fillCandles: filler.step,
    async run(signal) {
      await Promise.all([tick(signal), filler.run(signal)])
    },
  }
}
