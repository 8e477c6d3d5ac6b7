// Outcomes of the relay as stored results, and back.

import type { SubmitOutcome } from './outcomes.ts'
import { NO_RESULT } from './records.ts'
import type { FinalStatus, SubmissionRecord, SubmissionResult } from './records.ts'

/** The state after an outcome. `isFirst`: no earlier copy can be on its way, so a refusal ends the submission. */
export function statusOf({ kind }: SubmitOutcome, isFirst: boolean): FinalStatus | 'PREPARED' | 'PENDING' {
  if (kind === 'success') return 'SUCCESS'
  if (kind === 'failed') return 'FAILED'
  if (!isFirst) return 'PENDING'
  if (kind === 'rejected') return 'REJECTED'
  return kind === 'tryAgainLater' || kind === 'notSent' ? 'PREPARED' : 'PENDING'
}

export function resultOf(outcome: SubmitOutcome): SubmissionResult {
  if (outcome.kind === 'success') {
    const { ledger, closeSec: ts, orderId = null, confirmedBy, nodes } = outcome
    return { ...NO_RESULT, ledger, ts, orderId, confirmedBy, nodes }
  }
  if (outcome.kind === 'rejected') {
    return { ...NO_RESULT, contractError: outcome.contractError, hostError: outcome.hostError, txResultCode: outcome.result?.code ?? null }
  }
  if (outcome.kind !== 'failed') return NO_RESULT
  const { kind: _kind, closeSec, ...known } = outcome
  return { ...NO_RESULT, ...known, ts: closeSec }
}

/** The network's answer after a time bound. */
export const TOO_LATE: SubmitOutcome = {
  kind: 'rejected', contractError: null, hostError: null, result: { code: 'txTooLate', operation: null, feeCharged: 0n }, hostText: null,
}

/** The outcome of a stored submission that is over. */
export function outcomeOf(record: SubmissionRecord): SubmitOutcome {
  const { status, ledger, ts, contractError, hostError, txResultCode, resultXdr, message, confirmedBy, nodes } = record
  if (status === 'EXPIRED') return TOO_LATE
  if (ledger === null) return { kind: 'unknown' }
  const applied = { ledger, closeSec: ts, confirmedBy, nodes }
  if (status === 'SUCCESS') return { kind: 'success', ...applied }
  return { kind: 'failed', ...applied, contractError, hostError, txResultCode, resultXdr: resultXdr ?? '', message: message ?? '' }
}
