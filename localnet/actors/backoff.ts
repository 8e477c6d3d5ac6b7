const MIN_BACKOFF_SEC = 5
const MAX_BACKOFF_SEC = 300

/** The delay after a failure: doubles with each earlier failure in a row. */
export function backoffSec(earlierFailures: number): number {
  return Math.min(MAX_BACKOFF_SEC, MIN_BACKOFF_SEC * 2 ** earlierFailures)
}
