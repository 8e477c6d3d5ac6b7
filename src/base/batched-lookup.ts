// Reads many rows with few statements: lookups during a statement share the next one.

import type { Clock } from './clock.ts'
import { withDeadline } from './deadline.ts'

/** Raised when something cannot be looked up, or not in time. */
export class LookupFailed extends Error {
  override readonly name = 'LookupFailed'
}

/** The maximum number of ids that wait for a statement. */
const LOOKUPS_MAX = 10_000
/** The maximum number of ids per statement. */
export const LOOKUP_BATCH = 500
/** Maximum wait of one lookup. A statement that takes longer no longer keeps the next one from starting. */
export const LOOKUP_TIMEOUT_MS = 1_000
/** Statements at the same time, all but one of them slow. */
const STATEMENTS_MAX = 2

export interface BatchedLookupOptions<Value> {
  readonly clock: Clock
  /** Finds the values of the ids that exist. */
  readonly find: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>
}

/** Looks up one id; undefined when it does not exist. The read starts after the call. Rejects with LookupFailed. */
export type LookUp<Value> = (id: string) => Promise<Value | undefined>

export function createBatchedLookup<Value>({ clock, find }: BatchedLookupOptions<Value>): LookUp<Value> {
  const waiting = new Map<string, PromiseWithResolvers<Value | undefined>>()
  let running = 0
  let slow = 0

  function startNext(): void {
    while (waiting.size > 0 && running === slow && running < STATEMENTS_MAX) void runBatch()
  }

  async function runBatch(): Promise<void> {
    running += 1
    let isSlow = false
    const batch = [...waiting].slice(0, LOOKUP_BATCH)
    for (const [id] of batch) waiting.delete(id)
    const timer = clock.setTimer(LOOKUP_TIMEOUT_MS, () => {
      isSlow = true
      slow += 1
      startNext()
    })
    try {
      const found = await find(batch.map(([id]) => id))
      for (const [id, waiter] of batch) waiter.resolve(found.get(id))
    } catch (cause) {
      const failure = new LookupFailed('the lookup failed', { cause })
      for (const [, waiter] of batch) waiter.reject(failure)
    }
    timer.cancel()
    running -= 1
    if (isSlow) slow -= 1
    startNext()
  }

  function enqueue(id: string): Promise<Value | undefined> {
    const queued = waiting.get(id)
    if (queued !== undefined) return queued.promise
    if (waiting.size >= LOOKUPS_MAX) return Promise.reject(new LookupFailed(`${LOOKUPS_MAX} lookups are queued already`))
    const waiter = Promise.withResolvers<Value | undefined>()
    // All who wait for it may have given up by the time it fails.
    waiter.promise.catch(() => {})
    waiting.set(id, waiter)
    startNext()
    return waiter.promise
  }

  return (id) => withinLookupTime(clock, () => enqueue(id))
}

/** Rejects with LookupFailed when `work` takes longer than a lookup may. */
export function withinLookupTime<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timeoutError = (): Error => new LookupFailed(`the lookup timed out after ${LOOKUP_TIMEOUT_MS} ms`)
  return withDeadline(clock, { limitMs: LOOKUP_TIMEOUT_MS, timeoutError }, work)
}
