// Keys as this process knows them: read once, trusted for a short while, read again as long as they are used, and forgotten at once when their revocation
// is told.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { KeyTier } from '../resources/api-key.ts'
import type { Queryable, Store } from '../store/store.ts'
import { createBell } from './bell.ts'
import { createLookups } from './lookups.ts'
import { findKeys, noteUses } from './records.ts'
import type { KeyRecord } from './records.ts'
import { createUses } from './uses.ts'

/** Whose key it is. */
export interface KeyIdentity {
  readonly keyId: string
  readonly owner: string
  readonly tier: KeyTier
}

/** A key as it was read last. */
export interface KnownKey {
  readonly identity: KeyIdentity
  /** SHA-256 of the secret, in hex, as bytes. */
  readonly secretDigest: Uint8Array
  readonly revoked: boolean
}

export interface KnownKeys extends AsyncDisposable {
  /** The key as it is, at once when this process may trust what it knows; undefined when there is none. Rejects with KeysUnavailable. */
  find(keyId: string): KnownKey | undefined | Promise<KnownKey | undefined>
  /** Notes a successful authentication. */
  noteUse(keyId: string): void
  /** When this process saw the key used last, milliseconds; what is written down may be older. */
  lastUsedAtMs(keyId: string): number | undefined
  /** Takes a revocation that was committed. */
  revoked(keyId: string): void
  /** Has a key whose state has become uncertain read again before it is next used. */
  distrust(keyId: string): void
}

/** More keys than this are not remembered; the one that was read longest ago is forgotten. */
export const MAX_KNOWN_KEYS = 10_000
/** Ids that do not exist are remembered too, so that a client with a wrong one does not ask the database each time. */
export const MAX_ABSENT_KEYS = 10_000
export const ABSENT_FOR_MS = 2_000
/** What was read is trusted for this long. Keys in use are read again each second, so that this bounds what a lost notification can cost. */
export const TRUST_MS = 3_000

interface Entry {
  identity: KeyIdentity
  secretDigest: Uint8Array
  /** For good: nothing takes a revocation back. */
  revoked: boolean
  /** When the statement that read it began; -Infinity when it must be read again before it is trusted. */
  readAtMs: number
}

export interface KnownKeysOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

export function createKnownKeys({ store, clock, log }: KnownKeysOptions): KnownKeys {
  // A replica may lag behind a revocation, so keys are read where they are written. The embedded engine has one place for both.
  const db: Queryable = store.engine === 'embedded' ? store.read : store.write
  const entries = new Map<string, Entry>()
  const absent = new Map<string, number>()
  const bell = createBell({ store, onRevoked: refuse, onDeaf: distrustAll })
  const lookUp = createLookups({ clock, find: readKeys })
  const uses = createUses({ clock, log, write: writeUses })

  function refuse(keyId: string): void {
    const entry = entries.get(keyId)
    if (entry !== undefined) entry.revoked = true
  }

  function distrustAll(): void {
    for (const entry of entries.values()) entry.readAtMs = -Infinity
  }

  async function readKeys(keyIds: readonly string[]): Promise<ReadonlyMap<string, Entry>> {
    await bell.listen()
    const startedAtMs = clock.elapsedMs()
    const heardAll = bell.watch()
    const records = await findKeys(db, keyIds)
    const readAtMs = heardAll() ? startedAtMs : -Infinity
    const found = new Map(records.map((record) => [record.keyId, remember(record, readAtMs)]))
    for (const keyId of keyIds) {
      if (!found.has(keyId)) keepWithin(absent, MAX_ABSENT_KEYS, keyId, startedAtMs + ABSENT_FOR_MS)
    }
    return found
  }

  /** Keys in use are read again where their use is written down. One that is gone from the table is not to be trusted any longer. */
  async function writeUses(lastUses: ReadonlyMap<string, number>): Promise<void> {
    const startedAtMs = clock.elapsedMs()
    const heardAll = bell.watch()
    const records = await noteUses(store.write, lastUses)
    const gone = new Set(lastUses.keys())
    const readAtMs = heardAll() ? startedAtMs : -Infinity
    for (const record of records) {
      remember(record, readAtMs)
      gone.delete(record.keyId)
    }
    for (const keyId of gone) entries.delete(keyId)
  }

  /** Brings the entry up to date. A revocation that was told meanwhile is newer than what was read. */
  function remember(record: KeyRecord, readAtMs: number): Entry {
    const revoked = record.revoked || entries.get(record.keyId)?.revoked === true
    const { keyId, owner, tier } = record
    const secretDigest = Buffer.from(Buffer.from(record.secretSha256).toString('hex'), 'latin1')
    const entry: Entry = { identity: { keyId, owner, tier }, secretDigest, revoked, readAtMs }
    keepWithin(entries, MAX_KNOWN_KEYS, keyId, entry)
    return entry
  }

  return {
    find(keyId) {
      const entry = entries.get(keyId)
      const nowMs = clock.elapsedMs()
      if (entry === undefined) return nowMs < (absent.get(keyId) ?? -Infinity) ? undefined : lookUp(keyId)
      const ageMs = nowMs - entry.readAtMs
      return entry.revoked || ageMs < TRUST_MS ? entry : lookUp(keyId)
    },
    noteUse: (keyId) => uses.note(keyId),
    lastUsedAtMs: (keyId) => uses.lastAtMs(keyId),
    revoked(keyId) {
      bell.disturb()
      refuse(keyId)
    },
    distrust(keyId) {
      bell.disturb()
      const entry = entries.get(keyId)
      if (entry !== undefined) entry.readAtMs = -Infinity
    },
    async [Symbol.asyncDispose]() {
      await uses[Symbol.asyncDispose]()
      await bell[Symbol.asyncDispose]()
    },
  }
}

/** Sets a key of a map that holds `max` entries at most; the oldest goes first. */
function keepWithin<Value>(map: Map<string, Value>, max: number, key: string, value: Value): void {
  map.delete(key)
  const oldest = map.keys().next()
  if (map.size >= max && oldest.done !== true) map.delete(oldest.value)
  map.set(key, value)
}
