// Reads candles of one asset and interval: every bucket of a range, with or without a price (additions to the specification, "Market data").

import type { Candle, CandleInterval } from '../../resources/candle.ts'
import { defined } from '../../base/assert.ts'
import { toFloat } from '../../base/fixed-point.ts'
import { columns, expression } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { bucketEnd, FIRST_MONDAY_SEC, nextBucketStart } from './candles.ts'
import type { PriceSource } from './candles.ts'
import { arraysOf } from '../array-params.ts'
import { toSearchText } from '../log/log-list.ts'
import type { Head } from '../log/page.ts'
import { HEAD_EPOCH } from '../state/as-of.ts'

interface PriceColumns extends Readonly<Record<'open' | 'high' | 'low' | 'close', string>> {
  readonly source: PriceSource
}

interface Volume {
  readonly volume: string
  readonly trades: number
}

/** Prices of another source, for buckets before the first native candle. */
export type OutsideCandle = Pick<Candle, 'time' | 'open' | 'high' | 'low' | 'close'>

/** Candles of one asset and width. */
export interface Series {
  readonly asset: string
  readonly interval: CandleInterval
}

export interface SeriesCandle extends Candle, Series {}

/** A range of buckets; `toSec` is exclusive. Undefined: no bound. */
export interface CandleRange extends Series {
  readonly fromSec?: number | undefined
  readonly toSec?: number | undefined
  /** The newest buckets of the range. */
  readonly limit: number
  /** The series continues up to the ledger's time, with or without prices. */
  readonly isListed: boolean
}

/** The candles and volumes of a range that the index holds. All times are starts of buckets, except `ledgerTs`. */
export interface CandleSpan {
  readonly head: Head
  readonly interval: CandleInterval
  /** Close time of the last indexed ledger; null while there is none. */
  readonly ledgerTs: number | null
  /** The first native candle; null: there is none. */
  readonly firstTime: number | null
  /** The buckets of the span; `toSec` is exclusive. The span is empty when it is not above `fromSec`. */
  readonly fromSec: number
  readonly toSec: number
  /** The newest native candle before the span. */
  readonly before: OutsideCandle & Pick<Candle, 'source'> | null
  readonly prices: ReadonlyMap<number, PriceColumns>
  readonly volumes: ReadonlyMap<number, Volume>
  readonly revisions: ReadonlyMap<number, number>
}

/** The series that are read, and their bounds, as parameters of `SPAN_ROWS`. */
const SERIES = `unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::boolean[])
  with ordinality n (asset, interval, width, shift, from_sec, to_sec, count, is_listed, position)`

/** SQL of the prices of `k`, as `parsePrices` reads them. */
const PRICE_COLUMNS = "concat_ws(' ', k.time, k.open, k.high, k.low, k.close, k.source)"

/** Lists of rows whose columns are separated by spaces; null: no row. */
const SPAN = columns(idx.cursor, 'c', {
  // Of the range, from 1.
  position: expression<number>(sql`n.position`), headLedger: 'last_ledger', headSeq: 'last_seq', headEpoch: HEAD_EPOCH, ledgerTs: 'last_ledger_close_ts',
  firstTime: expression<number | null>(sql`s.first`), fromSec: expression<number | null>(sql`s.low`), toSec: expression<number | null>(sql`s.high`),
  before: expression<string | null>(sql`(select ${PRICE_COLUMNS} from ${idx.candles} k
    where k.asset = n.asset and k.interval = n.interval and k.time < s.low order by k.time desc limit 1)`),
  prices: expression<string | null>(sql`(select string_agg(${PRICE_COLUMNS}, ',') from ${idx.candles} k
    where k.asset = n.asset and k.interval = n.interval and k.time >= s.low and k.time < s.high)`),
  volumes: expression<string | null>(sql`(select string_agg(concat_ws(' ', v.time, v.volume, v.trades), ',') from ${idx.candle_volumes} v
    where v.asset = n.asset and v.interval = n.interval and v.time >= s.low and v.time < s.high)`),
  revisions: expression<string | null>(sql`(select string_agg(concat_ws(' ', r.time, r.revision), ',') from ${idx.candle_revisions} r
    where r.asset = n.asset and r.interval = n.interval and r.time >= s.low and r.time < s.high)`),
})

/**
 * SQL of one row per series: scans of the part of each index that the span covers, whatever the length of the history. Rows are joined to text, because
 * thousands of rows cost more to transfer one by one than to read.
 */
const SPAN_ROWS = sql`
  select ${SPAN} from ${idx.cursor} c cross join ${SERIES}
  cross join lateral (
    select b.first, b.high, greatest(n.from_sec, b.high - n.count * n.width) as low
    from (select f.first, least(n.to_sec, greatest(f.last, case when n.is_listed
        then c.last_ledger_close_ts - (c.last_ledger_close_ts - n.shift) % n.width end) + n.width) as high
      from (select
          (select k.time from ${idx.candles} k where k.asset = n.asset and k.interval = n.interval order by k.time limit 1) as first,
          (select k.time from ${idx.candles} k where k.asset = n.asset and k.interval = n.interval order by k.time desc limit 1) as last offset 0) f offset 0) b
    offset 0) s`

/** Reads what the index holds of some series, each within its range, in one statement. In the order of the ranges. */
export async function readCandleSpans(db: Queryable, ranges: readonly CandleRange[]): Promise<readonly CandleSpan[]> {
  if (ranges.length === 0) return []
  const parameters = ranges.map(({ asset, interval, fromSec, toSec, limit, isListed }) => ({
    asset: toSearchText(asset), interval, width: bucketEnd(0, interval), shift: interval === '1w' ? FIRST_MONDAY_SEC : 0,
    fromSec: nextBucketStart(fromSec ?? 0, interval), toSec: toSec === undefined ? null : nextBucketStart(toSec, interval),
    limit, isListed,
  }))
  const rows = await db.query(
    SPAN_ROWS, arraysOf(parameters, {
      asset: 'text', interval: 'text', width: 'bigint', shift: 'bigint',
      fromSec: 'bigint', toSec: 'bigint', limit: 'bigint', isListed: 'boolean',
    }),
  )
  const byPosition = new Map(rows.map((row) => [row.position, row]))
  return parameters.map(({ interval }, index) => toSpan(interval, byPosition.get(index + 1)))
}

/** Reads what the index holds of a range. */
export async function readCandleSpan(db: Queryable, range: CandleRange): Promise<CandleSpan> {
  const [span] = await readCandleSpans(db, [range])
  return span ?? toSpan(range.interval, undefined)
}

const VERSION = columns(idx.cursor, 'c', { version: 'candle_version' })
const REVISED = columns(idx.candle_revisions, 'r', {
  asset: 'asset', interval: expression<CandleInterval>(sql`r.interval`), time: 'time', version: 'version',
})

/** The version of the newest correction. */
export async function readCandleVersion(db: Queryable): Promise<number> {
  const [row] = await db.query(sql`select ${VERSION} from ${idx.cursor} c`)
  return row?.version ?? 0
}

/** The candles of some series that were corrected after a version, oldest correction first, and the version up to which they are complete. */
export async function readRevisedCandles(
  db: Queryable, { afterVersion, series, limit }: { readonly afterVersion: number; readonly series: readonly Series[]; readonly limit: number },
): Promise<{ readonly through: number; readonly candles: readonly SeriesCandle[] }> {
  const names = new Set(series.map(({ asset, interval }) => `${interval} ${asset}`))
  // All corrections of one version are on one page.
  const revised = await db.query(
    sql`select ${REVISED} from ${idx.candle_revisions} r
     where r.version > $1::bigint and r.version <= (
       select max(n.version) from (select v.version from ${idx.candle_revisions} v where v.version > $1::bigint order by v.version limit $2::int) n)
     order by r.version, r.time`,
    [afterVersion, limit],
  )
  const wanted = revised.filter(({ asset, interval }) => names.has(`${interval} ${asset}`))
  const ranges = wanted.map(({ asset, interval, time }) => ({ asset, interval, fromSec: time, toSec: time + 1, limit: 1, isListed: true }))
  const spans = await readCandleSpans(db, ranges)
  const candles = wanted.flatMap(({ asset, interval }, index) => {
    const [candle] = toCandles(spans[index] ?? toSpan(interval, undefined))
    return candle === undefined ? [] : [{ asset, interval, ...candle }]
  })
  return { through: revised.at(-1)?.version ?? afterVersion, candles }
}

function toSpan(interval: CandleInterval, row: RowOf<typeof SPAN> | undefined): CandleSpan {
  const [before] = rowsOf(row?.before)
  return {
    interval,
    before: before === undefined ? null : { time: Number(before[0]), ...pricesOf(parsePrices(before)) },
    prices: new Map(rowsOf(row?.prices).map((fields) => [Number(fields[0]), parsePrices(fields)])),
    volumes: new Map(rowsOf(row?.volumes).map(([time, volume = '0', trades]) => [Number(time), { volume, trades: Number(trades) }])),
    revisions: new Map(rowsOf(row?.revisions).map(([time, revision]) => [Number(time), Number(revision)])),
    head: { ledger: row?.headLedger ?? null, seq: row?.headSeq ?? 0, epoch: row?.headEpoch ?? null },
    ledgerTs: row?.ledgerTs ?? null, firstTime: row?.firstTime ?? null, fromSec: row?.fromSec ?? 0, toSec: row?.toSec ?? 0,
  }
}

function rowsOf(text: string | null | undefined): readonly (readonly string[])[] {
  return text === null || text === undefined ? [] : text.split(',').map((row) => row.split(' '))
}

function parsePrices([, open = '0', high = '0', low = '0', close = '0', source]: readonly string[]): PriceColumns {
  return { open, high, low, close, source: source === 'trades' ? 'trades' : 'oracle' }
}

const NO_VOLUME: Volume = { volume: '0', trades: 0 }

/**
 * The candles of a span in ascending order, one per bucket from the first one that has a price or follows one. A bucket without a price repeats the close of
 * the one before. `outside`, in ascending order, has the buckets before the first native candle.
 */
export function toCandles(span: CandleSpan, outside: readonly OutsideCandle[] = []): Candle[] {
  const { interval, ledgerTs, firstTime } = span
  const outsideByTime = new Map<number, OutsideCandle>()
  let previous: Pick<Candle, 'close' | 'source'> | null = span.before
  for (const candle of outside) {
    if (firstTime !== null && candle.time >= firstTime) break
    outsideByTime.set(candle.time, candle)
    if (candle.time < span.fromSec) previous = { close: candle.close, source: 'binance' }
  }
  const candles: Candle[] = []
  for (let time = span.fromSec; time < span.toSec; time = bucketEnd(time, interval)) {
    const priced = pricedCandle(span.prices.get(time), outsideByTime.get(time))
    if (priced === null && previous === null) continue
    const revision = span.revisions.get(time)
    const { open, high, low, close, source } = priced ?? repeatClose(previous)
    const candle: Candle = {
      time, open, high, low, close, ...(span.volumes.get(time) ?? NO_VOLUME),
      final: ledgerTs !== null && bucketEnd(time, interval) <= ledgerTs, source,
      ...(priced === null ? { filled: true } : {}), ...(revision === undefined ? {} : { revision }),
    }
    candles.push(candle)
    previous = candle
  }
  return candles
}

type CandlePrices = Pick<Candle, 'open' | 'high' | 'low' | 'close' | 'source'>

function pricedCandle(native: PriceColumns | undefined, outside: OutsideCandle | undefined): CandlePrices | null {
  if (native !== undefined) return pricesOf(native)
  return outside === undefined ? null : { ...outside, source: 'binance' }
}

function repeatClose(previous: Pick<Candle, 'close' | 'source'> | null): CandlePrices {
  const { close, source } = defined(previous, 'a candle before one without a price')
  return { open: close, high: close, low: close, close, source }
}

function pricesOf({ open, high, low, close, source }: PriceColumns): CandlePrices {
  return { open: float(open), high: float(high), low: float(low), close: float(close), source: source === 'trades' ? 'trades' : 'noeracle' }
}

function float(priceE7: string): number {
  return toFloat(BigInt(priceE7))
}
