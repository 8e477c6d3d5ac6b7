// Stores what became of submissions, and says what may be reported of them.

import type { Log } from '../base/log.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { SubmitOutcome } from './outcomes.ts'
import type { Relay } from './relay.ts'
import type { Store } from '../store/store.ts'
import { ClientIdInUse } from './client-id.ts'
import type { DatabaseClock } from './database-clock.ts'
import { judgeNow } from './drive-submission.ts'
import type { Begun, Journal } from './journal.ts'
import type { LiveSubmission } from './live-submissions.ts'
import { resultOf, statusOf } from './outcome-records.ts'
import { isRefused } from './records.ts'
import type { FinalStatus } from './records.ts'
import { postponeSubmission } from './statements.ts'
import { withStoreTimeout } from './time-limit.ts'
import { createUnstoredSubmissions } from './unstored.ts'
import type { Unstored } from './unstored.ts'
import { isUnavailable } from './store-failures.ts'
import type { StoreFailures } from './store-failures.ts'
import type { WriteCaller, WriteTurns } from './write-turns.ts'

export interface OutcomeStore {
  /** Runs a write that the response does not depend on, in the turn of its caller. False when the database is not available. */
  conclude(caller: WriteCaller, hash: string, write: () => Promise<void>): Promise<boolean>
  /** Stores the outcome of a submission that was stored before it was sent, and returns what may be reported. */
  settleStored(entry: Unstored, begun: Begun, options: SettleOptions): Promise<SubmitOutcome>
  /**
   * Stores the outcome of a submission that seemed not to be stored before it was sent, and returns what may be reported. The database may have stored it
   * nevertheless: then an instance sends it again, unless the refusal is stored too.
   */
  settleUnstored(entry: Unstored, storing: Promise<Begun> | undefined, caller: WriteCaller): Promise<SubmitOutcome>
  /** Stores what could not be stored when it happened. */
  storeLate(): Promise<void>
}

interface SettleOptions {
  readonly caller: WriteCaller
  /** The state that the callers of this process share. */
  readonly shared: LiveSubmission
  /** True for the last of them. */
  readonly isLast: boolean
}

/** A submission whose callers have left is looked up again after this time. */
const CONTINUE_AFTER_MS = 2_000
/** Results after which no copy of the transaction may be valid any more. */
const CONCLUSIVE_CODES: ReadonlySet<string> = new Set(['txBadSeq', 'txTooLate'])
const NEVER = new AbortController().signal

export interface OutcomeStoreParts {
  readonly store: Store
  readonly relay: Relay
  readonly rpc: Rpc
  readonly clock: DatabaseClock
  readonly log: Log
  readonly failures: StoreFailures
  readonly journal: Journal
  readonly turns: WriteTurns
  /** The name of this instance. */
  readonly instance: string
  /** There is a submission that no caller waits for. */
  readonly wakeDriver: () => void
}

export function createOutcomeStore(parts: OutcomeStoreParts): OutcomeStore {
  const { store, clock, log, journal, turns, instance } = parts
  const unstored = createUnstoredSubmissions({ journal, log, storeOutcome: (entry, isFirst) => storeOutcome(entry, isFirst, true) })

  /** Stores the outcome for the last caller, or a final one for any caller. */
  async function storeOutcome({ signed, submitter: { owner }, outcome }: Unstored, isFirst: boolean, isLast: boolean): Promise<void> {
    const key = { owner, hash: signed.hash }
    const status = statusOf(outcome, isFirst)
    if (status !== 'PENDING') return await journal.end(key, status, resultOf(outcome))
    if (!isLast) return
    const nowMs = clock.nowMs()
    const acceptedEnvelope = outcome.kind === 'pending' ? signed.envelopeXdr : null
    await journal.announce(key, outcome.kind === 'pending' ? 'accepted' : 'unknown')
    await postponeSubmission(store.write, key, instance, { dueMs: nowMs + CONTINUE_AFTER_MS, attempts: 1, sentMs: nowMs, acceptedEnvelope })
    parts.wakeDriver()
  }

  async function conclude(caller: WriteCaller, hash: string, write: () => Promise<void>): Promise<boolean> {
    try {
      const { result } = await turns.begin(caller, write)
      await withStoreTimeout(clock, result)
      return true
    } catch (error) {
      if (!isUnavailable(error)) throw error
      parts.failures.record('outcome_not_stored', error, hash)
      return false
    }
  }

  return {
    conclude,
    async settleStored(entry, begun, { caller, shared, isLast }) {
      const { isFirst } = shared
      const { hash, envelopeXdr } = entry.signed
      const proved = isFirst || begun.record.status !== 'PENDING' ? undefined : await judgeRefusal(parts, entry, begun)
      if (proved !== undefined) {
        if (!(await conclude(caller, hash, () => journal.end(begun.record, proved, resultOf(entry.outcome))))) unstored.keep(entry)
        return entry.outcome
      }
      const outcome = isFirst ? entry.outcome : withEarlierCopies(entry.outcome, begun, envelopeXdr)
      // From now on a caller knows that a copy may be on its way.
      if (outcome.kind === 'pending' || outcome.kind === 'unknown') shared.isFirst = false
      if (await conclude(caller, hash, () => storeOutcome({ ...entry, outcome }, isFirst, isLast))) return outcome
      unstored.keep({ ...entry, outcome })
      // The driver of another instance would send it again, so "nothing was sent" may become false.
      return statusOf(outcome, isFirst) === 'PREPARED' ? { kind: 'unknown' } : outcome
    },
    async settleUnstored(entry, storing, caller) {
      const { outcome, signed, submitter } = entry
      const state = statusOf(outcome, true)
      const begin = (): Promise<Begun> => journal.begin(signed, submitter)
      const storeRefusal = async (): Promise<boolean> => {
        const { isFirst } = await (storing?.catch(begin) ?? begin())
        if (isFirst) await storeOutcome(entry, isFirst, true)
        return isFirst
      }
      if (!isRefused(state)) return unstored.keep(entry), outcome
      try {
        const { result } = await turns.begin(caller, storeRefusal)
        if (await withStoreTimeout(clock, result)) return outcome
      } catch (error) {
        if (error instanceof ClientIdInUse) return outcome
        if (!isUnavailable(error)) throw error
        // What the network refuses now, it is unlikely to accept later.
        if (state === 'REJECTED') return unstored.keep(entry), outcome
      }
      unstored.keep({ ...entry, outcome: { kind: 'unknown' } })
      return { kind: 'unknown' }
    },
    storeLate: unstored.storeLate,
  }
}

/** The final state that a rejection proves although there are earlier copies; undefined when it proves none. */
async function judgeRefusal(
  parts: Pick<OutcomeStoreParts, 'relay' | 'rpc' | 'clock'>, { signed, outcome }: Unstored, { record }: Begun,
): Promise<FinalStatus | undefined> {
  if (outcome.kind !== 'rejected' || !CONCLUSIVE_CODES.has(outcome.result?.code ?? '')) return undefined
  const verdict = await judgeNow(parts, signed, { submittedAt: record.submittedAt, signal: NEVER })
  if (verdict === 'expired') return 'EXPIRED'
  return verdict === 'superseded' ? 'REJECTED' : undefined
}

/**
 * A refusal means nothing while an earlier copy of the same envelope may be queued. With other signatures it is about this envelope, so it is reported.
 */
function withEarlierCopies(outcome: SubmitOutcome, { record }: Begun, envelopeXdr: string): SubmitOutcome {
  if (record.status !== 'PENDING' || !record.envelopes.includes(envelopeXdr)) return outcome
  if (record.accepted) return ['rejected', 'tryAgainLater', 'notSent', 'unknown'].includes(outcome.kind) ? { kind: 'pending' } : outcome
  return outcome.kind === 'rejected' ? { kind: 'unknown' } : outcome
}
