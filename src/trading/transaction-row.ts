// The rows of GET /v1/tx/{hash}.

import type { EventRow } from '../resources/event-row.ts'
import type { OrderOutcome, TransactionRow } from '../resources/transaction.ts'
import type { PreparedRecord, SubmissionRecord } from './records.ts'

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

/** The ids of a transaction as a row shows them. Before the index has its ledger, nothing else can be read by them, so that none is shown. */
export function indexedIds(events: readonly EventRow[] | null, known: Partial<Ids>): Ids {
  return events === null ? { orderId: null, positionId: null } : idsOf(events, known)
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
