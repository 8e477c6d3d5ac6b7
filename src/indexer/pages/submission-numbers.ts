// Between two pages of events: gives changes of submissions their seqs, and the index the orders that submissions placed.

import type { Clock } from '../../base/clock.ts'
import { IndexConflict, isInsideTransaction, lastReservedSeq, readIndexCursor, updateIndexCursor } from '../../projections/state/index-state.ts'
import { recordCreatedOrders } from '../../projections/orders/created-entries.ts'
import { listUnnumberedChanges, numberChanges, SUBMISSION_CHANNEL } from '../../projections/log/submission-log.ts'
import type { Store, Writer } from '../../store/store.ts'

/** Changes per transaction. */
const BATCH = 500
/** A full log of changes must not keep the indexer from reading pages. */
const BATCHES_MAX = 20

/**
 * Numbers one batch in one transaction with the end of the log; returns its length. Before the first epoch there is no log, and inside of a transaction it
 * has not ended: the changes wait.
 */
async function numberSubmissionChanges(db: Writer): Promise<number> {
  const ids = await listUnnumberedChanges(db, BATCH)
  const cursor = ids.length === 0 ? null : await readIndexCursor(db)
  if (cursor === null || isInsideTransaction(cursor)) return 0
  const firstSeq = lastReservedSeq(cursor) + 1
  try {
    await db.transaction(async (tx) => {
      await updateIndexCursor(tx, cursor, { ...cursor, lastSeq: firstSeq + ids.length - 1 }, null)
      await numberChanges(tx, ids, firstSeq)
    })
    return ids.length
  } catch (error) {
    // The log has grown since the cursor was read; the next call continues.
    if (error instanceof IndexConflict) return 0
    throw error
  }
}

/** Records one batch of changes of submissions, and the orders that they placed; returns the number of changes. */
export async function recordSubmissions(db: Writer, nowMs: number): Promise<number> {
  const numbered = await numberSubmissionChanges(db)
  await recordCreatedOrders(db, nowMs)
  return numbered
}

/** Waits between two polls, and numbers changes as soon as they are reported. A lost notification only delays them until the next poll. */
export interface SubmissionWait {
  /** Listens for reports until the returned function is called. Never rejects. */
  listen(): Promise<() => Promise<void>>
  /** Numbers what waits, up to a limit. */
  number(db: Writer): Promise<void>
  /** Waits. `writer` is the connection that holds the lock. */
  wait(delayMs: number, writer: () => Writer | undefined, signal: AbortSignal): Promise<void>
}

export function createSubmissionWait({ store, clock }: { readonly store: Store; readonly clock: Clock }): SubmissionWait {
  let reported = new AbortController()

  async function number(db: Writer): Promise<void> {
    let batches = 0
    while (batches < BATCHES_MAX && (await recordSubmissions(db, clock.nowMs())) === BATCH) batches++
  }

  return {
    number,
    async listen() {
      return await store.listen(SUBMISSION_CHANNEL, () => reported.abort()).catch(() => async () => {})
    },
    async wait(delayMs, writer, signal) {
      const endMs = clock.elapsedMs() + delayMs
      while (!signal.aborted && clock.elapsedMs() < endMs) {
        await clock.sleep(endMs - clock.elapsedMs(), AbortSignal.any([signal, reported.signal]))
        if (!reported.signal.aborted) continue
        reported = new AbortController()
        const db = writer()
        // The next poll reports what is wrong with the database.
        if (db !== undefined && !signal.aborted) await number(db).catch(() => undefined)
      }
    },
  }
}
