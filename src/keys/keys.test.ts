import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createSeededRandom } from '../base/random.ts'
import type { Store } from '../store/store.ts'
import { OPEN_TO_EVERYONE } from './allowlist.ts'
import { createKeys } from './keys.ts'

test('a key that cannot be looked up does not count as revoked, and one that does not exist does', async () => {
  let isDown = false
  const query = (): Promise<readonly unknown[]> => (isDown ? Promise.reject(new Error('connection lost')) : Promise.resolve([]))
  const store = { engine: 'embedded', lookups: { query }, write: { query }, listen: () => Promise.resolve(() => Promise.resolve()) } as unknown as Store
  await using keys = createKeys({
    store, clock: createVirtualClock(0), random: createSeededRandom('keys'), log: silentLog, networkPassphrase: 'a network', allowlist: OPEN_TO_EVERYONE,
  })
  const missing = `nk_${'0'.repeat(24)}`
  assert.equal(await keys.loginState({ keyId: missing, rotation: 0 }), 'key_revoked')
  isDown = true
  assert.deepEqual(await keys.loginState({ keyId: `nk_${'1'.repeat(24)}`, rotation: 0 }), { secretUntil: null })
})
