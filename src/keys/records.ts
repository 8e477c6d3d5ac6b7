// All SQL statements for the table of API keys.

import type { ApiKey, KeyTier } from '../resources/api-key.ts'
import type { KeyCaps, KeyRestrictions, KeyScope } from '../resources/key-restrictions.ts'
import { columns, expression } from '../store/columns.ts'
import type { RowOf } from '../store/columns.ts'
import { sql } from '../store/sql.ts'
import type { Queryable, Writer } from '../store/store.ts'
import { keyTables } from '../store/tables.ts'
import { showRestrictions } from './restrictions.ts'

/** Notified with the key's id, in the transaction that revokes it. */
export const REVOCATIONS_CHANNEL = 'api_key_revoked'

/** Notified with the key's id, in the transaction that gives it a new secret. */
export const ROTATIONS_CHANNEL = 'api_key_rotated'

/** Notified with the key's id, in the transaction that issues it. */
export const ISSUES_CHANNEL = 'api_key_issued'

const TIER = expression<KeyTier>(sql`k.tier`)
const RESTRICTIONS = {
  scopes: expression<readonly KeyScope[] | null>(sql`k.scopes`), expiresAt: 'expires_at', cidrs: 'cidrs', caps: expression<KeyCaps | null>(sql`k.caps`),
} as const
/** The columns that authentication needs. The secret's hash is the SHA-256 of its text. */
const RECORD = columns(keyTables.api_keys, 'k', {
  keyId: 'key_id', owner: 'owner', tier: TIER, secretSha256: 'secret_sha256', revoked: expression<boolean>(sql`k.revoked_at is not null`),
  ...RESTRICTIONS, parent: 'parent', rotation: 'rotation', previousSha256: 'previous_sha256', previousUntil: 'previous_until',
})
export type KeyRecord = RowOf<typeof RECORD>

export interface NewKey extends KeyRestrictions {
  readonly keyId: string
  readonly owner: string
  readonly tier: KeyTier
  readonly secretSha256: Uint8Array
  readonly label: string | null
  readonly createdAtMs: number
  /** The 32 bytes that the owner signed; null for a key that the operator issues. */
  readonly challenge: Uint8Array | null
  /** The key that lends it; null: none. */
  readonly parent: string | null
}

/** Inserts a key unless its challenge has yielded one already, and notifies all instances in the same transaction. */
export async function insertKey(db: Queryable, key: NewKey): Promise<boolean> {
  const rows = await db.query(
    sql`with issued as (
      ${sql.insertInto(keyTables.api_keys)} (key_id, secret_sha256, owner, tier, label, created_at, challenge, scopes, expires_at, cidrs, caps, parent)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12)
      on conflict (challenge) do nothing returning key_id)
    select key_id, pg_notify('${ISSUES_CHANNEL}', key_id) from issued`,
    [
      key.keyId, key.secretSha256, key.owner, key.tier, key.label, key.createdAtMs, key.challenge, key.scopes, key.expiresAt, key.cidrs,
      key.caps === null ? null : JSON.stringify(key.caps), key.parent,
    ],
  )
  return rows.length === 1
}

/** The first number of the advisory locks that serialize the inserts of one owner; arbitrary. */
const OWNER_LOCK = 7_221_097

/**
 * Inserts a key as `insertKey` does, unless its owner has `maxActive` active keys that have not expired, or its parent was revoked. Exact with any number of
 * concurrent calls and instances.
 */
export function insertKeyWithin(db: Writer, key: NewKey, maxActive: number): Promise<boolean | 'key_limit_reached'> {
  return db.transaction(async (tx) => {
    // Two statements: a statement sees what was committed before it began, so counting in this one would miss the key of the transaction it waited for.
    await lockOwner(tx, key.owner)
    const active = await tx.query(
      sql`select from ${keyTables.api_keys} where owner = $1 and revoked_at is null and (expires_at is null or expires_at > $3) limit $2`,
      [key.owner, maxActive, key.createdAtMs],
    )
    if (active.length >= maxActive) return 'key_limit_reached'
    const hasParent = key.parent === null
      || (await tx.query(sql`select from ${keyTables.api_keys} where key_id = $1 and revoked_at is null`, [key.parent])).length === 1
    return hasParent && await insertKey(tx, key)
  })
}

/** Changes of an owner's active keys happen one after the other. */
async function lockOwner(tx: Queryable, owner: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1::int, hashtext($2))', [OWNER_LOCK, owner])
}

/** The records of the keys that exist, in any order. */
export function findKeys(db: Queryable, keyIds: readonly string[]): Promise<KeyRecord[]> {
  return db.query(sql`select ${RECORD} from ${keyTables.api_keys} k where k.key_id = any($1)`, [keyIds])
}

const LABEL = columns(keyTables.api_keys, 'k', { keyId: 'key_id', label: 'label', createdAt: 'created_at' })

/** The labels and times of issue of the keys that exist, in any order. */
export function findLabels(db: Queryable, keyIds: readonly string[]): Promise<RowOf<typeof LABEL>[]> {
  return db.query(sql`select ${LABEL} from ${keyTables.api_keys} k where k.key_id = any($1)`, [keyIds])
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

/** SQL: the keys that were lent by the keys in `roots`, and these. */
const LENT = sql`lent (key_id) as (
  select key_id from roots union select child.key_id from ${keyTables.api_keys} child join lent on child.parent = lent.key_id)`
const REVOKED_IDS = columns(keyTables.api_keys, 'revoked', { keyId: 'key_id' })

/** The keys that a caller may change. */
export interface KeyReach {
  readonly owner: string
  /** A key that was lent reaches itself and the keys that it lent. Null: all keys of the owner. */
  readonly within: string | null
}

/**
 * Revokes an active key and the keys that it lent, and notifies all instances in the same transaction. `reach` null: any key. Returns the revoked ids; none
 * when no active key matches.
 */
export async function revokeKey(db: Writer, key: { keyId: string; reach: KeyReach | null; revokedAtMs: number }): Promise<readonly string[]> {
  const { keyId, reach, revokedAtMs } = key
  const owner = reach?.owner ?? (await findKeys(db, [keyId]))[0]?.owner
  if (owner === undefined) return []
  return db.transaction(async (tx) => {
    await lockOwner(tx, owner)
    if (reach !== null && !(await isReached(tx, reach, keyId))) return []
    const rows = await tx.query(
      sql`with recursive roots as (select key_id from ${keyTables.api_keys} where key_id = $1 and owner = $2 and revoked_at is null), ${LENT}, revoked as (
        ${sql.update(keyTables.api_keys)} set revoked_at = $3 where key_id in (select key_id from lent) and revoked_at is null returning key_id)
      select ${REVOKED_IDS}, pg_notify('${REVOCATIONS_CHANNEL}', key_id) from revoked`,
      [keyId, owner, revokedAtMs],
    )
    return rows.map((row) => row.keyId)
  })
}

/** Revokes all active keys in reach but one, which stays active with the keys above it. Returns the revoked ids. */
export async function revokeOthers(db: Writer, key: { keyId: string; reach: KeyReach; revokedAtMs: number }): Promise<readonly string[]> {
  const { keyId, reach, revokedAtMs } = key
  return db.transaction(async (tx) => {
    await lockOwner(tx, reach.owner)
    const rows = await tx.query(
      sql`with recursive roots as (
        select key_id from ${keyTables.api_keys}
        where owner = $1 and key_id <> $2 and (parent = $2 ${reach.within === null ? 'or parent is null' : ''})), ${LENT}, revoked as (
        ${sql.update(keyTables.api_keys)} set revoked_at = $3 where key_id in (select key_id from lent) and revoked_at is null returning key_id)
      select ${REVOKED_IDS}, pg_notify('${REVOCATIONS_CHANNEL}', key_id) from revoked`,
      [reach.owner, keyId, revokedAtMs],
    )
    return rows.map((row) => row.keyId)
  })
}

/** True when the key belongs to the owner and, for a caller that was lent, is that key or one below it. */
async function isReached(db: Queryable, { owner, within }: KeyReach, keyId: string): Promise<boolean> {
  const rows = await db.query(
    sql`with recursive line (key_id, parent) as (
      select key_id, parent from ${keyTables.api_keys} where key_id = $1 and owner = $2
      union all select above.key_id, above.parent from ${keyTables.api_keys} above join line on above.key_id = line.parent)
    select from line where $3::text is null or key_id = $3 limit 1`,
    [keyId, owner, within],
  )
  return rows.length === 1
}

/** A key's new secret. */
export interface Rotation {
  readonly keyId: string
  readonly reach: KeyReach
  readonly secretSha256: Uint8Array
  /** End of the secret before, milliseconds. */
  readonly previousUntilMs: number
  readonly nowMs: number
}

const ROTATED = columns(keyTables.api_keys, 'k', {
  keyId: 'key_id', owner: 'owner', tier: TIER, createdAt: 'created_at', ...RESTRICTIONS, parent: 'parent',
})
export type RotatedRecord = RowOf<typeof ROTATED>

/** Replaces the secret of an active key, and notifies all instances in the same transaction. Undefined when no active key in reach has the id. */
export async function rotateKey(db: Writer, rotation: Rotation): Promise<RotatedRecord | undefined> {
  const { keyId, reach, secretSha256, previousUntilMs, nowMs } = rotation
  return db.transaction(async (tx) => {
    if (!(await isReached(tx, reach, keyId))) return undefined
    const [row] = await tx.query(
      sql`with k as (
        ${sql.update(keyTables.api_keys)} set previous_sha256 = secret_sha256, previous_until = $3, secret_sha256 = $2, rotation = rotation + 1
        where key_id = $1 and revoked_at is null and (expires_at is null or expires_at > $4) returning *)
      select ${ROTATED}, pg_notify('${ROTATIONS_CHANNEL}', k.key_id) from k`,
      [keyId, secretSha256, previousUntilMs, nowMs],
    )
    return row
  })
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
  ...RESTRICTIONS, parent: 'parent',
})

/** Keys as the API returns them, newest first. */
export async function listKeys(db: Queryable, { owner, before, limit }: KeyFilter): Promise<KeyPage> {
  const rows = await db.query(
    sql`select ${KEY} from ${keyTables.api_keys} k
    where ${owner === null ? '$1::text is null' : 'k.owner = $1'} and ($2::bigint is null or k.seq < $2) order by k.seq desc limit $3`,
    [owner, before, limit + 1],
  )
  const page = rows.slice(0, limit)
  return { keys: page.map(({ seq: _seq, ...key }) => ({ ...key, ...showRestrictions(key) })), next: rows.length > limit ? (page.at(-1)?.seq ?? null) : null }
}
