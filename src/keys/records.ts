// The table of keys: every statement about it.

import type { ApiKey, KeyTier } from '../resources/api-key.ts'
import type { Queryable } from '../store/store.ts'

/** Rung with a key's id when it is revoked, in the same transaction. */
export const REVOCATIONS_CHANNEL = 'api_key_revoked'

/** A key as authentication needs it. */
export interface KeyRecord {
  readonly keyId: string
  readonly owner: string
  readonly tier: KeyTier
  /** SHA-256 of the secret's text. */
  readonly secretSha256: Uint8Array
  readonly revoked: boolean
}

/** A key that is about to be issued. */
export interface NewKey {
  readonly keyId: string
  readonly owner: string
  readonly tier: KeyTier
  readonly secretSha256: Uint8Array
  readonly label: string | null
  readonly createdAtMs: number
}

export async function insertKey(db: Queryable, key: NewKey): Promise<void> {
  await db.query(
    'insert into keys.api_keys (key_id, secret_sha256, owner, tier, label, created_at) values ($1, $2, $3, $4, $5, $6)',
    [key.keyId, key.secretSha256, key.owner, key.tier, key.label, key.createdAtMs],
  )
}

const RECORD = 'k.key_id as "keyId", k.owner, k.tier, k.secret_sha256 as "secretSha256", k.revoked_at is not null as revoked'

/** Those of the keys that exist, in no order. */
export function findKeys(db: Queryable, keyIds: readonly string[]): Promise<KeyRecord[]> {
  return db.query<KeyRecord>(`select ${RECORD} from keys.api_keys k where k.key_id = any($1)`, [keyIds])
}

/**
 * Notes when keys were used last, milliseconds by key id, and returns the records as they are now. Rows are locked in one order, because other instances
 * note theirs at the same moment.
 */
export function updateLastUsed(db: Queryable, uses: ReadonlyMap<string, number>): Promise<KeyRecord[]> {
  return db.query<KeyRecord>(
    `with locked as (select key_id from keys.api_keys where key_id = any($1) order by key_id for no key update)
    update keys.api_keys k set last_used_at = greatest(k.last_used_at, used.at)
    from locked join unnest($1::text[], $2::bigint[]) as used (key_id, at) using (key_id)
    where k.key_id = locked.key_id
    returning ${RECORD}`,
    [[...uses.keys()], [...uses.values()]],
  )
}

/**
 * Revokes an active key and rings the bell in the same transaction. `owner` null revokes whoever's key it is. False when there is no such active key
 * of the owner.
 */
export async function revokeKey(db: Queryable, key: { keyId: string; owner: string | null; revokedAtMs: number }): Promise<boolean> {
  const rows = await db.query(
    `with revoked as (
      update keys.api_keys set revoked_at = $3 where key_id = $1 and ($2::text is null or owner = $2) and revoked_at is null returning key_id)
    select key_id, pg_notify('${REVOCATIONS_CHANNEL}', key_id) from revoked`,
    [key.keyId, key.owner, key.revokedAtMs],
  )
  return rows.length === 1
}

/** Keys as their owner sees them, newest first; `owner` null lists everybody's. */
export function listKeys(db: Queryable, owner: string | null, limit: number): Promise<ApiKey[]> {
  return db.query<ApiKey>(
    `select key_id as "keyId", owner, tier, label, created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt"
    from keys.api_keys where $1::text is null or owner = $1 order by seq desc limit $2`,
    [owner, limit],
  )
}
