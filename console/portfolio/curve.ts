// The geometry of a PnL curve: pure, so that it can be tested without a page.

export interface CurvePoint {
  /** Start of the interval, Unix seconds. */
  readonly ts: number
  /** Running total at the end of the interval, USDC with seven implied decimals; null while it is not known. */
  readonly cumulative: string | null
}

export interface Curve {
  /** Path data of the line, and of the area between it and zero. */
  readonly line: string
  readonly area: string
  /** Height of the zero line. */
  readonly zeroY: number
  readonly max: string
  readonly min: string
  /** The last known value. */
  readonly last: string
  readonly fromSec: number
  readonly toSec: number
  /** Where the known part ends before `toSec`; null when all values are known. */
  readonly unknownFromSec: number | null
}

export interface CurveSize {
  readonly width: number
  readonly height: number
}

const DECIMALS = 2

/**
 * The curve from zero at the start of the first point to the end of the last known one, which is at most `toSec`. Zero is always part of the scale. Null
 * without a known value.
 */
export function curveOf(
  points: readonly CurvePoint[], { intervalSec, toSec }: { readonly intervalSec: number; readonly toSec: number }, size: CurveSize,
): Curve | null {
  const fromSec = points[0]?.ts
  const end = points.findIndex(({ cumulative }) => cumulative === null)
  const known = (end === -1 ? points : points.slice(0, end)).filter(({ ts }) => ts < toSec)
  if (fromSec === undefined || known.length === 0) return null
  const vertices = [
    { sec: fromSec, value: 0n }, ...known.map(({ ts, cumulative }) => ({ sec: Math.min(ts + intervalSec, toSec), value: BigInt(cumulative ?? 0) })),
  ]
  const values = vertices.map(({ value }) => value)
  const [max, min] = [values.reduce((a, b) => (a > b ? a : b)), values.reduce((a, b) => (a < b ? a : b))]
  const x = (sec: number): string => round((sec - fromSec) * size.width / Math.max(1, toSec - fromSec))
  const y = (value: bigint): number => (max === min ? size.height / 2 : Number(max - value) * size.height / Number(max - min))
  const line = vertices.map(({ sec, value }, index) => `${index === 0 ? 'M' : 'L'}${x(sec)} ${round(y(value))}`).join('')
  const lastSec = vertices.at(-1)?.sec ?? fromSec
  return {
    line, area: `${line}L${x(lastSec)} ${round(y(0n))}L0 ${round(y(0n))}Z`, zeroY: Number(round(y(0n))),
    max: String(max), min: String(min), last: String(values.at(-1)), fromSec, toSec, unknownFromSec: end === -1 ? null : lastSec,
  }
}

function round(value: number): string {
  return String(Number(value.toFixed(DECIMALS)))
}

/** Widths of intervals, seconds, with their names in the API. */
const INTERVALS = [['1m', 60], ['5m', 300], ['15m', 900], ['1h', 3_600], ['4h', 14_400], ['1d', 86_400], ['1w', 604_800]] as const
export type CurveInterval = (typeof INTERVALS)[number][0]

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

/** What to request for a range that ends now: the shortest interval whose points are few enough. `firstSec`: begin of "all". */
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
