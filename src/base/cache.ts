// Maps of bounded size (docs/decisions/lru-cache.md).

import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'

export type Cache<Key extends {}, Value extends {}> = LRUCache<Key, Value>

/** Entries disappear this long after they were set. */
export interface Expiry {
  readonly clock: Clock
  readonly ttlMs: number
}

/**
 * A map whose least recently used entry is evicted beyond `maxEntries`. `get` and `set` are uses, `peek` and `has` are not: a map that is only peeked at evicts
 * what was set first.
 */
export function createCache<Key extends {}, Value extends {}>(maxEntries: number, expiry?: Expiry): Cache<Key, Value> {
  return new LRUCache({ max: maxEntries, ...(expiry === undefined ? {} : expiryOptions(expiry)) })
}

/**
 * The library's options for an expiry. It would otherwise cache the time with a timer of its own, take a start at 0 for none, and return an entry that is
 * exactly `ttlMs` old.
 */
export function expiryOptions({ clock, ttlMs }: Expiry) {
  return { ttl: Math.max(1, ttlMs - 1), ttlResolution: 0, perf: { now: () => clock.elapsedMs() || Number.MIN_VALUE } }
}
