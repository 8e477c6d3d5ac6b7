// Time limits on asynchronous work.

import type { Clock } from './clock.ts'

/**
 * Runs the work with a signal that aborts after `limitMs`, or when `signal` aborts. Rejects with `timeoutError` at the limit, even when the work ignores its
 * signal.
 */
export async function withDeadline<T>(
  clock: Clock,
  { limitMs, timeoutError, signal }: { readonly limitMs: number; readonly timeoutError: () => Error; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const expired = Promise.withResolvers<never>()
  const timer = clock.setTimer(limitMs, () => {
    const error = timeoutError()
    // First, so that what the work rejects with when it is aborted does not win.
    expired.reject(error)
    limit.abort(error)
  })
  try {
    return await Promise.race([work(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal])), expired.promise])
  } finally {
    timer.cancel()
  }
}

/** The result of `work`; undefined when it takes longer than `limitMs` or `signal` aborts first. The work continues. */
export async function waitAtMost<T>(clock: Clock, limitMs: number, work: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  const over = new AbortController()
  const ends = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
  try {
    return await Promise.race([work, clock.sleep(limitMs, ends).then(() => undefined)])
  } finally {
    over.abort()
  }
}
