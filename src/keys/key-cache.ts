// Caches keys for a short time. Keys in use are re-read in the background, and a revocation takes effect at its notification.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { KeyTier } from '../resources/api-key.ts'
import type { Queryable, Store } from '../store/store.ts'
import { createRevocationListener } from './revocation-listener.ts'
import { createBatchedLookup } from './batched-lookup.ts'
import type { QueueClient } from './fair-queue.ts'
import { findKeys, updateLastUsed } from './records.ts'
import type { KeyRecord } from './records.ts'
import { createLastUsedTracker } from './last-used-tracker.ts'

export interface KeyIdentity {
  readonly keyId: string
  readonly owner: string
  readonly tier: KeyTier
}

export interface CachedKey {
  readonly identity: KeyIdentity
  /** SHA-256 of the secret: the bytes of its hex text. */
  readonly secretDigest: Uint8Array
  readonly revoked: boolean
}

export interface KeyCache extends AsyncDisposable {
  /**
   * The key; undefined when it does not exist. Synchronous when the cache entry is current. Clients share the lookups of ids that are not cached; `client` is
   * null for a lookup of the gateway itself. Rejects with KeysUnavailable.
   */
  find(keyId: string, client: QueueClient | null): CachedKey | undefined | Promise<CachedKey | undefined>
  /** Records a successful authentication. */
  recordUse(keyId: string): void
  /** The last use in this process, in Unix milliseconds. The database may have an older time. */
  lastUsedAtMs(keyId: string): number | undefined
  /** Records a committed revocation. */
  markRevoked(keyId: string): void
  /** Forces a read before the key's next use. */
  invalidate(keyId: string): void
}

/** When full, the entry with the oldest read is evicted. */
export const MAX_CACHED_KEYS = 10_000
/** Unknown ids are cached too, so that a client with a wrong id does not cause a read per request. */
const MAX_CACHED_MISSES = 10_000
export const MISS_TTL_MS = 2_000
/** How long an entry is valid without a new read. Keys in use are re-read every second, so this bounds the effect of a lost notification. */
export const KEY_TTL_MS = 3_000

interface Entry {
  identity: KeyIdentity
  secretDigest: Uint8Array
  /** Never reset: revocations are final. */
  revoked: boolean
  /** The start of the read; -Infinity when the entry is invalid. */
  readAtMs: number
}

export interface KeyCacheOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

export function createKeyCache({ store, clock, log }: KeyCacheOptions): KeyCache {
  // Reads from the primary: a replica may not have a revocation yet. The embedded engine has no replica.
  const db: Queryable = store.engine === 'embedded' ? store.read : store.write
  const entries = new Map<string, Entry>()
  const missUntilMs = new Map<string, number>()
  const revocations = createRevocationListener({ store, onRevoked: markRevoked, onDisconnected: invalidateAll })
  const lookUp = createBatchedLookup({ clock, find: readKeys })
  const lastUsed = createLastUsedTracker({ clock, log, write: writeLastUsed })

  function markRevoked(keyId: string): void {
    const entry = entries.get(keyId)
    if (entry !== undefined) entry.revoked = true
  }

  function invalidateAll(): void {
    for (const entry of entries.values()) entry.readAtMs = -Infinity
  }

  async function readKeys(keyIds: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    await revocations.listen()
    const startedAtMs = clock.elapsedMs()
    const isUnchanged = revocations.watch()
    const records = await findKeys(db, keyIds)
    const readAtMs = isUnchanged() ? startedAtMs : -Infinity
    const found = new Map(records.map((record) => [record.keyId, cacheRecord(record, readAtMs)]))
    for (const keyId of keyIds) {
      if (!found.has(keyId)) setBounded(missUntilMs, MAX_CACHED_MISSES, keyId, startedAtMs + MISS_TTL_MS)
    }
    return found
  }

  /** The same statement stores the last uses and re-reads the keys. Keys that are no longer in the table are removed from the cache. */
  async function writeLastUsed(lastUsedMs: ReadonlyMap<string, number>): Promise<void> {
    const startedAtMs = clock.elapsedMs()
    const isUnchanged = revocations.watch()
    const records = await updateLastUsed(store.write, lastUsedMs)
    const missing = new Set(lastUsedMs.keys())
    const readAtMs = isUnchanged() ? startedAtMs : -Infinity
    for (const record of records) {
      cacheRecord(record, readAtMs)
      missing.delete(record.keyId)
    }
    for (const keyId of missing) entries.delete(keyId)
  }

  /** A revocation received during the read is newer than the record. */
  function cacheRecord(record: KeyRecord, readAtMs: number): Entry {
    const revoked = record.revoked || entries.get(record.keyId)?.revoked === true
    const { keyId, owner, tier } = record
    const secretDigest = Buffer.from(Buffer.from(record.secretSha256).toString('hex'), 'latin1')
    const entry: Entry = { identity: { keyId, owner, tier }, secretDigest, revoked, readAtMs }
    setBounded(entries, MAX_CACHED_KEYS, keyId, entry)
    return entry
  }

  return {
    find(keyId, client) {
      const entry = entries.get(keyId)
      const nowMs = clock.elapsedMs()
      if (entry === undefined) return nowMs < (missUntilMs.get(keyId) ?? -Infinity) ? undefined : lookUp(keyId, client)
      const ageMs = nowMs - entry.readAtMs
      return entry.revoked || ageMs < KEY_TTL_MS ? entry : lookUp(keyId, null)
    },
    recordUse: (keyId) => lastUsed.record(keyId),
    lastUsedAtMs: (keyId) => lastUsed.lastAtMs(keyId),
    markRevoked(keyId) {
      revocations.notify()
      markRevoked(keyId)
    },
    invalidate(keyId) {
      revocations.notify()
      const entry = entries.get(keyId)
      if (entry !== undefined) entry.readAtMs = -Infinity
    },
    async [Symbol.asyncDispose]() {
      await lastUsed[Symbol.asyncDispose]()
      await revocations[Symbol.asyncDispose]()
    },
  }
}

/** Sets an entry of a map with at most `max` entries; the oldest is evicted. */
function setBounded<Value>(map: Map<string, Value>, max: number, key: string, value: Value): void {
  map.delete(key)
  const oldest = map.keys().next()
  if (map.size >= max && oldest.done !== true) map.delete(oldest.value)
  map.set(key, value)
}
