// All SQL statements for the table of API keys.

import type { ApiKey, KeyTier } from '../resources/api-key.ts'
import { columns, expression } from '../store/columns.ts'
import type { RowOf } from '../store/columns.ts'
import { sql } from '../store/sql.ts'
import type { Queryable, Writer } from '../store/store.ts'
import { keyTables } from '../store/tables.ts'

/** Notified with the key's id, in the transaction that revokes it. */
export const REVOCATIONS_CHANNEL = 'api_key_revoked'

/** Notified with the key's id, in the transaction that issues it. */
export const ISSUES_CHANNEL = 'api_key_issued'

const TIER = expression<KeyTier>(sql`k.tier`)
/** The columns that authentication needs. The secret's hash is the SHA-256 of its text. */
const RECORD = columns(keyTables.api_keys, 'k', {
  keyId: 'key_id', owner: 'owner', tier: TIER, secretSha256: 'secret_sha256', revoked: expression<boolean>(sql`k.revoked_at is not null`),
})
export type KeyRecord = RowOf<typeof RECORD>

export interface NewKey {
  readonly keyId: string
  readonly owner: string
  readonly tier: KeyTier
  readonly secretSha256: Uint8Array
  readonly label: string | null
  readonly createdAtMs: number
  /** The 32 bytes that the owner signed; null for a key that the operator issues. */
  readonly challenge: Uint8Array | null
}

/** Inserts a key unless its challenge has yielded one already, and notifies all instances in the same transaction. */
export async function insertKey(db: Queryable, key: NewKey): Promise<boolean> {
  const rows = await db.query(
    sql`with issued as (
      ${sql.insertInto(keyTables.api_keys)} (key_id, secret_sha256, owner, tier, label, created_at, challenge) values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (challenge) do nothing returning key_id)
    select key_id, pg_notify('${ISSUES_CHANNEL}', key_id) from issued`,
    [key.keyId, key.secretSha256, key.owner, key.tier, key.label, key.createdAtMs, key.challenge],
  )
  return rows.length === 1
}

/** The first number of the advisory locks that serialize the inserts of one owner; arbitrary. */
const OWNER_LOCK = 7_221_097

/** Inserts a key as `insertKey` does, unless its owner has `maxActive` active keys. Exact with any number of concurrent calls and instances. */
export function insertKeyWithin(db: Writer, key: NewKey, maxActive: number): Promise<boolean | 'key_limit_reached'> {
  return db.transaction(async (tx) => {
    // Two statements: a statement sees what was committed before it began, so counting in this one would miss the key of the transaction it waited for.
    await tx.query('select pg_advisory_xact_lock($1::int, hashtext($2))', [OWNER_LOCK, key.owner])
    const active = await tx.query(sql`select from ${keyTables.api_keys} where owner = $1 and revoked_at is null limit $2`, [key.owner, maxActive])
    return active.length >= maxActive ? 'key_limit_reached' : await insertKey(tx, key)
  })
}

/** The records of the keys that exist, in any order. */
export function findKeys(db: Queryable, keyIds: readonly string[]): Promise<KeyRecord[]> {
  return db.query(sql`select ${RECORD} from ${keyTables.api_keys} k where k.key_id = any($1)`, [keyIds])
}

/** A key's id, and its position in the order of issue. */
const KEY_ID = columns(keyTables.api_keys, 'k', { seq: 'seq', keyId: 'key_id', isActive: expression<boolean>(sql`k.revoked_at is null`) })
export type KeyIdRow = RowOf<typeof KEY_ID>

/** The ids of up to `limit` keys after `afterSeq`, in order, and of those of the `missing` seqs that exist by now. */
export function listKeyIds(
  db: Queryable, { afterSeq, limit, missing }: { readonly afterSeq: number; readonly limit: number; readonly missing: readonly number[] },
): Promise<KeyIdRow[]> {
  return db.query(
    sql`select * from (
      (select ${KEY_ID} from ${keyTables.api_keys} k where k.seq > $1 order by k.seq limit $2)
      union all (select ${KEY_ID} from ${keyTables.api_keys} k where k.seq = any($3::bigint[]))) k order by seq`,
    [afterSeq, limit, missing],
  )
}

/**
 * Stores last uses (Unix milliseconds by key id) and returns the current records. Locks the rows in a fixed order, because other instances update the same
 * rows concurrently.
 */
export function updateLastUsed(db: Queryable, uses: ReadonlyMap<string, number>): Promise<KeyRecord[]> {
  return db.query(
    sql`with locked as (select key_id from ${keyTables.api_keys} where key_id = any($1) order by key_id for no key update)
    ${sql.update(keyTables.api_keys)} k set last_used_at = greatest(k.last_used_at, used.at)
    from locked join unnest($1::text[], $2::bigint[]) as used (key_id, at) using (key_id)
    where k.key_id = locked.key_id
    returning ${RECORD}`,
    [[...uses.keys()], [...uses.values()]],
  )
}

/** Revokes an active key and notifies all instances in the same transaction. `owner` null matches any owner. False when no active key matches. */
export async function revokeKey(db: Queryable, key: { keyId: string; owner: string | null; revokedAtMs: number }): Promise<boolean> {
  const rows = await db.query(
    sql`with revoked as (
      ${sql.update(keyTables.api_keys)} set revoked_at = $3 where key_id = $1 and ($2::text is null or owner = $2) and revoked_at is null returning key_id)
    select key_id, pg_notify('${REVOCATIONS_CHANNEL}', key_id) from revoked`,
    [key.keyId, key.owner, key.revokedAtMs],
  )
  return rows.length === 1
}

export interface KeyPage {
  readonly keys: readonly ApiKey[]
  /** The `before` of the next page; null after the last page. */
  readonly next: number | null
}

export interface KeyFilter {
  /** Null lists the keys of all owners. */
  readonly owner: string | null
  /** The `next` of the previous page; null for the first. */
  readonly before: number | null
  readonly limit: number
}

const KEY = columns(keyTables.api_keys, 'k', {
  seq: 'seq', keyId: 'key_id', owner: 'owner', tier: TIER, label: 'label', createdAt: 'created_at', lastUsedAt: 'last_used_at', revokedAt: 'revoked_at',
})

/** Keys as the API returns them, newest first. */
export async function listKeys(db: Queryable, { owner, before, limit }: KeyFilter): Promise<KeyPage> {
  const rows = await db.query(
    sql`select ${KEY} from ${keyTables.api_keys} k
    where ${owner === null ? '$1::text is null' : 'k.owner = $1'} and ($2::bigint is null or k.seq < $2) order by k.seq desc limit $3`,
    [owner, before, limit + 1],
  )
  const page = rows.slice(0, limit)
  return { keys: page.map(({ seq: _seq, ...key }) => key), next: rows.length > limit ? (page.at(-1)?.seq ?? null) : null }
}
