// One claimed submission: takes a step of the relay when it is pending, and compares it with the archive and the nodes when it is final.

import type { Clock } from '../base/clock.ts'
import { CONFIRMING_NODES } from '../chain/rpc/agreed-transaction.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { ArchivedPlace } from '../projections/log/transaction-events.ts'
import { GIVE_UP_AFTER_SEC } from './relay/absence.ts'
import type { TransactionLookup } from './relay/outcomes.ts'
import type { Relay } from './relay/relay.ts'
import type { Store } from '../store/store.ts'
import type { Corrections } from './outcome-corrections.ts'
import type { Journal } from './journal.ts'
import { isUnconfirmed, NO_RESULT, resultOf, statusOf } from './submission-records.ts'
import type { SubmissionRecord, SubmissionResult } from './submission-records.ts'
import { postponeSubmission } from './statements.ts'

/** The age up to which a submission is looked up at this interval. */
const LOOKUP_INTERVALS_MS = [[10_000, 1_000], [60_000, 2_000], [600_000, 5_000], [3_600_000, 30_000], [Number.POSITIVE_INFINITY, 300_000]] as const
/** Operations whose terms no event reports. */
const PLACES_ORDER = /^(?:leader_)?(?:place|set)_/
/** All calls of the driver take turns with the requesters as one of them. */
export const DRIVER_REQUESTER = { address: 'submissions', key: 'submissions' }

export interface SubmissionDriveParts {
  readonly store: Store
  readonly relay: Relay
  readonly rpc: Rpc
  readonly clock: Clock
  readonly journal: Journal
  readonly corrections: Corrections
  /** The name of this instance. */
  readonly instance: string
}

export interface SubmissionDrive {
  /** Ends a pending submission whose events the archive has. The node has what it created. */
  end(record: SubmissionRecord, place: ArchivedPlace, signal: AbortSignal): Promise<void>
  /** Drives a pending submission one step and ends its lease. */
  step(record: SubmissionRecord, signal: AbortSignal): Promise<void>
  /**
   * Compares a submission whose state is final, because one node alone reported it or because a verification asks for it, and ends its lease. `place`: where
   * the archive has its events.
   */
  check(record: SubmissionRecord, place: ArchivedPlace | undefined, signal: AbortSignal): Promise<void>
}

export function createSubmissionDrive(parts: SubmissionDriveParts): SubmissionDrive {
  const { store, relay, rpc, clock, journal, corrections, instance } = parts

  /** Asks again while that may confirm it. */
  async function postponeCheck(record: SubmissionRecord): Promise<void> {
    const nowMs = clock.nowMs()
    const isOver = !isUnconfirmed(record) || nowMs - record.submittedAt > GIVE_UP_AFTER_SEC * 1_000
    await corrections.postpone(record, isOver ? null : nextLookUpMs(record, nowMs))
  }

  async function findCreated({ hash, trader }: SubmissionRecord, signal: AbortSignal): Promise<Pick<SubmissionResult, 'created'>> {
    const found = await relay.outcomes.lookUp({ hash, source: trader, contract: null }, DRIVER_REQUESTER, { signal })
    return found?.outcome?.kind === 'success' && found.outcome.created !== undefined ? { created: found.outcome.created } : {}
  }

  return {
    async end(record, place, signal) {
      const created = PLACES_ORDER.test(record.op ?? '') ? await findCreated(record, signal) : {}
      await journal.end(record, 'SUCCESS', { ...NO_RESULT, ...place, ...created })
    },
    async step(record, signal) {
      const { hash, trader, sequence, expiresAt, envelopes, attempts, accepted, sentAt, submittedAt } = record
      const envelope = envelopes[attempts % Math.max(1, envelopes.length)]
      const signed = envelope === undefined ? undefined : relay.decode(envelope)
      if (signed === undefined && envelope !== undefined) return await journal.end(record, 'UNKNOWN', NO_RESULT)
      // A corrected outcome was stored without its envelopes: then nothing can be sent again.
      const driven = signed ?? { hash, source: trader, contract: null, sequence: BigInt(sequence), expiresAt }
      const nowMs = clock.nowMs()
      const { outcome, resent } = await relay.flights.drive(driven, {
        sent: { kind: accepted ? 'accepted' : 'unconfirmed' }, sends: attempts,
        sentAtMs: sentAt === null ? Number.NEGATIVE_INFINITY : clock.elapsedMs() - (nowMs - sentAt),
        times: { submittedAt, nowMs }, requester: DRIVER_REQUESTER, signal,
      })
      const status = outcome === undefined ? 'PENDING' : outcome.kind === 'unknown' ? 'UNKNOWN' : statusOf(outcome, false)
      if (outcome !== undefined && status !== 'PENDING') return await journal.end(record, status, resultOf(outcome))
      if (signal.aborted && resent === undefined) return
      await postponeSubmission(store.write, record, instance, {
        dueMs: nextLookUpMs(record, clock.nowMs()), attempts: resent === undefined ? attempts : attempts + 1,
        sentMs: resent === undefined ? null : clock.nowMs(), acceptedEnvelope: resent?.isAccepted === true ? envelope ?? null : null,
      })
    },
    async check(record, place, signal) {
      const { confirmedBy, nodes } = record
      // The archive has the events, and only a transaction that succeeded has events.
      if (place !== undefined) {
        if (record.status === 'SUCCESS') return await corrections.confirm(record, { confirmedBy, nodes })
        return await corrections.correct(record, 'SUCCESS', { ...NO_RESULT, ...place, orderId: record.orderId })
      }
      const [envelope] = record.envelopes
      const contract = envelope === undefined ? null : relay.decode(envelope)?.contract ?? null
      const found = await relay.outcomes.lookUp({ hash: record.hash, source: record.trader, contract }, DRIVER_REQUESTER, { signal, thorough: true })
      if (signal.aborted) return
      if (found === null || found.isContested || found.agreeing < Math.min(CONFIRMING_NODES, rpc.endpoints)) return await postponeCheck(record)
      const { outcome } = found
      const isInLedger = record.status === 'SUCCESS' || record.status === 'FAILED'
      if (outcome === undefined) {
        if (!isInLedger) return await corrections.confirm(record, { confirmedBy, nodes })
        // One node alone is no evidence against what it, or another one, reported before.
        return rpc.endpoints > 1 && covers(found, record) ? await corrections.reopen(record) : await postponeCheck(record)
      }
      const status = outcome.kind === 'success' ? 'SUCCESS' : 'FAILED'
      if (status === record.status) return await corrections.confirm(record, outcome)
      return !isInLedger || rpc.endpoints > 1 ? await corrections.correct(record, status, resultOf(outcome)) : await postponeCheck(record)
    },
  }
}

/** Time of a submission's next look-up, in milliseconds. */
function nextLookUpMs({ submittedAt }: Pick<SubmissionRecord, 'submittedAt'>, nowMs: number): number {
  return nowMs + (LOOKUP_INTERVALS_MS.find(([maxAgeMs]) => nowMs - submittedAt < maxAgeMs)?.[1] ?? 0)
}

/** True when the nodes have the ledger of the outcome. After a reset of the network, its time is before their first ledger. */
function covers(retained: TransactionLookup, { ledger, ts }: SubmissionRecord): boolean {
  const { oldestLedger, latestLedger, oldestLedgerCloseSec, latestLedgerCloseSec } = retained
  if (ledger === null || ts === null || oldestLedger === null || oldestLedgerCloseSec === null || latestLedgerCloseSec === null) return false
  return oldestLedger <= ledger && ledger <= latestLedger && oldestLedgerCloseSec <= ts && ts <= latestLedgerCloseSec
}
