// Brings stored submissions to an end: has the relay take a step of each one that is due, and stores what comes of it. Several instances share the work by
// leases. Those of an instance that has died are taken over at once.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createSemaphore } from '../base/semaphore.ts'
import type { Store, WriterLock } from '../store/store.ts'
import { readArchivedLedgers, readTransactionEvents } from '../projections/log/transaction-events.ts'
import type { DatabaseClock } from './database-clock.ts'
import { endComparisons, listContradicted, readProofs } from './correction-statements.ts'
import { purgeCreated } from './created-statements.ts'
import { createSubmissionDrive } from './drive-submission.ts'
import type { SubmissionDriveParts } from './drive-submission.ts'
import { LEASE_MS } from './journal.ts'
import type { SubmissionRecord } from './submission-records.ts'
import type { ReservedUses } from './reserved-uses.ts'
import { isUnavailable } from './store-access.ts'
import { claimSubmissions, countPending, endLeases, insertChange, listIndexed, listOtherDrivers, purge, renewLeases, storeIds } from './statements.ts'
import { idsOf, submissionRow, withIndexedOrders } from './transaction-rows.ts'

type PendingSubmissions = Awaited<ReturnType<typeof countPending>>

export interface Driver {
  /** Drives due submissions until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** The pending submissions of all instances, some seconds ago; null before they were counted. */
  pending(): PendingSubmissions | null
  /** There is a new submission to drive. */
  wake(): void
}

export interface DriverParts extends SubmissionDriveParts {
  /** Instances compare the times that they store. */
  readonly clock: DatabaseClock
  readonly log: Log
  /** The submissions that callers of this instance wait for: their flights drive them. */
  readonly listLive: () => readonly { readonly owner: string; readonly hash: string }[]
  /** Stores what could not be stored when it happened. */
  readonly storeLate: () => Promise<void>
  readonly uses: ReservedUses
}

/** Submissions per claim, and how many of them are driven at the same time. */
const CLAIM_MAX = 16
const CONCURRENCY_MAX = 4
const BUSY_INTERVAL_MS = 1_000
const IDLE_INTERVAL_MS = 5_000
/** Time for which due submissions are looked for at the short interval after there were some. */
const BUSY_FOR_MS = 60_000
const RENEW_INTERVAL_MS = 10_000
const PURGE_INTERVAL_MS = 60_000
/** Submissions whose events are looked up at the same time. */
const INDEXED_MAX = 50
/** Final states that are compared with the archive at the same time. */
const CONTRADICTED_MAX = 1_000
const NEVER = new AbortController().signal
/** Time for which rows are kept that the log does not have: prepared transactions after their preparation, and submissions that no node accepted. */
const PREPARED_KEPT_MS = 24 * 60 * 60_000
const REFUSED_KEPT_MS = 24 * 60 * 60_000
/** Time for which what submissions created is kept for readers that are ahead of the index. */
const CREATED_KEPT_MS = 24 * 60 * 60_000

export function createDriver(parts: DriverParts): Driver {
  const { store, clock, log, journal, instance } = parts
  const permits = createSemaphore(CONCURRENCY_MAX)
  const drive = createSubmissionDrive(parts)
  const presence = createPresence(store, instance)
  let wakeUp = new AbortController()
  let busyUntilMs = Number.NEGATIVE_INFINITY
  let renewedAtMs = Number.NEGATIVE_INFINITY
  let purgedAtMs = Number.NEGATIVE_INFINITY
  let pending: PendingSubmissions | null = null

  /** Claims due submissions and drives them. Returns how many there were. */
  async function driveDue(signal: AbortSignal): Promise<number> {
    const nowMs = clock.nowMs()
    const claimed = await claimSubmissions(store.write, { driver: instance, untilMs: nowMs + LEASE_MS }, nowMs, CLAIM_MAX)
    if (claimed.length === 0) return 0
    // One statement finds all those whose events are indexed. The others are looked up one by one.
    const [pendingOnes, finalOnes] = [claimed.filter(isPending), claimed.filter((record) => !isPending(record))]
    const archived = await readArchivedLedgers(store.read, pendingOnes.map(({ hash }) => hash))
    const proofs = await readProofs(store.read, finalOnes.map(({ id }) => id))
    await Promise.all(claimed.map((record) => permits.run(async () => {
      const place = archived.get(record.hash)
      try {
        if (!isPending(record)) return await drive.check(record, proofs.get(record.id), signal)
        if (place !== undefined) return await drive.end(record, place, signal)
        if (signal.aborted) return
        // Its instance died before it knew what became of the send.
        if (record.loggedStatus === null) await journal.announce(record, 'unknown')
        await drive.step(record, signal)
      } catch (error) {
        if (isUnavailable(error)) throw error
        log.error({ err: error, hash: record.hash }, 'a submission could not be driven')
      }
    })))
    return claimed.length
  }

  async function renew(): Promise<void> {
    if (clock.elapsedMs() - renewedAtMs < RENEW_INTERVAL_MS) return
    renewedAtMs = clock.elapsedMs()
    pending = await countPending(store.read)
    const live = parts.listLive()
    if (live.length > 0) await renewLeases(store.write, { driver: instance, untilMs: clock.nowMs() + LEASE_MS }, live)
  }

  /** Ends the leases of instances that have died. One that is alive and lost its lock only loses its exclusive right to drive. */
  async function takeOver(): Promise<void> {
    for (const other of await listOtherDrivers(store.write, instance, clock.nowMs())) {
      if (await presence.isAlive(other)) continue
      await endLeases(store.write, other, clock.nowMs())
      log.info({ instance: other }, 'taking over the submissions of an instance that has ended')
    }
  }

  async function purgeOld(): Promise<void> {
    if (clock.elapsedMs() - purgedAtMs < PURGE_INTERVAL_MS) return
    purgedAtMs = clock.elapsedMs()
    const nowMs = clock.nowMs()
    const hasMoreCreated = await purgeCreated(store.write, nowMs - CREATED_KEPT_MS)
    const hasMore = await purge(store.write, { preparedMs: nowMs - PREPARED_KEPT_MS, heldMs: nowMs, refusedMs: nowMs - REFUSED_KEPT_MS })
    if (hasMore || hasMoreCreated) purgedAtMs = Number.NEGATIVE_INFINITY
  }

  /** Events of a transaction in the archive prove its success, whatever a node reported. */
  async function correctFromArchive(): Promise<void> {
    for (const { record, place } of await listContradicted(store.read, CONTRADICTED_MAX)) await drive.check(record, place, NEVER)
    await endComparisons(store.write, CONTRADICTED_MAX)
  }

  async function tick(signal: AbortSignal): Promise<number> {
    await clock.refresh()
    await presence.show()
    await parts.storeLate()
    await parts.uses.sweep()
    await renew()
    await takeOver()
    const driven = await driveDue(signal)
    await addIds(store, clock)
    await correctFromArchive()
    await purgeOld()
    return driven
  }

  return {
    pending: () => pending,
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
      await presence[Symbol.asyncDispose]()
    },
  }
}

/** Adds what the events of successful submissions name, and reports it to the log. */
async function addIds(store: Store, clock: Clock): Promise<void> {
  const records = await listIndexed(store.read, INDEXED_MAX)
  if (records.length === 0) return
  const events = await readTransactionEvents(store.read, records.map(({ hash }) => hash))
  const rows = await withIndexedOrders(store.read, records.map((record) => submissionRow(record, { events: events.get(record.hash) ?? [], outcome: null })))
  for (const [index, record] of records.entries()) {
    const row = rows[index]
    const ids = idsOf(row?.events ?? [], record)
    await store.write.transaction(async (tx) => {
      if (row === undefined || !(await storeIds(tx, record.id, ids.orderId, ids.positionId))) return
      await insertChange(tx, record, row, clock.nowMs())
    })
  }
}

function isPending({ status }: SubmissionRecord): boolean {
  return status === 'PENDING'
}

/** Shows whether an instance is alive: it holds a lock with its name, which the database releases when the process dies. */
interface Presence extends AsyncDisposable {
  /** Takes the lock of this instance, unless it holds it. */
  show(): Promise<void>
  /** False when another instance, or an earlier process, has died. Its leases are over. */
  isAlive(instance: string): Promise<boolean>
}

function createPresence(store: Pick<Store, 'tryLock' | 'isLocked'>, instance: string): Presence {
  let lock: WriterLock | undefined
  return {
    async show() {
      if (lock?.lost.aborted === false) return
      await lock?.[Symbol.asyncDispose]()
      lock = await store.tryLock(lockName(instance))
    },
    isAlive: (other) => store.isLocked(lockName(other)),
    async [Symbol.asyncDispose]() {
      await lock?.[Symbol.asyncDispose]()
      lock = undefined
    },
  }
}

function lockName(instance: string): string {
  return `submissions of ${instance}`
}
