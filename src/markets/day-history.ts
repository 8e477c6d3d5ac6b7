// The markets' figures of the past 24 hours while the exchange's own history is shorter: its candles, and before the first of them those of the external
// exchange, as GET /v1/candles shows them.

import { maxAmount, minAmount } from '../base/fixed-point.ts'
import { createSemaphore } from '../base/semaphore.ts'
import type { DayFigures } from '../projections/markets/day-figures.ts'
import { REFERENCE_AGE_MAX_SEC } from '../projections/markets/day-figures.ts'
import { bucketEnd, bucketStart } from '../projections/candles/candles.ts'
import { DAY_SEC } from '../projections/trades/volumes.ts'
import type { Candle } from '../resources/candle.ts'
import type { CandleHistory } from './candle-history.ts'
import type { DayHistory } from './day-range.ts'

/** One cached chunk of external klines covers three days of this interval. */
const INTERVAL = '5m'
const SCALE = 10_000_000

/** The history of this many assets is read at the same time. */
const CONCURRENT_READS = 4

/** Reads the figures of these assets. Those without a price of 24 hours ago are missing. Rejects when the database cannot be read. */
export async function readDayHistory(
  history: CandleHistory, { assets, nowSec }: { readonly assets: readonly string[]; readonly nowSec: number },
): Promise<DayHistory> {
  const startSec = nowSec - DAY_SEC
  const fromSec = bucketStart(startSec - REFERENCE_AGE_MAX_SEC, INTERVAL)
  const limit = Math.ceil((bucketEnd(nowSec, INTERVAL) - fromSec) / bucketEnd(0, INTERVAL)) + 1
  const figures = new Map<string, DayFigures>()
  const reads = createSemaphore(CONCURRENT_READS)
  const found = await Promise.all(assets.map((asset) => reads.run(async () => {
    const { candles, isComplete } = await history.read({ asset, interval: INTERVAL, fromSec, toSec: bucketEnd(nowSec, INTERVAL), limit })
    return { asset, figures: toFigures(candles, startSec), isComplete }
  })))
  for (const { asset, figures: ofAsset } of found) if (ofAsset !== undefined) figures.set(asset, ofAsset)
  return { figures, isComplete: found.every(({ isComplete }) => isComplete) }
}

/** A filled candle has no price, so nothing is known of its time. */
function toFigures(candles: readonly Candle[], startSec: number): DayFigures | undefined {
  const index = candles.findLastIndex(({ time, filled }) => bucketEnd(time, INTERVAL) <= startSec && filled !== true)
  const before = candles[index]
  if (before === undefined) return undefined
  const reference = toE7(before.close)
  const since = candles.slice(index + 1)
  return {
    reference,
    high: since.reduce((high, candle) => maxAmount(high, toE7(candle.high)), reference),
    low: since.reduce((low, candle) => minAmount(low, toE7(candle.low)), reference),
  }
}

function toE7(price: number): bigint {
  return BigInt(Math.round(price * SCALE))
}
