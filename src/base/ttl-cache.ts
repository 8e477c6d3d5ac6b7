// Caches values that are costly to compute for a limited time. Concurrent callers share one computation.

import { LRUCache } from 'lru-cache'
import { expiryOptions } from './cache.ts'
import type { Expiry } from './cache.ts'

export interface TtlCache<Value> {
  /** Returns the cached value, or the promise of a new one, which concurrent callers share. Failures are not cached. */
  get(key: string, compute: () => Promise<Value>): Value | Promise<Value>
  /** Removes a value, so that the next `get` computes it again. A computation in progress continues. */
  delete(key: string): void
}

/** Creates a cache of at most `maxEntries` values; the least recently used is evicted. */
export function createTtlCache<Value extends object>({ maxEntries, ...expiry }: Expiry & { readonly maxEntries: number }): TtlCache<Value> {
  const cache = new LRUCache<string, Value, () => Promise<Value>>({
    max: maxEntries,
    ...expiryOptions(expiry),
    fetchMethod: (_key, _previous, { context: compute }) => compute(),
    // A caller gets its value also if the entry is evicted before it is computed.
    ignoreFetchAbort: true,
  })
  return {
    get: (key, compute) => cache.get(key) ?? cache.forceFetch(key, { context: compute }),
    delete(key) {
      if (cache.peek(key) !== undefined) cache.delete(key)
    },
  }
}
