// The event archive: append-only, except that a rebuild may replace decoded fields, and that a verification repairs it.

import type { EventRow } from '../../resources/event-row.ts'
import { columns, expression, type } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import { arrayOf } from '../../store/store.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ArchivedEvent, Payload } from './archived-event.ts'
import { isTransfer } from './archived-event.ts'
import { olderDeployment } from '../state/older-deployment.ts'
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
export const EVENT_COLUMNS: Readonly<Record<Exclude<keyof RawEventRow, 'seq'>, Sql | string>> = {
  eventId: 'r.event_id', contractId: 'r.contract_id', topic: 'r.topic', ledger: 'r.ledger', ledgerCloseTs: 'r.ledger_close_ts',
  txHash: 'r.tx_hash', payload: 'r.payload', insertedAt: 'r.inserted_at',
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
const CHAIN_ID = sql`left(event_id, ${CHAIN_ID_LENGTH}) collate "C"`

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

const CHAIN_OF_EPOCH = sql`(select e.chain from ${idx.epochs} e where e.number = $1)`

/** Inserts events without updating what is computed from them. */
export async function insertEvents(tx: Writable, epoch: number, events: readonly ArchivedEvent[], nowMs: number): Promise<void> {
  await insertRows(tx, idx.events, events, {
    epoch: { all: epoch }, seq: 'seq', event_id: 'eventId', contract_id: 'contractId', topic: 'topic', ledger: 'ledger', ledger_close_ts: 'ledgerCloseTs',
    tx_hash: 'txHash', topics_xdr: ({ topicsXdr }) => topicsXdr.join(' '), value_xdr: 'valueXdr', payload: ({ payload }) => toJson(payload), problem: 'problem',
    inserted_at: { all: nowMs }, is_transfer: isTransfer, chain: CHAIN_OF_EPOCH,
  })
}

/** Fields of an archived event that its counts depend on. Every contract but the token counts alike. */
export const COUNTED_COLUMNS = columns(idx.events, 'e', {
  epoch: 'epoch', ledger: 'ledger', topic: 'topic', problem: 'problem',
  contract: expression<'usdcToken' | 'market'>(sql`case when e.is_transfer then 'usdcToken' else 'market' end`),
})

/** Replaces the content of events, which keep their seqs. */
export async function replaceEvents(tx: Writable, events: readonly ArchivedEvent[]): Promise<void> {
  for (const { seq, contract, contractId, topic, ledger, ledgerCloseTs, txHash, topicsXdr, valueXdr, payload, problem } of events) {
    const [before] = await tx.query(sql`select ${COUNTED_COLUMNS} from ${idx.events} e where e.seq = $1`, [seq])
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
  const ledgers = new Map<number, { ledger: number; closeTs: number; firstSeq: number; lastSeq: number }>()
  for (const { ledger, ledgerCloseTs, seq } of events) {
    const known = ledgers.get(ledger)
    if (known === undefined) ledgers.set(ledger, { ledger, closeTs: ledgerCloseTs, firstSeq: seq, lastSeq: seq })
    else known.lastSeq = seq
  }
  await insertRows(
    tx, idx.ledgers, [...ledgers.values()],
    { epoch: { all: epoch }, ledger: 'ledger', close_ts: 'closeTs', first_seq: 'firstSeq', last_seq: 'lastSeq' },
    sql`on conflict (epoch, ledger) do update set last_seq = excluded.last_seq`,
  )
}

/** A row of the archive for a rebuild: raw XDR, epoch, and the fields as decoded when it was archived. */
export interface ArchiveRow extends Omit<ArchivedEvent, 'contract'> {
  readonly epoch: number
}

const ARCHIVE_COLUMNS = columns(idx.events, 'e', {
  seq: 'seq', epoch: 'epoch', eventId: 'event_id', contractId: 'contract_id', topic: 'topic', ledger: 'ledger', ledgerCloseTs: 'ledger_close_ts',
  txHash: 'tx_hash', topicsXdr: 'topics_xdr', valueXdr: 'value_xdr', payload: ['payload', type<Payload | null>], problem: 'problem',
})

/** Archived events after `afterSeq` in log order, at most `limit`. */
export async function readArchive(db: Queryable, afterSeq: number, limit: number): Promise<readonly ArchiveRow[]> {
  const rows = await db.query(sql`select ${ARCHIVE_COLUMNS} from ${idx.events} e where e.seq > $1 order by e.seq limit $2`, [afterSeq, limit])
  return rows.map((row) => ({ ...row, topicsXdr: splitTopics(row.topicsXdr) }))
}

/** Replaces topic, payload and problem of some rows; the raw XDR stays. */
export async function replaceDecoded(
  tx: Writable,
  events: readonly Pick<ArchivedEvent, 'seq' | 'topic' | 'payload' | 'problem'>[],
): Promise<void> {
  if (events.length === 0) return
  await tx.run(
    sql`${sql.update(idx.events)} e set topic = page.topic, payload = page.payload::jsonb, problem = page.problem
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as page (seq, topic, payload, problem)
     where e.seq = page.seq`,
    [
      arrayOf('bigint', events.map(({ seq }) => seq)), arrayOf('text', events.map(({ topic }) => topic)),
      arrayOf('text', events.map(({ payload }) => toJson(payload))), arrayOf('text', events.map(({ problem }) => problem)),
    ],
  )
}

function toJson(payload: Payload | null): string | null {
  return payload === null ? null : JSON.stringify(payload)
}

function splitTopics(joined: string): readonly string[] {
  return joined === '' ? [] : joined.split(' ')
}
