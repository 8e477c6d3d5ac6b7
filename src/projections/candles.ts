// Candles of the oracle's own prices: ticks fold into buckets of every width at once, so that no read aggregates.

import type { Candle, CandleInterval } from '../resources/candle.ts'
import { toFloat } from '../base/fixed-point.ts'
import type { Queryable } from '../store/store.ts'
import type { HeadColumns } from './log-list.ts'
import { headOf, seqFromCursor, readPage, toSearchText } from './log-list.ts'
import type { Head, Page } from './page.ts'
import { encodeCursor } from './page.ts'

/** Bucket widths in seconds. */
const WIDTHS_SEC: Readonly<Record<CandleInterval, number>> = {
  '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400, '1w': 604_800,
}
const INTERVALS = Object.keys(WIDTHS_SEC) as CandleInterval[]

/** Unix time began on a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY_SEC = 4 * 86_400

/** A price for the candles. */
export interface CandleTick {
  readonly asset: string
  /** 7-decimal. */
  readonly price: bigint
  /** When it was attested, unix seconds: this decides the bucket. */
  readonly timestampSec: number
}

/** Start of the bucket that a moment falls into, unix seconds. */
export function bucketStart(timestampSec: number, interval: CandleInterval): number {
  const width = WIDTHS_SEC[interval]
  const offset = interval === '1w' ? FIRST_MONDAY_SEC : 0
  return timestampSec - ((((timestampSec - offset) % width) + width) % width)
}

/** What `GET /v1/candles` asks for. */
export interface CandlesFilter {
  readonly asset: string
  readonly interval: CandleInterval
  readonly limit: number
  readonly cursor?: string | undefined
}

interface RawCandle extends Record<'open' | 'high' | 'low' | 'close', string> {
  /** The bucket's time, under the name that every page is ordered by. */
  readonly seq: number
}

/** The newest candles, the forming one included, oldest first; a cursor goes on with older ones (specification, "GET /v1/candles"). */
export async function listCandles(db: Queryable, filter: CandlesFilter): Promise<Page<Candle>> {
  const { asset, interval, limit } = filter
  const kind = `candles-${asset}-${interval}`
  const before = filter.cursor === undefined ? undefined : seqFromCursor(kind, filter.cursor)
  const page = await readPage<RawCandle, Candle>(
    db,
    {
      page: `select k.time as seq, k.open, k.high, k.low, k.close from idx.candles k
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

/** What a chart asks for. */
export interface CandleSpan {
  readonly asset: string
  readonly interval: CandleInterval
  /** The earliest start of a bucket; null: as many as fit. */
  readonly fromSec: number | null
  /** Buckets begin before this. */
  readonly toSec: number
  readonly limit: number
}

/** The newest candles of a span, oldest first; where there are none, the start of the newest one before it. */
export async function readCandlesBetween(
  db: Queryable,
  { asset, interval, fromSec, toSec, limit }: CandleSpan,
): Promise<{ readonly candles: readonly Candle[]; readonly previous: number | null; readonly head: Head }> {
  const rows = await db.query<RawCandle & HeadColumns & { readonly previous: number | null }>(
    `select c.last_ledger as "headLedger", c.last_seq as "headSeq", k.*,
       (select max(p.time) from idx.candles p where p.asset = $1::text and p.interval = $2::text and p.time < least($3::bigint, $4::bigint)) as previous
     from idx.cursor c left join lateral (
       select k.time as seq, k.open, k.high, k.low, k.close from idx.candles k
       where k.asset = $1::text and k.interval = $2::text and k.time >= $3::bigint and k.time < $4::bigint
       order by k.time desc limit $5::int
     ) k on true order by k.seq`,
    [toSearchText(asset), interval, fromSec ?? 0, toSec, limit],
  )
  const candles = rows.filter(({ seq }) => (seq as number | null) !== null).map(toCandle)
  return { candles, previous: rows[0]?.previous ?? null, head: headOf(rows) }
}

/** When the bucket that begins at `time` is over, unix seconds. */
export function bucketEnd(time: number, interval: CandleInterval): number {
  return time + WIDTHS_SEC[interval]
}

/** A candle with what it belongs to. */
export interface SeriesCandle extends Candle {
  readonly asset: string
  readonly interval: CandleInterval
}

/** The two newest candles of each pair, oldest first within it: the forming one and the one before. One statement for all. */
export async function readNewestCandles(
  db: Queryable,
  pairs: readonly { readonly asset: string; readonly interval: CandleInterval }[],
): Promise<readonly SeriesCandle[]> {
  const rows = await db.query<RawCandle & { readonly asset: string; readonly interval: CandleInterval }>(
    `select n.asset, n.interval, k.time as seq, k.open, k.high, k.low, k.close
     from unnest($1::text[], $2::text[]) n (asset, interval)
     cross join lateral (
       select * from idx.candles c where c.asset = n.asset and c.interval = n.interval order by c.time desc limit 2
     ) k order by n.asset, n.interval, k.time`,
    [pairs.map(({ asset }) => asset), pairs.map(({ interval }) => interval)],
  )
  return rows.map(({ asset, interval, ...raw }) => ({ asset, interval, ...toCandle(raw) }))
}

function toCandle(raw: RawCandle): Candle {
  return { time: raw.seq, open: float(raw.open), high: float(raw.high), low: float(raw.low), close: float(raw.close) }
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
 * Folds ticks into the candles of every interval, all or nothing. Folding a tick again changes nothing, and ticks may come late: open and close go by
 * the time of attestation, of equal times the first and the last that came.
 */
export async function foldTicks(db: Queryable, ticks: readonly CandleTick[]): Promise<void> {
  const rows = [...bucketTicks(ticks).values()]
  if (rows.length === 0) return
  await db.query(
    `insert into idx.candles as k (asset, interval, time, open, high, low, close, open_ts, close_ts)
     select * from unnest($1::text[], $2::text[], $3::bigint[], $4::numeric[], $5::numeric[], $6::numeric[], $7::numeric[], $8::bigint[], $9::bigint[])
     on conflict (asset, interval, time) do update set
       open = case when excluded.open_ts < k.open_ts then excluded.open else k.open end,
       high = greatest(k.high, excluded.high),
       low = least(k.low, excluded.low),
       close = case when excluded.close_ts >= k.close_ts then excluded.close else k.close end,
       open_ts = least(k.open_ts, excluded.open_ts),
       close_ts = greatest(k.close_ts, excluded.close_ts)`,
    [
      rows.map((row) => row.asset),
      rows.map((row) => row.interval),
      rows.map((row) => row.time),
      rows.map((row) => row.open),
      rows.map((row) => row.high),
      rows.map((row) => row.low),
      rows.map((row) => row.close),
      rows.map((row) => row.openTs),
      rows.map((row) => row.closeTs),
    ],
  )
}

/** One bucket per asset, interval and start: a statement may not touch a row twice. */
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
