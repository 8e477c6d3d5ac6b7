// The rows of one UTC day, in log order, for exports. They are those of the lists, without what depends on the time of the request.

import type { EventRow } from '../../resources/event-row.ts'
import type { ExportKind } from '../../resources/export.ts'
import { selectList } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Sql, Table } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { readCandleSpan, toCandles } from '../candles/candle-rows.ts'
import type { SeriesCandle } from '../candles/candle-rows.ts'
import { bucketEnd, CANDLE_WIDTHS } from '../candles/candles.ts'
import { EVENT_COLUMNS, LISTED, toEventRow } from './events.ts'
import type { RawEventRow } from './events.ts'
import { PROJECTIONS_VERSION } from '../state/tables.ts'
import { OPEN_COLUMNS, TRADE_COLUMNS } from '../trades/trades.ts'
import { DAY_SEC } from '../trades/volumes.ts'

/** Changes with the form of the rows. */
const FORMAT = 2

/** The content of a day's export. Days are counted from 1970-01-01. */
export interface ExportDay {
  readonly day: number
  /** Identifies the content: the epochs of the day and the code that computed the rows. */
  readonly state: string
  /** The part of the log that each epoch has of this day. */
  readonly ranges: readonly SeqRange[]
}

interface SeqRange {
  readonly epoch: number
  readonly firstSeq: number
  readonly lastSeq: number
}

/** The days that the index has read completely. Null while there are none. */
export interface ExportSpan {
  readonly firstDay: number
  readonly lastDay: number
  /** Days of which ledgers are missing, inclusive. */
  readonly missing: readonly { readonly fromDay: number; readonly throughDay: number }[]
}

/** Reads which days can be exported: those that are over, and indexed without a gap. */
export async function readExportSpan(db: Queryable): Promise<ExportSpan | null> {
  const [row] = await db.query<{ firstTs: number | null; lastTs: number | null }>(
    sql`select (select min(first.ts) from ${idx.epochs} e cross join lateral (
       select l.close_ts as ts from ${idx.ledgers} l where l.epoch = e.number order by l.close_ts limit 1) first) as "firstTs",
       c.last_ledger_close_ts as "lastTs" from ${idx.cursor} c`,
  )
  if (row === undefined || row.firstTs === null || row.lastTs === null) return null
  const firstDay = Math.floor(row.firstTs / DAY_SEC)
  const lastDay = Math.floor(row.lastTs / DAY_SEC) - 1
  const gaps = await db.query<{ fromTs: number | null; toTs: number | null }>(
    sql`select g.after_ts as "fromTs", (
       select l.close_ts from ${idx.ledgers} l where l.epoch = g.epoch and l.ledger > g.to_ledger order by l.ledger limit 1) as "toTs"
     from ${idx.gaps} g where g.state <> 'filled'`,
  )
  return {
    firstDay, lastDay,
    missing: gaps.map(({ fromTs, toTs }) => ({ fromDay: Math.floor((fromTs ?? 0) / DAY_SEC), throughDay: Math.floor((toTs ?? row.lastTs ?? 0) / DAY_SEC) })),
  }
}

/** True when the day is in the span and nothing of it is missing. */
export function isExportable(span: ExportSpan | null, day: number): boolean {
  if (span === null || day < span.firstDay || day > span.lastDay) return false
  return !span.missing.some(({ fromDay, throughDay }) => fromDay <= day && day <= throughDay)
}

/** Finds the rows of a day. Null while its transactions are not all read: then fees and funding are unknown. */
export async function readExportDay(db: Queryable, kind: ExportKind, day: number): Promise<ExportDay | null> {
  const bounds = [day * DAY_SEC, (day + 1) * DAY_SEC]
  const ranges = await db.query<SeqRange & { readonly name: string }>(
    sql`select e.number as epoch, e.epoch as name, first.seq as "firstSeq", last.seq as "lastSeq" from ${idx.epochs} e
     cross join lateral (select l.first_seq as seq from ${idx.ledgers} l where l.epoch = e.number and l.close_ts >= $1::bigint and l.close_ts < $2::bigint
       order by l.close_ts, l.last_seq limit 1) first
     cross join lateral (select l.last_seq as seq from ${idx.ledgers} l where l.epoch = e.number and l.close_ts >= $1::bigint and l.close_ts < $2::bigint
       order by l.close_ts desc, l.last_seq desc limit 1) last
     order by e.number`,
    bounds,
  )
  if (kind === 'ledger' && (await hasUnreadTransactions(db, ranges))) return null
  const state = [FORMAT, PROJECTIONS_VERSION, ...ranges.map(({ name, firstSeq, lastSeq }) => `${name}.${firstSeq}.${lastSeq}`)].join(' ')
  return { day, state, ranges }
}

async function hasUnreadTransactions(db: Queryable, ranges: readonly SeqRange[]): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from unnest($1::bigint[], $2::bigint[]) r (low, high) where exists (
       select 1 from ${idx.unread_transactions} u cross join unnest(u.seqs) seq where u.from_seq <= r.high and seq between r.low and r.high)`,
    [ranges.map(({ firstSeq }) => firstSeq), ranges.map(({ lastSeq }) => lastSeq)],
  )
  return rows.length > 0
}

/** Rows per statement. */
const PAGE_ROWS = 500

/** The rows of a day, page by page. */
export function exportRows(db: Queryable, kind: ExportKind, { day, ranges }: ExportDay): AsyncGenerator<readonly object[]> {
  if (kind === 'candles') return candlesOfDay(db, day)
  return rowsInLogOrder(db, SOURCES[kind], day, ranges)
}

/** A selection of the rows of a part of the log. */
interface Source {
  /** SQL; `$1` and `$2` are the first and last seq, `$3` and `$4` the times of the day, `$5` the limit. */
  readonly statement: Sql
  readonly toRow: (raw: never) => object
}

const columns = ({ deployment: _deployment, ...names }: Readonly<Record<string, Sql | string>>): Sql => selectList(names)

const part = (table: Table, select: Sql, ts: 'ts' | 'ledger_close_ts', only: Sql = sql`true`): Sql =>
  sql`(select r.seq as "exportSeq", ${select} from ${table} r where r.seq between $1::bigint and $2::bigint and r.${ts} >= $3::bigint and r.${ts} < $4::bigint
    and ${only} order by r.seq limit $5::int)`

const LEDGER_COLUMNS = {
  seq: 'r.seq', account: 'r.account', kind: 'r.kind', amount: 'r.amount', balanceOf: 'r.balance_of', positionId: 'r.position_id', orderId: 'r.order_id',
  vaultId: 'r.vault_id', fee: 'r.fee', funding: 'r.funding', pnl: 'r.pnl', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash',
}

const SOURCES: Readonly<Record<Exclude<ExportKind, 'candles'>, Source>> = {
  events: {
    statement: part(idx.events, columns({ ...EVENT_COLUMNS, seq: 'r.seq' }), 'ledger_close_ts', LISTED),
    toRow: (raw: Omit<RawEventRow, 'deployment'>): EventRow => toEventRow({ ...raw, deployment: null }),
  },
  trades: {
    statement: sql`select * from (${part(idx.trades, columns({ ...TRADE_COLUMNS, seq: 'r.seq' }), 'ts')}
      union all ${part(idx.opens, columns({ ...OPEN_COLUMNS, seq: 'r.seq' }), 'ts')}) r
      order by r."exportSeq" limit $5::int`,
    toRow: (raw: object) => raw,
  },
  ledger: {
    // All rows of one seq are on one page.
    statement: sql`select r.seq as "exportSeq", ${columns(LEDGER_COLUMNS)} from ${idx.cash_ledger} r
      where r.ts >= $3::bigint and r.ts < $4::bigint and r.seq >= $1::bigint and r.seq <= least($2::bigint, (
        select max(n.seq) from (select k.seq from ${idx.cash_ledger} k where k.seq >= $1::bigint order by k.seq limit $5::int) n))
      order by r.seq, r.account, r.leg`,
    toRow: (raw: object) => raw,
  },
}

async function* rowsInLogOrder(db: Queryable, { statement, toRow }: Source, day: number, ranges: readonly SeqRange[]): AsyncGenerator<readonly object[]> {
  for (const { firstSeq, lastSeq } of ranges) {
    for (let next = firstSeq; next <= lastSeq;) {
      const rows = await db.query<{ exportSeq: number }>(statement, [next, lastSeq, day * DAY_SEC, (day + 1) * DAY_SEC, PAGE_ROWS])
      const last = rows.at(-1)
      if (last === undefined) break
      yield rows.map(({ exportSeq: _seq, ...raw }) => toRow(raw as never))
      next = last.exportSeq + 1
    }
  }
}

/** Candles whose bucket ends with or in the day, by asset, interval and time: their number is bounded, and ledger time has passed the end of each. */
async function* candlesOfDay(db: Queryable, day: number): AsyncGenerator<readonly SeriesCandle[]> {
  const assets = await db.query<{ asset: string }>(
    sql`with recursive found as (
       (select k.asset from ${idx.candles} k order by k.asset limit 1)
       union all
       select (select k.asset from ${idx.candles} k where k.asset > f.asset order by k.asset limit 1) from found f where f.asset is not null)
     select asset from found where asset is not null order by asset collate "C"`,
  )
  for (const { asset } of assets) {
    for (const interval of CANDLE_WIDTHS.keys()) {
      // The first bucket that ends after the start of the day, and the first that ends after the day.
      const [fromSec, toSec] = [day, day + 1].map((start) => start * DAY_SEC - bucketEnd(0, interval) + 1)
      const span = await readCandleSpan(db, { asset, interval, fromSec, toSec, limit: DAY_SEC, isListed: true })
      const rows = toCandles(span)
      if (rows.length > 0) yield rows.map((row) => ({ asset, interval, ...row }))
    }
  }
}
