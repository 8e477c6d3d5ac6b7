// Lists ordered by seq, newest first. Each page is one statement, so that head and rows come from one snapshot.

import { assert, defined } from '../../base/assert.ts'
import { PAGE_LIMITS } from '../../limits.ts'
import { selectList } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Sql, Statement, Table } from '../../store/sql.ts'
import type { Param, Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { AsOf, HeadColumns, StateSource } from '../state/as-of.ts'
import { LedgerNotIndexed, stateSource } from '../state/as-of.ts'
import { gapsAtOrAbove, unfilledGaps } from '../repair/gaps.ts'
import type { Head, Page } from './page.ts'
import { decodeCursor, encodeCursor, INVALID_CURSOR, InvalidCursor } from './page.ts'

/** Bounds on ledger and close time, as the endpoints accept them. */
export interface LogBounds {
  /** Inclusive. */
  readonly fromLedger?: number | undefined
  /** Inclusive. */
  readonly toLedger?: number | undefined
  /** Exclusive, unix seconds. */
  readonly beforeTs?: number | undefined
  /** Only epochs of the deployment with this name. */
  readonly deployment?: string | undefined
}

/** One list over a table with a `seq` column; `r` is the table's alias. */
export interface LogList<Row> extends LogBounds, AsOf {
  /** Identifies the list in its cursors. */
  readonly kind: string
  readonly table: Table
  /** The table with the rows when `table` only selects them: `columns` then refer to this table, `equals` to `table`. */
  readonly detail?: Table
  /** The SQL of each column, by its name on the wire, without `seq`. */
  readonly columns: Readonly<Record<Exclude<keyof Row & string, 'seq'>, Sql | string>>
  /** The rows have their `seq`. */
  readonly keepsSeq?: boolean
  /** A second table, whose rows are merged into the list by seq. It needs the same indexes. */
  readonly merged?: { readonly table: Table; readonly columns: Readonly<Record<Exclude<keyof Row & string, 'seq'>, Sql | string>> }
  /**
   * The column that rows are ordered by instead of `seq`; cursors then hold its values. Bounds on ledger and time do not apply to it. `through` is SQL of its
   * last value in the state that ends with a seq.
   */
  readonly by?: { readonly column: 'order_id'; readonly through: (seq: Sql) => Sql }
  /** The rows belong to no ledger: their seqs may lie outside the ranges of ledgers, and bounds on ledger and time do not apply. */
  readonly outsideLedgers?: true
  /** SQL of further bounds on the column that orders the rows, inclusive, as one statement each. */
  readonly span?: (bind: Bind) => { readonly low?: Sql | undefined; readonly high?: Sql | undefined }
  /** SQL of a condition that every row meets. It must be the condition of a partial index on the list's keys. */
  readonly only?: Sql
  /** Equality filters; undefined values are ignored. Every combination needs an index on these columns in this order, followed by seq. */
  readonly equals: Readonly<Record<string, string | number | undefined>>
  /**
   * An expression, of the table `r`, that equals one of these values: the rows of each are merged into the list by seq. It follows `equals` in its index, and
   * `only` must be the condition of that index.
   */
  readonly oneOf?: { readonly expression: Sql; readonly values: readonly string[] }
  /** A column before them that must equal this SQL, in which `c` is the cursor row. Must never contain a caller's input. */
  readonly scope?: { readonly column: string; readonly value: Sql }
  /** A column after seq in every index of the table, which orders the rows of one seq; by default a seq has one row. */
  readonly tie?: 'leg'
  readonly limit: number
  readonly cursor?: string | undefined
  /** Also returns the gaps that the page overlaps. */
  readonly gaps?: boolean
}

/** Columns that every page statement returns. A page without rows is one row with these columns only. */
interface PageColumns extends HeadColumns {
  /** Gaps that the page may overlap, if requested. */
  readonly headGaps?: Parameters<typeof gapsAtOrAbove>[1]
}

/** Reads one page. */
export async function listLog<Row extends object>(db: Queryable, list: LogList<Row>): Promise<Page<Row>> {
  assert(list.limit < MAX_ROWS, 'the page limit exceeds the maximum')
  const params: Param[] = []
  const bind: Bind = (value) => sql`$${params.push(value)}`
  const state = stateSource(list, bind)
  const by = list.by?.column ?? 'seq'
  const select = selectOf(list.columns, by, list.tie)
  const span = list.span?.(bind)
  const source: PageSource = {
    tables: [
      ...(list.oneOf?.values ?? [null]).map((value) => ({
        table: list.table, select: list.detail === undefined ? select : sql`r.seq`,
        ...(list.oneOf === undefined || value === null ? {} : { key: { column: list.oneOf.expression, value: sql`${bind(toSearchText(value))}::text` } }),
      })),
      ...(list.merged === undefined ? [] : [{ table: list.merged.table, select: selectOf(list.merged.columns, by) }]),
    ],
    by,
    outsideLedgers: list.outsideLedgers === true,
    only: list.only,
    tie: list.tie,
    beforeTie: beforeTie(list, bind),
    keys: keysOf(list, bind),
    low: span?.low ?? sql`0`,
    highs: [...upperBoundsOf(list, state, bind), ...(span?.high === undefined ? [] : [span.high])],
    limit: sql`${bind(list.limit + 1)}::int`,
  }
  const seqPage = isBounded(list) ? boundedPage(source, list, bind) : mergedPage(source, source.low)
  // Select the seqs first and join their rows, so that no more rows than the page has are read, whatever the planner estimates.
  const page = list.detail === undefined ? seqPage : sql`select ${select} from (${seqPage}) selected join ${list.detail} r on r.seq = selected.seq`
  const gaps = list.gaps === true ? unfilledGaps(gapsWithin(list, source.highs, bind)) : undefined
  const cursorOf = ({ seq, tie }: { readonly seq: number; readonly tie?: number }): string => encodeCursor(list.kind, tie === undefined ? [seq] : [seq, tie])
  const order = list.tie === undefined ? {} : { order: sql`page.seq desc, page.tie desc` }
  const toRow = (raw: Row & { readonly seq: number; readonly tie?: number }): Row =>
    list.keepsSeq === true ? { ...withoutSeq<Row>(raw), seq: raw.seq } : withoutSeq<Row>(raw)
  return await readPage<Row & { readonly tie?: number }, Row>(db, { state, page, gaps, params, limit: list.limit, cursorOf, ...order }, toRow)
}

function selectOf(columns: Readonly<Record<string, Sql | string>>, by: OrderColumn, tie?: 'leg'): Sql {
  return sql`r.${by} as seq, ${tie === undefined ? '' : sql`r.${tie} as tie, `}${selectList(columns)}`
}

/** SQL: the condition on a gap's row `g` under which its events could be in the list and not above the page. */
function gapsWithin({ fromLedger, toLedger, beforeTs }: LogBounds, highs: readonly Sql[], bind: Bind): Sql {
  const conditions = [sql`true`, ...highs.map((high) => sql`g.first_seq <= ${high}`)]
  if (fromLedger !== undefined) conditions.push(sql`g.to_ledger >= ${bind(clampToSafeInteger(fromLedger))}::bigint`)
  if (toLedger !== undefined) conditions.push(sql`g.from_ledger <= ${bind(clampToSafeInteger(toLedger))}::bigint`)
  if (beforeTs !== undefined) conditions.push(sql`coalesce(g.after_ts + 1, 0) < ${bind(clampToSafeInteger(beforeTs))}::bigint`)
  return sql.join(conditions, ' and ')
}

type Bind = (value: Param) => Sql
type OrderColumn = 'seq' | 'order_id'

/** The SQL of a column of the table `r`, and of its required value. */
interface Key {
  readonly column: Sql
  readonly value: Sql
}

/** The parts of a page statement. */
interface PageSource {
  /** Each with the SQL of the same columns. */
  readonly tables: readonly { readonly table: Table; readonly select: Sql; readonly key?: Key }[]
  readonly by: OrderColumn
  readonly outsideLedgers: boolean
  readonly only: Sql | undefined
  readonly tie: 'leg' | undefined
  /** SQL of a condition that excludes the rows of the cursor's seq that were listed before. */
  readonly beforeTie: Sql | undefined
  readonly keys: readonly Key[]
  /** SQL of a lower bound on `by`. */
  readonly low: Sql
  /** SQL of upper bounds on `by`; the lowest one applies. */
  readonly highs: readonly Sql[]
  readonly limit: Sql
}

function keysOf<Row>({ scope, equals }: LogList<Row>, bind: Bind): readonly Key[] {
  const keys: Key[] = scope === undefined ? [] : [{ column: sql.raw(`r.${scope.column}`), value: scope.value }]
  for (const [column, value] of Object.entries(equals)) {
    if (value === undefined) continue
    keys.push({ column: sql.raw(`r.${column}`), value: typeof value === 'number' ? sql`${bind(value)}::bigint` : sql`${bind(toSearchText(value))}::text` })
  }
  return keys
}

function upperBoundsOf<Row>({ kind, cursor, by, tie }: LogList<Row>, state: StateSource, bind: Bind): readonly Sql[] {
  const highs: Sql[] = state.throughSeq === undefined ? [] : [by?.through(state.throughSeq) ?? state.throughSeq]
  if (cursor !== undefined && tie === undefined) highs.push(sql`${bind(seqFromCursor(kind, cursor))}::bigint - 1`)
  if (cursor !== undefined && tie !== undefined) highs.push(sql`${bind(tieFromCursor(kind, cursor)[0])}::bigint`)
  return highs
}

function beforeTie<Row>({ kind, cursor, tie }: LogList<Row>, bind: Bind): Sql | undefined {
  if (tie === undefined || cursor === undefined) return undefined
  const [seq, last] = tieFromCursor(kind, cursor)
  return sql`(r.seq, r.${tie}) < (${bind(seq)}::bigint, ${bind(last)}::bigint)`
}

function tieFromCursor(kind: string, cursor: string): readonly [seq: number, tie: number] {
  const [seq, tie] = decodeCursor(kind, cursor, 2)
  if (typeof seq !== 'number' || typeof tie !== 'number' || seq < 0 || tie < 0) throw new InvalidCursor(INVALID_CURSOR)
  return [seq, tie]
}

/** The most rows that a page statement selects. */
const MAX_ROWS = PAGE_LIMITS.events.max + 1

/**
 * Rows between two seqs, newest first. Keys and seq are compared as one row value, and the page is ordered by all of them, so that the planner must use the
 * index on these keys and reads only the page. With separate comparisons it may scan the whole log instead.
 *
 * The constant inner limit is for the planner of a prepared statement, which does not know the parameter: without it the planner expects a tenth of the table
 * and plans the page again on every call.
 */
function plainPage(source: PageSource, { table, select, key }: PageSource['tables'][number], low: Sql): Sql {
  const { by, tie, highs, limit, only, beforeTie: before } = source
  const keys = key === undefined ? source.keys : [...source.keys, key]
  const columns = [...keys.map(({ column }) => column), sql`r.${by}`]
  const high = highs.length === 0 ? sql`${ABOVE_EVERY_SEQ}` : sql`least(${sql.join(highs, ', ')})`
  const bound = (seq: Sql): Sql => sql`(${sql.join([...keys.map(({ value }) => value), seq], ', ')})`
  const range = sql`(${sql.join(columns, ', ')}) >= ${bound(low)} and (${sql.join(columns, ', ')}) <= ${bound(high)}`
  const filters = [...keys.map(({ column }) => sql`${column} is not null`), only, before]
  const known = sql.join(filters.map((filter) => (filter === undefined ? '' : sql` and ${filter}`)), '')
  const order = sql.join([...columns, ...(tie === undefined ? [] : [sql`r.${tie}`])].map((column) => sql`${column} desc`), ', ')
  const longest = sql`select ${select} from ${table} r where ${range}${known} order by ${order} limit ${MAX_ROWS}`
  // No outer order: it would force the inner query to be read completely first.
  return sql`select longest.* from (${longest}) longest limit ${limit}`
}

/** The newest rows of all tables: from each, no more than the page needs. */
function mergedPage(source: PageSource, low: Sql): Sql {
  const pages = source.tables.map((table) => plainPage(source, table, low))
  const [first] = pages
  if (first !== undefined && pages.length === 1) return first
  return sql`select merged.* from (${sql.join(pages.map((page) => sql`(${page})`), ' union all ')}) merged order by seq desc limit ${source.limit}`
}

/** The row without the columns that only paging needs. */
export function withoutSeq<Row extends object>(raw: Row & Partial<PageColumns> & { readonly seq: number; readonly tie?: number }): Row {
  const {
    headLedger: _ledger, headSeq: _seq, headEpoch: _epoch, headFirst: _first, headLast: _last, headFinal: _final, headCloseTs: _closeTs,
    headGaps: _gaps, seq: _position, tie: _tie, ...row
  } = raw
  return row as unknown as Row
}

/**
 * Runs a page statement and returns head, rows and the next cursor. `page` must select at most one row more than `limit`, with an integer `seq`, in
 * descending order of `seq` unless `order` says otherwise.
 */
export async function readPage<Raw extends object, Row>(
  db: Queryable,
  statement: {
    /** The state that the page is read from, whose row the page's SQL names `c`; by default the present one. */
    readonly state?: StateSource
    readonly page: Statement<Raw>
    /** SQL of the gaps that the page may overlap. */
    readonly gaps?: Sql | undefined
    readonly params: readonly Param[]
    readonly limit: number
    readonly cursorOf: (raw: Raw & { readonly seq: number }) => string
    /** The order of the rows; by default descending by `seq`. */
    readonly order?: Sql
  },
  toRow: (raw: Raw & HeadColumns & { readonly seq: number }) => Row,
): Promise<Page<Row>> {
  const { from, head } = statement.state ?? stateSource({}, () => sql``)
  const result = await db.query<Raw & PageColumns & { readonly seq: number | null }>(
    sql`select ${head}, ${statement.gaps === undefined ? '' : sql`${statement.gaps} as "headGaps", `}page.*
     from ${from} left join lateral (${statement.page}) page on true
     order by ${statement.order ?? 'page.seq desc'}`,
    statement.params,
  )
  const rows = result.filter((raw): raw is typeof raw & { readonly seq: number } => raw.seq !== null)
  const pageRows = rows.slice(0, statement.limit)
  const last = pageRows.at(-1)
  const hasMore = rows.length > pageRows.length && last !== undefined
  return {
    rows: pageRows.map(toRow),
    next: hasMore ? statement.cursorOf(last) : null,
    head: headOf(result),
    gaps: gapsAtOrAbove(hasMore ? last.seq : 0, result[0]?.headGaps ?? []),
  }
}

/** The head in the first row of a result. The cursor row always exists, so there is always a first row. Throws LedgerNotIndexed. */
export function headOf(rows: readonly HeadColumns[]): Head {
  const { headLedger, headSeq, headEpoch, headFirst, headLast, headFinal } = defined(rows[0], 'the head')
  if (headFirst === undefined || headLast === undefined) return { ledger: headLedger, seq: headSeq, epoch: headEpoch }
  if (headLedger === null) throw new LedgerNotIndexed(headLast === null ? null : headFirst, headLast)
  return { ledger: headLedger, seq: headSeq, epoch: headEpoch, asOf: { final: headFinal === true } }
}

/**
 * Ledgers and close times ascend within an epoch but repeat across epochs. The bounds therefore become one range of seq per range of an epoch, looked up in
 * idx.ledgers of its epoch; each range is read from its end, for no more rows than the page needs.
 */
function boundedPage(source: PageSource, bounds: LogBounds, bind: Bind): Sql {
  const { fromLedger, toLedger, beforeTs } = bounds
  const low = source.outsideLedgers ? sql`0` : firstSeq(fromLedger === undefined ? sql`true` : sql`l.ledger >= ${bind(clampToSafeInteger(fromLedger))}::bigint`)
  const highs: Sql[] = [sql`coalesce(s.last_seq, ${ABOVE_EVERY_SEQ})`, ...source.highs]
  if (toLedger !== undefined) highs.push(lastSeq(sql`l.ledger <= ${bind(clampToSafeInteger(toLedger))}::bigint`, sql`l.ledger desc`))
  if (beforeTs !== undefined) highs.push(lastSeq(sql`l.close_ts < ${bind(clampToSafeInteger(beforeTs))}::bigint`, sql`l.close_ts desc, l.last_seq desc`))
  if (source.by === 'seq' && !source.outsideLedgers && toLedger === undefined && beforeTs === undefined) highs.push(lastSeq(sql`true`, sql`l.ledger desc`))
  return sql`select rows.*
    from ${rangesOf(bounds, bind)} s
    cross join lateral (select greatest(s.first_seq, ${low}, ${source.low}) as low, least(${sql.join(highs, ', ')}) as high offset 0) seqs
    cross join lateral (${mergedPage({ ...source, highs: [sql`seqs.high`] }, sql`seqs.low`)}) rows
    order by rows.seq desc${source.tie === undefined ? '' : ', rows.tie desc'} limit ${source.limit}`
}

/** The ranges of seq of a deployment's epochs, or all. */
function rangesOf({ deployment }: LogBounds, bind: Bind): Sql {
  if (deployment === undefined) return sql`${idx.epoch_ranges}`
  return sql`(select o.* from ${idx.epoch_ranges} o join ${idx.epochs} d on d.number = o.epoch where d.name = ${bind(toSearchText(deployment))}::text)`
}

/** Greater than every seq: an epoch's range without a matching ledger becomes empty. */
const ABOVE_EVERY_SEQ = '9223372036854775807'

function firstSeq(condition: Sql): Sql {
  return sql`coalesce((select l.first_seq from ${idx.ledgers} l where l.epoch = s.epoch and ${condition} order by l.ledger limit 1), ${ABOVE_EVERY_SEQ})`
}

function lastSeq(condition: Sql, order: Sql): Sql {
  return sql`coalesce((select l.last_seq from ${idx.ledgers} l where l.epoch = s.epoch and ${condition} order by ${order} limit 1), 0)`
}

function isBounded(bounds: LogBounds): boolean {
  return bounds.fromLedger !== undefined || bounds.toLedger !== undefined || bounds.beforeTs !== undefined || bounds.deployment !== undefined
}

/** The seq encoded in a cursor of this list. Throws InvalidCursor. */
export function seqFromCursor(kind: string, cursor: string): number {
  const [position] = decodeCursor(kind, cursor, 1)
  if (typeof position !== 'number' || position < 0) throw new InvalidCursor(INVALID_CURSOR)
  return position
}

/** Clamps a caller's integer to 2^53 - 1; nothing larger is stored. */
export function clampToSafeInteger(value: number): number {
  assert(value >= 0, 'a bound is negative')
  return Math.min(value, Number.MAX_SAFE_INTEGER)
}

/** Replaces zero characters, which PostgreSQL rejects, by the escape with which they are stored. */
export function toSearchText(text: string): string {
  return text.replaceAll('\0', '\\x00')
}
