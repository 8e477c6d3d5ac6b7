// One step of a submission: looks it up, sends it again, or ends it.

import type { Clock } from '../base/clock.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { SignedTransaction } from '../chain/codec/transaction.ts'
import type { SubmitOutcome, TransactionLookup } from './outcomes.ts'
import type { Relay } from './relay.ts'
import type { Store } from '../store/store.ts'
import { readAccountSequence } from './account-sequence.ts'
import { GIVE_UP_AFTER_SEC, judgeAbsence } from './expiry.ts'
import type { Verdict } from './expiry.ts'
import type { Journal } from './journal.ts'
import { resultOf } from './outcome-records.ts'
import { NO_RESULT } from './records.ts'
import type { SubmissionRecord } from './records.ts'
import { postponeSubmission } from './statements.ts'

/** A send with a lost answer is repeated earlier than an accepted one, which the network may have dropped. */
const RESEND_MS = { accepted: 15_000, unconfirmed: 5_000 } as const
/** From this number of sends on they are a minute apart. */
const QUICK_SENDS = 10
const SLOW_RESEND_MS = 60_000
/** A proof that a transaction cannot be applied counts when it is repeated after this time. */
const CONFIRM_AFTER_MS = 5_000
const CONFIRMING_MAX = 1_000
/** The age up to which a submission is looked up at this interval. */
const LOOKUP_INTERVALS_MS = [[10_000, 1_000], [60_000, 2_000], [600_000, 5_000], [3_600_000, 30_000], [Number.POSITIVE_INFINITY, 300_000]] as const
/** All calls of the driver take turns with the requesters as one of them. */
export const REQUESTER = { address: 'submissions', key: 'submissions' }

export interface SubmissionDriveParts {
  readonly store: Store
  readonly relay: Relay
  readonly rpc: Rpc
  readonly clock: Clock
  readonly journal: Journal
  /** The name of this instance. */
  readonly instance: string
}

/** Drives a claimed submission one step and ends its lease. */
export type SubmissionDrive = (record: SubmissionRecord, signal: AbortSignal) => Promise<void>

export function createSubmissionDrive(parts: SubmissionDriveParts): SubmissionDrive {
  const { store, relay, clock, journal, instance } = parts
  const judge = createJudge(parts)

  /** Looks a submission up; sends it again or ends it when no node has it. */
  async function drive(record: SubmissionRecord, signal: AbortSignal): Promise<void> {
    const envelope = record.envelopes[record.attempts % Math.max(1, record.envelopes.length)]
    const signed = envelope === undefined ? undefined : relay.decode(envelope)
    if (signed === undefined && envelope !== undefined) return await journal.end(record, 'UNKNOWN', NO_RESULT)
    // A corrected outcome was stored without its envelopes: then nothing can be sent again.
    const subject = signed ?? { hash: record.hash, source: record.trader, contract: null, sequence: BigInt(record.sequence), expiresAt: record.expiresAt }
    const found = await relay.outcomes.lookUp(subject, REQUESTER, { signal })
    if (signal.aborted) return
    if (found?.outcome !== undefined) return await endWith(record, found.outcome)
    const verdict = found === null ? 'open' : await judge(record, subject, found, signal)
    if (typeof verdict === 'object') return await endWith(record, verdict)
    if (verdict !== 'open') {
      if (verdict === 'superseded') return await journal.end(record, 'REJECTED', { ...NO_RESULT, txResultCode: 'txBadSeq' })
      return await journal.end(record, verdict === 'expired' ? 'EXPIRED' : 'UNKNOWN', NO_RESULT)
    }
    const canResend = signed !== undefined && found !== null && !found.isContested && mayResend(record)
    const accepted = canResend ? await resend(signed) : undefined
    await postpone(record, accepted === undefined ? null : clock.nowMs(), accepted === true ? signed?.envelopeXdr ?? null : null)
  }

  async function endWith(record: SubmissionRecord, outcome: Applied): Promise<void> {
    await journal.end(record, outcome.kind === 'success' ? 'SUCCESS' : 'FAILED', resultOf(outcome))
  }

  function mayResend({ accepted, attempts, sentAt, expiresAt }: SubmissionRecord): boolean {
    const nowMs = clock.nowMs()
    if (expiresAt !== null && nowMs > expiresAt * 1_000) return false
    const quickMs = accepted ? RESEND_MS.accepted : RESEND_MS.unconfirmed
    return sentAt === null || nowMs - sentAt >= (attempts > QUICK_SENDS ? SLOW_RESEND_MS : quickMs)
  }

  /** A refusal of a further copy proves nothing: an earlier one may be queued at another node. */
  async function resend(signed: SignedTransaction): Promise<boolean> {
    return (await relay.send(signed, REQUESTER)).kind === 'accepted'
  }

  async function postpone(record: SubmissionRecord, sentMs: number | null, acceptedEnvelope: string | null): Promise<void> {
    const attempts = sentMs === null ? record.attempts : record.attempts + 1
    await postponeSubmission(store.write, record, instance, { dueMs: nextLookUpMs(record, clock.nowMs()), attempts, sentMs, acceptedEnvelope })
  }

  return drive
}

/** Time of a submission's next look-up, in milliseconds. */
export function nextLookUpMs({ submittedAt }: Pick<SubmissionRecord, 'submittedAt'>, nowMs: number): number {
  return nowMs + (LOOKUP_INTERVALS_MS.find(([maxAgeMs]) => nowMs - submittedAt < maxAgeMs)?.[1] ?? 0)
}

type Applied = SubmitOutcome & { readonly kind: 'success' | 'failed' }

/**
 * Decides on the state of a transaction at once. Reads the account first: a transaction that used the sequence number itself is in that ledger or an
 * earlier one, so the look-up finds it.
 */
export async function judgeNow(
  { relay, rpc, clock }: Pick<SubmissionDriveParts, 'relay' | 'rpc' | 'clock'>, signed: Subject,
  { submittedAt, signal }: { readonly submittedAt: number; readonly signal: AbortSignal },
): Promise<Verdict> {
  const account = await readAccountSequence(rpc, signed.source, { minLedger: 0, signal })
  if (account === undefined) return 'open'
  const found = await relay.outcomes.lookUp(signed, REQUESTER, { signal, minLedger: account.ledger, thorough: true })
  if (found === null || found.isContested || found.outcome !== undefined) return 'open'
  return judgeAbsence({
    expiresAt: signed.expiresAt, submittedSec: Math.floor(submittedAt / 1_000), nowSec: Math.floor(clock.nowMs() / 1_000), sequence: signed.sequence,
    retained: found, accountSequence: account.sequence,
  })
}

/** The members of a transaction that a look-up and a proof need. */
type Subject = Pick<SignedTransaction, 'hash' | 'source' | 'contract' | 'sequence' | 'expiresAt'>

type Judge = (record: SubmissionRecord, signed: Subject, found: TransactionLookup, signal: AbortSignal) => Promise<Verdict | Applied>

/** Decides on the state of submissions that a node does not have. A final verdict needs the same proof twice, and that no other node has the transaction. */
function createJudge({ relay, rpc, clock }: SubmissionDriveParts): Judge {
  /** Time at which the absence of a submission was first proved. */
  const provedAtMs = new Map<string, number>()

  /** True when a verdict was reached before, long enough ago. */
  function isConfirmed(key: string): boolean {
    const sinceMs = provedAtMs.get(key)
    if (sinceMs === undefined) {
      if (provedAtMs.size >= CONFIRMING_MAX) provedAtMs.clear()
      provedAtMs.set(key, clock.elapsedMs())
    }
    return sinceMs !== undefined && clock.elapsedMs() - sinceMs >= CONFIRM_AFTER_MS
  }

  return async (record, signed, found, signal) => {
    const { expiresAt, attempts, submittedAt } = record
    const nowSec = Math.floor(clock.nowMs() / 1_000)
    const submittedSec = Math.floor(submittedAt / 1_000)
    if (found.isContested) return nowSec - (expiresAt ?? submittedSec) > GIVE_UP_AFTER_SEC ? 'unknown' : 'open'
    const key = `${record.owner} ${record.hash}`
    const needsSequence = expiresAt === null ? attempts > QUICK_SENDS : expiresAt < (found.latestLedgerCloseSec ?? 0)
    const account = needsSequence ? await readAccountSequence(rpc, signed.source, { minLedger: found.latestLedger, signal }) : undefined
    const verdict = judgeAbsence({
      expiresAt, submittedSec, nowSec, sequence: signed.sequence, retained: found, accountSequence: account?.sequence,
    })
    if (verdict === 'open') provedAtMs.delete(key)
    if (verdict === 'open' || !isConfirmed(key)) return 'open'
    provedAtMs.delete(key)
    if (rpc.endpoints > 1) {
      const everywhere = await relay.outcomes.lookUp(signed, REQUESTER, { signal, thorough: true })
      if (everywhere === null || everywhere.isContested || everywhere.outcome !== undefined) return everywhere?.outcome ?? 'open'
    }
    // Between the look-up and the read of the account, the transaction itself may have used the sequence number.
    return verdict === 'superseded' ? await judgeNow({ relay, rpc, clock }, signed, { submittedAt, signal }) : verdict
  }
}
