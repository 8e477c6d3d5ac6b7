// The client's one clock and its one source of chance. A caller may give others, so that a test need not wait.

import { platform } from './platform.ts'

/** Time, as the client needs it. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Runs something later; the function that it returns takes that back. */
  later(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  later(ms, run) {
    const timer = platform.setTimeout(run, ms)
    return () => platform.clearTimeout(timer)
  },
}

/** Resolves after `ms`; rejects with the signal's reason when that comes first. */
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

/** How long to wait before the next try, milliseconds: anything up to a limit that doubles, so that many clients do not come back together. */
export function backoffMs(failures: number, how: { readonly firstMs: number; readonly mostMs: number }): number {
  return Math.random() * Math.min(how.mostMs, how.firstMs * 2 ** Math.max(0, failures - 1))
}

/** A name for a request, to be found in the gateway's log: 24 hex characters. */
export function createRequestId(): string {
  return Array.from({ length: 12 }, () => Math.floor(Math.random() * 256).toString(16).padStart(2, '0')).join('')
}
