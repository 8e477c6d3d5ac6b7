// Checker: every key that was acknowledged is in the table as it was told, every revocation that was acknowledged too, and nothing is there that nobody asked
// for.

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
      assert.equal(row?.createdAt, key.createdAt, `the key ${key.keyId} was acknowledged and is not there`)
      if (revokedMs !== null) assert.ok(row?.revokedAt !== null, `the revocation of ${key.keyId} was acknowledged and is not there`)
      if (revokeAskedMs === null) assert.equal(row?.revokedAt, null, `nobody revoked ${key.keyId}`)
    }
    const unheardOf = mine.length - keys.length
    assert.ok(unheardOf <= uncertain(), `${unheardOf} keys of ${address} were never told, and only ${uncertain()} claims were not answered`)
  }
  assert.deepEqual([...byOwner.keys()], [], 'keys of somebody who never asked for one')
}
