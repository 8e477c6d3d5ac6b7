// Logs what could not be stored or checked while the database is not available: the first of each kind in a minute, and the number of the others.

import type { Clock } from '../base/clock.ts'
import { createFailureLog } from '../base/failure-log.ts'
import type { Log } from '../base/log.ts'
import { TooManyWaiting } from '../base/semaphore.ts'
import { isUnanswered } from '../store/store.ts'

/** The step that was not done. */
type StoreFailure = 'preparation_not_stored' | 'client_id_not_checked' | 'submission_not_stored' | 'outcome_not_stored'

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
