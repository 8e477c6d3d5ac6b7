// Floods of requests with random keys, and of writes: valid keys keep working, on a real database and through the whole pipeline of a request.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { App } from '../../src/http/app.ts'
import { issueKey } from '../../src/keys/keys.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { call, createWallet, PLAIN } from '../support/keys.ts'
import type { Store } from '../../src/store/store.ts'

const FLOOD = 3_000
const VALID_KEYS = 20
const HONEST = '192.0.2.1'

function randomKey(): IssuedKey {
  const keyId = `nk_${randomBytes(12).toString('hex')}`
  return { keyId, secret: randomBytes(32).toString('hex'), tier: 'standard', owner: '', createdAt: 0, ...PLAIN }
}

async function statusOf(app: App, key: IssuedKey, from: string): Promise<number> {
  return (await call(app, '/v1/account/me', { key, from })).status
}

/** Keys that the gateway has not read yet. */
async function issueKeys(store: Store, { clock }: BareGateway, count = VALID_KEYS): Promise<readonly IssuedKey[]> {
  const request = { owner: createWallet('honest').publicKey(), tier: 'standard', label: null, clock, random: createSystemRandom() } as const
  const issued: IssuedKey[] = []
  while (issued.length < count) issued.push(await issueKey(store.write, request))
  return issued
}

const FLOODS: Readonly<Record<string, (request: number) => string>> = {
  'the same address': () => HONEST,
  'one address': () => '198.51.100.7',
  'thousands of addresses': (request) => `10.${request >> 8}.${request & 255}.1`,
  'thousands of IPv6 networks of one subscriber': (request) => `2001:db8:7:${request.toString(16)}::1`,
}

for (const [source, addressOf] of Object.entries(FLOODS)) {
  test(`valid keys, cached or not, work during a flood of random keys from ${source}`, async () => {
    await using store = await openTestStore()
    await using bare = await createBareGateway({ store, rateLimits: UNLIMITED_RATES })
    const { app } = bare.gateway
    const [cached, ...fresh] = await issueKeys(store, bare)
    assert.ok(cached !== undefined)
    assert.equal(await statusOf(app, cached, HONEST), 200)

    const flood = Array.from({ length: FLOOD }, (_, number) => statusOf(app, randomKey(), addressOf(number)))
    const valid = [cached, ...fresh].map((key) => statusOf(app, key, HONEST))
    assert.deepEqual(new Set(await Promise.all(valid)), new Set([200]))
    assert.deepEqual(new Set(await Promise.all(flood)), new Set([401]), 'and no unknown key gets another answer')
  })
}

const WRITES = 100
const WRITE_SEC = 0.03

test('keys that are used for the first time do not wait for the writes of others', async () => {
  await using store = await openTestStore()
  await using bare = await createBareGateway({ store, rateLimits: UNLIMITED_RATES })
  const [used, ...fresh] = await issueKeys(store, bare)
  assert.ok(used !== undefined)
  assert.equal(await statusOf(bare.gateway.app, used, HONEST), 200)
  let written = 0
  const writes = Array.from({ length: WRITES }, async () => {
    await store.write.transaction((tx) => tx.query('select pg_sleep($1)', [WRITE_SEC]))
    written += 1
  })
  const statuses = await Promise.all(fresh.map((key) => statusOf(bare.gateway.app, key, HONEST)))
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.ok(written < WRITES / 2, `${written} writes went first`)
  await Promise.all(writes)
})
