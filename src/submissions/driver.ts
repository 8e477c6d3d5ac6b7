// Brings stored submissions to an end: looks them up, sends them again, and proves that they can no longer be applied. Several instances share the work by
// leases: one of a dead instance ends by itself.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createSemaphore } from '../base/semaphore.ts'
import type { SubmitOutcome, TransactionLookup } from '../relay/outcomes.ts'
import type { Relay } from '../relay/relay.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { SignedTransaction } from '../chain/transaction.ts'
import { StatementTimeout, StoreUnavailable } from '../store/store.ts'
import type { Store } from '../store/store.ts'
import { readArchivedLedgers, readTransactionEvents } from '../projections/transaction-events.ts'
import { readAccountSequence } from './account-sequence.ts'
import { judgeAbsence } from './expiry.ts'
import type { Verdict } from './expiry.ts'
import { LEASE_MS } from './journal.ts'
import type { Journal } from './journal.ts'
import { resultOf } from './outcome-records.ts'
import { NO_RESULT } from './records.ts'
import type { SubmissionRecord } from './records.ts'
import { claimSubmissions, endLeases, insertChange, listIndexed, postponeSubmission, purge, renewLeases, storeIds } from './statements.ts'
import { idsOf, submissionRow } from './transaction-row.ts'

export interface Driver {
  /** Drives due submissions until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** There is a new submission to drive. */
  wake(): void
}

export interface DriverParts {
  readonly store: Store
  readonly relay: Relay
  readonly clock: Clock
  readonly log: Log
  readonly journal: Journal
  /** The name of this instance. */
  readonly instance: string
  readonly rpc: Rpc
  /** Stores what could not be stored when it happened. */
  readonly storeLate: () => Promise<void>
}

/** Submissions per claim, and how many of them are driven at the same time. */
const CLAIM_MAX = 32
const CONCURRENCY_MAX = 4
const BUSY_INTERVAL_MS = 1_000
const IDLE_INTERVAL_MS = 5_000
/** How long due submissions are looked for at the short interval after there were some. */
const BUSY_FOR_MS = 60_000
const RENEW_INTERVAL_MS = 10_000
const PURGE_INTERVAL_MS = 60_000
/** Submissions whose events are looked up at the same time. */
const INDEXED_MAX = 50
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
/** How long rows are kept that no list needs: prepared transactions after their preparation, and submissions that the network never had. */
const PREPARED_KEPT_MS = 24 * 60 * 60_000
const NOT_SENT_KEPT_MS = 7 * 24 * 60 * 60_000
/** All calls of the driver take turns with the requesters as one of them. */
const REQUESTER = { address: 'submissions', key: 'submissions' }

export function createDriver(parts: DriverParts): Driver {
  const { store, relay, rpc, clock, log, journal, instance } = parts
  const permits = createSemaphore(CONCURRENCY_MAX)
  /** When the absence of a submission was proved first. */
  const provedAtMs = new Map<string, number>()
  let wakeUp = new AbortController()
  let busyUntilMs = Number.NEGATIVE_INFINITY
  let renewedAtMs = Number.NEGATIVE_INFINITY
  let purgedAtMs = Number.NEGATIVE_INFINITY

  /** Looks a submission up; sends it again or ends it when no node has it. */
  async function drive(record: SubmissionRecord, signal: AbortSignal): Promise<void> {
    const envelope = record.envelopes[record.attempts % Math.max(1, record.envelopes.length)]
    const signed = envelope === undefined ? undefined : relay.decode(envelope)
    if (signed === undefined) return await journal.end(record, 'UNKNOWN', NO_RESULT)
    const found = await relay.outcomes.lookUp(signed, REQUESTER, { signal })
    if (signal.aborted) return
    if (found?.outcome !== undefined) return await endWith(record, found.outcome)
    const verdict = found === null ? 'open' : await judge(record, signed, found, signal)
    if (verdict === undefined) return
    if (verdict !== 'open') {
      if (verdict === 'superseded') return await journal.end(record, 'REJECTED', { ...NO_RESULT, txResultCode: 'txBadSeq' })
      return await journal.end(record, verdict === 'expired' ? 'EXPIRED' : 'UNKNOWN', NO_RESULT)
    }
    const accepted = found !== null && mayResend(record) ? await resend(signed) : undefined
    await postpone(record, accepted === undefined ? null : clock.nowMs(), accepted === true ? signed.envelopeXdr : null)
  }

  async function endWith(record: SubmissionRecord, outcome: SubmitOutcome & { readonly kind: 'success' | 'failed' }): Promise<void> {
    await journal.end(record, outcome.kind === 'success' ? 'SUCCESS' : 'FAILED', resultOf(outcome))
  }

  /** Judges a submission that a node does not have; undefined when another node has it. A final verdict needs the same proof twice. */
  async function judge(record: SubmissionRecord, signed: SignedTransaction, found: TransactionLookup, signal: AbortSignal): Promise<Verdict | undefined> {
    const key = `${record.owner} ${record.hash}`
    const nowSec = Math.floor(clock.nowMs() / 1_000)
    const absence = {
      expiresAt: record.expiresAt, submittedSec: Math.floor(record.submittedAt / 1_000), nowSec, sequence: signed.sequence, retained: found,
    }
    const needsSequence = record.expiresAt === null ? record.attempts > QUICK_SENDS : record.expiresAt < (found.latestLedgerCloseSec ?? 0)
    const accountSequence = needsSequence ? await readAccountSequence(rpc, signed.source, { minLedger: found.latestLedger, signal }) : undefined
    const verdict = judgeAbsence({ ...absence, accountSequence })
    if (verdict === 'open') {
      provedAtMs.delete(key)
      return verdict
    }
    const sinceMs = provedAtMs.get(key)
    if (sinceMs === undefined) {
      if (provedAtMs.size >= CONFIRMING_MAX) provedAtMs.clear()
      provedAtMs.set(key, clock.elapsedMs())
      return 'open'
    }
    if (clock.elapsedMs() - sinceMs < CONFIRM_AFTER_MS) return 'open'
    provedAtMs.delete(key)
    for (let endpoint = 0; endpoint < rpc.endpoints && rpc.endpoints > 1; endpoint++) {
      const other = await relay.outcomes.lookUp(signed, REQUESTER, { signal, endpoint })
      if (signal.aborted) return undefined
      if (other?.outcome === undefined) continue
      await endWith(record, other.outcome)
      return undefined
    }
    return verdict
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
    const nowMs = clock.nowMs()
    const ageMs = nowMs - record.submittedAt
    const intervalMs = LOOKUP_INTERVALS_MS.find(([maxAgeMs]) => ageMs < maxAgeMs)?.[1] ?? BUSY_INTERVAL_MS
    const attempts = sentMs === null ? record.attempts : record.attempts + 1
    await postponeSubmission(store.write, record, instance, { dueMs: nowMs + intervalMs, attempts, sentMs, acceptedEnvelope })
  }

  /** Claims due submissions and drives them. Returns how many there were. */
  async function driveDue(signal: AbortSignal): Promise<number> {
    const nowMs = clock.nowMs()
    const claimed = await claimSubmissions(store.write, { driver: instance, untilMs: nowMs + LEASE_MS }, nowMs, CLAIM_MAX)
    if (claimed.length === 0) return 0
    // One statement finds all those whose events are indexed. The others are looked up one by one.
    const archived = await readArchivedLedgers(store.read, claimed.map(({ hash }) => hash))
    await Promise.all(claimed.map((record) => permits.run(async () => {
      const place = archived.get(record.hash)
      try {
        if (place !== undefined) await journal.end(record, 'SUCCESS', { ...NO_RESULT, ...place })
        else if (!signal.aborted) await drive(record, signal)
      } catch (error) {
        if (isUnavailable(error)) throw error
        log.error({ err: error, hash: record.hash }, 'a submission could not be driven')
      }
    })))
    return claimed.length
  }

  /** Adds what the events of successful submissions name, and reports it to the log. */
  async function addIds(): Promise<void> {
    const records = await listIndexed(store.read, INDEXED_MAX)
    if (records.length === 0) return
    const events = await readTransactionEvents(store.read, records.map(({ hash }) => hash))
    for (const record of records) {
      const own = events.get(record.hash) ?? []
      const ids = idsOf(own)
      await store.write.transaction(async (tx) => {
        if (!(await storeIds(tx, record.id, ids.orderId, ids.positionId))) return
        await insertChange(tx, record, submissionRow({ ...record, ...ids }, { events: own, outcome: null }), clock.nowMs())
      })
    }
  }

  async function renew(): Promise<void> {
    if (clock.elapsedMs() - renewedAtMs < RENEW_INTERVAL_MS) return
    renewedAtMs = clock.elapsedMs()
    await renewLeases(store.write, { driver: instance, untilMs: clock.nowMs() + LEASE_MS })
  }

  async function purgeOld(): Promise<void> {
    if (clock.elapsedMs() - purgedAtMs < PURGE_INTERVAL_MS) return
    purgedAtMs = clock.elapsedMs()
    const nowMs = clock.nowMs()
    await purge(store.write, { preparedMs: nowMs - PREPARED_KEPT_MS, heldMs: nowMs, nothingSentMs: nowMs - NOT_SENT_KEPT_MS })
  }

  async function tick(signal: AbortSignal): Promise<number> {
    await parts.storeLate()
    await renew()
    const driven = await driveDue(signal)
    await addIds()
    await purgeOld()
    return driven
  }

  return {
    wake() {
      busyUntilMs = clock.elapsedMs() + BUSY_FOR_MS
      wakeUp.abort()
    },
    async run(signal) {
      let isFailing = false
      while (!signal.aborted) {
        try {
          if ((await tick(signal)) > 0) busyUntilMs = clock.elapsedMs() + BUSY_FOR_MS
          isFailing = false
        } catch (error) {
          if (!isFailing) log.warn({ err: error }, 'submissions cannot be driven now; retrying')
          isFailing = true
        }
        if (wakeUp.signal.aborted) wakeUp = new AbortController()
        const intervalMs = clock.elapsedMs() < busyUntilMs ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS
        await clock.sleep(intervalMs, AbortSignal.any([signal, wakeUp.signal]))
      }
      await endLeases(store.write, instance, clock.nowMs()).catch((error: unknown) => log.warn({ err: error }, 'the leases of submissions could not be ended'))
    },
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof StoreUnavailable || error instanceof StatementTimeout
}
