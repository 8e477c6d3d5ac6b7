// Checker: the table has every acknowledged key and revocation, and no key that was not requested.

import assert from 'node:assert/strict'
import type { Queryable } from '../../../src/store/store.ts'
import type { KeyHolder } from '../key-holders.ts'

interface Row {
  readonly keyId: string
  readonly owner: string
  readonly createdAt: number
  readonly revokedAt: number | null
}

const KEYS = 'select key_id as "keyId", owner, created_at as "createdAt", revoked_at as "revokedAt" from keys.api_keys order by seq'

export async function checkKeysAreStored(db: Queryable, holders: readonly KeyHolder[]): Promise<void> {
  const rows = await db.query<Row>(KEYS)
  const byOwner = Map.groupBy(rows, ({ owner }) => owner)
  for (const { address, keys, unconfirmedClaims: uncertain } of holders) {
    const mine = byOwner.get(address) ?? []
    byOwner.delete(address)
    const byId = new Map(mine.map((row) => [row.keyId, row]))
    for (const { key, revokeRequestedMs: revokeAskedMs, revokedMs } of keys) {
      const row = byId.get(key.keyId)
      assert.equal(row?.createdAt, key.createdAt, `the key ${key.keyId} was acknowledged and is not stored`)
      if (revokedMs !== null) assert.ok(row?.revokedAt !== null, `the revocation of ${key.keyId} was acknowledged and is not stored`)
      if (revokeAskedMs === null) assert.equal(row?.revokedAt, null, `${key.keyId} was revoked without a request`)
    }
    const unacknowledged = mine.length - keys.length
    assert.ok(unacknowledged <= uncertain(), `${unacknowledged} keys of ${address} were not acknowledged, and only ${uncertain()} claims have no response`)
  }
  assert.deepEqual([...byOwner.keys()], [], 'keys of accounts that requested none')
}
