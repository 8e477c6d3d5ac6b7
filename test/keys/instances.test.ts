// Two gateways on one database: a change of a key at one takes effect at the other.

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
import { MAX_KEYS_PER_OWNER } from '../../src/limits.ts'
import type { ApiKey, IssuedKey, KeyChallenge } from '../../src/resources/api-key.ts'
import { createServerStore } from '../../src/store/server/server-store.ts'
import type { Store } from '../../src/store/store.ts'
import { BARE_START_MS, createBareGateway } from '../support/bare-gateway.ts'
import { databaseUrl, openTestStore, testServerUrl } from '../support/database.ts'
import { createFlakyStore } from '../support/flaky-store.ts'
import type { FlakyStore } from '../support/flaky-store.ts'
import { call, createWallet, obtainKey, signChallenge } from '../support/keys.ts'

const UNLIMITED = { public: 1_000_000, standard: 1_000_000, market_maker: 1_000_000 }

interface Pair extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly here: App
  readonly there: App
  /** The store of the gateway `there`. */
  readonly store: FlakyStore
  /** Revokes a key here; resolves when the notification has arrived there. */
  revokeHere(key: IssuedKey, by: IssuedKey): Promise<void>
}

/** On a server each gateway has its own connections. The embedded engine serves one process, so both gateways share it. */
async function openSecondStore(store: Store): Promise<Store | undefined> {
  const serverUrl = testServerUrl()
  if (serverUrl === null) return undefined
  const [database] = await store.read.query<{ name: string }>('select current_database() as name')
  const url = databaseUrl(serverUrl, database?.name ?? '')
  return createServerStore({ databaseUrl: url, readUrl: null, readTimeoutMs: 5_000, clock: createSystemClock({ keepAlive: false }), log: silentLog })
}

async function createPair(): Promise<Pair> {
  await using disposables = new AsyncDisposableStack()
  const first = disposables.use(await openTestStore())
  const own = await openSecondStore(first)
  if (own !== undefined) disposables.use(own)
  const store = createFlakyStore(own ?? first)
  const clock = createVirtualClock(BARE_START_MS)
  const here = disposables.use(await createBareGateway({ store: first, clock, rateLimits: UNLIMITED, random: createSeededRandom('here') }))
  const there = disposables.use(await createBareGateway({ store: store.store, clock, rateLimits: UNLIMITED, random: createSeededRandom('there') }))
  const owned = disposables.move()
  return {
    clock,
    store,
    here: here.gateway.app,
    there: there.gateway.app,
    async revokeHere(key, by) {
      const notified = Promise.withResolvers<void>()
      const stop = await (own ?? first).listen(REVOCATIONS_CHANNEL, () => notified.resolve())
      assert.equal((await call(here.gateway.app, `/v1/keys/${key.keyId}`, { method: 'DELETE', key: by })).status, 200)
      await notified.promise
      await stop()
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function statusAt(app: App, key: IssuedKey): Promise<number> {
  return (await call(app, '/v1/account/me', { key })).status
}

test('a key works at every instance after its 201 and is rejected everywhere after its revocation', async () => {
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

test('a key works at another instance at once, without its notification and during a flood of unknown ids', async () => {
  await using pair = await createPair()
  const { here, there } = pair
  const wallet = createWallet('notified too late')
  const known = await obtainKey(here, wallet)
  assert.equal(await statusAt(there, known), 200)
  pair.store.dropNotifications()
  const unknown = { ...known, keyId: `nk_${'0'.repeat(24)}` }
  const flood = Array.from({ length: 200 }, () => statusAt(there, unknown))
  for (let count = 0; count < 5; count++) assert.equal(await statusAt(there, await obtainKey(here, wallet)), 200)
  assert.deepEqual(new Set(await Promise.all(flood)), new Set([401]))
})

test('concurrent claims at two instances never exceed the limit of active keys', async () => {
  await using pair = await createPair()
  const wallet = createWallet('races')
  const address = wallet.publicKey()
  for (let count = 0; count < MAX_KEYS_PER_OWNER - 3; count++) await obtainKey(pair.here, wallet)
  const claims: (() => Promise<number>)[] = []
  for (let client = 0; client < 20; client++) {
    const app = client % 2 === 0 ? pair.here : pair.there
    const from = `198.51.100.${client}`
    const { body } = await call<KeyChallenge>(app, '/v1/keys/challenge', { method: 'POST', body: { address }, from })
    const claim = { address, challenge: body.challengeHex, signature: signChallenge({ challengeHex: body.challengeHex, signer: wallet }) }
    claims.push(async () => (await call(app, '/v1/keys', { method: 'POST', body: claim, from })).status)
  }
  const statuses = await Promise.all(claims.map((claim) => claim()))
  assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 409).length], [3, 17])
})

test('an instance with a disconnected listener reads the database each time', async () => {
  await using pair = await createPair()
  const { here, there, store } = pair
  const wallet = createWallet('disconnected')
  const [revoker, revoked] = [await obtainKey(here, wallet), await obtainKey(here, wallet)]
  assert.equal(await statusAt(there, revoked), 200)
  store.setListening(false)
  assert.equal(await statusAt(there, revoked), 200)
  assert.equal((await call(here, `/v1/keys/${revoked.keyId}`, { method: 'DELETE', key: revoker })).status, 200)
  assert.equal(await statusAt(there, revoked), 401)
})

test('a lost notification delays a revocation by a second for a key in use, and by the TTL otherwise', async () => {
  for (const used of [true, false]) {
    await using pair = await createPair()
    const { here, there, store, clock } = pair
    const wallet = createWallet(`lost notification ${String(used)}`)
    const [revoker, revoked] = [await obtainKey(here, wallet), await obtainKey(here, wallet)]
    assert.equal(await statusAt(there, revoked), 200)
    if (!used) {
      clock.advance(FLUSH_INTERVAL_MS)
      await store.idle()
    }
    store.dropNotifications()
    assert.equal((await call(here, `/v1/keys/${revoked.keyId}`, { method: 'DELETE', key: revoker })).status, 200)
    assert.equal(await statusAt(there, revoked), 200, 'the notification was lost')
    clock.advance(used ? FLUSH_INTERVAL_MS : KEY_TTL_MS)
    await store.idle()
    assert.equal(await statusAt(there, revoked), 401)
  }
})

test('the last use at one instance is visible at the other after a second', async () => {
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

test('an instance stores the last uses when it shuts down', async () => {
  await using store = await openTestStore()
  const clock = createVirtualClock(BARE_START_MS)
  const wallet = createWallet('shutdown')
  let key: IssuedKey
  {
    await using bare = await createBareGateway({ store, clock, random: createSeededRandom('shutdown') })
    key = await obtainKey(bare.gateway.app, wallet)
    assert.equal(await statusAt(bare.gateway.app, key), 200)
  }
  const rows = await store.read.query<{ at: number }>('select last_used_at as at from keys.api_keys')
  assert.deepEqual(rows, [{ at: clock.nowMs() }])
})
