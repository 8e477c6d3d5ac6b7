// What becomes of a connection whose key or secret ends, on the instance that ends it and on another one.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { IssuedKey, RotatedKey } from '../../src/resources/api-key.ts'
import type { RestrictionsRequest } from '../../src/resources/key-restrictions.ts'
import { KEY_SCOPES } from '../../src/limits.ts'
import { GATEWAY_DEFAULTS, unreachable } from '../support/bare-gateway.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { call, createWallet, lendKey, obtainKey } from '../support/keys.ts'
import { connectStream } from '../support/stream-client.ts'
import type { StreamClient } from '../support/stream-client.ts'

const ALL = [...KEY_SCOPES]
/** "Within a second". */
const WITHIN_MS = 1_000

let fixture: GatewayFixture
let there: { readonly gateway: Gateway; readonly url: string }
let wallets = 0
let wallet = createWallet('ends')
const disposables = new AsyncDisposableStack()

before(async () => {
  fixture = disposables.use(await createGatewayFixture({ traders: 0, seed: 'key ends', listen: true }))
  const { store, clock, deployment } = fixture
  const gateway = await createGateway({
    ...GATEWAY_DEFAULTS, store, clock, deployment, log: silentLog, random: createSeededRandom('there'), rpc: unreachable('RPC') as never,
    readDatabaseTime: async () => clock.nowMs(),
  })
  disposables.defer(() => gateway.close())
  there = { gateway, url: await gateway.listen({ host: '127.0.0.1', port: 0 }) }
  for (const { stream } of [fixture.gateway, gateway]) stream.start()
})
after(() => disposables.disposeAsync())
beforeEach(() => {
  wallet = createWallet(`ends ${++wallets}`)
})

const obtain = (restrictions?: RestrictionsRequest): Promise<IssuedKey> => obtainKey(fixture.gateway.app, wallet, undefined, restrictions)

/** Connects to both instances, and subscribes to a private and a public channel. */
async function subscribeAtBoth(key: { readonly keyId: string; readonly secret: string }): Promise<readonly StreamClient[]> {
  const clients = [await fixture.connect(), await connectStream(there.url)]
  disposables.defer(async () => {
    await clients[1]?.close()
  })
  for (const client of clients) {
    client.send({ op: 'login', keyId: key.keyId, secret: key.secret })
    client.send({ op: 'subscribe', channels: [privateChannel(), 'heartbeat'] })
    await client.frame(({ type }) => type === 'subscribed')
  }
  return clients
}

const privateChannel = (): string => `account.events.${wallet.publicKey()}`

const rotate = async (key: IssuedKey, overlapSec: number): Promise<RotatedKey> => {
  const response = await call<RotatedKey>(fixture.gateway.app, `/v1/keys/${key.keyId}/rotate`, { method: 'POST', body: { overlapSec }, key })
  assert.equal(response.status, 200, response.text)
  return response.body
}

/** Passes time until what the instances notice has reached the clients. */
async function pass(ms: number): Promise<void> {
  await fixture.idle()
  fixture.clock.advance(ms)
  await fixture.idle()
}

const ended = (reason: string, channels: readonly string[] = [privateChannel()]): object => ({ type: 'unsubscribed', channels, reason })

/** A frame of this type, without one that comes later. */
async function nextOf(client: StreamClient, type: string): Promise<object> {
  return await client.frame((frame) => frame.type === type)
}

test('revoking a key ends the private subscriptions of the keys below it everywhere, and closes', async () => {
  const parent = await obtain({ scopes: ALL })
  const child = await lendKey(fixture.gateway.app, parent)
  const clients = await subscribeAtBoth(child)
  assert.equal((await call(fixture.gateway.app, `/v1/keys/${parent.keyId}`, { method: 'DELETE', key: parent })).status, 200)
  await pass(WITHIN_MS)
  for (const client of clients) {
    assert.deepEqual(await nextOf(client, 'unsubscribed'), ended('key_revoked'))
    assert.deepEqual(await client.closed, { code: 4401, reason: 'key_revoked' })
  }
})

test('an expired key ends the private subscriptions everywhere, and leaves the public ones', async () => {
  const clients = await subscribeAtBoth(await obtain({ expiresAt: fixture.clock.nowMs() + 60_000 }))
  await pass(59_000)
  for (const client of clients) assert.ok(client.frames.every(({ type }) => type !== 'unsubscribed'))
  await pass(1_000 + WITHIN_MS)
  for (const client of clients) {
    assert.deepEqual(await nextOf(client, 'unsubscribed'), ended('key_expired'))
    const from = client.frames.length
    client.send({ op: 'subscribe', channels: [privateChannel()] })
    await client.frame(({ type }) => type === 'rejected', from)
    await pass(1_000)
    await client.frame(({ channel }) => channel === 'heartbeat', from)
  }
})

test('a rotation is announced to the sockets of the secret before, which end with it, everywhere', async () => {
  const key = await obtain()
  const clients = await subscribeAtBoth(key)
  const next = await rotate(key, 30)
  const fresh = await subscribeAtBoth(next)
  await pass(WITHIN_MS)
  for (const client of clients) assert.deepEqual(await nextOf(client, 'key_expiring'), { type: 'key_expiring', at: next.previousUntil })
  await pass(15_000)
  for (const client of clients) assert.equal(client.frames.filter(({ type }) => type === 'key_expiring').length, 1, 'once')
  await pass(15_000 + WITHIN_MS)
  for (const client of clients) assert.deepEqual(await nextOf(client, 'unsubscribed'), ended('key_expired'))
  for (const client of fresh) assert.ok(client.frames.every(({ type }) => type !== 'key_expiring' && type !== 'unsubscribed'))
})

test('without an overlap the sockets of the secret before end at once, and a login with the new one continues', async () => {
  const key = await obtain()
  const clients = await subscribeAtBoth(key)
  const next = await rotate(key, 0)
  await pass(WITHIN_MS)
  for (const client of clients) {
    assert.deepEqual(await nextOf(client, 'unsubscribed'), ended('key_expired'))
    const from = client.frames.length
    client.send({ op: 'login', keyId: next.keyId, secret: next.secret })
    client.send({ op: 'subscribe', channels: [privateChannel()] })
    await client.frame(({ type }) => type === 'subscribed', from)
  }
})

test('a socket that logs in with the new secret before the end of the overlap keeps its channels', async () => {
  const key = await obtain()
  const clients = await subscribeAtBoth(key)
  const next = await rotate(key, 10)
  for (const client of clients) {
    const from = client.frames.length
    client.send({ op: 'login', keyId: next.keyId, secret: next.secret })
    await client.frame(({ type }) => type === 'login', from)
  }
  await pass(10_000 + WITHIN_MS)
  for (const client of clients) {
    await client.settle()
    assert.ok(client.frames.every(({ type }) => type !== 'unsubscribed'))
  }
})

test('a login needs the scope read, one of the networks of the key, and a key that has not expired', async () => {
  const keys = [
    [await obtain({ scopes: ['trade'] }), 'scope_missing'], [await obtain({ cidrs: ['203.0.113.0/24'] }), 'address_not_allowed'],
    [await obtain({ expiresAt: fixture.clock.nowMs() + 1_000 }), 'key_expired'], [await obtain({ cidrs: ['127.0.0.0/8'] }), undefined],
  ] as const
  await pass(1_000)
  for (const [{ keyId, secret }, error] of keys) {
    const client = await fixture.connect()
    client.send({ op: 'login', keyId, secret })
    assert.equal(((await nextOf(client, 'login')) as { error?: string }).error, error)
  }
})
