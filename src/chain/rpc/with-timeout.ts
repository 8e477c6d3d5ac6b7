// A time limit on reads that take several calls.

import type { Clock } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import { RpcFailure } from './failure.ts'

/** Runs the work with a signal that aborts after `limitMs`, and then rejects with an RpcFailure of kind `timeout` that names `method`. */
export function withTimeout<T>(
  clock: Clock,
  { limitMs, method, signal }: { readonly limitMs: number; readonly method: string; readonly signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withDeadline(clock, { limitMs, timeoutError: () => new RpcFailure({ method, kind: 'timeout', retryable: true }), signal }, work)
}
