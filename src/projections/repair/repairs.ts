// Repairs of the archive. Differences from the network are stored as they are found, and applied together in one transaction. An event that was missing gets
// a seq at its place in the log: everything after it moves to seqs that were never issued.

import type { CorrectedValues } from '../../resources/correction.ts'
import { columns, expression, expressions } from '../../store/columns.ts'
import type { RowOf } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Table } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx, txTables } from '../../store/tables.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'
import { countEvents } from '../log/event-counts.ts'
import { COUNTED_COLUMNS, insertEvents, refreshLedgers, replaceEvents } from '../log/events.ts'
import type { NewCorrection } from './correction-log.ts'
import { appendCorrections } from './correction-log.ts'
import { lastReservedSeq, readIndexCursor, recountUnknownEvents } from '../state/index-state.ts'
import { PROJECTIONS } from '../state/tables.ts'
import type { VersionTable } from '../state/version-blocks.ts'
import { blockOf, VERSION_TABLES } from '../state/version-blocks.ts'

/** An event as it belongs in the archive, without its position. */
export type RepairedEvent = Omit<ArchivedEvent, 'seq'>

/** One difference between the archive and the network. `chainId` is the event's id on its chain. */
export type Repair =
  | { readonly action: 'add'; readonly epoch: number; readonly chainId: string; readonly seq: null; readonly event: RepairedEvent }
  | { readonly action: 'replace'; readonly epoch: number; readonly chainId: string; readonly seq: number; readonly event: RepairedEvent }
  | { readonly action: 'remove'; readonly epoch: number; readonly chainId: string; readonly seq: number; readonly event: null }

const COUNT = expressions({ count: expression<number>(sql`count(*)`) })

/** Stores differences. One that is stored already is the same. */
export async function recordRepairs(tx: Writable, repairs: readonly Repair[]): Promise<void> {
  await insertRows(tx, idx.repairs, repairs, {
    action: 'action',
    epoch: 'epoch',
    event_id: ({ chainId, seq }) => (seq === null ? chainId : `${chainId} ${seq}`),
    seq: 'seq',
    event: ({ event }) => (event === null ? null : JSON.stringify(event)),
  }, sql`on conflict do nothing`)
}

export async function countRepairs(db: Queryable): Promise<number> {
  const [row] = await db.query(sql`select ${COUNT} from ${idx.repairs}`)
  return row?.count ?? 0
}

const LEDGER = expressions({ ledger: expression<number>(sql`left(r.event_id, 19)::bigint >> 32`) })

/** The ledgers whose events the stored repairs concern. */
export async function readRepairedLedgers(db: Queryable): Promise<readonly number[]> {
  return (await db.query(sql`select distinct ${LEDGER} from ${idx.repairs} r`)).map(({ ledger }) => ledger)
}

export async function discardRepairs(tx: Writable): Promise<void> {
  await tx.run(sql`${sql.deleteFrom(idx.repairs)}`)
}

/** The values of an event in a correction. */
type EventValues = Pick<RepairedEvent, 'contractId' | 'topic' | 'ledger' | 'ledgerCloseTs' | 'txHash' | 'payload' | 'topicsXdr' | 'valueXdr'>

/** A stored repair with the archived event that it replaces or removes; the values of that event are null when there is none. */
const STORED = columns(idx.repairs, 'r', {
  action: expression<Repair['action']>(sql`r.action`),
  epoch: 'epoch',
  seq: 'seq',
  event: expression<RepairedEvent | null>(sql`r.event`),
  contractEpoch: expression<number>(sql`p.contract_epoch`),
  eventId: expression<string>(sql`coalesce(v.event_id, r.event->>'eventId')`),
  archived: expression<EventValues | null>(sql`case when v.seq is not null then jsonb_build_object('contractId', v.contract_id, 'topic', v.topic,
    'ledger', v.ledger, 'ledgerCloseTs', v.ledger_close_ts, 'txHash', v.tx_hash, 'payload', v.payload,
    'topicsXdr', to_jsonb(string_to_array(v.topics_xdr, ' ')), 'valueXdr', v.value_xdr) end`),
})
type StoredRepair = RowOf<typeof STORED>

/** The time of a repair of the archive, and the ledger of the comparison that led to it. `hasSubmissions`: changes of submissions are in this log too. */
interface RepairContext {
  readonly ledger: number
  readonly nowMs: number
  readonly hasSubmissions: boolean
}

/**
 * Applies the stored repairs to the archive, and records them as corrections. The projections must be rebuilt afterwards. Returns the first seq that has
 * another row now; null: none.
 */
export async function applyRepairs(tx: Writable, context: RepairContext): Promise<number | null> {
  const repairs = await tx.query(
    sql`select ${STORED} from ${idx.repairs} r join ${idx.epochs} p on p.number = r.epoch left join ${idx.events} v on v.seq = r.seq
     order by r.epoch, coalesce(v.event_id, r.event->>'eventId') collate "C", r.seq`,
  )
  const cursor = await readIndexCursor(tx)
  if (repairs.length === 0 || cursor === null) return null
  await appendCorrections(tx, repairs.map((repair) => toCorrection(repair, context)), { cursor, nowMs: context.nowMs })
  const changedSeq = repairs.flatMap(({ seq, archived }) => (seq === null || archived === null ? [] : [seq])).reduce<number | null>(minSeq, null)
  await removeEvents(tx, repairs.filter(({ action }) => action === 'remove').map(({ seq }) => seq ?? 0))
  const replaced = repairs.filter(({ action }) => action === 'replace')
  await replaceEvents(tx, replaced.flatMap(({ seq, event }) => (seq === null || event === null ? [] : [{ ...event, seq }])))
  const movedSeq = await addEvents(tx, repairs.filter(({ action }) => action === 'add'), context)
  await discardRepairs(tx)
  await recountUnknownEvents(tx)
  return minSeq(changedSeq, movedSeq)
}

function toCorrection({ contractEpoch, eventId, event, archived }: StoredRepair, { ledger }: RepairContext): NewCorrection {
  const { trader, asset } = (event ?? archived)?.payload ?? {}
  return {
    kind: 'event', contractEpoch, ledger, eventId, trader: typeof trader === 'string' ? trader : null, asset: typeof asset === 'string' ? asset : null,
    before: toValues(archived), after: toValues(event),
  }
}

function toValues(event: EventValues | null): CorrectedValues | null {
  if (event === null) return null
  const { contractId, topic, ledger, ledgerCloseTs, txHash, payload, topicsXdr, valueXdr } = event
  return { contractId, topic, ledger, ledgerCloseTs, txHash, payload, topicsXdr: [...topicsXdr], valueXdr }
}

/** The smaller of two seqs; null is no seq. */
function minSeq(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

/** Projections whose rows name one event. Lists would otherwise refer to an event that is gone, until the rebuild. */
const ROWS_OF_EVENTS = PROJECTIONS.filter((table) =>
  ['account_events', 'opens', 'trades', 'ownerless_events', 'referral_trades', 'referral_claims', 'vault_trades', 'vault_flows',
    'position_fills', 'cash_ledger'].includes(table))

async function removeEvents(tx: Writable, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  const removed = await tx.query(sql`${sql.deleteFrom(idx.events)} e where e.seq = any($1::bigint[]) returning ${COUNTED_COLUMNS}`, [seqs])
  for (const table of [...ROWS_OF_EVENTS, 'learned_events'] as const) await tx.run(sql`${sql.deleteFrom(idx[table])} where seq = any($1::bigint[])`, [seqs])
  for (const [epoch, events] of Map.groupBy(removed, (event) => event.epoch)) {
    await countEvents(tx, epoch, events, -1)
    await refreshLedgers(tx, epoch, events.map(({ ledger }) => ledger))
  }
}

/** Inserts events where they belong: before the first later event of their epoch. Returns the first seq that is new or was moved. */
async function addEvents(
  tx: Writable, repairs: readonly StoredRepair[], { nowMs, hasSubmissions }: RepairContext,
): Promise<number | null> {
  const cursor = await readIndexCursor(tx)
  if (repairs.length === 0 || cursor === null) return null
  const endSeq = lastReservedSeq(cursor) + 1
  const missing: { readonly epoch: number; readonly event: RepairedEvent; readonly beforeSeq: number }[] = []
  for (const { epoch, event } of repairs) {
    if (event !== null) missing.push({ epoch, event, beforeSeq: (await readSeqAfter(tx, epoch, event)) ?? endSeq })
  }
  missing.sort((a, b) => a.beforeSeq - b.beforeSeq || (a.event.eventId < b.event.eventId ? -1 : 1))
  const firstSeq = missing[0]?.beforeSeq ?? endSeq
  const distance = endSeq - firstSeq
  const move = { firstSeq, distance, thresholds: missing.map(({ beforeSeq }) => beforeSeq) }
  await moveSeqs(tx, move)
  if (hasSubmissions) await moveColumn(tx, txTables.submission_changes, 'seq', move)
  const numbered = missing.map(({ epoch, event, beforeSeq }, index) => ({ epoch, event: { ...event, seq: beforeSeq + distance + index } }))
  for (const [epoch, rows] of Map.groupBy(numbered, (row) => row.epoch)) {
    const events = rows.map(({ event }) => event)
    await insertEvents(tx, epoch, events, nowMs)
    await countEvents(tx, epoch, events)
    await refreshLedgers(tx, epoch, events.map(({ ledger }) => ledger))
  }
  await tx.run(sql`${sql.update(idx.cursor)} set last_seq = greatest(last_seq, $1::bigint)`, [numbered.at(-1)?.event.seq ?? 0])
  return firstSeq
}

/** The seq of the first event of this epoch that is later on the chain; when there is none, the one after the epoch's last event. */
async function readSeqAfter(tx: Queryable, epoch: number, { eventId, ledger }: RepairedEvent): Promise<number | null> {
  const seq = expression<number | null>(sql`coalesce(
    (select min(e.seq) from ${idx.events} e where e.ledger = $2 and e.epoch = $1 and e.event_id collate "C" > $3),
    (select e.seq from ${idx.events} e where e.ledger > $2 and e.epoch = $1 order by e.ledger, e.seq limit 1),
    (select l.last_seq + 1 from ${idx.ledgers} l where l.epoch = $1 and $1 <> c.epoch order by l.ledger desc limit 1))`)
  const [row] = await tx.query(sql`select ${expressions({ seq })} from ${idx.cursor} c`, [epoch, ledger, eventId])
  return row?.seq ?? null
}

/**
 * Moves every seq from `firstSeq` on by `distance`, and further by one for each of `thresholds` (ascending) up to it. `distance` leads beyond every seq in
 * use, so that no two rows ever have the same one. All columns that hold a seq are named `seq` or `…_seq`, except in blocks of versions.
 */
async function moveSeqs(tx: Writable, move: SeqMove): Promise<void> {
  if (move.distance === 0) return
  const except = new Set<string>(['tasks', 'repairs', ...VERSION_TABLES.map(({ name }) => name)])
  for (const table of Object.values(idx)) {
    if (except.has(table.name)) continue
    for (const column of Object.keys(table.columns).filter(isSeq)) await moveColumn(tx, table, column, move)
  }
  for (const table of VERSION_TABLES) await moveVersions(tx, table, move)
}

function isSeq(column: string): boolean {
  return column === 'seq' || column.endsWith('_seq')
}

interface SeqMove {
  readonly firstSeq: number
  readonly distance: number
  readonly thresholds: readonly number[]
}

async function moveColumn(tx: Writable, table: Table, column: string, { firstSeq, distance, thresholds }: SeqMove): Promise<void> {
  if (distance === 0) return
  const seq = sql.raw(column)
  await tx.run(
    sql`${sql.update(table)} set ${seq} = ${seq} + $2::bigint + width_bucket(${seq}, $3::bigint[]) where ${seq} >= $1::bigint`,
    [firstSeq, distance, thresholds],
  )
}

/** Versions belong to other blocks afterwards. Until the rebuild, they are read, and continued by new pages. */
async function moveVersions(tx: Writable, table: VersionTable, { firstSeq, distance, thresholds }: SeqMove): Promise<void> {
  const { name, key, values, width } = table
  const valueColumns = Object.keys(values)
  const keys = sql.join(key.map((column) => `b.${column}, `), '')
  await tx.run(
    sql`with gone as (${sql.deleteFrom(idx[name])} where from_seq > $1::bigint - ${width} returning *)
     ${sql.insertInto(idx[name])} (${sql.join([...key, 'from_seq', 'seqs', ...valueColumns], ', ')})
     select ${keys}${blockOf(table, sql`m.seq`)}, array_agg(m.seq order by m.seq),
       ${sql.join(valueColumns.map((column) => `array_agg(v.${column} order by m.seq)`), ', ')}
     from gone b cross join unnest(b.seqs, ${sql.join(valueColumns.map((column) => `b.${column}`), ', ')}) v (seq, ${sql.join(valueColumns, ', ')})
     cross join lateral (select v.seq + case when v.seq >= $1::bigint then $2::bigint + width_bucket(v.seq, $3::bigint[]) else 0 end as seq) m
     group by ${keys}${blockOf(table, sql`m.seq`)}`,
    [firstSeq, distance, thresholds],
  )
}

const COMPARED = columns(idx.events, 'e', {
  seq: 'seq', epoch: 'epoch', chainId: expression<string>(sql`left(e.event_id, 30)`), contractId: 'contract_id', ledger: 'ledger', closeSec: 'ledger_close_ts',
  txHash: 'tx_hash', topicsXdr: 'topics_xdr', valueXdr: 'value_xdr',
})

/** An event of the archive, for comparison with the network. Topics are separated by spaces. */
export type ComparedRow = RowOf<typeof COMPARED>

/** The archived events of some ledgers, of every chain, in order of ledgers, at most `limit`. */
export async function readLedgersOfArchive(
  db: Queryable, range: { readonly chain: number; readonly fromLedger: number; readonly toLedger: number; readonly limit: number },
): Promise<readonly ComparedRow[]> {
  return await db.query(
    sql`select ${COMPARED} from ${idx.events} e where e.chain = $4::int and e.ledger between $1::bigint and $2::bigint order by e.ledger, e.seq limit $3::int`,
    [range.fromLedger, range.toLedger, range.limit, range.chain],
  )
}

/** The number of archived events after a ledger. */
export async function countAfterLedger(db: Queryable, epochs: readonly number[], ledger: number): Promise<number> {
  const [row] = await db.query(sql`select ${COUNT} from ${idx.events} e where e.ledger > $1::bigint and e.epoch = any($2::int[])`, [ledger, epochs])
  return row?.count ?? 0
}
