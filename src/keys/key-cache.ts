// Keys as this process knows them: read once, trusted for a short while, read again as long as they are used, and forgotten at once when their revocation
// is told.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { KeyTier } from '../resources/api-key.ts'
import type { Queryable, Store } from '../store/store.ts'
import { createRevocationListener } from './revocation-listener.ts'
import { createBatchedLookup } from './batched-lookup.ts'
import { findKeys, updateLastUsed } from './records.ts'
import type { KeyRecord } from './records.ts'
import { createLastUsedTracker } from './last-used-tracker.ts'

/** Whose key it is. */
export interface KeyIdentity {
  readonly keyId: string
  readonly owner: string
  readonly tier: KeyTier
}

/** A key as it was read last. */
export interface CachedKey {
  readonly identity: KeyIdentity
  /** SHA-256 of the secret, in hex, as bytes. */
  readonly secretDigest: Uint8Array
  readonly revoked: boolean
}

export interface KeyCache extends AsyncDisposable {
  /** The key as it is, at once when this process may trust what it knows; undefined when there is none. Rejects with KeysUnavailable. */
  find(keyId: string): CachedKey | undefined | Promise<CachedKey | undefined>
  /** Notes a successful authentication. */
  recordUse(keyId: string): void
  /** When this process saw the key used last, milliseconds; what is written down may be older. */
  lastUsedAtMs(keyId: string): number | undefined
  /** Takes a revocation that was committed. */
  markRevoked(keyId: string): void
  /** Has a key whose state has become uncertain read again before it is next used. */
  invalidate(keyId: string): void
}

/** More keys than this are not remembered; the one that was read longest ago is forgotten. */
export const MAX_CACHED_KEYS = 10_000
/** Ids that do not exist are remembered too, so that a client with a wrong one does not ask the database each time. */
export const MAX_CACHED_MISSES = 10_000
export const MISS_TTL_MS = 2_000
/** What was read is trusted for this long. Keys in use are read again each second, so that this bounds what a lost notification can cost. */
export const KEY_TTL_MS = 3_000

interface Entry {
  identity: KeyIdentity
  secretDigest: Uint8Array
  /** For good: nothing takes a revocation back. */
  revoked: boolean
  /** When the statement that read it began; -Infinity when it must be read again before it is trusted. */
  readAtMs: number
}

export interface KeyCacheOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

export function createKeyCache({ store, clock, log }: KeyCacheOptions): KeyCache {
  // A replica may lag behind a revocation, so keys are read where they are written. The embedded engine has one place for both.
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
    const heardAll = revocations.watch()
    const records = await findKeys(db, keyIds)
    const readAtMs = heardAll() ? startedAtMs : -Infinity
    const found = new Map(records.map((record) => [record.keyId, cacheRecord(record, readAtMs)]))
    for (const keyId of keyIds) {
      if (!found.has(keyId)) setBounded(missUntilMs, MAX_CACHED_MISSES, keyId, startedAtMs + MISS_TTL_MS)
    }
    return found
  }

  /** Keys in use are read again where their use is written down. One that is gone from the table is not to be trusted any longer. */
  async function writeLastUsed(lastUses: ReadonlyMap<string, number>): Promise<void> {
    const startedAtMs = clock.elapsedMs()
    const heardAll = revocations.watch()
    const records = await updateLastUsed(store.write, lastUses)
    const gone = new Set(lastUses.keys())
    const readAtMs = heardAll() ? startedAtMs : -Infinity
    for (const record of records) {
      cacheRecord(record, readAtMs)
      gone.delete(record.keyId)
    }
    for (const keyId of gone) entries.delete(keyId)
  }

  /** Brings the entry up to date. A revocation that was told meanwhile is newer than what was read. */
  function cacheRecord(record: KeyRecord, readAtMs: number): Entry {
    const revoked = record.revoked || entries.get(record.keyId)?.revoked === true
    const { keyId, owner, tier } = record
    const secretDigest = Buffer.from(Buffer.from(record.secretSha256).toString('hex'), 'latin1')
    const entry: Entry = { identity: { keyId, owner, tier }, secretDigest, revoked, readAtMs }
    setBounded(entries, MAX_CACHED_KEYS, keyId, entry)
    return entry
  }

  return {
    find(keyId) {
      const entry = entries.get(keyId)
      const nowMs = clock.elapsedMs()
      if (entry === undefined) return nowMs < (missUntilMs.get(keyId) ?? -Infinity) ? undefined : lookUp(keyId)
      const ageMs = nowMs - entry.readAtMs
      return entry.revoked || ageMs < KEY_TTL_MS ? entry : lookUp(keyId)
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

/** Sets a key of a map that holds `max` entries at most; the oldest goes first. */
function setBounded<Value>(map: Map<string, Value>, max: number, key: string, value: Value): void {
  map.delete(key)
  const oldest = map.keys().next()
  if (map.size >= max && oldest.done !== true) map.delete(oldest.value)
  map.set(key, value)
}
