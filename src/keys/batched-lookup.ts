// Reads many keys with few statements: lookups during a statement share the next one. A flood of unknown key ids therefore uses one connection at a time.

import type { Clock } from '../base/clock.ts'

/** Raised when a lookup fails or takes too long. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/** The maximum number of ids queued for the next statements; further lookups fail. */
export const MAX_QUEUED_LOOKUPS = 2_000
/** The maximum number of ids per statement. */
export const LOOKUP_BATCH = 500
/** When a statement takes longer, all waiting lookups fail, and so do new ones until it ends. */
export const LOOKUP_TIMEOUT_MS = 1_000

interface Waiter<Value> {
  readonly promise: Promise<Value | undefined>
  resolve(value: Value | undefined): void
  reject(error: Error): void
}

export interface BatchedLookupOptions<Value> {
  readonly clock: Clock
  /** Finds the values of the ids that exist. Calls do not overlap. */
  readonly find: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>
}

/** Creates a function that looks up one id; undefined when it does not exist. The read starts after the call. Rejects with KeysUnavailable. */
export function createBatchedLookup<Value>(options: BatchedLookupOptions<Value>): (id: string) => Promise<Value | undefined> {
  const { clock, find } = options
  const queued = new Map<string, Waiter<Value>>()
  let running = false
  let overdue = false

  async function run(): Promise<void> {
    running = true
    while (queued.size > 0) await runBatch()
    running = false
  }

  async function runBatch(): Promise<void> {
    const batch = takeBatch()
    const timer = clock.setTimer(LOOKUP_TIMEOUT_MS, () => {
      overdue = true
      const timeout = new KeysUnavailable(`the key lookup timed out after ${LOOKUP_TIMEOUT_MS} ms`)
      for (const waiter of [...batch.values(), ...queued.values()]) waiter.reject(timeout)
      queued.clear()
    })
    try {
      const found = await find([...batch.keys()])
      for (const [id, waiter] of batch) waiter.resolve(found.get(id))
    } catch (cause) {
      const failure = new KeysUnavailable('the key lookup failed', { cause })
      for (const waiter of batch.values()) waiter.reject(failure)
    }
    timer.cancel()
    overdue = false
  }

  function takeBatch(): Map<string, Waiter<Value>> {
    const batch = new Map<string, Waiter<Value>>()
    for (const [id, waiter] of queued) {
      if (batch.size === LOOKUP_BATCH) break
      batch.set(id, waiter)
      queued.delete(id)
    }
    return batch
  }

  return (id) => {
    if (overdue) return Promise.reject(new KeysUnavailable('an earlier key lookup timed out and is still running'))
    let waiter = queued.get(id)
    if (waiter === undefined) {
      if (queued.size >= MAX_QUEUED_LOOKUPS) return Promise.reject(new KeysUnavailable(`${MAX_QUEUED_LOOKUPS} key lookups are already queued`))
      waiter = Promise.withResolvers<Value | undefined>()
      queued.set(id, waiter)
      if (!running) void run()
    }
    return waiter.promise
  }
}
