// Keeps what is costly to compute for a while, and computes it once for all who ask meanwhile.

import type { Clock } from './clock.ts'

export interface TtlCache<Value> {
  /** The kept value, at once; or the promise of a new one, shared by everyone who asks before it is there. A failure is not kept. */
  get(key: string, compute: () => Promise<Value>): Value | Promise<Value>
  /** Drops a kept value, so that the next one who asks has it computed anew. */
  delete(key: string): void
}

export interface TtlCacheOptions {
  readonly clock: Clock
  readonly ttlMs: number
  /** So many keys at most; the oldest goes first. */
  readonly maxEntries: number
}

export function createTtlCache<Value extends object>(options: TtlCacheOptions): TtlCache<Value> {
  const { clock, ttlMs, maxEntries } = options
  const kept = new Map<string, { readonly value: Value; readonly untilMs: number }>()
  const underway = new Map<string, Promise<Value>>()

  function keep(key: string, value: Value): void {
    kept.delete(key)
    const oldest = kept.keys().next()
    if (kept.size >= maxEntries && oldest.done !== true) kept.delete(oldest.value)
    kept.set(key, { value, untilMs: clock.elapsedMs() + ttlMs })
  }

  return {
    get(key, compute) {
      const entry = kept.get(key)
      if (entry !== undefined && clock.elapsedMs() < entry.untilMs) return entry.value
      const running = underway.get(key)
      if (running !== undefined) return running
      const started = compute()
        .then((value) => {
          keep(key, value)
          return value
        })
        .finally(() => underway.delete(key))
      underway.set(key, started)
      return started
    },
    delete(key) {
      kept.delete(key)
    },
  }
}
