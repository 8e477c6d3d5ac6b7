// Two gateways on one database: what one of them does to a key is true at the other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { App } from '../../src/http/app.ts'
import { KEY_TTL_MS } from '../../src/keys/key-cache.ts'
import { REVOCATIONS_CHANNEL } from '../../src/keys/records.ts'
import { FLUSH_INTERVAL_MS } from '../../src/keys/last-used-tracker.ts'
import type { ApiKey, IssuedKey } from '../../src/resources/api-key.ts'
import { createServerStore } from '../../src/store/server/server-store.ts'
import type { Store } from '../../src/store/store.ts'
import { BARE_START_MS, createBareGateway } from '../support/bare-gateway.ts'
import { databaseUrl, openTestStore, testServerUrl } from '../support/database.ts'
import { createFlakyStore } from '../support/flaky-store.ts'
import type { FlakyStore } from '../support/flaky-store.ts'
import { call, createWallet, obtainKey } from '../support/keys.ts'

const UNLIMITED = { public: 1_000_000, standard: 1_000_000, market_maker: 1_000_000 }

interface Pair extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly here: App
  readonly there: App
  /** The store of the gateway there, as that one sees it. */
  readonly store: FlakyStore
  /** Revokes a key here; resolves when there the bell has rung. */
  revokeHere(key: IssuedKey, by: IssuedKey): Promise<void>
}

/** On a server each gateway has connections of its own; the embedded engine serves one process, so there they share it. */
async function openSecondStore(store: Store): Promise<Store | undefined> {
  const serverUrl = testServerUrl()
  if (serverUrl === null) return undefined
  const [database] = await store.read.query<{ name: string }>('select current_database() as name')
  const url = databaseUrl(serverUrl, database?.name ?? '')
  return createServerStore({ databaseUrl: url, readUrl: null, readTimeoutMs: 5_000, clock: createSystemClock({ keepAlive: false }), log: silentLog })
}

async function createPair(): Promise<Pair> {
  await using building = new AsyncDisposableStack()
  const first = building.use(await openTestStore())
  const own = await openSecondStore(first)
  if (own !== undefined) building.use(own)
  const store = createFlakyStore(own ?? first)
  const clock = createVirtualClock(BARE_START_MS)
  const here = building.use(await createBareGateway({ store: first, clock, rateLimits: UNLIMITED, random: createSeededRandom('here') }))
  const there = building.use(await createBareGateway({ store: store.store, clock, rateLimits: UNLIMITED, random: createSeededRandom('there') }))
  const owned = building.move()
  return {
    clock,
    store,
    here: here.gateway.app,
    there: there.gateway.app,
    async revokeHere(key, by) {
      const rung = Promise.withResolvers<void>()
      const stop = await (own ?? first).listen(REVOCATIONS_CHANNEL, () => rung.resolve())
      assert.equal((await call(here.gateway.app, `/v1/keys/${key.keyId}`, { method: 'DELETE', key: by })).status, 200)
      await rung.promise
      await stop()
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function statusAt(app: App, key: IssuedKey): Promise<number> {
  return (await call(app, '/v1/account/me', { key })).status
}

test('a key works at every instance from its 201 on, and is refused everywhere once it was revoked', async () => {
  await using pair = await createPair()
  const { here, there } = pair
  const wallet = createWallet('two instances')
  const [revoker, revoked] = [await obtainKey(here, wallet), await obtainKey(here, wallet)]
  assert.deepEqual([await statusAt(there, revoked), await statusAt(there, revoker)], [200, 200])
  await pair.revokeHere(revoked, revoker)
  assert.deepEqual([await statusAt(here, revoked), await statusAt(there, revoked)], [401, 401])
  assert.equal(await statusAt(there, revoker), 200)
  assert.equal((await call(there, `/v1/keys/${revoked.keyId}`, { method: 'DELETE', key: revoker })).status, 404)
})

test('an instance that does not hear the bell asks the database each time', async () => {
  await using pair = await createPair()
  const { here, there, store } = pair
  const wallet = createWallet('deaf')
  const [revoker, revoked] = [await obtainKey(here, wallet), await obtainKey(here, wallet)]
  assert.equal(await statusAt(there, revoked), 200)
  store.setHeard(false)
  assert.equal(await statusAt(there, revoked), 200)
  assert.equal((await call(here, `/v1/keys/${revoked.keyId}`, { method: 'DELETE', key: revoker })).status, 200)
  assert.equal(await statusAt(there, revoked), 401)
})

test('a bell that went unheard without anybody noticing costs a second while the key is in use, and its trust while it is not', async () => {
  for (const used of [true, false]) {
    await using pair = await createPair()
    const { here, there, store, clock } = pair
    const wallet = createWallet(`unheard ${String(used)}`)
    const [revoker, revoked] = [await obtainKey(here, wallet), await obtainKey(here, wallet)]
    assert.equal(await statusAt(there, revoked), 200)
    if (!used) {
      clock.advance(FLUSH_INTERVAL_MS)
      await store.idle()
    }
    store.lose()
    assert.equal((await call(here, `/v1/keys/${revoked.keyId}`, { method: 'DELETE', key: revoker })).status, 200)
    assert.equal(await statusAt(there, revoked), 200, 'nobody has told')
    clock.advance(used ? FLUSH_INTERVAL_MS : KEY_TTL_MS)
    await store.idle()
    assert.equal(await statusAt(there, revoked), 401)
  }
})

test('uses at one instance are read at the other after a second', async () => {
  await using pair = await createPair()
  const { here, there, clock, store } = pair
  const wallet = createWallet('uses')
  const [reader, used] = [await obtainKey(here, wallet), await obtainKey(here, wallet)]
  clock.advance(17)
  const at = clock.nowMs()
  assert.equal(await statusAt(there, used), 200)
  clock.advance(FLUSH_INTERVAL_MS)
  await store.idle()
  const { body } = await call<{ keys: readonly ApiKey[] }>(here, '/v1/keys', { key: reader })
  assert.equal(body.keys.find(({ keyId }) => keyId === used.keyId)?.lastUsedAt, at)
})

test('an instance writes the last uses down when it ends', async () => {
  await using store = await openTestStore()
  const clock = createVirtualClock(BARE_START_MS)
  const wallet = createWallet('ends')
  let key: IssuedKey
  {
    await using bare = await createBareGateway({ store, clock, random: createSeededRandom('ends') })
    key = await obtainKey(bare.gateway.app, wallet)
    assert.equal(await statusAt(bare.gateway.app, key), 200)
  }
  const rows = await store.read.query<{ at: number }>('select last_used_at as at from keys.api_keys')
  assert.deepEqual(rows, [{ at: clock.nowMs() }])
})
