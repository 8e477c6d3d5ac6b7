// Compares the final state of a submission with the archive and the nodes: because one node alone reported it, or because a verification asks for it.

import { CONFIRMING_NODES } from '../chain/rpc/agreed-transaction.ts'
import type { ArchivedPlace } from '../projections/log/transaction-events.ts'
import type { TransactionLookup } from './outcomes.ts'
import type { Corrections } from './corrections.ts'
import { nextLookUpMs, REQUESTER } from './drive-submission.ts'
import type { SubmissionDriveParts } from './drive-submission.ts'
import { GIVE_UP_AFTER_SEC } from './expiry.ts'
import { resultOf } from './outcome-records.ts'
import { isUnconfirmed, NO_RESULT } from './records.ts'
import type { SubmissionRecord } from './records.ts'

/** Compares a claimed submission whose state is final, and ends its lease. `place`: where the archive has its events. */
export type SubmissionCheck = (record: SubmissionRecord, place: ArchivedPlace | undefined, signal: AbortSignal) => Promise<void>

export function createSubmissionCheck(
  { relay, rpc, clock, corrections }: Pick<SubmissionDriveParts, 'relay' | 'rpc' | 'clock'> & { readonly corrections: Corrections },
): SubmissionCheck {
  /** Asks again while that may confirm it. */
  async function postpone(record: SubmissionRecord): Promise<void> {
    const nowMs = clock.nowMs()
    const isOver = !isUnconfirmed(record) || nowMs - record.submittedAt > GIVE_UP_AFTER_SEC * 1_000
    await corrections.postpone(record, isOver ? null : nextLookUpMs(record, nowMs))
  }

  return async (record, place, signal) => {
    const { confirmedBy, nodes } = record
    // The archive has the events, and only a transaction that succeeded has events.
    if (place !== undefined) {
      if (record.status === 'SUCCESS') return await corrections.confirm(record, { confirmedBy, nodes })
      return await corrections.correct(record, 'SUCCESS', { ...NO_RESULT, ...place, orderId: record.orderId })
    }
    const [envelope] = record.envelopes
    const contract = envelope === undefined ? null : relay.decode(envelope)?.contract ?? null
    const found = await relay.outcomes.lookUp({ hash: record.hash, source: record.trader, contract }, REQUESTER, { signal, thorough: true })
    if (signal.aborted) return
    if (found === null || found.isContested || found.agreeing < Math.min(CONFIRMING_NODES, rpc.endpoints)) return await postpone(record)
    const { outcome } = found
    const isInLedger = record.status === 'SUCCESS' || record.status === 'FAILED'
    if (outcome === undefined) {
      if (!isInLedger) return await corrections.confirm(record, { confirmedBy, nodes })
      // One node alone is no evidence against what it, or another one, reported before.
      return rpc.endpoints > 1 && covers(found, record) ? await corrections.reopen(record) : await postpone(record)
    }
    const status = outcome.kind === 'success' ? 'SUCCESS' : 'FAILED'
    if (status === record.status) return await corrections.confirm(record, outcome)
    return !isInLedger || rpc.endpoints > 1 ? await corrections.correct(record, status, resultOf(outcome)) : await postpone(record)
  }
}

/** True when the nodes have the ledger of the outcome. After a reset of the network, its time is before their first ledger. */
function covers(retained: TransactionLookup, { ledger, ts }: SubmissionRecord): boolean {
  const { oldestLedger, latestLedger, oldestLedgerCloseSec, latestLedgerCloseSec } = retained
  if (ledger === null || ts === null || oldestLedger === null || oldestLedgerCloseSec === null || latestLedgerCloseSec === null) return false
  return oldestLedger <= ledger && ledger <= latestLedger && oldestLedgerCloseSec <= ts && ts <= latestLedgerCloseSec
}
