// Lists that are ordered by their place in the log, newest first. Each page is one statement: the head and the rows of one snapshot.

import { assert, defined } from '../base/assert.ts'
import { PAGE_LIMITS } from '../limits.ts'
import type { Param, Queryable } from '../store/store.ts'
import { gapsAtOrAbove, unfilledGaps } from './gaps.ts'
import type { Head, Page } from './page.ts'
import { decodeCursor, encodeCursor, InvalidCursor } from './page.ts'

/** Bounds on a list's rows by ledger and close time, as the endpoints take them. */
export interface LogBounds {
  /** Inclusive. */
  readonly fromLedger?: number | undefined
  /** Inclusive. */
  readonly toLedger?: number | undefined
  /** Exclusive, unix seconds. */
  readonly beforeTs?: number | undefined
}

/** One list over a table with a `seq`, which the table's alias `r` stands for. */
export interface LogList<Row> extends LogBounds {
  /** Names the list inside its cursors. */
  readonly kind: string
  readonly table: 'idx.events' | 'idx.trades' | 'idx.account_events' | 'idx.vault_trades' | 'idx.vault_flows' | 'idx.referral_trades' | 'idx.referral_claims'
  /** Where the rows themselves are, when `table` only says which: then `columns` speak of this one, and `equals` of `table`. */
  readonly detail?: 'idx.events'
  /** What is served, by its name on the wire, and the SQL that it comes from. */
  readonly columns: Readonly<Record<keyof Row & string, string>>
  /** Columns that must equal a value, where one is given. Every combination has an index that begins with them, in this order, and ends in seq. */
  readonly equals: Readonly<Record<string, string | number | undefined>>
  /** A column in front of them that must equal this SQL, in which `c` is the cursor's row. Never with anything of a caller's in it. */
  readonly scope?: { readonly column: string; readonly sql: string }
  /** Only rows up to this place in the log. */
  readonly throughSeq?: number | undefined
  readonly limit: number
  readonly cursor?: string | undefined
  /** Also tells which gaps the page touches. */
  readonly gaps?: boolean
}

/** What every page statement answers beside its own columns: a page without rows is one row that has only the head. */
export interface HeadColumns {
  readonly headLedger: number | null
  readonly headSeq: number
  /** Gaps that the page may touch, where they were asked for. */
  readonly headGaps?: Parameters<typeof gapsAtOrAbove>[1]
}

/** Reads one page. */
export async function listLog<Row extends object>(db: Queryable, list: LogList<Row>): Promise<Page<Row>> {
  assert(list.limit < MAX_ROWS, 'no page is longer than the longest')
  const params: Param[] = []
  const bind: Bind = (value) => `$${params.push(value)}`
  const select = `r.seq, ${Object.entries(list.columns).map(([name, sql]) => `${String(sql)} as "${name}"`).join(', ')}`
  const source: PageSource = {
    select: list.detail === undefined ? select : 'r.seq',
    table: list.table,
    keys: keysOf(list, bind),
    highs: upperBoundsOf(list, bind),
    limit: `${bind(list.limit + 1)}::int`,
  }
  const places = isBounded(list) ? boundedPage(source, list, bind) : plainPage(source, '0')
  // The places first and the rows after them: never more rows are looked at than the page has, whatever the planner believes of the tables.
  const page = list.detail === undefined ? places : `select ${select} from (${places}) place join ${list.detail} r on r.seq = place.seq`
  const gaps = list.gaps === true ? unfilledGaps(gapsWithin(list, source.highs, bind)) : undefined
  return await readPage<Row, Row>(db, { page, gaps, params, limit: list.limit, cursorOf: (raw) => encodeCursor(list.kind, [raw.seq]) }, withoutSeq)
}

/** SQL: what is asked of a gap's row `g`, so that its events could be in the list, and not above the page. */
function gapsWithin({ fromLedger, toLedger, beforeTs }: LogBounds, highs: readonly string[], bind: Bind): string {
  const conditions = ['true', ...highs.map((high) => `g.first_seq <= ${high}`)]
  if (fromLedger !== undefined) conditions.push(`g.to_ledger >= ${bind(clampToSafeInteger(fromLedger))}::bigint`)
  if (toLedger !== undefined) conditions.push(`g.from_ledger <= ${bind(clampToSafeInteger(toLedger))}::bigint`)
  if (beforeTs !== undefined) conditions.push(`coalesce(g.after_ts + 1, 0) < ${bind(clampToSafeInteger(beforeTs))}::bigint`)
  return conditions.join(' and ')
}

type Bind = (value: Param) => string

/** A column and the SQL of what it must equal. */
interface Key {
  readonly column: string
  readonly value: string
}

/** The parts of a page statement. */
interface PageSource {
  readonly select: string
  readonly table: string
  readonly keys: readonly Key[]
  /** SQL of the last places that the page may have; the least counts. */
  readonly highs: readonly string[]
  readonly limit: string
}

function keysOf<Row>({ scope, equals }: LogList<Row>, bind: Bind): readonly Key[] {
  const keys: Key[] = scope === undefined ? [] : [{ column: scope.column, value: scope.sql }]
  for (const [column, value] of Object.entries(equals)) {
    if (typeof value === 'number') keys.push({ column, value: `${bind(value)}::bigint` })
    else if (value !== undefined) keys.push({ column, value: `${bind(toSearchText(value))}::text` })
  }
  return keys
}

function upperBoundsOf<Row>({ kind, cursor, throughSeq }: LogList<Row>, bind: Bind): readonly string[] {
  const highs: string[] = []
  if (cursor !== undefined) highs.push(`${bind(seqFromCursor(kind, cursor))}::bigint - 1`)
  if (throughSeq !== undefined) highs.push(`${bind(clampToSafeInteger(throughSeq))}::bigint`)
  return highs
}

/** No page asks for more rows. */
const MAX_ROWS = PAGE_LIMITS.events.max + 1

/**
 * Rows between two places in the log, newest first. Keys and place are compared as one row, and the page is ordered by all of them: only the index made for
 * these keys gives that order, and of it nothing is read but the page. Compared one by one, the planner may as well walk the whole log and look for them.
 *
 * The constant limit inside is for the planner of a prepared statement, which does not know the parameter: without it, it expects a tenth of the table,
 * and the page is planned anew each time.
 */
function plainPage({ select, table, keys, highs, limit }: PageSource, low: string): string {
  const columns = [...keys.map(({ column }) => `r.${column}`), 'r.seq']
  const high = highs.length === 0 ? ABOVE_EVERY_SEQ : `least(${highs.join(', ')})`
  const bound = (place: string): string => `(${[...keys.map(({ value }) => value), place].join(', ')})`
  const range = `(${columns.join(', ')}) >= ${bound(low)} and (${columns.join(', ')}) <= ${bound(high)}`
  const known = keys.map(({ column }) => ` and r.${column} is not null`).join('')
  const order = columns.map((column) => `${column} desc`).join(', ')
  const most = `select ${select} from ${table} r where ${range}${known} order by ${order} limit ${MAX_ROWS}`
  // In the order of what is inside: an order of its own would have all of that read first.
  return `select most.* from (${most}) most limit ${limit}`
}

/** A row as it is served: without the columns that only paging needs. */
export function withoutSeq<Row extends object>(raw: Row & Partial<HeadColumns> & { readonly seq: number }): Row {
  const { headLedger: _ledger, headSeq: _seq, headGaps: _gaps, seq: _place, ...row } = raw
  return row as unknown as Row
}

/**
 * Runs a page statement and takes head, rows and the cursor behind the last row from its answer. `page` selects at most one row more than `limit`, with
 * an integer `seq` by which the page is ordered, falling.
 */
export async function readPage<Raw extends object, Row>(
  db: Queryable,
  statement: {
    readonly page: string
    /** SQL of the gaps that it may touch. */
    readonly gaps?: string | undefined
    readonly params: readonly Param[]
    readonly limit: number
    readonly cursorOf: (raw: Raw & { readonly seq: number }) => string
    /** How the rows are ordered, when not by `seq` falling. */
    readonly order?: string
  },
  toRow: (raw: Raw & { readonly seq: number }) => Row,
): Promise<Page<Row>> {
  const answer = await db.query<Raw & HeadColumns & { readonly seq: number | null }>(
    `select c.last_ledger as "headLedger", c.last_seq as "headSeq", ${statement.gaps === undefined ? '' : `${statement.gaps} as "headGaps", `}page.*
     from idx.cursor c left join lateral (${statement.page}) page on true
     order by ${statement.order ?? 'page.seq desc'}`,
    statement.params,
  )
  const rows = answer.filter((raw): raw is typeof raw & { readonly seq: number } => raw.seq !== null)
  const pageRows = rows.slice(0, statement.limit)
  const last = pageRows.at(-1)
  const hasMore = rows.length > pageRows.length && last !== undefined
  return {
    rows: pageRows.map(toRow),
    next: hasMore ? statement.cursorOf(last) : null,
    head: headOf(answer),
    gaps: gapsAtOrAbove(hasMore ? last.seq : 0, answer[0]?.headGaps ?? []),
  }
}

/** The head in the first row of an answer. The cursor row is there from the first migration on, so there is always one. */
export function headOf(answer: readonly HeadColumns[]): Head {
  const { headLedger, headSeq } = defined(answer[0], 'the head')
  return { ledger: headLedger, seq: headSeq }
}

/**
 * Ledgers and close times repeat from epoch to epoch, and only grow inside one: the bounds become one range of seq per epoch, looked up in idx.ledgers,
 * and each range is read from its end for no more rows than the page needs.
 */
function boundedPage(source: PageSource, bounds: LogBounds, bind: Bind): string {
  const { fromLedger, toLedger, beforeTs } = bounds
  const low = firstSeq(fromLedger === undefined ? 'true' : `l.ledger >= ${bind(clampToSafeInteger(fromLedger))}::bigint`)
  const highs: string[] = [...source.highs]
  if (toLedger !== undefined) highs.push(lastSeq(`l.ledger <= ${bind(clampToSafeInteger(toLedger))}::bigint`, 'l.ledger desc'))
  if (beforeTs !== undefined) highs.push(lastSeq(`l.close_ts < ${bind(clampToSafeInteger(beforeTs))}::bigint`, 'l.close_ts desc, l.last_seq desc'))
  if (highs.length === source.highs.length) highs.push(lastSeq('true', 'l.ledger desc'))
  return `select rows.*
    from idx.epochs e
    cross join lateral (select ${low} as low, least(${highs.join(', ')}) as high offset 0) epoch
    cross join lateral (${plainPage({ ...source, highs: ['epoch.high'] }, 'epoch.low')}) rows
    order by rows.seq desc limit ${source.limit}`
}

/** Greater than every seq: an epoch without a fitting ledger gets an empty range. */
const ABOVE_EVERY_SEQ = '9223372036854775807'

function firstSeq(condition: string): string {
  return `coalesce((select l.first_seq from idx.ledgers l where l.epoch = e.number and ${condition} order by l.ledger limit 1), ${ABOVE_EVERY_SEQ})`
}

function lastSeq(condition: string, order: string): string {
  return `coalesce((select l.last_seq from idx.ledgers l where l.epoch = e.number and ${condition} order by ${order} limit 1), 0)`
}

function isBounded(bounds: LogBounds): boolean {
  return bounds.fromLedger !== undefined || bounds.toLedger !== undefined || bounds.beforeTs !== undefined
}

/** The place in the log that a cursor of this list stands for. */
export function seqFromCursor(kind: string, cursor: string): number {
  const [position] = decodeCursor(kind, cursor, 1)
  if (typeof position !== 'number' || position < 0) throw new InvalidCursor('cursor is not one that this list handed out')
  return position
}

/** A caller's integer as one that the database takes: beyond 2^53 nothing is stored, so the largest of all stands for it. */
export function clampToSafeInteger(value: number): number {
  assert(value >= 0, 'bounds are not negative')
  return Math.min(value, Number.MAX_SAFE_INTEGER)
}

/** A caller's text as one that the database takes: PostgreSQL refuses a zero byte, and no stored text has either character. */
export function toSearchText(text: string): string {
  return text.replaceAll('\0', '\u{fffd}')
}
