// A slow database must not delay what does not need it.

import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { StatementTimeout } from '../store/store.ts'

/** Time for which a request waits for the database to store what the response does not depend on. */
const STORE_TIMEOUT_MS = 1_000

/** The result of `work`. Rejects with StatementTimeout after STORE_TIMEOUT_MS; the work continues. */
export function withStoreTimeout<T>(clock: Clock, work: Promise<T>): Promise<T> {
  const timeoutError = (): Error => new StatementTimeout('the database did not respond in time')
  return withDeadline(clock, { limitMs: STORE_TIMEOUT_MS, timeoutError }, () => work)
}
