// How requests write to the database: in turns, for a limited time, and with a log of what could not be stored or checked while it is not available.

import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { createFailureLog } from '../base/failure-log.ts'
import type { Requester } from '../base/fair-share.ts'
import type { Log } from '../base/log.ts'
import { createSemaphore, TooManyWaiting } from '../base/semaphore.ts'
import { isUnanswered, StatementTimeout } from '../store/store.ts'
import type { Store } from '../store/store.ts'

/** The step that was not done. */
type StoreFailure = 'preparation_not_stored' | 'client_id_not_checked' | 'submission_not_stored' | 'outcome_not_stored'

/** Logs the first failure of each kind in a minute, and the number of the others. */
export interface StoreFailures extends Disposable {
  /** `hash`: of the transaction, if there is one. */
  record(failure: StoreFailure, error: unknown, hash?: string): void
}

/** True when the database, or a turn to write to it, is not available now: what was to be stored is correct. */
export function isUnavailable(error: unknown): boolean {
  return isUnanswered(error) || error instanceof TooManyWaiting
}

export function createStoreFailures({ clock, log }: { readonly clock: Clock; readonly log: Log }): StoreFailures {
  const failures = createFailureLog({ clock, log, level: 'warn', individually: 1, message: 'the database did not take what belongs to a transaction' })
  return {
    record: (failure, error, hash) => failures.record(failure, () => ({ err: error, ...(hash === undefined ? {} : { hash }) })),
    [Symbol.dispose]: () => failures[Symbol.dispose](),
  }
}

/** Time for which a request waits for the database to store what the response does not depend on: a slow database must not delay it. */
const STORE_TIMEOUT_MS = 1_000

/** The result of `work`. Rejects with StatementTimeout after STORE_TIMEOUT_MS; the work continues. */
export function withStoreTimeout<T>(clock: Clock, work: Promise<T>): Promise<T> {
  const timeoutError = (): Error => new StatementTimeout('the database did not respond in time')
  return withDeadline(clock, { limitMs: STORE_TIMEOUT_MS, timeoutError }, () => work)
}

/** The turns of the writes of submissions. They have fewer permits than the database, so that the other writes never wait for more than a few of them. */
export interface WriteTurns {
  /**
   * Runs a write in the turn of its caller: callers take turns by address and, at one address, by owner. Resolves when the turn has come. Rejects with
   * TooManyWaiting when too many writes go first, and with StatementTimeout when the database completes none.
   */
  begin<T>(caller: WriteCaller, write: () => Promise<T>): Promise<{ readonly result: Promise<T> }>
}

export interface WriteCaller extends Pick<Requester, 'address'> {
  readonly owner: string
}

/** An engine with one connection has one, so that reads and other writes come between two of them. A server has four connections for writes. */
const PERMITS = { embedded: 1, server: 2 } as const
const WAITING_MAX = 2_000
/** Time for which a write waits for its turn. */
const WAIT_MS = 10_000
/** The database does not respond when no write ends for this long. */
const STALLED_MS = 1_000

export function createWriteTurns({ engine }: Pick<Store, 'engine'>, clock: Clock): WriteTurns {
  const permits = createSemaphore(PERMITS[engine], WAITING_MAX)
  let ended = 0

  /** Rejects when waiting longer would not help. */
  async function watch(signal: AbortSignal): Promise<never> {
    for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += STALLED_MS) {
      const endedBefore = ended
      await clock.sleep(STALLED_MS, signal)
      if (ended === endedBefore) throw new StatementTimeout('no write of a submission has ended for too long')
    }
    throw new TooManyWaiting('other writes of submissions went first for too long', false)
  }

  async function acquire({ address, owner }: WriteCaller): Promise<() => void> {
    const over = new AbortController()
    try {
      return await Promise.race([permits.acquire(over.signal, { address, owner }), watch(over.signal)])
    } finally {
      over.abort()
    }
  }

  return {
    async begin(caller, write) {
      const release = await acquire(caller)
      const result = write().finally(() => {
        ended += 1
        release()
      })
      return { result }
    },
  }
}
