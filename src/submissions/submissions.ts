// POST /v1/tx/submit, durably: stores the submission, lets the relay send it and wait, and stores the outcome. What is still open when no caller waits any
// more is continued by the driver (docs/decisions/durable-submissions.md).

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { SignedTransaction } from '../chain/transaction.ts'
import type { SubmitOutcome } from '../relay/outcomes.ts'
import type { Relay } from '../relay/relay.ts'
import type { SubmitOptions } from '../relay/submissions.ts'
import type { Store } from '../store/store.ts'
import { judgeNow } from './drive-submission.ts'
import { ClientIdInUse } from './client-id.ts'
import { createCorrections } from './corrections.ts'
import { createDatabaseClock, readDatabaseTime } from './database-clock.ts'
import type { ReadDatabaseTime } from './database-clock.ts'
import { createDriver } from './driver.ts'
import type { Driver } from './driver.ts'
import { createJournal, isOver } from './journal.ts'
import type { Begun, Submitter } from './journal.ts'
import { createLiveSubmissions } from './live-submissions.ts'
import type { LiveSubmission } from './live-submissions.ts'
import { outcomeOf, resultOf, statusOf } from './outcome-records.ts'
import type { FinalStatus } from './records.ts'
import { createPreparations } from './prepared.ts'
import type { Preparations } from './prepared.ts'
import { postponeSubmission } from './statements.ts'
import { withStoreTimeout } from './time-limit.ts'
import { createUnstoredSubmissions, isUnavailable } from './unstored.ts'
import type { Unstored } from './unstored.ts'
import { createTransactionReader } from './transactions.ts'
import type { TransactionReader } from './transactions.ts'

export interface Submitted {
  readonly outcome: SubmitOutcome
  /** False when the submission could not be stored: nothing continues it when this process ends. */
  readonly stored: boolean
}

export interface SubmissionStats {
  /** Submissions that reached each final state in this process. */
  readonly ended: ReadonlyMap<FinalStatus, number>
  /** Final states that proved to be false, and were corrected by this process. */
  readonly corrected: number
  /** The pending ones of all instances; null before they were counted. */
  readonly pending: number | null
  /** Null when none is pending. */
  readonly oldestPendingSec: number | null
}

export interface SubmissionService extends Preparations {
  /** Sends the transaction and waits up to `pollTimeoutMs`. Rejects with ClientIdInUse. */
  submit(signed: SignedTransaction, submitter: Submitter, options: SubmitOptions): Promise<Submitted>
  readonly transactions: TransactionReader
  stats(): SubmissionStats
  /** Continues stored submissions until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

/** A submission whose callers have left is looked up again after this time. */
const CONTINUE_AFTER_MS = 2_000
const ID_BYTES = 8
/** Results after which no copy of the transaction may be valid any more. */
const CONCLUSIVE_CODES: ReadonlySet<string> = new Set(['txBadSeq', 'txTooLate'])
const NEVER = new AbortController().signal

export interface SubmissionServiceParts {
  readonly store: Store
  readonly relay: Relay
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly rpc: Rpc
  /** By default from the primary of `store`. */
  readonly readDatabaseTime?: ReadDatabaseTime
}

export function createSubmissionService(parts: SubmissionServiceParts): SubmissionService {
  const { store, relay, log } = parts
  const clock = createDatabaseClock(parts.clock, parts.readDatabaseTime ?? (() => readDatabaseTime(store.write)))
  const ended = new Map<FinalStatus, number>()
  let corrected = 0
  const onEnded = (status: FinalStatus): void => void ended.set(status, (ended.get(status) ?? 0) + 1)
  const instance = Buffer.from(parts.random.bytes(ID_BYTES)).toString('hex')
  const journal = createJournal({ store, clock, driver: instance, operationOf: relay.operationOf, onEnded })
  const corrections = createCorrections({ store, clock, log, onCorrected: () => (corrected += 1) })
  const live = createLiveSubmissions()
  const unstored = createUnstoredSubmissions({ journal, log, storeOutcome: (entry, isFirst) => storeOutcome(entry, isFirst, true) })
  const driver: Driver = createDriver({ ...parts, clock, journal, corrections, instance, storeLate: unstored.storeLate, listLive: live.list })
  const transactions = createTransactionReader({ store, relay, clock, journal })

  function stats(): SubmissionStats {
    const { pending, oldestMs } = driver.pending() ?? { pending: null, oldestMs: null }
    return { ended, corrected, pending, oldestPendingSec: oldestMs === null ? null : Math.max(0, (clock.nowMs() - oldestMs) / 1_000) }
  }

  /** The stored state; undefined when the database is not available. Rejects with ClientIdInUse. */
  async function waitUntilStored(storing: Promise<Begun>, hash: string): Promise<Begun | undefined> {
    try {
      return await withStoreTimeout(clock, storing)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      log.warn({ err: error, hash }, 'a submission could not be stored before it is sent')
      return undefined
    }
  }

  /** Stores the outcome for the last caller, or a final one for any caller. */
  async function storeOutcome(entry: Unstored, isFirst: boolean, isLast: boolean): Promise<void> {
    const { signed: { hash, envelopeXdr }, submitter: { owner }, outcome } = entry
    const status = statusOf(outcome, isFirst)
    if (status === 'PREPARED') return await journal.withdraw({ owner, hash })
    if (status !== 'PENDING') return await journal.end({ owner, hash }, status, resultOf(outcome))
    if (!isLast) return
    const nowMs = clock.nowMs()
    const acceptedEnvelope = outcome.kind === 'pending' ? envelopeXdr : null
    await postponeSubmission(store.write, { owner, hash }, instance, { dueMs: nowMs + CONTINUE_AFTER_MS, attempts: 1, sentMs: nowMs, acceptedEnvelope })
    driver.wake()
  }

  /** False when it could not be stored; it is then stored later. */
  async function conclude(entry: Unstored, write: () => Promise<void>): Promise<boolean> {
    try {
      await withStoreTimeout(clock, write())
      return true
    } catch (error) {
      if (!isUnavailable(error)) throw error
      log.warn({ err: error, hash: entry.signed.hash }, 'the outcome of a submission could not be stored')
      unstored.keep(entry)
      return false
    }
  }

  async function submit(signed: SignedTransaction, submitter: Submitter, options: SubmitOptions): Promise<Submitted> {
    if (options.signal?.aborted === true) return { outcome: { kind: 'unknown' }, stored: false }
    const storing = journal.begin(signed, submitter)
    const begun = await waitUntilStored(storing, signed.hash)
    if (begun !== undefined && isOver(begun.record)) return { outcome: outcomeOf(begun.record), stored: true }
    const submission = live.join(submitter.owner, signed.hash)
    // A caller that joins while the first copy is being sent shares its fate.
    submission.isFirst ||= begun?.isFirst ?? false
    let reported: SubmitOutcome = { kind: 'unknown' }
    try {
      reported = await relay.submissions.submit(signed, options)
    } finally {
      const isLast = live.leave(submitter.owner, signed.hash)
      if (begun === undefined) reported = await settleUnstored({ signed, submitter, outcome: reported }, storing)
      else reported = await settle({ signed, submitter, outcome: reported }, begun, { submission, isLast })
    }
    return { outcome: reported, stored: begun !== undefined }
  }

  /**
   * Stores the outcome of a submission that seemed not to be stored before it was sent, and returns what may be reported. The database may have stored it
   * nevertheless: then an instance sends it again, unless the refusal is stored too.
   */
  async function settleUnstored(entry: Unstored, storing: Promise<Begun>): Promise<SubmitOutcome> {
    const { outcome, signed, submitter } = entry
    const state = statusOf(outcome, true)
    const storeRefusal = async (): Promise<boolean> => {
      const { isFirst } = await storing.catch(() => journal.begin(signed, submitter))
      if (isFirst) await storeOutcome(entry, isFirst, true)
      return isFirst
    }
    if (state !== 'PREPARED' && state !== 'REJECTED') return unstored.keep(entry), outcome
    try {
      if (await withStoreTimeout(clock, storeRefusal())) return outcome
    } catch (error) {
      if (error instanceof ClientIdInUse) return outcome
      if (!isUnavailable(error)) throw error
      // What the network refuses now, it is unlikely to accept later.
      if (state === 'REJECTED') return unstored.keep(entry), outcome
    }
    unstored.keep({ ...entry, outcome: { kind: 'unknown' } })
    return { kind: 'unknown' }
  }

  /** Stores the outcome and returns what may be reported. */
  async function settle(
    entry: Unstored, begun: Begun, { submission, isLast }: { readonly submission: LiveSubmission; readonly isLast: boolean },
  ): Promise<SubmitOutcome> {
    const { isFirst } = submission
    const proved = isFirst || begun.record.status !== 'PENDING' ? undefined : await judgeRefusal({ ...parts, clock }, entry, begun)
    if (proved !== undefined) {
      await conclude(entry, () => journal.end(begun.record, proved, resultOf(entry.outcome)))
      return entry.outcome
    }
    const outcome = isFirst ? entry.outcome : withEarlierCopies(entry.outcome, begun, entry.signed.envelopeXdr)
    // From now on a caller knows that a copy may be on its way.
    if (outcome.kind === 'pending' || outcome.kind === 'unknown') submission.isFirst = false
    const isStored = await conclude(entry, () => storeOutcome({ ...entry, outcome }, isFirst, isLast))
    // The driver of another instance would send it again, so "nothing was sent" may become false.
    return !isStored && statusOf(outcome, isFirst) === 'PREPARED' ? { kind: 'unknown' } : outcome
  }

  return { submit, stats, transactions, ...createPreparations({ store, clock, log }), run: (signal) => driver.run(signal) }
}

/** The final state that a rejection proves although there are earlier copies; undefined when it proves none. */
async function judgeRefusal(
  parts: SubmissionServiceParts, { signed, outcome }: Unstored, { record }: Begun,
): Promise<FinalStatus | undefined> {
  if (outcome.kind !== 'rejected' || !CONCLUSIVE_CODES.has(outcome.result?.code ?? '')) return undefined
  const verdict = await judgeNow(parts, signed, { submittedAt: record.submittedAt, signal: NEVER })
  if (verdict === 'expired') return 'EXPIRED'
  return verdict === 'superseded' ? 'REJECTED' : undefined
}

/**
 * What a refusal means while an earlier copy of the same envelope may be queued: nothing. With other signatures it is about this envelope, so it is reported.
 */
function withEarlierCopies(outcome: SubmitOutcome, { record }: Begun, envelopeXdr: string): SubmitOutcome {
  if (record.status !== 'PENDING' || !record.envelopes.includes(envelopeXdr)) return outcome
  if (record.accepted) return ['rejected', 'tryAgainLater', 'notSent', 'unknown'].includes(outcome.kind) ? { kind: 'pending' } : outcome
  return outcome.kind === 'rejected' ? { kind: 'unknown' } : outcome
}
