// When content is read again. Pure.

/** A reading as it is now. */
export interface ReadingState {
  /** When it was read last; null if it never was. */
  readonly readMs: number | null
  /** Why the last read failed; null if it did not. */
  readonly problem: { readonly retryMs: number; readonly isUnreachable: boolean } | null
  /** The connection has returned since. */
  readonly isFromBefore: boolean
  readonly isLive: boolean
  /** Events report its changes, and the log has moved on. */
  readonly isOutdated: boolean
  /** Parts of it were not known yet. No event reports them. */
  readonly isIncomplete: boolean
}

export const READ_EVERY_MS = 15_000

/** True if the content is to be read again now. */
export function isDue({ readMs, problem, isFromBefore, isLive, isOutdated, isIncomplete }: ReadingState, now: number): boolean {
  if (problem !== null) return now >= problem.retryMs || (problem.isUnreachable && isFromBefore)
  if (readMs === null || !isLive) return false
  return isFromBefore || (now - readMs >= READ_EVERY_MS && (isOutdated || isIncomplete))
}
