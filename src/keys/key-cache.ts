// Caches keys for a short time. Keys in use are re-read in the background, and a revocation takes effect at its notification.

import { createCache } from '../base/cache.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createSemaphore } from '../base/semaphore.ts'
import type { KeyTier } from '../resources/api-key.ts'
import type { KeyRestrictions } from '../resources/key-restrictions.ts'
import type { Store } from '../store/store.ts'
import { createActiveKeyIds } from './active-ids.ts'
import { createBatchedLookup, LookupFailed, withinLookupTime } from '../base/batched-lookup.ts'
import { createKeyListener } from './key-listener.ts'
import { findKeys, updateLastUsed } from './records.ts'
import type { KeyRecord } from './records.ts'
import { createLastUsedTracker } from './last-used-tracker.ts'
import { networksOf } from './restrictions.ts'
import type { AllowedNetworks } from './restrictions.ts'

/** A key with one of its secrets. */
export interface KeyIdentity {
  readonly keyId: string
  readonly owner: string
  readonly tier: KeyTier
  readonly restrictions: KeyRestrictions
  /** The key that lent it; null: none. */
  readonly parent: string | null
  /** The number of secrets that this one follows. */
  readonly rotation: number
  /** The end of the secret, milliseconds. Null: it is the current one. */
  readonly secretUntil: number | null
}

export interface CachedKey {
  readonly identity: KeyIdentity
  /** SHA-256 of the secret: the bytes of its hex text. */
  readonly secretDigest: Uint8Array
  /** The same key with the secret before the last rotation; null: there was none. */
  readonly outgoing: { readonly identity: KeyIdentity; readonly secretDigest: Uint8Array } | null
  /** The networks that it may be used from; null: any. */
  readonly networks: AllowedNetworks | null
  readonly revoked: boolean
}

export interface KeyCache extends AsyncDisposable {
  /**
   * The key; undefined when it does not exist. Synchronous when the cache entry is current. Requests with unknown ids take turns by `address`, which is null
   * for a lookup of the gateway itself. Rejects with LookupFailed.
   */
  find(keyId: string, address: string | null): CachedKey | undefined | Promise<CachedKey | undefined>
  /** Reads the ids of all keys, and listens for changes. Resolves also when that fails: the first use tries again. */
  load(): Promise<void>
  /** Records a committed issue. */
  markIssued(keyId: string): void
  /** Records a successful authentication. */
  recordUse(keyId: string): void
  /** The last use in this process, in Unix milliseconds. The database may have an older time. */
  lastUsedAtMs(keyId: string): number | undefined
  /** Records a committed revocation. */
  markRevoked(keyId: string): void
  /** Forces a read before the key's next use. */
  invalidate(keyId: string): void
}

/** Size of the cache. When it is full, the entry with the oldest read is evicted. */
export const MAX_CACHED_KEYS = 10_000
/** Requests with unknown ids that share one read of the newest ids, and how many more wait for their turn. */
const CHECKS_MAX = 4_096
const CHECKS_WAITING_MAX = 1_024
/** Time for which an entry is valid without a new read. Keys in use are re-read every second, so this bounds the effect of a lost notification. */
export const KEY_TTL_MS = 3_000

interface Entry extends CachedKey {
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
  // Only peeked at: each read of an entry is a new `set`.
  const entries = createCache<string, Entry>(MAX_CACHED_KEYS)
  const ids = createActiveKeyIds({ db: store.lookups, clock })
  const checks = createSemaphore(CHECKS_MAX, CHECKS_WAITING_MAX)
  const changes = createKeyListener({ store, onIssued: ids.add, onRevoked: markRevoked, onRotated: invalidate, onDisconnected: invalidateAll })
  const lookUp = createBatchedLookup({ clock, find: readKeys })
  const lastUsed = createLastUsedTracker({ clock, log, write: writeLastUsed })

  function markRevoked(keyId: string): void {
    const entry = entries.peek(keyId)
    if (entry !== undefined) entry.revoked = true
  }

  function invalidate(keyId: string): void {
    const entry = entries.peek(keyId)
    if (entry !== undefined) entry.readAtMs = -Infinity
  }

  function invalidateAll(): void {
    for (const entry of entries.values()) entry.readAtMs = -Infinity
  }

  async function readKeys(keyIds: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    await changes.listen()
    const startedAtMs = clock.elapsedMs()
    const isUnchanged = changes.watch()
    const records = await findKeys(store.lookups, keyIds)
    const readAtMs = isUnchanged() ? startedAtMs : -Infinity
    const found = new Map(records.map((record) => [record.keyId, cacheRecord(record, readAtMs)]))
    for (const keyId of keyIds) if (!found.has(keyId)) entries.delete(keyId)
    return found
  }

  /** An id that is not known may have been issued by another instance a moment ago. One read of the newest ids serves all requests that wait for it. */
  async function findUnknown(keyId: string, address: string | null): Promise<Entry | undefined> {
    await withinLookupTime(clock, async (signal) => {
      try {
        const release = await checks.acquire(signal, address ?? undefined)
        await ids.refresh().finally(release)
      } catch (cause) {
        throw new LookupFailed('the ids of the newest keys cannot be read', { cause })
      }
    })
    return ids.has(keyId) ? await lookUp(keyId) : undefined
  }

  /** The same statement stores the last uses and re-reads the keys. Keys that are no longer in the table are removed from the cache. */
  async function writeLastUsed(lastUsedMs: ReadonlyMap<string, number>): Promise<void> {
    const startedAtMs = clock.elapsedMs()
    const isUnchanged = changes.watch()
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
    const revoked = record.revoked || entries.peek(record.keyId)?.revoked === true
    const { keyId, owner, tier, scopes, expiresAt, cidrs, caps, parent, rotation, previousSha256, previousUntil } = record
    const identity: KeyIdentity = { keyId, owner, tier, restrictions: { scopes, expiresAt, cidrs, caps }, parent, rotation, secretUntil: null }
    const outgoing = previousSha256 === null ? null
      : { identity: { ...identity, rotation: rotation - 1, secretUntil: previousUntil ?? 0 }, secretDigest: digestOf(previousSha256) }
    const entry: Entry = { identity, secretDigest: digestOf(record.secretSha256), outgoing, networks: networksOf({ cidrs }), revoked, readAtMs }
    entries.set(keyId, entry)
    return entry
  }

  return {
    find(keyId, address) {
      const entry = entries.peek(keyId)
      if (entry === undefined) return ids.has(keyId) ? lookUp(keyId) : findUnknown(keyId, address)
      return entry.revoked || clock.elapsedMs() - entry.readAtMs < KEY_TTL_MS ? entry : lookUp(keyId)
    },
    async load() {
      await changes.listen()
      await ids.refresh().catch((cause: unknown) => log.warn({ err: cause }, 'the ids of API keys cannot be read yet'))
    },
    markIssued: ids.add,
    recordUse: (keyId) => lastUsed.record(keyId),
    lastUsedAtMs: (keyId) => lastUsed.lastAtMs(keyId),
    markRevoked(keyId) {
      changes.notify()
      markRevoked(keyId)
    },
    invalidate(keyId) {
      changes.notify()
      invalidate(keyId)
    },
    async [Symbol.asyncDispose]() {
      await lastUsed[Symbol.asyncDispose]()
      await changes[Symbol.asyncDispose]()
    },
  }
}

/** The bytes of a hash's hex text. */
function digestOf(sha256: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(sha256).toString('hex'), 'latin1')
}
