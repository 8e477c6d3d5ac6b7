// The log for the stream: committed rows after a seq, in order, with their accounts, and the head of each channel at a seq.

import { columns, expression } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx, txTables } from '../../store/tables.ts'
import type { Correction } from '../../resources/correction.ts'
import { accountsIn } from './account-events.ts'
import type { Payload } from './archived-event.ts'
import { CORRECTION_JSON, toCorrectionRow } from '../repair/corrections.ts'
import { COMPLETE_SEQ } from '../state/index-state.ts'
import { printOf, printsOf } from '../trades/prints.ts'
import type { PrintKey } from '../trades/prints.ts'

/** Channels of the log: all events, corrections, trades by asset, and by account its events and its orders (read by order-stream.ts). */
export interface LogChannels {
  readonly events: boolean
  readonly corrections: boolean
  readonly assets: readonly string[]
  readonly accounts: readonly string[]
  readonly orders: readonly string[]
}

/** An event as shown in frames. */
export interface LogEvent {
  readonly eventId: string
  readonly contractId: string
  readonly topic: string
  readonly ledger: number
  /** Unix seconds. */
  readonly ledgerCloseTs: number
  readonly txHash: string
  /** Null when the event could not be decoded; frames then show its raw XDR. */
  readonly payload: Payload | null
  /** The XDR of an event that could not be decoded; empty for others. */
  readonly topicsXdr: readonly string[]
  readonly valueXdr: string
}

/** A row of the log. */
export interface LogRow extends LogEvent {
  readonly seq: number
  /** The name of its epoch. */
  readonly epoch: string
  /** Null when the event is no print. */
  readonly print: PrintKey | null
  /** The accounts of the event that were known when it was archived. */
  readonly accounts: readonly string[]
  /** Earlier events whose account became known later: on that account's channel, and only there, they have this row's seq. */
  readonly learned: readonly (LogEvent & { readonly account: string })[]
}

interface RawLogRow extends Omit<LogRow, 'accounts' | 'topicsXdr' | 'learned'> {
  /** Those that its payload may not name; null: the row is read without accounts. */
  readonly accounts: string | null
  readonly topicsXdr: string
  readonly learned: readonly (Omit<LogEvent, 'topicsXdr'> & { readonly account: string; readonly topicsXdr: string })[] | null
}

/** An upgrade of a contract in its place in the log, which no event has. */
export interface LogUpgrade {
  readonly seq: number
  /** The name of its epoch. */
  readonly epoch: string
  /** As in GET /v1/health. */
  readonly contract: string
  readonly generation: string | null
  /** Null: the new code is unknown. */
  readonly wasmHash: string | null
  readonly source: 'event' | 'entries'
  readonly afterLedger: number | null
  readonly ledger: number
}

/** The end of the log. */
export interface LogHead {
  readonly seq: number
  readonly epoch: string
  readonly ledger: number | null
  /** Unix seconds. */
  readonly ledgerCloseTs: number | null
  /** The last seq of another epoch that interrupted this one; 0 when none did. */
  readonly interruptedThrough: number
  /** The last seq of any other epoch; 0 when there is none. */
  readonly othersThrough: number
  /** The schema of the index. Several indexes of one database share a notification channel. */
  readonly schema: string
}

/** A page of the log with the end of the log, from one snapshot. */
export interface LogPage {
  /** Null while nothing has been indexed. */
  readonly end: LogHead | null
  readonly rows: readonly LogRow[]
  readonly upgrades: readonly LogUpgrade[]
  readonly corrections: readonly Correction[]
  /** The page has everything up to this seq. */
  readonly throughSeq: number
}

const HEAD = columns(idx.cursor, 'c', {
  headSeq: 'last_seq', headLedger: 'last_ledger', headCloseTs: 'last_ledger_close_ts',
  headEpoch: expression<string>(sql`(select h.epoch from ${idx.epochs} h where h.number = c.epoch)`),
  schema: expression<string>(sql`${sql.schemaText('idx')}`),
  epochFrom: expression<number | null>(sql`(select min(s.first_seq) from ${idx.epoch_ranges} s where s.epoch = c.epoch)`),
  othersThrough: expression<number | null>(sql`(select max(s.last_seq) from ${idx.epoch_ranges} s where s.epoch <> c.epoch)`),
})
type RawHead = RowOf<typeof HEAD>

/** The end of the log; null while nothing has been indexed. */
export async function readLogHead(db: Queryable): Promise<LogHead | null> {
  const [row] = await db.query(sql`select ${HEAD} from ${idx.cursor} c where c.updated_at is not null`)
  return row === undefined ? null : toHead(row)
}

/** True when the log has an entry at this seq. Only a repair of the archive removes one, or moves it to another seq. */
export async function hasEventAt(db: Queryable, seq: number): Promise<boolean> {
  const tables = [idx.events, idx.contract_versions, txTables.submission_changes, idx.order_changes]
  const entries = [...tables.map((table) => sql`select 1 from ${table} where seq = $1`), sql`select 1 from ${idx.corrections} where seq = $1`]
  return (await db.query(sql.join(entries, ' union all '), [seq])).length > 0
}

function toHead({ headSeq, headEpoch, headLedger, headCloseTs, epochFrom, othersThrough, schema }: RawHead): LogHead {
  const through = othersThrough ?? 0
  const interruptedThrough = epochFrom !== null && epochFrom < through ? through : 0
  return { seq: headSeq, epoch: headEpoch, ledger: headLedger, ledgerCloseTs: headCloseTs, interruptedThrough, othersThrough: through, schema }
}

/** SQL: rows of the account's channel that keep their own seq. */
const NOT_LEARNED = sql`not exists (select 1 from ${idx.learned_events} l where l.account = a.account and l.seq = a.seq)`

/** SQL: XDR is most of an event's size, and frames show it only for events that could not be decoded. */
function rawXdr(table: 'e' | 'le', column: 'topics_xdr' | 'value_xdr'): Sql {
  return sql`case when ${table}.payload is null then ${table}.${column} else '' end`
}

const EVENT_COLUMNS = sql`e.seq, (select p.epoch from ${idx.epochs} p where p.number = e.epoch) as epoch,
  e.event_id as "eventId", e.contract_id as "contractId", e.topic, e.ledger, e.ledger_close_ts as "ledgerCloseTs", e.tx_hash as "txHash", e.payload,
  ${rawXdr('e', 'topics_xdr')} as "topicsXdr", ${rawXdr('e', 'value_xdr')} as "valueXdr", ${printOf(sql`e`)} as print`

/** Events name their accounts, except the owner of an order that ends. */
const COLUMNS = sql`${EVENT_COLUMNS}, coalesce((select string_agg(a.account, ' ') from ${idx.account_events} a
     where a.seq = e.seq and a.topic in ('order_executed', 'order_cancelled') and ${NOT_LEARNED}), '') as accounts,
  (select jsonb_agg(jsonb_build_object('account', l.account, 'eventId', le.event_id, 'contractId', le.contract_id, 'topic', le.topic, 'ledger', le.ledger,
     'ledgerCloseTs', le.ledger_close_ts, 'txHash', le.tx_hash, 'payload', le.payload,
     'topicsXdr', ${rawXdr('le', 'topics_xdr')}, 'valueXdr', ${rawXdr('le', 'value_xdr')}))
   from ${idx.learned_events} l join ${idx.events} le on le.seq = l.seq where l.shown_seq = e.seq) as learned`

/** SQL: upgrades, as `upgrade`. Those of another deployment's contracts are not in the stream. */
const UPGRADE = sql`jsonb_build_object('seq', v.seq, 'contract', v.contract, 'generation', v.generation, 'wasmHash', v.wasm_hash, 'ledger', v.from_ledger,
  'source', case when v.from_event_id = '' then 'entries' else 'event' end, 'afterLedger', v.after_ledger,
  'epoch', (select p.epoch from ${idx.epoch_ranges} s join ${idx.epochs} p on p.number = s.epoch where s.first_seq <= v.seq order by s.first_seq desc limit 1))`

/** The upgrades in (afterSeq, throughSeq], in log order. There are few, so they are not paged. */
export async function readUpgrades(db: Queryable, range: { readonly afterSeq: number; readonly throughSeq: number }): Promise<readonly LogUpgrade[]> {
  const rows = await db.query<{ upgrade: LogUpgrade }>(
    sql`select ${UPGRADE} as upgrade from ${idx.contract_versions} v
     where v.seq > $1::bigint and v.seq <= $2::bigint and v.contract is not null order by v.seq`,
    [range.afterSeq, range.throughSeq],
  )
  return rows.map(({ upgrade }) => upgrade)
}

/**
 * The rows and corrections of the log after `afterSeq`, at most `limit` of each, the upgrades, and the end of the log, from one snapshot. They are complete up
 * to the `throughSeq` of the result. One statement, because it runs after every commit. Without accounts it costs half; the rows then have no accounts.
 */
export async function readLog(
  db: Queryable,
  afterSeq: number,
  options: { readonly limit: number; readonly accounts: boolean },
): Promise<LogPage> {
  const statement = options.accounts ? LOG_PAGE_SQL : LOG_PAGE_WITHOUT_ACCOUNTS_SQL
  return toLogPage(await db.query<RawPageRow>(statement, [afterSeq, options.limit]), options.limit)
}

/** A row of LOG_PAGE_SQL. */
export type RawPageRow = RawHead & HeadEntries & (RawLogRow | { readonly seq: null })

interface HeadEntries {
  readonly headUpgrades: readonly LogUpgrade[] | null
  readonly headCorrections: readonly Parameters<typeof toCorrectionRow>[0][] | null
}

/** SQL: the log after seq $1, at most $2 rows and corrections. At least one row once anything is indexed. */
export const LOG_PAGE_SQL = logPageSql(COLUMNS)
const LOG_PAGE_WITHOUT_ACCOUNTS_SQL = logPageSql(sql`${EVENT_COLUMNS}, null as accounts, null as learned`)

/** Its rows have more columns than the head. */
function logPageSql(selected: Sql, head: Sql = HEAD): Sql {
  return sql`select ${head},
     (select jsonb_agg(${UPGRADE} order by v.seq) from ${idx.contract_versions} v
       where v.seq > $1::bigint and v.seq <= ${COMPLETE_SEQ} and v.contract is not null) as "headUpgrades",
     (select jsonb_agg(k.row order by k.seq) from (
        select r.seq, ${CORRECTION_JSON} as row from ${idx.corrections} r where r.seq > $1::bigint order by r.seq limit $2::int) k) as "headCorrections",
     page.*
   from ${idx.cursor} c
     left join lateral (select ${selected} from ${idx.events} e where e.seq > $1::bigint and e.seq <= ${COMPLETE_SEQ}
       and not e.is_transfer order by e.seq limit $2::int) page on true
   where c.updated_at is not null order by page.seq`
}

/** The page from the rows of LOG_PAGE_SQL with this limit. */
export function toLogPage(result: readonly RawPageRow[], limit: number): LogPage {
  const [first] = result
  const rows = result.filter((row) => row.seq !== null).map(toLogRow)
  const corrections = (first?.headCorrections ?? []).map(toCorrectionRow)
  const throughSeq = Math.min(...[rows, corrections].map((part) => (part.length === limit ? (part.at(-1)?.seq ?? 0) : Number.MAX_SAFE_INTEGER)))
  const within = <Entry extends { readonly seq: number }>(entries: readonly Entry[]): readonly Entry[] => entries.filter(({ seq }) => seq <= throughSeq)
  const end = first === undefined ? null : toHead(first)
  return { end, throughSeq, rows: within(rows), upgrades: within(first?.headUpgrades ?? []), corrections: within(corrections) }
}

/** The rows of some channels in (afterSeq, throughSeq], in log order, at most `limit`. Reads only rows of these channels. */
export async function readChannels(
  db: Queryable,
  channels: Omit<LogChannels, 'orders' | 'corrections'>,
  range: { readonly afterSeq: number; readonly throughSeq: number; readonly limit: number },
): Promise<readonly LogRow[]> {
  const rows = await db.query<RawLogRow>(
    sql`select ${COLUMNS}
     from (${channels.events ? EVERY_SEQ : CHANNEL_SEQS} order by seq limit $3::int) selected join ${idx.events} e on e.seq = selected.seq
     order by e.seq`,
    [range.afterSeq, range.throughSeq, range.limit, ...namesOf(channels)],
  )
  return rows.map(toLogRow)
}

const EVERY_SEQ = sql`select seq from ${idx.events}
  where seq > $1::bigint and seq <= $2::bigint and not is_transfer and $4::text[] is not null and $5::text[] is not null`

/** Each branch reads at most one page from its own index. */
const CHANNEL_SEQS = sql`select seq from (
    select f.seq from unnest($4::text[]) n (name) cross join lateral (
      ${printsOf(sql`n.name`, { after: sql`$1::bigint`, through: sql`$2::bigint`, limit: sql`$3::int` })}) f
    union
    select f.seq from unnest($5::text[]) n (name) cross join lateral (
      select seq from ${idx.account_events} a where account = n.name and seq > $1::bigint and seq <= $2::bigint and ${NOT_LEARNED} order by seq limit $3::int) f
    union
    select f.seq from unnest($5::text[]) n (name) cross join lateral (
      select shown_seq as seq from ${idx.learned_events} where account = n.name and shown_seq > $1::bigint and shown_seq <= $2::bigint
        order by shown_seq limit $3::int) f
  ) merged`

/** The number of frames of some channels in (afterSeq, throughSeq], counted up to `max`. A row in two channels is two frames. */
export async function countFrames(
  db: Queryable,
  channels: Omit<LogChannels, 'orders'>,
  range: { readonly afterSeq: number; readonly throughSeq: number; readonly max: number },
): Promise<number> {
  const [row] = await db.query<{ frames: number }>(
    sql`select count(*) as frames from (
       select 1 from unnest($4::text[]) n (name) cross join lateral (
         ${printsOf(sql`n.name`, { after: sql`$1::bigint`, through: sql`$2::bigint`, limit: sql`$3::int` })}) f
       union all
       select 1 from unnest($5::text[]) n (name) cross join lateral (
         select 1 from ${idx.account_events} a where account = n.name and seq > $1::bigint and seq <= $2::bigint and ${NOT_LEARNED} limit $3::int) f
       union all
       select 1 from unnest($5::text[]) n (name) cross join lateral (
         select 1 from ${idx.learned_events} where account = n.name and shown_seq > $1::bigint and shown_seq <= $2::bigint limit $3::int) f
       union all
       select 1 from (select seq from ${idx.corrections} where $7::boolean and seq > $1::bigint and seq <= $2::bigint limit $3::int) k
       union all
       select 1 from (select seq from ${idx.events} where $6::boolean and seq > $1::bigint and seq <= $2::bigint and not is_transfer limit $3::int) e
       limit $3::int
     ) counted`,
    [range.afterSeq, range.throughSeq, range.max, ...namesOf(channels), channels.events, channels.corrections],
  )
  return row?.frames ?? 0
}

export interface ChannelHeads {
  readonly events: number
  readonly corrections: number
  readonly assets: ReadonlyMap<string, number>
  readonly accounts: ReadonlyMap<string, number>
}

/** The head of each channel at a seq: its last frame at or before `atSeq`, 0 when it has none. */
export async function readChannelHeads(
  db: Queryable,
  channels: Pick<LogChannels, 'assets' | 'accounts'>,
  atSeq: number,
): Promise<ChannelHeads> {
  const rows = await db.query<{ kind: 'events' | 'corrections' | 'asset' | 'account'; name: string; seq: number | null }>(
    sql`select 'asset' as kind, n.name, (
       select max(f.seq) from (${printsOf(sql`n.name`, { through: sql`$1::bigint`, limit: sql`1`, newestFirst: true })}) f) as seq
     from unnest($2::text[]) n (name)
     union all
     select 'account', n.name, greatest(
       (select a.seq from ${idx.account_events} a where a.account = n.name and a.seq <= $1::bigint and ${NOT_LEARNED} order by a.seq desc limit 1),
       (select l.shown_seq from ${idx.learned_events} l where l.account = n.name and l.shown_seq <= $1::bigint order by l.shown_seq desc limit 1))
     from unnest($3::text[]) n (name)
     union all
     select 'corrections', '', (select k.seq from ${idx.corrections} k where k.seq <= $1::bigint order by k.seq desc limit 1)
     union all
     select 'events', '', (select e.seq from ${idx.events} e where e.seq <= $1::bigint and not e.is_transfer order by e.seq desc limit 1)`,
    [atSeq, ...namesOf(channels)],
  )
  const headOf = (kind: 'events' | 'corrections'): number => rows.find((row) => row.kind === kind)?.seq ?? 0
  const headsOf = (kind: 'asset' | 'account'): ReadonlyMap<string, number> =>
    new Map(rows.filter((row) => row.kind === kind).map(({ name, seq }) => [name, seq ?? 0]))
  return { events: headOf('events'), corrections: headOf('corrections'), assets: headsOf('asset'), accounts: headsOf('account') }
}

/** The last `limit` trades of an asset up to `throughSeq`, oldest first, and the seq of the trade before them (0 when there is none). */
export async function readLastPrints(
  db: Queryable,
  asset: string,
  options: { readonly throughSeq: number; readonly limit: number },
): Promise<{ readonly rows: readonly LogRow[]; readonly before: number }> {
  const rows = await db.query<RawLogRow>(
    sql`select ${COLUMNS} from (
       select f.seq from (${printsOf(sql`$1::text`, { through: sql`$2::bigint`, limit: sql`$3::int`, newestFirst: true })}) f
       order by f.seq desc limit $3::int
     ) selected join ${idx.events} e on e.seq = selected.seq order by e.seq`,
    [asset, options.throughSeq, options.limit + 1],
  )
  const newest = rows.slice(Math.max(0, rows.length - options.limit))
  return { rows: newest.map(toLogRow), before: rows.length > options.limit ? (rows[0]?.seq ?? 0) : 0 }
}

function namesOf(channels: Pick<LogChannels, 'assets' | 'accounts'>): [readonly string[], readonly string[]] {
  return [channels.assets, channels.accounts]
}

function toLogRow(raw: RawLogRow): LogRow {
  const { accounts, topicsXdr, learned, seq, epoch, eventId, contractId, topic, ledger, ledgerCloseTs, txHash, payload, valueXdr, print } = raw
  return {
    seq, epoch, eventId, contractId, topic, ledger, ledgerCloseTs, txHash, payload, valueXdr, print,
    accounts: accounts === null ? [] : [...new Set([...accountsIn(payload ?? {}), ...splitWords(accounts)])],
    topicsXdr: splitWords(topicsXdr),
    learned: (learned ?? []).map((event) => ({ ...event, topicsXdr: splitWords(event.topicsXdr) })),
  }
}

function splitWords(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ')
}
