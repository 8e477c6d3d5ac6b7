// The client's clock and its randomness. Callers can pass another clock, so that tests need not wait.

import { platform } from './platform.ts'

/** A source of time. */
export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number
  /** Calls `run` after `ms`. Returns a function that cancels the call. */
  later(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  later(ms, run) {
    const timer = platform.setTimeout(run, ms)
    return () => platform.clearTimeout(timer)
  },
}

/** Resolves after `ms`, or rejects with the signal's reason when the signal aborts first. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error)
      return
    }
    const stop = (): void => {
      cancel()
      reject(signal?.reason as Error)
    }
    const cancel = clock.later(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The delay before the next attempt: random below a limit that doubles, so that many clients do not retry at the same moment. */
export function backoffMs(failures: number, { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number }): number {
  return Math.random() * Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1))
}

/** A random number from 0 to 1, exclusive. */
export function randomFraction(): number {
  return Math.random()
}

/** An id for a request, by which it is found in the gateway's log: 24 hex characters. */
export function createRequestId(): string {
  return Array.from({ length: 12 }, () => Math.floor(Math.random() * 256).toString(16).padStart(2, '0')).join('')
}
