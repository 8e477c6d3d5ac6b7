// The value of an account over time, derived backwards from its value now: what trading has realised since, and what its positions were worth at the candles'
// prices. Pure. Prices of candles are floats, so the curve is for display; its last point is the exact value.

import type { AccountState, PnlPoint, RealizedTrade } from '../../client/src/index.ts'
import type { ChartPoint } from '../chart-point.ts'

/** A position or a part of one while it had this size. */
export interface PositionPart {
  readonly asset: string
  readonly direction: number
  /** USDC, for display. */
  readonly size: number
  readonly entryPrice: number
  /** Unix seconds; the start is -Infinity if it was opened before the trades that are known, the end Infinity while it is open. */
  readonly fromSec: number
  readonly toSec: number
}

const ONE = 1e7
/** The two rows that repeat others: the close of a deleveraged position, and the liquidations of an account. */
const REPEATED: ReadonlySet<RealizedTrade['kind']> = new Set(['adl', 'cross_liquidation'])

/**
 * The parts of all positions that were open at some time, from their closes and the present positions. Null if a trade's market or price is not known, because
 * the index begins after its open.
 */
export function partsOf(trades: readonly RealizedTrade[], positions: NonNullable<AccountState['positions']>): readonly PositionPart[] | null {
  const opened = new Map(trades.flatMap(({ kind, positionId, ts }) => (kind === 'open' ? [[positionId, ts] as const] : [])))
  const parts: PositionPart[] = positions.map(({ asset, direction, size, entryPrice, openedAt }) => ({
    asset, direction, size: Number(size) / ONE, entryPrice: Number(entryPrice) / ONE, fromSec: openedAt, toSec: Infinity,
  }))
  for (const { kind, positionId, ts, asset, direction, size, entryPrice } of trades) {
    if (kind === 'open' || REPEATED.has(kind)) continue
    if (asset === null || direction === null || size === null || entryPrice === null) return null
    parts.push({
      asset, direction, size: Number(size) / ONE, entryPrice: Number(entryPrice) / ONE, fromSec: opened.get(positionId) ?? -Infinity, toSec: ts,
    })
  }
  return parts
}

export interface ValueSources {
  /** Of the PnL, oldest first. */
  readonly points: readonly PnlPoint[]
  readonly toSec: number
  readonly parts: readonly PositionPart[]
  /** The price of a market at the end of an interval; undefined where there is none. */
  readonly priceAt: (asset: string, sec: number) => number | undefined
  /** Price now. */
  readonly priceNow: (asset: string) => number | undefined
  /** The value now, USDC with seven implied decimals. */
  readonly value: string
}

/**
 * The curve up to now, oldest first. It begins where something before is not known: a fee, funding, or a price. Null if the present profit of a position is
 * not known.
 */
export function valueCurve({ points, toSec, parts, priceAt, priceNow, value }: ValueSources): readonly ChartPoint[] | null {
  const profitNow = profitOf(parts, Infinity, priceNow)
  if (profitNow === null) return null
  const now = Number(value) / ONE
  const curve: ChartPoint[] = [{ time: toSec, value: now }]
  let earned = 0
  for (const { ts, realizedPnl, fees, funding } of points.toReversed()) {
    if (realizedPnl === null || fees === null || funding === null) break
    if (ts >= toSec) continue
    earned += (Number(realizedPnl) - Number(fees) - Number(funding)) / ONE
    const profit = profitOf(parts, ts, (asset) => priceAt(asset, ts))
    if (profit === null) break
    curve.push({ time: ts, value: now - profitNow - earned + profit })
  }
  return curve.reverse()
}

/** The unrealised profit by price at a time, USDC; null if a price is not known. */
function profitOf(parts: readonly PositionPart[], sec: number, priceOf: (asset: string) => number | undefined): number | null {
  let profit = 0
  for (const { asset, direction, size, entryPrice, fromSec, toSec } of parts) {
    // What happens at the second in which an interval starts belongs to that interval.
    if (fromSec >= sec || toSec < sec) continue
    const price = priceOf(asset)
    if (price === undefined) return null
    profit += size * (price - entryPrice) / entryPrice * (direction === 0 ? 1 : -1)
  }
  return profit
}

/** The price at the start of an interval: the open of its candle, else the last close before it. Undefined before the first candle. */
export function candlePriceAt(
  candles: readonly { readonly time: number; readonly open: number; readonly close: number }[], sec: number,
): number | undefined {
  const candle = candles.findLast(({ time }) => time <= sec)
  return candle?.time === sec ? candle.open : candle?.close
}
