// A slow database must not delay what does not need it.

import type { Clock } from '../base/clock.ts'
import { StatementTimeout } from '../store/store.ts'

/** Time for which a request waits for the database to store what the response does not depend on. */
const STORE_TIMEOUT_MS = 1_000

/** The result of `work`. Rejects with StatementTimeout after STORE_TIMEOUT_MS; the work continues. */
export async function withStoreTimeout<T>(clock: Clock, work: Promise<T>): Promise<T> {
  const done = new AbortController()
  const timedOut = clock.sleep(STORE_TIMEOUT_MS, done.signal).then((): never => {
    throw new StatementTimeout('the database did not respond in time')
  })
  // The one that loses may reject when nothing awaits it.
  work.catch(() => {})
  timedOut.catch(() => {})
  try {
    return await Promise.race([work, timedOut])
  } finally {
    done.abort()
  }
}
