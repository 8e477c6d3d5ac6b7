// Candles of oracle prices. Each tick updates the buckets of every interval, so that reads never aggregate.

import type { CandleInterval } from '../../resources/candle.ts'
import { sql } from '../../store/sql.ts'
import type { Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { arraysOf } from '../array-params.ts'

/** Bucket widths in seconds. */
const WIDTHS_SEC: Readonly<Record<CandleInterval, number>> = {
  '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400, '1w': 604_800,
}
const INTERVALS = Object.keys(WIDTHS_SEC) as CandleInterval[]

/** The intervals in ascending order, with their widths in seconds. */
export const CANDLE_WIDTHS: ReadonlyMap<CandleInterval, number> = new Map(INTERVALS.map((interval) => [interval, WIDTHS_SEC[interval]]))

/** The Unix epoch is a Thursday; weekly candles start on Mondays. */
export const FIRST_MONDAY_SEC = 4 * 86_400

/** One price for the candles. */
export interface CandleTick {
  readonly asset: string
  /** 7-decimal. */
  readonly price: bigint
  /** Time of attestation, unix seconds; determines the bucket. */
  readonly timestampSec: number
  /** Position of the trade in the log, which orders trades of one second. Absent for a price of the oracle. */
  readonly seq?: number
}

/** Start of the bucket that contains a time, unix seconds. */
export function bucketStart(timestampSec: number, interval: CandleInterval): number {
  const width = WIDTHS_SEC[interval]
  const offset = interval === '1w' ? FIRST_MONDAY_SEC : 0
  return timestampSec - ((((timestampSec - offset) % width) + width) % width)
}

/** End of the bucket that starts at `time`, unix seconds. */
export function bucketEnd(time: number, interval: CandleInterval): number {
  return time + WIDTHS_SEC[interval]
}

/** Start of the first bucket that starts at or after a time, unix seconds. */
export function nextBucketStart(timestampSec: number, interval: CandleInterval): number {
  const start = bucketStart(timestampSec, interval)
  return start === timestampSec ? start : bucketEnd(start, interval)
}

/** The origin of a candle's prices. `trades`: at least one of them is of a trade. */
export type PriceSource = 'oracle' | 'trades'

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
  openSeq: number | null
  closeSeq: number | null
}

/** Candles without a price that get a revision in one write, the newest ones: a day of minutes. */
const FILLED_REVISIONS_MAX = 1_440

/** SQL: true if the new row opens or closes the candle `k`. Seconds may repeat, so the log orders trades; a price of the oracle has no seq. */
const OPENS = '(excluded.open_ts < k.open_ts or (excluded.open_ts = k.open_ts and excluded.open_seq < k.open_seq))'
const CLOSES = '(excluded.close_ts > k.close_ts or (excluded.close_ts = k.close_ts and (excluded.close_seq is null or excluded.close_seq > k.close_seq)))'

/**
 * Applies ticks to the candles of every interval in one statement. Applying a tick twice changes nothing, and ticks may arrive late: open and close follow
 * the time of attestation; among equal times the first tick received opens and the last one closes, of trades those with the lowest and the highest seq. A
 * price of a trade never replaces an oracle price of the same time, and marks a candle only if it changes it. A candle that changes after its bucket ended
 * gets a revision, and so do the final candles without a price that repeat its close.
 */
export async function foldTicks(db: Writable, ticks: readonly CandleTick[], source: PriceSource = 'oracle'): Promise<void> {
  const rows = [...bucketTicks(ticks).values()].map((bucket) => ({ ...bucket, endTs: bucketEnd(bucket.time, bucket.interval) }))
  if (rows.length === 0) return
  await db.run(
    sql`with head as materialized (select c.last_ledger_close_ts as ts from ${idx.cursor} c for no key update),
     ticks as (
       select n.*, $11::text as source, coalesce(n.end_ts <= head.ts, false) as is_late
       from head cross join unnest($1::text[], $2::text[], $3::bigint[], $4::numeric[], $5::numeric[], $6::numeric[], $7::numeric[], $8::bigint[],
         $9::bigint[], $10::bigint[], $12::bigint[], $13::bigint[])
         n (asset, interval, time, open, high, low, close, open_ts, close_ts, end_ts, open_seq, close_seq)),
     before as materialized (
       select k.* from ticks n join ${idx.candles} k on k.asset = n.asset and k.interval = n.interval and k.time = n.time where n.is_late),
     folded as (
       ${sql.insertInto(idx.candles)} as k (asset, interval, time, open, high, low, close, open_ts, close_ts, open_seq, close_seq, source)
       select n.asset, n.interval, n.time, n.open, n.high, n.low, n.close, n.open_ts, n.close_ts, n.open_seq, n.close_seq, n.source
       from ticks n
       on conflict (asset, interval, time) do update set
         open = case when ${OPENS} then excluded.open else k.open end,
         high = greatest(k.high, excluded.high),
         low = least(k.low, excluded.low),
         close = case when ${CLOSES} then excluded.close else k.close end,
         open_seq = case when ${OPENS} then excluded.open_seq else k.open_seq end,
         close_seq = case when ${CLOSES} then excluded.close_seq else k.close_seq end,
         open_ts = least(k.open_ts, excluded.open_ts),
         close_ts = greatest(k.close_ts, excluded.close_ts),
         source = case
           when ${OPENS} or ${CLOSES} or excluded.high > k.high or excluded.low < k.low
           then greatest(k.source, excluded.source) else k.source end
       returning k.*),
     changed as (
       select f.asset, f.interval, f.time, f.close, f.source, n.end_ts, n.end_ts - n.time as width, b.close as close_before, b.source as source_before
       from folded f join ticks n on n.asset = f.asset and n.interval = f.interval and n.time = f.time and n.is_late
       left join before b on b.asset = f.asset and b.interval = f.interval and b.time = f.time
       where (b.open, b.high, b.low, b.close, b.source) is distinct from (f.open, f.high, f.low, f.close, f.source)),
     filled as (
       select c.asset, c.interval, g.time from changed c cross join head
       left join lateral (
         select k.close, k.source from ${idx.candles} k
         where c.close_before is null and k.asset = c.asset and k.interval = c.interval and k.time < c.time order by k.time desc limit 1) p on true
       cross join lateral generate_series(c.end_ts, least(
         head.ts,
         (select min(k.time) from ${idx.candles} k where k.asset = c.asset and k.interval = c.interval and k.time > c.time),
         (select min(n.time) from ticks n where n.asset = c.asset and n.interval = c.interval and n.time > c.time)) - c.width, c.width) g (time)
       where (coalesce(c.close_before, p.close), coalesce(c.source_before, p.source)) is distinct from (c.close, c.source)
       order by g.time desc limit ${FILLED_REVISIONS_MAX}),
     late as (select asset, interval, time from changed union all select asset, interval, time from filled),
     ${RECORD_REVISIONS}
     select 1`,
    [
      ...arraysOf(rows, {
      asset: 'text', interval: 'text', time: 'bigint', open: 'numeric', high: 'numeric',
      low: 'numeric', close: 'numeric', openTs: 'bigint', closeTs: 'bigint', endTs: 'bigint',
    }), source,
      ...arraysOf(rows, { openSeq: 'bigint', closeSeq: 'bigint' }),
    ],
  )
}

/** SQL: gives every candle of the preceding common table expression `late` (asset, interval, time) a revision, all with one new version. */
export const RECORD_REVISIONS = sql`
     counted as (${sql.update(idx.cursor)} set candle_version = candle_version + 1 where exists (select 1 from late) returning candle_version),
     revised as (
       ${sql.insertInto(idx.candle_revisions)} as r (asset, interval, time, revision, version)
       select late.asset, late.interval, late.time, 1, counted.candle_version from late cross join counted
       on conflict (asset, interval, time) do update set revision = r.revision + 1, version = excluded.version)`

/** Merges ticks per asset, interval and bucket, because one statement must not update a row twice. */
function bucketTicks(ticks: readonly CandleTick[]): ReadonlyMap<string, Bucket> {
  const buckets = new Map<string, Bucket>()
  for (const { asset, price, timestampSec, seq = null } of ticks) {
    for (const interval of INTERVALS) {
      const time = bucketStart(timestampSec, interval)
      const key = `${asset} ${interval} ${time}`
      const bucket = buckets.get(key)
      if (bucket === undefined) {
        buckets.set(key, {
          asset, interval, time, open: price, high: price, low: price, close: price, openTs: timestampSec, closeTs: timestampSec,
          openSeq: seq, closeSeq: seq,
        })
      } else {
        addTick(bucket, { price, timestampSec, seq })
      }
    }
  }
  return buckets
}

function addTick(bucket: Bucket, { price, timestampSec, seq }: { readonly price: bigint; readonly timestampSec: number; readonly seq: number | null }): void {
  if (price > bucket.high) bucket.high = price
  if (price < bucket.low) bucket.low = price
  if (timestampSec < bucket.openTs) {
    bucket.open = price
    bucket.openTs = timestampSec
    bucket.openSeq = seq
  }
  if (timestampSec >= bucket.closeTs) {
    bucket.close = price
    bucket.closeTs = timestampSec
    bucket.closeSeq = seq
  }
}
