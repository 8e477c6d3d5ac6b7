// The event archive: append-only, except that a rebuild may replace decoded fields, and that a verification repairs it.

import type { EventRow } from '../../resources/event-row.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent, Payload } from './archived-event.ts'
import { isTransfer } from './archived-event.ts'
import { olderDeployment } from '../state/older-deployment.ts'
import { columnsOf } from '../columns.ts'
import { countEvents } from './event-counts.ts'
import type { LogBounds } from './log-list.ts'
import { listLog } from './log-list.ts'
import type { Page } from './page.ts'

export interface EventsFilter extends LogBounds {
  readonly topic?: string | undefined
  readonly contract?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** An event row as it is stored. */
export interface RawEventRow extends Omit<Required<EventRow>, 'payload' | 'deployment'> {
  readonly deployment: string | null
  readonly payload: Payload | null
  /** Raw XDR, only when there is no payload. */
  readonly topicsXdr: string | null
  readonly valueXdr: string | null
}

/** The SQL of each column; `r` is idx.events. Raw XDR is most of a row and is read only for undecoded events. */
export const EVENT_COLUMNS: Readonly<Record<Exclude<keyof RawEventRow, 'seq'>, Sql>> = {
  eventId: sql`r.event_id`, contractId: sql`r.contract_id`, topic: sql`r.topic`, ledger: sql`r.ledger`, ledgerCloseTs: sql`r.ledger_close_ts`,
  txHash: sql`r.tx_hash`, payload: sql`r.payload`, insertedAt: sql`r.inserted_at`,
  epoch: sql`(select p.epoch from ${idx.epochs} p where p.number = r.epoch)`,
  deployment: olderDeployment(sql`r.epoch`),
  topicsXdr: sql`case when r.payload is null then r.topics_xdr end`, valueXdr: sql`case when r.payload is null then r.value_xdr end`,
}

/** The row of a response; an undecoded event has its raw XDR as payload. */
export function toEventRow({ topicsXdr, valueXdr, deployment, ...row }: RawEventRow): EventRow {
  const payload = row.payload ?? { topic: row.topic, topicsXdr: splitTopics(topicsXdr ?? ''), valueXdr: valueXdr ?? '' }
  return { ...row, payload, ...(deployment === null ? {} : { deployment }) }
}

/** SQL: the condition of the indexes for lists of events. Rows of idx.events that are transfers are in none of them. */
export const LISTED = sql`not r.is_transfer`

/** Archived events, newest first (specification, "GET /v1/events"). */
export async function listEvents(db: Queryable, filter: EventsFilter): Promise<Page<EventRow>> {
  const { topic, contract, ...rest } = filter
  const page = await listLog<RawEventRow>(db, {
    ...rest,
    kind: 'events',
    table: idx.events,
    equals: { topic, contract_id: contract },
    only: LISTED,
    columns: EVENT_COLUMNS,
    keepsSeq: true,
    gaps: true,
  })
  return { ...page, rows: page.rows.map(toEventRow) }
}

/** The length of an event id on its chain; in the archive an epoch's name may follow. */
const CHAIN_ID_LENGTH = 30
const CHAIN_ID = `left(event_id, ${CHAIN_ID_LENGTH}) collate "C"`

/** Those of these events, ascending by id, that the archive does not have of this chain yet, in any epoch. */
export async function withoutArchived<Event extends { readonly id: string }>(
  db: Queryable, chain: number, events: readonly Event[],
): Promise<readonly Event[]> {
  const [first, last] = [events.at(0), events.at(-1)]
  if (first === undefined || last === undefined) return events
  const rows = await db.query<{ id: string }>(
    sql`select left(event_id, ${CHAIN_ID_LENGTH}) as id from ${idx.events} where chain = $1 and ${CHAIN_ID} between $2::text and $3::text`,
    [chain, first.id, last.id],
  )
  const archived = new Set(rows.map(({ id }) => id))
  return archived.size === 0 ? events : events.filter(({ id }) => !archived.has(id))
}

/** Rows per statement. The first one has fewer, because the database has no other work while it is encoded. */
const INSERTED_ROWS_MAX = 1_000
const FIRST_INSERTED_ROWS_MAX = 250

/** Appends events of one epoch to the archive. */
export async function appendEvents(tx: Writable, epoch: number, events: readonly ArchivedEvent[], nowMs: number): Promise<void> {
  if (events.length === 0) return
  // The database inserts one part while the next is encoded.
  for (let from = 0, rows = FIRST_INSERTED_ROWS_MAX; from < events.length; from += rows, rows = INSERTED_ROWS_MAX) {
    await insertEvents(tx, epoch, events.slice(from, from + rows), nowMs)
  }
  await appendLedgers(tx, epoch, events)
  await countEvents(tx, epoch, events)
}

/** Inserts events without updating what is computed from them. */
export async function insertEvents(tx: Writable, epoch: number, events: readonly ArchivedEvent[], nowMs: number): Promise<void> {
  await tx.run(
    sql`${sql.insertInto(idx.events)} (seq, epoch, chain, event_id, contract_id, topic, ledger, ledger_close_ts, tx_hash, topics_xdr, value_xdr, payload,
       problem, inserted_at, is_transfer)
     select unnest($3::bigint[]), $1::int, (select e.chain from ${idx.epochs} e where e.number = $1::int), unnest($4::text[]), unnest($5::text[]),
       unnest($6::text[]), unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::text[]), unnest($10::text[]), unnest($11::text[]),
       unnest($12::text[])::jsonb, unnest($13::text[]), $2::bigint, unnest($14::boolean[])`,
    [
      epoch, nowMs,
      ...columnsOf(events, ['seq', 'eventId', 'contractId', 'topic', 'ledger', 'ledgerCloseTs', 'txHash']),
      events.map(({ topicsXdr }) => topicsXdr.join(' ')),
      ...columnsOf(events, ['valueXdr']),
      events.map(({ payload }) => toJson(payload)),
      ...columnsOf(events, ['problem']),
      events.map(isTransfer),
    ],
  )
}

/** Fields of an archived event that its counts depend on. Every contract but the token counts alike. */
export interface CountedRow extends Pick<ArchivedEvent, 'ledger' | 'topic' | 'problem' | 'contract'> {
  readonly epoch: number
}

export const COUNTED_COLUMNS = `epoch, ledger, topic, problem, case when is_transfer then 'usdcToken' else 'market' end as contract`

/** Replaces the content of events, which keep their seqs. */
export async function replaceEvents(tx: Writable, events: readonly ArchivedEvent[]): Promise<void> {
  for (const { seq, contract, contractId, topic, ledger, ledgerCloseTs, txHash, topicsXdr, valueXdr, payload, problem } of events) {
    const [before] = await tx.query<CountedRow>(sql`select ${COUNTED_COLUMNS} from ${idx.events} where seq = $1`, [seq])
    if (before === undefined) continue
    await tx.run(
      sql`${sql.update(idx.events)} set contract_id = $2, topic = $3, ledger = $4, ledger_close_ts = $5, tx_hash = $6, topics_xdr = $7, value_xdr = $8,
         payload = $9::jsonb, problem = $10, is_transfer = $11 where seq = $1`,
      [seq, contractId, topic, ledger, ledgerCloseTs, txHash, topicsXdr.join(' '), valueXdr, toJson(payload), problem, isTransfer({ contract })],
    )
    await countEvents(tx, before.epoch, [before], -1)
    await countEvents(tx, before.epoch, [{ topic, problem, contract }])
    await refreshLedgers(tx, before.epoch, [before.ledger, ledger])
  }
}

/** Recomputes the rows of some ledgers from their events. */
export async function refreshLedgers(tx: Writable, epoch: number, ledgers: readonly number[]): Promise<void> {
  await tx.run(sql`${sql.deleteFrom(idx.ledgers)} where epoch = $1 and ledger = any($2::bigint[])`, [epoch, ledgers])
  await tx.run(
    sql`${sql.insertInto(idx.ledgers)} (epoch, ledger, close_ts, first_seq, last_seq)
     select epoch, ledger, max(ledger_close_ts), min(seq), max(seq) from ${idx.events} where epoch = $1 and ledger = any($2::bigint[]) group by epoch, ledger`,
    [epoch, ledgers],
  )
}

/** Adds one row per ledger with events; a later page of the same ledger extends its row. */
async function appendLedgers(tx: Writable, epoch: number, events: readonly ArchivedEvent[]): Promise<void> {
  const ledgers = new Map<number, { closeTs: number; firstSeq: number; lastSeq: number }>()
  for (const { ledger, ledgerCloseTs, seq } of events) {
    const known = ledgers.get(ledger)
    if (known === undefined) ledgers.set(ledger, { closeTs: ledgerCloseTs, firstSeq: seq, lastSeq: seq })
    else known.lastSeq = seq
  }
  const rows = [...ledgers.values()]
  await tx.run(
    sql`${sql.insertInto(idx.ledgers)} (epoch, ledger, close_ts, first_seq, last_seq)
     select $1::int, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::bigint[])
     on conflict (epoch, ledger) do update set last_seq = excluded.last_seq`,
    [epoch, [...ledgers.keys()], ...columnsOf(rows, ['closeTs', 'firstSeq', 'lastSeq'])],
  )
}

/** A row of the archive for a rebuild: raw XDR, epoch, and the fields as decoded when it was archived. */
export interface ArchiveRow extends Omit<ArchivedEvent, 'contract'> {
  readonly epoch: number
}

/** Archived events after `afterSeq` in log order, at most `limit`. */
export async function readArchive(db: Queryable, afterSeq: number, limit: number): Promise<readonly ArchiveRow[]> {
  const rows = await db.query<Omit<ArchiveRow, 'topicsXdr'> & { readonly topicsXdr: string }>(
    sql`select seq, epoch, event_id as "eventId", contract_id as "contractId", topic, ledger, ledger_close_ts as "ledgerCloseTs", tx_hash as "txHash",
       topics_xdr as "topicsXdr", value_xdr as "valueXdr", payload, problem
     from ${idx.events} where seq > $1 order by seq limit $2`,
    [afterSeq, limit],
  )
  return rows.map((row) => ({ ...row, topicsXdr: splitTopics(row.topicsXdr) }))
}

/** Replaces topic, payload and problem of some rows; the raw XDR stays. */
export async function replaceDecoded(
  tx: Writable,
  events: readonly Pick<ArchivedEvent, 'seq' | 'topic' | 'payload' | 'problem'>[],
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ seq, topic, payload, problem }) => ({ seq, topic, payload: toJson(payload), problem }))
  await tx.run(
    sql`${sql.update(idx.events)} e set topic = page.topic, payload = page.payload::jsonb, problem = page.problem
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as page (seq, topic, payload, problem)
     where e.seq = page.seq`,
    columnsOf(rows, ['seq', 'topic', 'payload', 'problem']),
  )
}

function toJson(payload: Payload | null): string | null {
  return payload === null ? null : JSON.stringify(payload)
}

function splitTopics(joined: string): readonly string[] {
  return joined === '' ? [] : joined.split(' ')
}
