// Stores what became of submissions, and says what may be reported of them.

import type { Log } from '../base/log.ts'
import type { SubmitOutcome } from './relay/outcomes.ts'
import type { Relay } from './relay/relay.ts'
import type { Store } from '../store/store.ts'
import type { DatabaseClock } from './database-clock.ts'
import { DRIVER_REQUESTER } from './drive-submission.ts'
import type { Begun, Journal } from './journal.ts'
import { ClientIdInUse } from './preparations.ts'
import { isRefused, resultOf, statusOf } from './submission-records.ts'
import { postponeSubmission } from './statements.ts'
import { isUnavailable, withStoreTimeout } from './store-access.ts'
import type { StoreFailures, WriteCaller, WriteTurns } from './store-access.ts'
import { createUnstoredSubmissions } from './unstored.ts'
import type { Unstored } from './unstored.ts'

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
  /** Shared by the callers of this process. `isFirst`: nothing of it can be on its way if the network refuses this copy. */
  readonly shared: { isFirst: boolean }
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
      const outcome = isFirst || begun.record.status !== 'PENDING'
        ? entry.outcome
        : withEarlierCopies(await proveRefusal(parts, entry, begun), begun, envelopeXdr)
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

/** The outcome, with the proof if no copy can be applied although there are earlier ones. */
async function proveRefusal(
  { relay, clock }: Pick<OutcomeStoreParts, 'relay' | 'clock'>, { signed, outcome }: Unstored, { record }: Begun,
): Promise<SubmitOutcome> {
  if (outcome.kind !== 'rejected' || outcome.proof !== undefined || !CONCLUSIVE_CODES.has(outcome.result?.code ?? '')) return outcome
  const times = { submittedAt: record.submittedAt, nowMs: clock.nowMs() }
  const verdict = await relay.judgeNow(signed, { times, requester: DRIVER_REQUESTER, signal: NEVER })
  return verdict === 'expired' || verdict === 'superseded' ? { ...outcome, proof: verdict } : outcome
}

/**
 * A refusal means nothing while an earlier copy of the same envelope may be queued. With other signatures it is about this envelope, so it is reported.
 */
function withEarlierCopies(outcome: SubmitOutcome, { record }: Begun, envelopeXdr: string): SubmitOutcome {
  if (!record.envelopes.includes(envelopeXdr) || (outcome.kind === 'rejected' && outcome.proof !== undefined)) return outcome
  if (record.accepted) return ['rejected', 'tryAgainLater', 'notSent', 'unknown'].includes(outcome.kind) ? { kind: 'pending' } : outcome
  return outcome.kind === 'rejected' ? { kind: 'unknown' } : outcome
}
