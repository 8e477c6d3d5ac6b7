// A bound on reads that consist of several calls.

import type { Clock } from '../base/clock.ts'
import { RpcFailure } from './failure.ts'

/** Runs the work with a signal that aborts after `limitMs` with an RpcFailure of kind `timeout` in the name of `method`. */
export async function withTimeout<T>(
  clock: Clock,
  { limitMs, method }: { readonly limitMs: number; readonly method: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const failure = new RpcFailure({ method, kind: 'timeout', retryable: true })
  const limit = new AbortController()
  const timer = clock.setTimer(limitMs, () => limit.abort(failure))
  try {
    return await work(limit.signal)
  } finally {
    timer.cancel()
  }
}
