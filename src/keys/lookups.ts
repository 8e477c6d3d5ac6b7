// Reads many keys with few statements: whoever asks while a statement is under way shares the next one. A flood of unknown key ids therefore costs one
// connection at a time, however large it is.

import type { Clock } from '../base/clock.ts'

/** Raised when it cannot be told in time whether a key exists. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

/** So many ids wait for the next statement; whoever comes then is told that the answer is unknown. */
export const MAX_WAITING_LOOKUPS = 2_000
/** So many ids go into one statement. */
export const LOOKUP_BATCH = 500
/** A statement that takes longer leaves everyone who waits without an answer, and so does it later comers until it has ended. */
export const LOOKUP_WAIT_MS = 1_000

interface Waiter<Value> {
  readonly promise: Promise<Value | undefined>
  resolve(value: Value | undefined): void
  reject(error: Error): void
}

export interface LookupsOptions<Value> {
  readonly clock: Clock
  /** Finds those of the ids that exist. Called again only after it has settled. */
  readonly find: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>
}

/**
 * Builds the function that looks up one id: its value, or undefined when it does not exist. Rejects with KeysUnavailable. The statement that answers
 * begins after the question was asked.
 */
export function createLookups<Value>(options: LookupsOptions<Value>): (id: string) => Promise<Value | undefined> {
  const { clock, find } = options
  const waiting = new Map<string, Waiter<Value>>()
  let running = false
  let overdue = false

  async function run(): Promise<void> {
    running = true
    while (waiting.size > 0) await answerSome()
    running = false
  }

  async function answerSome(): Promise<void> {
    const batch = takeBatch()
    const timer = clock.setTimer(LOOKUP_WAIT_MS, () => {
      overdue = true
      const late = new KeysUnavailable(`looking up keys takes longer than ${LOOKUP_WAIT_MS} ms`)
      for (const waiter of [...batch.values(), ...waiting.values()]) waiter.reject(late)
      waiting.clear()
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
    for (const [id, waiter] of waiting) {
      if (batch.size === LOOKUP_BATCH) break
      batch.set(id, waiter)
      waiting.delete(id)
    }
    return batch
  }

  return (id) => {
    if (overdue) return Promise.reject(new KeysUnavailable('an earlier look at the keys has not ended'))
    let waiter = waiting.get(id)
    if (waiter === undefined) {
      if (waiting.size >= MAX_WAITING_LOOKUPS) return Promise.reject(new KeysUnavailable(`${MAX_WAITING_LOOKUPS} lookups are waiting already`))
      waiter = Promise.withResolvers<Value | undefined>()
      waiting.set(id, waiter)
      if (!running) void run()
    }
    return waiter.promise
  }
}
