// Keys that are less than their owner, through the gateway: scopes, an end, networks, children, rotation and revocation.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { VirtualClock } from '../../src/base/clock.ts'
import type { App } from '../../src/http/app.ts'
import { CHALLENGE_TTL_MS, KEY_OVERLAP_MAX_SEC } from '../../src/limits.ts'
import type { ApiKey, IssuedKey, RotatedKey } from '../../src/resources/api-key.ts'
import type { CurrentKey } from '../../src/resources/current-key.ts'
import type { Store } from '../../src/store/store.ts'
import { BARE_START_MS, createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { call, createWallet, lendKey, obtainKey, PLAIN, requestChallenge, signChallenge } from '../support/keys.ts'

const ALL = ['read', 'trade', 'close', 'vaults', 'referral', 'keys', 'lend'] as const
const CAPS = { assets: ['BTC', 'ETH'], maxLeverage: 3, maxNotionalPerDay: '100000000000', maxOrdersPerDay: 50 }
const DAY_MS = 24 * 60 * 60_000

let store: Store
let bare: BareGateway
let app: App
let clock: VirtualClock
let wallets = 0
let wallet = createWallet('lent keys')

before(async () => {
  store = await openTestStore()
  bare = await createBareGateway({ store, rateLimits: UNLIMITED_RATES, trustProxy: 1 })
  app = bare.gateway.app
  clock = bare.clock
})
beforeEach(() => {
  wallet = createWallet(`lent keys ${++wallets}`)
})
after(async () => {
  await bare[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

const meOf = (key: IssuedKey, headers = {}): ReturnType<typeof call> => call(app, '/v1/account/me', { key, headers })
const currentOf = async (key: IssuedKey): Promise<CurrentKey> => (await call<CurrentKey>(app, '/v1/keys/current', { key })).body
const rotate = (by: IssuedKey, keyId: string, overlapSec: number): ReturnType<typeof call<RotatedKey>> =>
  call<RotatedKey>(app, `/v1/keys/${keyId}/rotate`, { method: 'POST', body: { overlapSec }, key: by })
const errorOf = ({ status, body }: { readonly status: number; readonly body: unknown }): unknown[] => [status, (body as { error?: unknown }).error]

test('a key has the restrictions of its challenge, flat where it is issued and listed', async () => {
  const restrictions = { scopes: ['read', 'trade', 'keys'] as const, expiresAt: clock.nowMs() + DAY_MS, cidrs: ['192.0.2.0/24'], caps: CAPS }
  const issued = await obtainKey(app, wallet, 'bot', { ...restrictions, scopes: [...restrictions.scopes] })
  const { secret, ...shown } = issued
  assert.deepEqual(shown, { keyId: issued.keyId, tier: 'standard', owner: wallet.publicKey(), createdAt: clock.nowMs(), ...restrictions, parent: null })
  const { body } = await call<{ keys: readonly ApiKey[] }>(app, '/v1/keys', { key: issued })
  assert.deepEqual(body.keys, [{ ...shown, label: 'bot', lastUsedAt: clock.nowMs(), revokedAt: null }])
  assert.ok(!JSON.stringify(body).includes(secret))
  const current = await currentOf(issued)
  const { limits, ...rest } = current
  assert.deepEqual(rest, { ...shown, label: 'bot', used: { day: '2026-07-06', notional: '0', orders: 0 } })
  assert.deepEqual([limits.tier, limits.buckets.map(({ name }) => name)], ['standard', ['read', 'trading', 'keys', 'public', 'documents']])
})

test('a key without restrictions is as before: all scopes but lend', async () => {
  const key = await obtainKey(app, wallet)
  assert.deepEqual(key.scopes, ALL.filter((scope) => scope !== 'lend'))
  assert.deepEqual(errorOf(await call(app, `/v1/keys/${key.keyId}/children`, { method: 'POST', body: {}, key })), [403, 'scope_missing'])
})

test('a challenge without restrictions cannot issue a key with them, and a restricted one nothing else', async () => {
  const address = wallet.publicKey()
  const { challengeHex } = await requestChallenge(app, address, { scopes: ['read'] })
  const claim = { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
  const asked = await call(app, '/v1/keys', { method: 'POST', body: { ...claim, scopes: ['trade'] } })
  assert.equal(asked.status, 400, 'POST /v1/keys takes no restrictions')
  const issued = await call<IssuedKey>(app, '/v1/keys', { method: 'POST', body: claim })
  assert.deepEqual([issued.status, issued.body.scopes], [201, ['read']])
  const late = await requestChallenge(app, address, { scopes: ['read'] })
  clock.advance(CHALLENGE_TTL_MS)
  const signature = signChallenge({ challengeHex: late.challengeHex, signer: wallet })
  assert.equal((await call(app, '/v1/keys', { method: 'POST', body: { address, challenge: late.challengeHex, signature } })).status, 401)
})

test('rejects restrictions that mean nothing with 400', async () => {
  const refused: readonly object[] = [
    { scopes: [] }, { scopes: ['admin'] }, { scopes: ['read', 'read'] }, { expiresAt: clock.nowMs() }, { expiresAt: 'tomorrow' }, { cidrs: [] },
    { cidrs: ['10.0.0.0/33'] }, { cidrs: ['localhost'] }, { cidrs: Array.from({ length: 17 }, (_, index) => `10.0.${index}.0/24`) },
    { caps: { assets: [] } }, { caps: { maxLeverage: 0 } }, { caps: { maxNotionalPerDay: 5 } }, { caps: { maxNotionalPerDay: '-1' } },
    { caps: { maxOrdersPerDay: -1 } },
    { caps: { maxOrders: 1 } }, { limits: {} },
  ]
  for (const restrictions of refused) {
    const response = await call(app, '/v1/keys/challenge', { method: 'POST', body: { address: wallet.publicKey(), restrictions } })
    assert.equal(response.status, 400, JSON.stringify(restrictions))
  }
})

test('a missing scope is 403 with its name, before the request is validated', async () => {
  const key = await obtainKey(app, wallet, undefined, { scopes: ['referral'] })
  const cases: readonly (readonly ['GET' | 'POST' | 'DELETE', string, string])[] = [
    ['GET', '/v1/account/me', 'read'], ['GET', '/v1/account/me/limits', 'read'], ['GET', '/v1/account/me/fills?limit=nonsense', 'read'],
    ['GET', '/v1/referral/me', 'read'], ['GET', '/v1/keys', 'keys'], ['DELETE', '/v1/keys', 'keys'], ['DELETE', `/v1/keys/${key.keyId}`, 'keys'],
    ['POST', `/v1/keys/nk_${'0'.repeat(24)}/rotate`, 'keys'], ['POST', `/v1/keys/${key.keyId}/children`, 'lend'],
  ]
  for (const [method, url, scope] of cases) {
    const { status, body } = await call(app, url, { method, key })
    assert.deepEqual([status, body['error'], body['scope'], typeof body['message']], [403, 'scope_missing', scope, 'string'], url)
  }
  assert.equal((await call(app, '/v1/keys/current', { key })).status, 200, 'needs no scope')
  const trading = await call(app, '/v1/orders/prepare', { method: 'POST', key, body: { op: 'cancel_order', orderId: 1 } })
  assert.deepEqual([trading.status, trading.body['scope']], [403, 'close'])
  const readOnly = await obtainKey(app, wallet, undefined, { scopes: ['read'] })
  for (const url of ['/v1/account/me/transactions', `/v1/tx/${'0'.repeat(64)}`, '/v1/tx?clientId=a']) {
    const { status, body } = await call(app, url, { key: readOnly })
    assert.deepEqual([status, body['scope']], [403, 'trade'], url)
  }
})

test('an expired key is 401 key_expired, and only with its secret', async () => {
  const key = await obtainKey(app, wallet, undefined, { expiresAt: clock.nowMs() + 1_000 })
  assert.equal((await meOf(key)).status, 200)
  clock.advance(1_000)
  assert.deepEqual(errorOf(await meOf(key)), [401, 'key_expired'])
  assert.deepEqual(errorOf(await meOf({ ...key, secret: '0'.repeat(64) })), [401, 'invalid_credentials'])
  assert.equal((await call(app, '/v1/keys/beta-status', { key })).headers['x-ratelimit-tier'], 'public', 'public endpoints treat it as no key')
})

test('a key limited to networks is 403 elsewhere, as the trusted proxy sees the client', async () => {
  const key = await obtainKey(app, wallet, undefined, { cidrs: ['198.51.100.0/24', '2001:db8:7::/48'] })
  const from = async (address: string): Promise<unknown[]> => errorOf(await meOf(key, { 'x-forwarded-for': address }))
  for (const address of ['198.51.100.7', '::ffff:198.51.100.7', '::ffff:c633:6407', '2001:db8:7:1::9', '203.0.113.1, 198.51.100.7']) {
    assert.deepEqual(await from(address), [200, undefined], address)
  }
  for (const address of ['198.51.101.7', '2001:db8:8::1', '::ffff:203.0.113.1', '198.51.100.7, 203.0.113.1', 'nonsense']) {
    assert.deepEqual(await from(address), [403, 'address_not_allowed'], address)
  }
})

test('a lent key is a subset of its parent, and its use needs no wallet', async () => {
  const parent = await obtainKey(app, wallet, 'lender', { scopes: [...ALL], caps: CAPS })
  const child = await lendKey(app, parent, { label: 'lent', scopes: ['read'], caps: { maxLeverage: 2 } })
  assert.deepEqual([child.parent, child.owner, child.tier], [parent.keyId, parent.owner, 'standard'])
  assert.deepEqual([child.scopes, child.caps], [['read'], { ...CAPS, maxLeverage: 2 }])
  assert.equal((await meOf(child)).status, 200)
  const refuse = async (body: object): Promise<unknown[]> => {
    const response = await call(app, `/v1/keys/${parent.keyId}/children`, { method: 'POST', body, key: parent })
    return [response.status, response.body['error'], response.body['member']]
  }
  assert.deepEqual(await refuse({ caps: { maxLeverage: 4 } }), [400, 'not_a_subset', 'caps.maxLeverage'])
  assert.deepEqual(await refuse({ caps: { assets: ['XLM'] } }), [400, 'not_a_subset', 'caps.assets'])
  assert.equal((await refuse({ expiresAt: clock.nowMs() }))[0], 400)
  assert.deepEqual(errorOf(await call(app, `/v1/keys/${child.keyId}/children`, { method: 'POST', body: {}, key: parent })), [404, 'key_not_found'])
})

test('revoking a key revokes all keys below it, and keys lent at the same time', async () => {
  const root = await obtainKey(app, wallet, undefined, { scopes: [...ALL] })
  const parent = await lendKey(app, root)
  const [child, sibling] = [await lendKey(app, parent), await lendKey(app, root)]
  const grandchild = await lendKey(app, child)
  const lending = call<IssuedKey>(app, `/v1/keys/${parent.keyId}/children`, { method: 'POST', body: {}, key: parent })
  const revoking = call(app, `/v1/keys/${parent.keyId}`, { method: 'DELETE', key: root })
  const [lent, revoked] = await Promise.all([lending, revoking])
  assert.equal(revoked.status, 200)
  for (const key of [parent, child, grandchild, ...(lent.status === 201 ? [lent.body] : [])]) assert.equal((await meOf(key)).status, 401)
  for (const key of [root, sibling]) assert.equal((await meOf(key)).status, 200)
})

test('a key that was lent changes itself and the keys below it, and no others', async () => {
  const root = await obtainKey(app, wallet, undefined, { scopes: [...ALL] })
  const [child, sibling] = [await lendKey(app, root), await lendKey(app, root)]
  const grandchild = await lendKey(app, child)
  for (const { keyId } of [root, sibling]) {
    assert.deepEqual(errorOf(await call(app, `/v1/keys/${keyId}`, { method: 'DELETE', key: child })), [404, 'key_not_found'])
    assert.deepEqual(errorOf(await rotate(child, keyId, 0)), [404, 'key_not_found'])
  }
  assert.deepEqual((await call(app, '/v1/keys', { method: 'DELETE', key: child })).body, { revoked: 1 })
  assert.deepEqual(await Promise.all([root, child, sibling, grandchild].map(async (key) => (await meOf(key)).status)), [200, 200, 200, 401])
})

test('DELETE /v1/keys revokes every key of the owner but the presented one', async () => {
  const [own, other] = [await obtainKey(app, wallet, undefined, { scopes: [...ALL] }), await obtainKey(app, wallet)]
  const stranger = await obtainKey(app, createWallet(`stranger ${wallets}`))
  const child = await lendKey(app, own)
  assert.deepEqual((await call(app, '/v1/keys', { method: 'DELETE', key: own })).body, { revoked: 2 })
  assert.deepEqual(await Promise.all([own, other, child, stranger].map(async (key) => (await meOf(key)).status)), [200, 401, 401, 200])
})

test('a rotation gives a new secret, and the one before works until the end of the overlap', async () => {
  const key = await obtainKey(app, wallet, undefined, { scopes: ['read'] })
  assert.equal((await meOf(key)).status, 200)
  const { status, body } = await rotate(key, key.keyId, 60)
  const { previousUntil, ...next } = body
  assert.deepEqual([status, previousUntil, next], [200, clock.nowMs() + 60_000, { ...key, secret: next.secret }])
  assert.notEqual(next.secret, key.secret)
  assert.deepEqual([(await meOf(key)).status, (await meOf(next)).status], [200, 200])
  clock.advance(59_999)
  assert.equal((await meOf(key)).status, 200)
  clock.advance(1)
  assert.deepEqual([errorOf(await meOf(key)), (await meOf(next)).status], [[401, 'invalid_credentials'], 200])
})

test('without an overlap the secret before ends at once, and two rotations leave two secrets at most', async () => {
  const first = await obtainKey(app, wallet)
  assert.equal((await meOf(first)).status, 200)
  const second = (await rotate(first, first.keyId, 0)).body
  assert.deepEqual([(await meOf(first)).status, (await meOf(second)).status], [401, 200])
  const third = (await rotate(second, second.keyId, KEY_OVERLAP_MAX_SEC)).body
  const fourth = (await rotate(third, third.keyId, KEY_OVERLAP_MAX_SEC)).body
  const statuses = await Promise.all([first, second, third, fourth].map(async (key) => (await meOf(key)).status))
  assert.deepEqual(statuses, [401, 401, 200, 200])
  assert.equal((await rotate(fourth, fourth.keyId, KEY_OVERLAP_MAX_SEC + 1)).status, 400)
})

test('a secret that was replaced neither rotates nor lends: what it created would outlive it', async () => {
  const key = await obtainKey(app, wallet, undefined, { scopes: [...ALL] })
  assert.equal((await rotate(key, key.keyId, 60)).status, 200)
  assert.deepEqual(errorOf(await rotate(key, key.keyId, 60)), [409, 'already_rotated'])
  assert.deepEqual(errorOf(await call(app, `/v1/keys/${key.keyId}/children`, { method: 'POST', body: {}, key })), [409, 'already_rotated'])
})

test('with the scope keys a key rotates any key of its owner, and no key of another', async () => {
  const [manager, key] = [await obtainKey(app, wallet, undefined, { scopes: ['keys'] }), await obtainKey(app, wallet)]
  const rotated = await rotate(manager, key.keyId, 0)
  assert.deepEqual([rotated.status, (await meOf(key)).status, (await meOf(rotated.body)).status], [200, 401, 200])
  const stranger = await obtainKey(app, createWallet(`other owner ${wallets}`))
  assert.deepEqual(errorOf(await rotate(manager, stranger.keyId, 0)), [404, 'key_not_found'])
  assert.deepEqual(errorOf(await call(app, `/v1/keys/${stranger.keyId}`, { method: 'DELETE', key: manager })), [404, 'key_not_found'])
  assert.equal((await meOf(stranger)).status, 200)
})

test('expired keys do not count against the limit of active keys, and children do', async () => {
  const root = await obtainKey(app, wallet, undefined, { scopes: [...ALL] })
  for (let count = 0; count < 19; count++) await lendKey(app, root, { expiresAt: clock.nowMs() + 1_000 })
  const full = await call(app, `/v1/keys/${root.keyId}/children`, { method: 'POST', body: {}, key: root })
  assert.deepEqual(errorOf(full), [409, 'key_limit_reached'])
  clock.advance(1_000)
  assert.deepEqual({ ...await lendKey(app, root), keyId: '', secret: '', createdAt: 0 }, {
    keyId: '', secret: '', owner: wallet.publicKey(), tier: 'standard', createdAt: 0, ...PLAIN, scopes: [...ALL], parent: root.keyId,
  })
})

test('the page of a key is free, and shows one day at a time', async () => {
  const key = await obtainKey(app, wallet)
  const response = await call<CurrentKey>(app, '/v1/keys/current', { key })
  assert.deepEqual([response.status, response.headers['x-ratelimit-remaining'], response.headers['cache-control']], [200, undefined, 'no-store'])
  assert.equal(response.body.used.day, new Date(clock.nowMs()).toISOString().slice(0, 10))
  assert.ok(clock.nowMs() > BARE_START_MS)
})
