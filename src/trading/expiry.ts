// Whether a transaction that no node has can still be applied (docs/decisions/durable-submissions.md).

import type { RetainedLedgers } from '../chain/rpc/responses.ts'

/** Time for which a transaction without a time bound is driven, and for which one that has expired waits for a proof of it. */
export const GIVE_UP_AFTER_SEC = 24 * 60 * 60
/** Clocks of this machine and of the network may differ. */
const CLOCK_TOLERANCE_SEC = 60
/** A node with this ledger has the whole chain. */
const FIRST_LEDGER = 2

export type Verdict =
  /** It may still be applied. */
  | 'open'
  /** Its time bound has passed, and it is in no ledger. */
  | 'expired'
  /** Another transaction has used its sequence number, and it is in no ledger. */
  | 'superseded'
  /** The ledgers in which it could be are no longer available. */
  | 'unknown'

export interface Absence {
  /** Unix seconds; null: it never expires. */
  readonly expiresAt: number | null
  readonly submittedSec: number
  readonly nowSec: number
  readonly sequence: bigint
  /** The ledgers of a node that does not have it. */
  readonly retained: RetainedLedgers
  /** The sequence number of the source account in a ledger that is not older; null: there is no such account; undefined: not read. */
  readonly accountSequence: bigint | null | undefined
}

/**
 * Decides on the state of a transaction that a node with these ledgers does not have. The sequence number of the account proves that it was never applied
 * on this chain; the node's history proves it only when it reaches back to before the submission.
 */
export function judgeAbsence(absence: Absence): Verdict {
  const { expiresAt, submittedSec, nowSec, sequence, retained, accountSequence } = absence
  const isComplete = reachesBackTo(retained, submittedSec)
  const isUsed = accountSequence !== undefined && accountSequence !== null && accountSequence >= sequence
  const isUnused = accountSequence !== undefined && accountSequence !== null && accountSequence < sequence
  const hasExpired = expiresAt !== null && retained.latestLedgerCloseSec !== null && retained.latestLedgerCloseSec > expiresAt
  if (hasExpired && (isUnused || isComplete)) return 'expired'
  if (isUsed && isComplete) return 'superseded'
  return nowSec - (expiresAt ?? submittedSec) > GIVE_UP_AFTER_SEC ? 'unknown' : 'open'
}

function reachesBackTo({ oldestLedger, oldestLedgerCloseSec }: RetainedLedgers, submittedSec: number): boolean {
  if (oldestLedger !== null && oldestLedger <= FIRST_LEDGER) return true
  return oldestLedgerCloseSec !== null && oldestLedgerCloseSec <= submittedSec - CLOCK_TOLERANCE_SEC
}
