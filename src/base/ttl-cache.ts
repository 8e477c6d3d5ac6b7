// Caches values that are costly to compute for a limited time. Concurrent callers share one computation.

import type { Clock } from './clock.ts'

export interface TtlCache<Value> {
  /** Returns the cached value, or the promise of a new one, which concurrent callers share. Failures are not cached. */
  get(key: string, compute: () => Promise<Value>): Value | Promise<Value>
  /** Removes a value, so that the next `get` computes it again. */
  delete(key: string): void
}

export interface TtlCacheOptions {
  readonly clock: Clock
  readonly ttlMs: number
  /** Size of the cache. When it is full, the oldest entry is evicted. */
  readonly maxEntries: number
}

export function createTtlCache<Value extends object>(options: TtlCacheOptions): TtlCache<Value> {
  const { clock, ttlMs, maxEntries } = options
  const entries = new Map<string, { readonly value: Value; readonly expiresAtMs: number }>()
  const inFlight = new Map<string, Promise<Value>>()

  function store(key: string, value: Value): void {
    entries.delete(key)
    const oldest = entries.keys().next()
    if (entries.size >= maxEntries && oldest.done !== true) entries.delete(oldest.value)
    entries.set(key, { value, expiresAtMs: clock.elapsedMs() + ttlMs })
  }

  return {
    get(key, compute) {
      const entry = entries.get(key)
      if (entry !== undefined && clock.elapsedMs() < entry.expiresAtMs) return entry.value
      const running = inFlight.get(key)
      if (running !== undefined) return running
      const started = compute()
        .then((value) => {
          store(key, value)
          return value
        })
        .finally(() => inFlight.delete(key))
      inFlight.set(key, started)
      return started
    },
    delete(key) {
      entries.delete(key)
    },
  }
}
