// What markets report of the past 24 hours while the exchange's own history is shorter: its candles, and before the first of them those of the external
// exchange, as GET /v1/candles shows them.

import { maxAmount, minAmount } from '../base/fixed-point.ts'
import type { DayFigures } from '../projections/day-figures.ts'
import { REFERENCE_AGE_MAX_SEC } from '../projections/day-figures.ts'
import { bucketEnd, bucketStart } from '../projections/candles.ts'
import { DAY_SEC } from '../projections/volumes.ts'
import type { Candle } from '../resources/candle.ts'
import type { CandleHistory } from './candle-history.ts'

/** One cached chunk of external klines covers three days of this interval. */
const INTERVAL = '5m'
const SCALE = 10_000_000

/** Reads the figures of these assets one after the other. Assets without a price of 24 hours ago are missing. Rejects when the database cannot be read. */
export async function readDayHistory(
  history: CandleHistory, { assets, nowSec }: { readonly assets: readonly string[]; readonly nowSec: number },
): Promise<ReadonlyMap<string, DayFigures>> {
  const startSec = nowSec - DAY_SEC
  const fromSec = bucketStart(startSec - REFERENCE_AGE_MAX_SEC, INTERVAL)
  const limit = Math.ceil((bucketEnd(nowSec, INTERVAL) - fromSec) / bucketEnd(0, INTERVAL)) + 1
  const figures = new Map<string, DayFigures>()
  for (const asset of assets) {
    const { candles, hasNative } = await history.read({ asset, interval: INTERVAL, fromSec, toSec: bucketEnd(nowSec, INTERVAL), limit })
    const found = hasNative ? toFigures(candles, startSec) : undefined
    if (found !== undefined) figures.set(asset, found)
  }
  return figures
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
