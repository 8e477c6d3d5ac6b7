// The rows of the tables in the schema tx, and the outcomes of the relay as stored results.

import { CONFIRMING_NODES } from '../chain/rpc/agreed-transaction.ts'
import type { CreatedEntries } from './relay/created-entries.ts'
import { provedOutcome } from './relay/outcomes.ts'
import type { SubmitOutcome } from './relay/outcomes.ts'
import type { ContractError, HostErrorName } from '../resources/submit-result.ts'
import type { TransactionStatus } from '../resources/transaction.ts'

/** A prepared transaction. */
export interface PreparedRecord {
  /** Lower-case hex. */
  readonly hash: string
  readonly owner: string
  readonly op: string
  readonly clientId: string | null
  /** Unix seconds. */
  readonly expiresAt: number
}

/** The end of a submission, as far as known. Null: unknown, or it does not apply. */
export interface SubmissionResult {
  readonly ledger: number | null
  /** The close time of the ledger, Unix seconds. */
  readonly ts: number | null
  readonly contractError: ContractError | null
  readonly hostError: HostErrorName | null
  readonly txResultCode: string | null
  readonly resultXdr: string | null
  readonly message: string | null
  /** Of the order that the call returned. */
  readonly orderId: number | null
  /** Nodes that report the outcome, of this many. Null: the index alone has it. */
  readonly confirmedBy: number | null
  readonly nodes: number | null
  /** Orders and positions that the transaction created, from its own result. Absent: unknown, or read from the database. */
  readonly created?: CreatedEntries
}

export const NO_RESULT: SubmissionResult = {
  ledger: null, ts: null, contractError: null, hostError: null, txResultCode: null, resultXdr: null, message: null, orderId: null, confirmedBy: null,
  nodes: null,
}

/** True for an outcome that other nodes have yet to confirm. */
export function isUnconfirmed({ confirmedBy, nodes }: Pick<SubmissionResult, 'confirmedBy' | 'nodes'>): boolean {
  return confirmedBy !== null && nodes !== null && confirmedBy < Math.min(CONFIRMING_NODES, nodes)
}

/** A submitted transaction of one owner. */
export interface SubmissionRecord extends SubmissionResult {
  readonly id: number
  readonly owner: string
  readonly hash: string
  readonly op: string | null
  /** The source account. */
  readonly trader: string
  readonly clientId: string | null
  /** The sequence number that it consumes, as digits. */
  readonly sequence: string
  /** Unix seconds; null: it never expires. */
  readonly expiresAt: number | null
  readonly status: TransactionStatus
  /** The state that the log has last; null: no node has accepted the transaction so far, and the log does not have it. */
  readonly loggedStatus: TransactionStatus | null
  /** The envelopes to send; one when a node has accepted it. */
  readonly envelopes: readonly string[]
  readonly accepted: boolean
  readonly attempts: number
  /** Milliseconds; null: it may not have been sent yet. */
  readonly sentAt: number | null
  readonly positionId: number | null
  /** Milliseconds. */
  readonly submittedAt: number
}

/** True of the states in which nothing is sent, because the network did not take the transaction. */
export function isRefused(status: TransactionStatus): boolean {
  return status === 'PREPARED' || status === 'REJECTED'
}

/** States that a submission does not leave by being driven further. */
export type FinalStatus = Exclude<TransactionStatus, 'PREPARED' | 'PENDING'>

/** The state after an outcome. `isFirst`: no earlier copy can be on its way, so a refusal ends the submission. */
export function statusOf(outcome: SubmitOutcome, isFirst: boolean): FinalStatus | 'PREPARED' | 'PENDING' {
  const { kind } = outcome
  if (kind === 'success') return 'SUCCESS'
  if (kind === 'failed') return 'FAILED'
  if (kind === 'rejected' && outcome.proof !== undefined) return outcome.proof === 'expired' ? 'EXPIRED' : 'REJECTED'
  if (!isFirst) return 'PENDING'
  if (kind === 'rejected') return 'REJECTED'
  return kind === 'tryAgainLater' || kind === 'notSent' ? 'PREPARED' : 'PENDING'
}

export function resultOf(outcome: SubmitOutcome): SubmissionResult {
  if (outcome.kind === 'success') {
    const { ledger, closeSec: ts, orderId = null, confirmedBy, nodes, created } = outcome
    return { ...NO_RESULT, ledger, ts, orderId, confirmedBy, nodes, ...(created === undefined ? {} : { created }) }
  }
  if (outcome.kind === 'rejected' && outcome.proof !== 'expired') {
    return { ...NO_RESULT, contractError: outcome.contractError, hostError: outcome.hostError, txResultCode: outcome.result?.code ?? null }
  }
  if (outcome.kind !== 'failed') return NO_RESULT
  const { kind: _kind, closeSec, ...known } = outcome
  return { ...NO_RESULT, ...known, ts: closeSec }
}

/** The outcome of a stored submission that is over. */
export function outcomeOf(record: SubmissionRecord): SubmitOutcome {
  const { status, ledger, ts, contractError, hostError, txResultCode, resultXdr, message, confirmedBy, nodes } = record
  if (status === 'EXPIRED') return provedOutcome('expired')
  if (ledger === null) return { kind: 'unknown' }
  const applied = { ledger, closeSec: ts, confirmedBy, nodes }
  if (status === 'SUCCESS') return { kind: 'success', ...applied }
  return { kind: 'failed', ...applied, contractError, hostError, txResultCode, resultXdr: resultXdr ?? '', message: message ?? '' }
}
