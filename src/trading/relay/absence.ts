// Decides whether a transaction that no node has can still be applied (docs/decisions/durable-submissions.md).

import type { Clock } from '../../base/clock.ts'
import type { Requester } from '../../base/fair-share.ts'
import { RpcFailure } from '../../chain/rpc/failure.ts'
import { MalformedResponse } from '../../chain/rpc/responses.ts'
import type { RetainedLedgers } from '../../chain/rpc/responses.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { accountKey, readAccountSequence as decodeSequence } from '../../chain/codec/transaction.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import type { AppliedOutcome, OutcomeReader, TransactionLookup } from './outcomes.ts'

/** Time for which a transaction without a time bound is driven, and for which one that has expired waits for a proof of it. */
export const GIVE_UP_AFTER_SEC = 24 * 60 * 60
/** Clocks of this machine and of the network may differ. */
const CLOCK_TOLERANCE_SEC = 60
/** A node with this ledger has the whole chain. */
const FIRST_LEDGER = 2
/** From this number of sends on, a transaction without a time bound may have lost its sequence number to another one. */
export const QUICK_SENDS = 10
/** A proof that a transaction cannot be applied counts when it is repeated after this time. */
const CONFIRM_AFTER_MS = 5_000
const CONFIRMING_MAX = 1_000

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

/** The fields of a transaction that a look-up and a proof need. */
export type Subject = Pick<SignedTransaction, 'hash' | 'source' | 'contract' | 'sequence' | 'expiresAt'>

/** Times by one clock that is right, in milliseconds. */
interface SubmissionTimes {
  /** Before the first send of a copy. */
  readonly submittedAt: number
  readonly nowMs: number
}

export interface JudgeOptions {
  /** Without these, only the sequence number and a node with the whole chain prove anything: the clock of this machine does not. */
  readonly times?: SubmissionTimes
  readonly requester: Requester
  readonly signal: AbortSignal
}

export interface Judge {
  /**
   * Decides on a transaction that `found` does not have. A final verdict needs the same proof twice, and that no other node has the transaction; its outcome
   * when another node has it.
   */
  judge(subject: Subject, found: TransactionLookup, options: JudgeOptions & { readonly sends: number }): Promise<Verdict | AppliedOutcome>
  /**
   * Decides at once. Reads the account first: a transaction that used the sequence number itself is in that ledger or an earlier one, so the look-up finds it.
   */
  judgeNow(subject: Subject, options: JudgeOptions): Promise<Verdict>
}

export function createJudge(
  { rpc, clock, outcomes }: { readonly rpc: Rpc; readonly clock: Clock; readonly outcomes: Pick<OutcomeReader, 'lookUp'> },
): Judge {
  /** Time at which the absence of a transaction was first proved, by hash. */
  const provedAtMs = new Map<string, number>()

  /** True when a verdict was reached before, long enough ago. */
  function isConfirmed(hash: string): boolean {
    const sinceMs = provedAtMs.get(hash)
    if (sinceMs === undefined) {
      if (provedAtMs.size >= CONFIRMING_MAX) provedAtMs.clear()
      provedAtMs.set(hash, clock.elapsedMs())
    }
    return sinceMs !== undefined && clock.elapsedMs() - sinceMs >= CONFIRM_AFTER_MS
  }

  async function judgeNow(subject: Subject, { times, requester, signal }: JudgeOptions): Promise<Verdict> {
    const account = await readAccountSequence(rpc, subject.source, { minLedger: 0, requester, signal })
    if (account === undefined) return 'open'
    const found = await outcomes.lookUp(subject, requester, { signal, minLedger: account.ledger, thorough: true })
    if (found === null || found.isContested || found.outcome !== undefined) return 'open'
    return judgeAbsence({ ...subject, ...inSeconds(times), retained: found, accountSequence: account.sequence })
  }

  return {
    judgeNow,
    async judge(subject, found, options) {
      const { hash, expiresAt } = subject
      const { times, sends, requester, signal } = options
      const { nowSec, submittedSec } = inSeconds(times)
      if (found.isContested) return nowSec - (expiresAt ?? submittedSec) > GIVE_UP_AFTER_SEC ? 'unknown' : 'open'
      const needsSequence = expiresAt === null ? sends > QUICK_SENDS : expiresAt < (found.latestLedgerCloseSec ?? 0)
      const account = needsSequence ? await readAccountSequence(rpc, subject.source, { minLedger: found.latestLedger, requester, signal }) : undefined
      const verdict = judgeAbsence({ ...subject, submittedSec, nowSec, retained: found, accountSequence: account?.sequence })
      if (verdict === 'open') provedAtMs.delete(hash)
      if (verdict === 'open' || !isConfirmed(hash)) return 'open'
      provedAtMs.delete(hash)
      if (rpc.endpoints > 1) {
        const everywhere = await outcomes.lookUp(subject, requester, { signal, thorough: true })
        if (everywhere === null || everywhere.isContested || everywhere.outcome !== undefined) return everywhere?.outcome ?? 'open'
      }
      // Between the look-up and the read of the account, the transaction itself may have used the sequence number.
      return verdict === 'superseded' ? await judgeNow(subject, options) : verdict
    },
  }
}

function inSeconds({ submittedAt, nowMs }: SubmissionTimes = { submittedAt: 0, nowMs: 0 }): Pick<Absence, 'submittedSec' | 'nowSec'> {
  return { submittedSec: Math.floor(submittedAt / 1_000), nowSec: Math.floor(nowMs / 1_000) }
}

/** The sequence number of an account in `minLedger` or a later ledger, null when there is no such account; undefined when it cannot be read. */
async function readAccountSequence(
  rpc: Rpc, account: string, { minLedger, requester, signal }: Pick<JudgeOptions, 'requester' | 'signal'> & { readonly minLedger: number },
): Promise<{ readonly sequence: bigint | null; readonly ledger: number } | undefined> {
  const key = accountKey(account)
  try {
    const { entries, latestLedger } = await rpc.getLedgerEntries([key], { minLedger, signal, requester: requester.address })
    const entry = entries.find(({ keyXdr }) => keyXdr === key)
    return { sequence: entry === undefined ? null : decodeSequence(entry.dataXdr), ledger: latestLedger }
  } catch (error) {
    if (signal.aborted || error instanceof RpcFailure || error instanceof MalformedResponse) return undefined
    throw error
  }
}
