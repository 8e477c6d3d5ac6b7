// The points of a PnL curve, and what to request for it: pure, so that it can be tested without a page.

import type { ChartPoint } from '../chart-point.ts'

export interface CurvePoint {
  /** Start of the interval, Unix seconds. */
  readonly ts: number
  /** Running total at the end of the interval, USDC with seven implied decimals; null while it is not known. */
  readonly cumulative: string | null
}

/** The running total at a time, exactly and as a number for drawing. */
interface PnlVertex extends ChartPoint {
  readonly exact: string
}

export interface Curve {
  /** From zero at the start of the first interval to the end of the last known one. */
  readonly points: readonly PnlVertex[]
  readonly fromSec: number
  readonly toSec: number
  /** End of the known part, Unix seconds, if it is before `toSec`; null when all values are known. */
  readonly unknownFromSec: number | null
}

const ONE = 1e7

/** The curve up to the end of the last known interval, which is at most `toSec`. Null without a known value. */
export function curveOf(points: readonly CurvePoint[], { intervalSec, toSec }: { readonly intervalSec: number; readonly toSec: number }): Curve | null {
  const fromSec = points[0]?.ts
  const end = points.findIndex(({ cumulative }) => cumulative === null)
  const known = (end === -1 ? points : points.slice(0, end)).filter(({ ts }) => ts < toSec)
  if (fromSec === undefined || known.length === 0) return null
  const vertices = [
    vertexOf(fromSec, '0'), ...known.map(({ ts, cumulative }) => vertexOf(Math.min(ts + intervalSec, toSec), cumulative ?? '0')),
  ]
  return { points: vertices, fromSec, toSec, unknownFromSec: end === -1 ? null : vertices.at(-1)?.time ?? fromSec }
}

function vertexOf(time: number, exact: string): PnlVertex {
  return { time, value: Number(exact) / ONE, exact }
}

/** Widths of intervals, seconds, with their names in the API. */
const INTERVALS = [['1m', 60], ['5m', 300], ['15m', 900], ['1h', 3_600], ['4h', 14_400], ['1d', 86_400], ['1w', 604_800]] as const
type CurveInterval = (typeof INTERVALS)[number][0]

/** Enough points for a curve, and fewer than the API's limit. */
const POINTS_MAX = 200
const RANGE_SEC = { day: 86_400, week: 604_800, month: 2_592_000 } as const
export type CurveRange = keyof typeof RANGE_SEC | 'all'

export interface CurveRequest {
  readonly interval: CurveInterval
  readonly intervalSec: number
  readonly from: number
  readonly to: number
}

/** Returns the request for a range that ends now: the shortest interval whose points are few enough. `firstSec`: begin of "all". */
export function requestOf(range: CurveRange, { nowSec, firstSec }: { readonly nowSec: number; readonly firstSec: number }): CurveRequest {
  const start = range === 'all' ? Math.min(firstSec, nowSec) : nowSec - RANGE_SEC[range]
  // The longest interval serves four years, and begins later rather than ask for too many points.
  const [interval, intervalSec] = INTERVALS.find(([, width]) => (nowSec - start) / width < POINTS_MAX) ?? ['1w', INTERVALS[6][1]]
  const from = Math.max(0, start - start % intervalSec)
  return { interval, intervalSec, from, to: nowSec + 1 }
}

/** The sum of values, of which one that is not known makes the sum unknown. */
export function sumOf(values: readonly (string | null)[]): string | null {
  let sum = 0n
  for (const value of values) {
    if (value === null) return null
    sum += BigInt(value)
  }
  return String(sum)
}
