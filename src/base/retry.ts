// Repeats what failed, with pauses that grow.

import type { Clock } from './clock.ts'

/** The shortest and the longest pause. */
export interface Backoff {
  readonly min: number
  readonly max: number
}

/** The pause after this many failures in a row, in the unit of its bounds: the shortest, doubled with each further failure. */
export function backoff({ min, max }: Backoff, failures: number): number {
  return Math.min(max, min * 2 ** (failures - 1))
}

export interface RetryOptions {
  readonly clock: Clock
  readonly pauseMs: Backoff
  readonly signal: AbortSignal
  /** Failures before the first attempt, which then waits like the others. */
  readonly failures?: number
  /** False when the work is not repeated. `failures` includes this one. Without it, the work is repeated until it succeeds. */
  readonly mayRetry?: (error: unknown, failures: number) => boolean
}

/** Repeats `work` until it succeeds. Rejects with an error that is not retried, and with the signal's reason. */
export async function retry<T>({ clock, pauseMs, signal, failures = 0, mayRetry }: RetryOptions, work: () => Promise<T>): Promise<T> {
  for (let failed = failures; ;) {
    if (failed > 0) await clock.sleep(backoff(pauseMs, failed), signal)
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      failed += 1
      if (mayRetry?.(error, failed) === false) throw error
    }
  }
}
