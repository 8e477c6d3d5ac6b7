// Candles of oracle prices. Each tick updates the buckets of every interval, so that reads never aggregate.

import type { Candle, CandleInterval } from '../resources/candle.ts'
import { toFloat } from '../base/fixed-point.ts'
import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'
import type { HeadColumns } from './as-of.ts'
import { headOf, seqFromCursor, readPage, toSearchText } from './log-list.ts'
import type { Head, Page } from './page.ts'
import { encodeCursor } from './page.ts'

/** Bucket widths in seconds. */
const WIDTHS_SEC: Readonly<Record<CandleInterval, number>> = {
  '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400, '1w': 604_800,
}
const INTERVALS = Object.keys(WIDTHS_SEC) as CandleInterval[]

/** The intervals in ascending order, with their widths in seconds. */
export const CANDLE_WIDTHS: ReadonlyMap<CandleInterval, number> = new Map(INTERVALS.map((interval) => [interval, WIDTHS_SEC[interval]]))

/** The Unix epoch is a Thursday; weekly candles start on Mondays. */
const FIRST_MONDAY_SEC = 4 * 86_400

/** One price for the candles. */
export interface CandleTick {
  readonly asset: string
  /** 7-decimal. */
  readonly price: bigint
  /** Time of attestation, unix seconds; determines the bucket. */
  readonly timestampSec: number
}

/** Start of the bucket that contains a time, unix seconds. */
export function bucketStart(timestampSec: number, interval: CandleInterval): number {
  const width = WIDTHS_SEC[interval]
  const offset = interval === '1w' ? FIRST_MONDAY_SEC : 0
  return timestampSec - ((((timestampSec - offset) % width) + width) % width)
}

export interface CandlesFilter {
  readonly asset: string
  readonly interval: CandleInterval
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Where the prices of a candle come from. `trades`: at least one of them is of a trade. */
type PriceSource = 'oracle' | 'trades'

export interface RawCandle extends Record<'open' | 'high' | 'low' | 'close', string> {
  readonly source: PriceSource
  /** The bucket's start, named `seq` because pages are ordered by it. */
  readonly seq: number
}

/** The newest candles in ascending order, including the forming one; a cursor continues with older ones (specification, "GET /v1/candles"). */
export async function listCandles(db: Queryable, filter: CandlesFilter): Promise<Page<Candle>> {
  const { asset, interval, limit } = filter
  const kind = `candles-${asset}-${interval}`
  const before = filter.cursor === undefined ? undefined : seqFromCursor(kind, filter.cursor)
  const page = await readPage<RawCandle, Candle>(
    db,
    {
      page: `select k.time as seq, k.open, k.high, k.low, k.close, k.source from idx.candles k
        where k.asset = $1::text and k.interval = $2::text ${before === undefined ? '' : 'and k.time < $4::bigint'}
        order by k.time desc limit $3::int`,
      params: before === undefined ? [toSearchText(asset), interval, limit + 1] : [toSearchText(asset), interval, limit + 1, before],
      limit,
      cursorOf: (raw) => encodeCursor(kind, [raw.seq]),
    },
    toCandle,
  )
  return { ...page, rows: page.rows.toReversed() }
}

export interface CandleSpan {
  readonly asset: string
  readonly interval: CandleInterval
  /** Buckets start at or after this time; null: no lower bound. */
  readonly fromSec: number | null
  /** Buckets start before this time. */
  readonly toSec: number
  readonly limit: number
}

/** The newest candles of a span in ascending order, and the start of the newest candle before the span. */
export async function readCandlesBetween(
  db: Queryable,
  { asset, interval, fromSec, toSec, limit }: CandleSpan,
): Promise<{ readonly candles: readonly Candle[]; readonly previous: number | null; readonly head: Head }> {
  const rows = await db.query<RawCandle & HeadColumns & { readonly previous: number | null }>(
    `select c.last_ledger as "headLedger", c.last_seq as "headSeq", k.*,
       (select max(p.time) from idx.candles p where p.asset = $1::text and p.interval = $2::text and p.time < least($3::bigint, $4::bigint)) as previous
     from idx.cursor c left join lateral (
       select k.time as seq, k.open, k.high, k.low, k.close, k.source from idx.candles k
       where k.asset = $1::text and k.interval = $2::text and k.time >= $3::bigint and k.time < $4::bigint
       order by k.time desc limit $5::int
     ) k on true order by k.seq`,
    [toSearchText(asset), interval, fromSec ?? 0, toSec, limit],
  )
  const candles = rows.filter(({ seq }) => (seq as number | null) !== null).map(toCandle)
  return { candles, previous: rows[0]?.previous ?? null, head: headOf(rows) }
}

/** End of the bucket that starts at `time`, unix seconds. */
export function bucketEnd(time: number, interval: CandleInterval): number {
  return time + WIDTHS_SEC[interval]
}

/** A candle with the series that it belongs to. */
export interface SeriesCandle extends Candle {
  readonly asset: string
  readonly interval: CandleInterval
}

/** The two newest candles of each series in ascending order, read in one statement. */
export async function readNewestCandles(
  db: Queryable,
  series: readonly { readonly asset: string; readonly interval: CandleInterval }[],
): Promise<readonly SeriesCandle[]> {
  const rows = await db.query<RawCandle & { readonly asset: string; readonly interval: CandleInterval }>(
    `select n.asset, n.interval, k.time as seq, k.open, k.high, k.low, k.close, k.source
     from unnest($1::text[], $2::text[]) n (asset, interval)
     cross join lateral (
       select * from idx.candles c where c.asset = n.asset and c.interval = n.interval order by c.time desc limit 2
     ) k order by n.asset, n.interval, k.time`,
    columnsOf(series, ['asset', 'interval']),
  )
  return rows.map(({ asset, interval, ...raw }) => ({ asset, interval, ...toCandle(raw) }))
}

export function toCandle(raw: RawCandle): Candle {
  const candle = { time: raw.seq, open: float(raw.open), high: float(raw.high), low: float(raw.low), close: float(raw.close) }
  return raw.source === 'trades' ? { ...candle, source: raw.source } : candle
}

function float(priceE7: string): number {
  return toFloat(BigInt(priceE7))
}

interface Bucket {
  readonly asset: string
  readonly interval: CandleInterval
  readonly time: number
  open: bigint
  high: bigint
  low: bigint
  close: bigint
  openTs: number
  closeTs: number
}

/**
 * Applies ticks to the candles of every interval in one statement. Applying a tick twice changes nothing, and ticks may arrive late: open and close follow
 * the time of attestation; among equal times the first tick received opens and the last one closes. A price of a trade never replaces an oracle price
 * of the same time, and marks a candle only if it changes it.
 */
export async function foldTicks(db: Queryable, ticks: readonly CandleTick[], source: PriceSource = 'oracle'): Promise<void> {
  const rows = [...bucketTicks(ticks).values()]
  if (rows.length === 0) return
  await db.query(
    `insert into idx.candles as k (asset, interval, time, open, high, low, close, open_ts, close_ts, source)
     select n.*, $10::text
     from unnest($1::text[], $2::text[], $3::bigint[], $4::numeric[], $5::numeric[], $6::numeric[], $7::numeric[], $8::bigint[], $9::bigint[]) n
     on conflict (asset, interval, time) do update set
       open = case when excluded.open_ts < k.open_ts then excluded.open else k.open end,
       high = greatest(k.high, excluded.high),
       low = least(k.low, excluded.low),
       close = case
         when excluded.close_ts > k.close_ts or (excluded.close_ts = k.close_ts and excluded.source = 'oracle') then excluded.close else k.close end,
       open_ts = least(k.open_ts, excluded.open_ts),
       close_ts = greatest(k.close_ts, excluded.close_ts),
       source = case
         when excluded.open_ts < k.open_ts or excluded.close_ts > k.close_ts or excluded.high > k.high or excluded.low < k.low
         then greatest(k.source, excluded.source) else k.source end`,
    [...columnsOf(rows, ['asset', 'interval', 'time', 'open', 'high', 'low', 'close', 'openTs', 'closeTs']), source],
  )
}

/** Merges ticks per asset, interval and bucket, because one statement must not update a row twice. */
function bucketTicks(ticks: readonly CandleTick[]): ReadonlyMap<string, Bucket> {
  const buckets = new Map<string, Bucket>()
  for (const { asset, price, timestampSec } of ticks) {
    for (const interval of INTERVALS) {
      const time = bucketStart(timestampSec, interval)
      const key = `${asset} ${interval} ${time}`
      const bucket = buckets.get(key)
      if (bucket === undefined) {
        buckets.set(key, {
          asset, interval, time, open: price, high: price, low: price, close: price, openTs: timestampSec, closeTs: timestampSec,
        })
      } else {
        addTick(bucket, price, timestampSec)
      }
    }
  }
  return buckets
}

function addTick(bucket: Bucket, price: bigint, timestampSec: number): void {
  if (price > bucket.high) bucket.high = price
  if (price < bucket.low) bucket.low = price
  if (timestampSec < bucket.openTs) {
    bucket.open = price
    bucket.openTs = timestampSec
  }
  if (timestampSec >= bucket.closeTs) {
    bucket.close = price
    bucket.closeTs = timestampSec
  }
}
