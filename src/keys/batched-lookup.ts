// Reads many keys with few statements: whoever asks while a statement is under way shares the next one. A flood of unknown key ids therefore costs one
// connection at a time, however large it is.

import type { Clock } from '../base/clock.ts'

/** Raised when it cannot be told in time whether a key exists. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/** So many ids wait for the next statement; whoever comes then is told that the answer is unknown. */
export const MAX_QUEUED_LOOKUPS = 2_000
/** So many ids go into one statement. */
export const LOOKUP_BATCH = 500
/** A statement that takes longer leaves everyone who waits without an answer, and so does it later comers until it has ended. */
export const LOOKUP_TIMEOUT_MS = 1_000

interface Waiter<Value> {
  readonly promise: Promise<Value | undefined>
  resolve(value: Value | undefined): void
  reject(error: Error): void
}

export interface BatchedLookupOptions<Value> {
  readonly clock: Clock
  /** Finds those of the ids that exist. Called again only after it has settled. */
  readonly find: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>
}

/**
 * Builds the function that looks up one id: its value, or undefined when it does not exist. Rejects with KeysUnavailable. The statement that answers
 * begins after the question was asked.
 */
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
      const late = new KeysUnavailable(`looking up keys takes longer than ${LOOKUP_TIMEOUT_MS} ms`)
      for (const waiter of [...batch.values(), ...queued.values()]) waiter.reject(late)
      queued.clear()
    })
    try {
      const found = await find([...batch.keys()])
      for (const [id, waiter] of batch) waiter.resolve(found.get(id))
    } catch (cause) {
      const failure = new KeysUnavailable('keys cannot be looked up', { cause })
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
    if (overdue) return Promise.reject(new KeysUnavailable('an earlier look at the keys has not ended'))
    let waiter = queued.get(id)
    if (waiter === undefined) {
      if (queued.size >= MAX_QUEUED_LOOKUPS) return Promise.reject(new KeysUnavailable(`${MAX_QUEUED_LOOKUPS} lookups are waiting already`))
      waiter = Promise.withResolvers<Value | undefined>()
      queued.set(id, waiter)
      if (!running) void run()
    }
    return waiter.promise
  }
}
