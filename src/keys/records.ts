// All SQL statements for the table of API keys.

import type { ApiKey, KeyTier } from '../resources/api-key.ts'
import type { Queryable } from '../store/store.ts'

/** Notified with the key's id, in the transaction that revokes it. */
export const REVOCATIONS_CHANNEL = 'api_key_revoked'

/** The columns that authentication needs. */
export interface KeyRecord {
  readonly keyId: string
  readonly owner: string
  readonly tier: KeyTier
  /** SHA-256 of the secret's text. */
  readonly secretSha256: Uint8Array
  readonly revoked: boolean
}

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

/** The records of the keys that exist, in any order. */
export function findKeys(db: Queryable, keyIds: readonly string[]): Promise<KeyRecord[]> {
  return db.query<KeyRecord>(`select ${RECORD} from keys.api_keys k where k.key_id = any($1)`, [keyIds])
}

/**
 * Stores last uses (Unix milliseconds by key id) and returns the current records. Locks the rows in a fixed order, because other instances update the same
 * rows concurrently.
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

/** Revokes an active key and notifies all instances in the same transaction. `owner` null matches any owner. False when no active key matches. */
export async function revokeKey(db: Queryable, key: { keyId: string; owner: string | null; revokedAtMs: number }): Promise<boolean> {
  const rows = await db.query(
    `with revoked as (
      update keys.api_keys set revoked_at = $3 where key_id = $1 and ($2::text is null or owner = $2) and revoked_at is null returning key_id)
    select key_id, pg_notify('${REVOCATIONS_CHANNEL}', key_id) from revoked`,
    [key.keyId, key.owner, key.revokedAtMs],
  )
  return rows.length === 1
}

/** Keys as the API returns them, newest first; `owner` null lists the keys of all owners. */
export function listKeys(db: Queryable, owner: string | null, limit: number): Promise<ApiKey[]> {
  return db.query<ApiKey>(
    `select key_id as "keyId", owner, tier, label, created_at as "createdAt", last_used_at as "lastUsedAt", revoked_at as "revokedAt"
    from keys.api_keys where $1::text is null or owner = $1 order by seq desc limit $2`,
    [owner, limit],
  )
}
