// The rows of GET /v1/tx/{hash}: submissions joined to what the index has, their events and what happened to the orders that they placed.

import { readOrderOutcomes } from '../projections/orders/order-history.ts'
import { readCreatedIds } from '../projections/orders/created-entries.ts'
import { readPlacedOrders } from '../projections/orders/order-placements.ts'
import type { Head } from '../projections/log/page.ts'
import { readTransactionEvents } from '../projections/log/transaction-events.ts'
import type { EventRow } from '../resources/event-row.ts'
import type { OrderOutcome, TransactionRow } from '../resources/transaction.ts'
import type { Queryable } from '../store/store.ts'
import type { CreatedEntries } from './relay/created-entries.ts'
import type { PreparedRecord, SubmissionRecord } from './submission-records.ts'

export interface IndexedRows {
  /** `head` is a state of the index from before the call. */
  withEvents(records: readonly SubmissionRecord[], head: Head): Promise<readonly TransactionRow[]>
  /** Rows of a past state, with what the index had by then. */
  withPastEvents(rows: readonly TransactionRow[], head: Head): Promise<readonly TransactionRow[]>
  /** Adds what happened to the orders that transactions placed, up to `throughSeq` when it is given. */
  withOutcomes(rows: readonly TransactionRow[], throughSeq?: number): Promise<readonly TransactionRow[]>
}

export function createIndexedRows(db: Queryable): IndexedRows {
  async function readEvents(rows: readonly Pick<TransactionRow, 'hash' | 'status'>[], throughSeq?: number): Promise<ReadonlyMap<string, readonly EventRow[]>> {
    const hashes = rows.filter(({ status }) => status === 'SUCCESS').map(({ hash }) => hash)
    return hashes.length === 0 ? new Map() : await readTransactionEvents(db, hashes, throughSeq)
  }

  async function withOutcomes(known: readonly TransactionRow[], throughSeq?: number): Promise<readonly TransactionRow[]> {
    const rows = await withIndexedOrders(db, known)
    const placements = rows.flatMap(({ orderId, hash }) => (orderId === null ? [] : [{ orderId, txHash: hash }]))
    const outcomes = await readOrderOutcomes(db, placements, throughSeq)
    return rows.map((row) => ({ ...row, outcome: outcomes.get(row.hash) ?? null }))
  }

  return {
    withOutcomes,
    async withEvents(records, head) {
      const events = await readEvents(records)
      return await withOutcomes(records.map((record) => submissionRow(record, { events: events.get(record.hash) ?? eventsBy(record, head), outcome: null })))
    },
    async withPastEvents(rows, head) {
      const found = await readEvents(rows, head.seq)
      const known = rows.map((row): TransactionRow => {
        if (row.status !== 'SUCCESS') return { ...row, events: [] }
        const events = found.get(row.hash) ?? eventsBy(row, head)
        return { ...row, events: events === null ? null : [...events], ...indexedIds(events, row) }
      })
      return await withOutcomes(known, head.seq)
    },
  }
}

/** The events of a transaction of which the index has none; null: its ledger is not indexed yet. */
export function eventsBy({ ledger }: { readonly ledger: number | null }, head: Head): readonly EventRow[] | null {
  return ledger !== null && ledger <= (head.ledger ?? 0) ? [] : null
}

/**
 * Finds the orders whose placement emits no event, and what a transaction created whose ledger is not indexed yet. A row names an order only when
 * GET /v1/orders/{orderId} has it.
 */
export async function withIndexedOrders(db: Queryable, rows: readonly TransactionRow[]): Promise<readonly TransactionRow[]> {
  const silent = rows.filter(placesWithoutEvent)
  const placed = silent.length === 0
    ? new Map<string, number>()
    : await readPlacedOrders(db, silent.map(({ hash, orderId, trader }) => ({ txHash: hash, orderId, trader })))
  const isEarly = (row: TransactionRow): boolean => row.status === 'SUCCESS' && (row.events === null || (silent.includes(row) && !placed.has(row.hash)))
  const created = await readCreatedIds(db, rows.filter(isEarly).map(({ hash }) => hash))
  return rows.map((row) => {
    if (isEarly(row)) return { ...row, ...(row.events === null ? NO_IDS : { orderId: null }), ...created.get(row.hash) }
    return silent.includes(row) ? { ...row, orderId: placed.get(row.hash) ?? null } : row
  })
}

/** True when a transaction may have placed an order that none of its events names. */
function placesWithoutEvent({ status, orderId, events }: TransactionRow): boolean {
  if (status !== 'SUCCESS' || events === null) return false
  return events.length === 0 || (orderId !== null && idsOf(events).orderId === null)
}

/** The indexed data of a transaction; null events: its ledger is not indexed yet. */
export interface IndexedTransaction {
  readonly events: readonly EventRow[] | null
  readonly outcome: OrderOutcome | null
}

export const NOT_INDEXED: IndexedTransaction = { events: null, outcome: null }

export function submissionRow(record: SubmissionRecord, { events, outcome }: IndexedTransaction): TransactionRow {
  const { hash, status, op, trader, clientId, ledger, ts, expiresAt, contractError, hostError, txResultCode, resultXdr, confirmedBy, nodes } = record
  const ids = indexedIds(events, record)
  return {
    hash, status, op, trader, clientId, ledger, ts, expiresAt, contractError, hostError, txResultCode, resultXdr, confirmedBy, nodes,
    events: eventsOf(status, events), orderId: ids.orderId, positionId: ids.positionId, outcome,
  }
}

export function preparedRow({ hash, op, owner, clientId, expiresAt }: PreparedRecord, status: 'PREPARED' | 'EXPIRED'): TransactionRow {
  return {
    hash, status, op, trader: owner, clientId, ledger: null, ts: null, expiresAt, contractError: null, hostError: null, txResultCode: null, resultXdr: null,
    confirmedBy: null, nodes: null, events: [], orderId: null, positionId: null, outcome: null,
  }
}

/** Only a successful transaction has events. */
function eventsOf(status: TransactionRow['status'], events: readonly EventRow[] | null): EventRow[] | null {
  if (status !== 'SUCCESS') return []
  return events === null ? null : [...events]
}

interface Ids {
  readonly orderId: number | null
  readonly positionId: number | null
}

const NO_IDS: Ids = { orderId: null, positionId: null }

/** The ids of a transaction as a row shows them. Before the index has its ledger, those of what its own result says that it created. */
export function indexedIds(events: readonly EventRow[] | null, known: Partial<Ids> & { readonly created?: CreatedEntries }): Ids {
  return events === null ? createdIds(known.created) : idsOf(events, known)
}

function createdIds(created: CreatedEntries | undefined): Ids {
  const first = (ids: readonly number[]): number | null => (ids.length === 0 ? null : Math.min(...ids))
  return {
    orderId: first(created?.orders.map(({ details }) => details.orderId) ?? []),
    positionId: first(created?.positions.map(({ positionId }) => positionId) ?? []),
  }
}

/** The order and the position that events name: the first ones, because a transaction acts on its own before it affects others. Otherwise the known ones. */
export function idsOf(events: readonly EventRow[], known: Partial<Ids> = {}): Ids {
  return { orderId: firstId(events, 'orderId') ?? known.orderId ?? null, positionId: firstId(events, 'positionId') ?? known.positionId ?? null }
}

function firstId(events: readonly EventRow[], name: 'orderId' | 'positionId'): number | null {
  for (const { payload } of events) {
    const id = (payload as Readonly<Record<string, unknown>> | null | undefined)?.[name]
    const number = typeof id === 'string' || typeof id === 'number' ? Number(id) : Number.NaN
    if (Number.isSafeInteger(number)) return number
  }
  return null
}
