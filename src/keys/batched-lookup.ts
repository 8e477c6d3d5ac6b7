// Reads many keys with few statements: lookups during a statement share the next one. A flood of unknown key ids therefore uses one connection at a time, and
// clients share the statements fairly.

import type { Clock } from '../base/clock.ts'
import { createFairQueue } from './fair-queue.ts'
import type { QueueClient } from './fair-queue.ts'

/** Raised when a lookup fails, takes too long, or exceeds the share of its client. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/** The maximum number of queued lookups of ids that may not exist: as many as connections. */
export const MAX_QUEUED_LOOKUPS = 8_192
/** The same per client. Since clients take turns, it bounds how long a client's own requests wait, not those of others. */
export const MAX_QUEUED_LOOKUPS_PER_CLIENT = 2_048
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

/**
 * Looks up one id; undefined when it does not exist. The read starts after the call. `client` is null for an id that is known to exist: those come first, and
 * the caller bounds their number. Rejects with KeysUnavailable.
 */
export type LookUp<Value> = (id: string, client: QueueClient | null) => Promise<Value | undefined>

export function createBatchedLookup<Value>(options: BatchedLookupOptions<Value>): LookUp<Value> {
  const { clock, find } = options
  const known = new Map<string, Waiter<Value>>()
  const unknown = createFairQueue<Waiter<Value>>({
    maxItems: MAX_QUEUED_LOOKUPS,
    maxPerClient: MAX_QUEUED_LOOKUPS_PER_CLIENT,
    onDropped: (waiter) => waiter.reject(new KeysUnavailable('too many key lookups are queued from this network address')),
  })
  let running = false
  let overdue = false

  async function run(): Promise<void> {
    running = true
    while (known.size + unknown.size() > 0) await runBatch()
    running = false
  }

  async function runBatch(): Promise<void> {
    const batch = takeBatch()
    const timer = clock.setTimer(LOOKUP_TIMEOUT_MS, () => {
      overdue = true
      const timeout = new KeysUnavailable(`the key lookup timed out after ${LOOKUP_TIMEOUT_MS} ms`)
      for (const [, waiter] of [...batch, ...known, ...unknown.take(MAX_QUEUED_LOOKUPS)]) waiter.reject(timeout)
      known.clear()
    })
    try {
      const found = await find([...new Set(batch.map(([id]) => id))])
      for (const [id, waiter] of batch) waiter.resolve(found.get(id))
    } catch (cause) {
      const failure = new KeysUnavailable('the key lookup failed', { cause })
      for (const [, waiter] of batch) waiter.reject(failure)
    }
    timer.cancel()
    overdue = false
  }

  /** Half of a batch is for unknown ids if there are enough of them. */
  function takeBatch(): (readonly [id: string, waiter: Waiter<Value>])[] {
    const batch = [...known].slice(0, LOOKUP_BATCH - Math.min(unknown.size(), LOOKUP_BATCH / 2))
    for (const [id] of batch) known.delete(id)
    return [...batch, ...unknown.take(LOOKUP_BATCH - batch.length)]
  }

  return (id, client) => {
    if (overdue) return Promise.reject(new KeysUnavailable('an earlier key lookup timed out and is still running'))
    const queued = known.get(id) ?? (client === null ? undefined : unknown.get(client, id))
    if (queued !== undefined) return queued.promise
    const waiter = Promise.withResolvers<Value | undefined>()
    if (client === null) known.set(id, waiter)
    else unknown.add(client, id, waiter)
    if (!running) void run()
    return waiter.promise
  }
}
