// POST /v1/tx/submit, durably: the relay admits the caller, the submission is stored, the relay sends it and waits, and the outcome is stored. What is still
// open when no caller waits any more is continued by the driver (docs/decisions/durable-submissions.md).

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import { TooManyWaiting } from '../base/semaphore.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { SignedTransaction } from '../chain/codec/transaction.ts'
import type { SubmitOutcome } from './relay/outcomes.ts'
import type { Relay } from './relay/relay.ts'
import type { SubmitOptions } from './relay/flights.ts'
import type { Store } from '../store/store.ts'
import { createCorrections } from './outcome-corrections.ts'
import { createDatabaseClock, readDatabaseTime } from './database-clock.ts'
import type { ReadDatabaseTime } from './database-clock.ts'
import { createDriver } from './driver.ts'
import type { Driver } from './driver.ts'
import { createEnvelopeChecks } from './envelope-checks.ts'
import { createJournal, isOver } from './journal.ts'
import type { Begun, Submitter } from './journal.ts'
import { createOutcomeStore } from './outcome-store.ts'
import { createPreparations } from './preparations.ts'
import type { Preparations } from './preparations.ts'
import { NO_RESERVATIONS, settleUses } from './reserved-uses.ts'
import type { Reservation, ReservedUses } from './reserved-uses.ts'
import { outcomeOf, statusOf } from './submission-records.ts'
import type { FinalStatus } from './submission-records.ts'
import { createStoreFailures, createWriteTurns, isUnavailable, withStoreTimeout } from './store-access.ts'
import { createTransactionReader } from './transaction-reader.ts'
import type { TransactionReader } from './transaction-reader.ts'

export interface Submitted {
  readonly outcome: SubmitOutcome
  /** False when the submission could not be stored: nothing continues it when this process ends. */
  readonly stored: boolean
}

interface SubmissionStats {
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
  /** Sends the transaction and waits up to `pollTimeoutMs`. Rejects with ClientIdInUse, and with the errors of the reservation. */
  submit(signed: SignedTransaction, submitter: Submitter, options: SubmitOptions & { readonly reservation?: Reservation }): Promise<Submitted>
  readonly transactions: TransactionReader
  stats(): SubmissionStats
  /** Continues stored submissions until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

const ID_BYTES = 8

export interface SubmissionServiceParts {
  readonly store: Store
  readonly relay: Relay
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly rpc: Rpc
  /** By default from the primary of `store`. */
  readonly readDatabaseTime?: ReadDatabaseTime
  /** The reservations of keys for transactions. By default there are none. */
  readonly uses?: ReservedUses
}

export function createSubmissionService(parts: SubmissionServiceParts): SubmissionService {
  const { store, relay, log, uses = NO_RESERVATIONS } = parts
  const clock = createDatabaseClock(parts.clock, parts.readDatabaseTime ?? (() => readDatabaseTime(store.write)))
  const ended = new Map<FinalStatus, number>()
  let corrected = 0
  const onEnded = (status: FinalStatus): void => void ended.set(status, (ended.get(status) ?? 0) + 1)
  const instance = Buffer.from(parts.random.bytes(ID_BYTES)).toString('hex')
  const journal = createJournal({ store, clock, driver: instance, operationOf: relay.operationOf, onEnded, uses })
  const corrections = createCorrections({ store, clock, log, uses, onCorrected: () => (corrected += 1) })
  const live = createLiveSubmissions()
  const turns = createWriteTurns(store, clock)
  const failures = createStoreFailures(parts)
  const outcomes = createOutcomeStore({ ...parts, failures, clock, journal, turns, instance, wakeDriver: () => driver.wake() })
  const driver: Driver = createDriver({ ...parts, clock, journal, corrections, uses, instance, storeLate: outcomes.storeLate, listLive: live.list })
  const transactions = createTransactionReader({ store, relay, clock, journal })
  const checks = createEnvelopeChecks({ store, relay, clock })

  async function run(signal: AbortSignal): Promise<void> {
    await driver.run(signal)
    failures[Symbol.dispose]()
  }

  function stats(): SubmissionStats {
    const { pending, oldestMs } = driver.pending() ?? { pending: null, oldestMs: null }
    return { ended, corrected, pending, oldestPendingSec: oldestMs === null ? null : Math.max(0, (clock.nowMs() - oldestMs) / 1_000) }
  }

  async function submit(...[signed, submitter, { reservation, ...options }]: Parameters<SubmissionService['submit']>): Promise<Submitted> {
    if (options.signal?.aborted === true) return { outcome: { kind: 'unknown' }, stored: false }
    const { owner } = submitter
    const key = { owner, hash: signed.hash }
    const caller = { address: options.requester.address, owner }
    let storing: Promise<Begun> | undefined
    let begun: Begun | undefined
    let shared: LiveSubmission | undefined
    let announcing: Promise<unknown> = Promise.resolve()

    /** Stores the submission in its turn. Resolves with the outcome when nothing must be sent. Rejects with ClientIdInUse. */
    async function beforeSend(): Promise<SubmitOutcome | undefined> {
      const expired = await checks.findExpired(signed, { owner, requester: options.requester })
      if (expired !== undefined) return expired
      try {
        storing = (await turns.begin(caller, async () => {
          await reservation?.reserve()
          return await journal.begin(signed, submitter)
        })).result
        begun = await withStoreTimeout(clock, storing)
      } catch (error) {
        if (error instanceof TooManyWaiting) return { kind: 'tryAgainLater', fullQueue: 'share' }
        if (!isUnavailable(error) || reservation?.isRequired === true) throw error
        failures.record('submission_not_stored', error, signed.hash)
      }
      if (begun !== undefined && isOver(begun.record)) return outcomeOf(begun.record)
      shared = live.join(owner, signed.hash)
      // A caller that joins while the first copy is being sent shares its fate.
      shared.isFirst ||= begun?.isFirst ?? false
      return undefined
    }

    function onSent({ kind }: { readonly kind: 'accepted' | 'unconfirmed' }): void {
      if (begun === undefined || begun.record.loggedStatus === 'PENDING') return
      announcing = outcomes.conclude(caller, signed.hash, () => journal.announce(key, kind === 'accepted' ? 'accepted' : 'unknown'))
      announcing.catch(() => {})
    }

    async function settle(outcome: SubmitOutcome): Promise<Submitted> {
      const stored = begun !== undefined
      if (shared === undefined) return stored || outcome.kind !== 'tryAgainLater' ? { outcome, stored } : await checks.withEarlierCopy(key, outcome)
      const isLast = live.leave(owner, signed.hash)
      await announcing
      const entry = { signed, submitter, outcome }
      if (begun === undefined) return { outcome: await outcomes.settleUnstored(entry, storing, caller), stored }
      return { outcome: await outcomes.settleStored(entry, begun, { caller, shared, isLast }), stored }
    }

    /** The outcome of a stored submission was settled with it. */
    async function settleUnstored(submitted: Submitted): Promise<Submitted> {
      const { outcome, stored } = submitted
      const status = statusOf(outcome, true)
      if (stored || status === 'PENDING') return submitted
      const { hash, expiresAt } = signed
      const settled = settleUses(uses, store.write, { hash, op: relay.operationOf(signed), status, expiresAt })
      // A reservation that cannot be settled now ends by itself.
      await withStoreTimeout(clock, settled).catch(() => {})
      return submitted
    }

    let outcome: SubmitOutcome
    try {
      outcome = await relay.flights.submit(signed, { ...options, beforeSend, onSent })
    } catch (error) {
      await settle({ kind: 'unknown' })
      throw error
    }
    return await settleUnstored(await settle(outcome))
  }

  return { submit, stats, transactions, ...createPreparations({ store, clock, failures }), run }
}

/** A submission that callers of this process wait for. */
interface LiveSubmission {
  readonly owner: string
  readonly hash: string
  callers: number
  /** True when nothing of it can be on its way if the network refuses this copy. */
  isFirst: boolean
}

function createLiveSubmissions() {
  const live = new Map<string, LiveSubmission>()
  const keyOf = (owner: string, hash: string): string => `${owner} ${hash}`
  return {
    /** Joins the callers of a submission. */
    join(owner: string, hash: string): LiveSubmission {
      const key = keyOf(owner, hash)
      const submission = live.get(key) ?? { owner, hash, callers: 0, isFirst: false }
      submission.callers += 1
      live.set(key, submission)
      return submission
    },
    /** True for the last caller. */
    leave(owner: string, hash: string): boolean {
      const key = keyOf(owner, hash)
      const submission = live.get(key)
      if (submission === undefined) return true
      submission.callers -= 1
      if (submission.callers > 0) return false
      live.delete(key)
      return true
    },
    list: (): readonly LiveSubmission[] => [...live.values()],
  }
}
