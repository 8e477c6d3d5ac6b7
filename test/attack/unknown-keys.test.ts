// A flood of requests with random keys: valid keys keep working, on a real database and through the whole pipeline of a request.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { App } from '../../src/http/app.ts'
import { issueKey } from '../../src/keys/keys.ts'
import { MAX_QUEUED_LOOKUPS_PER_CLIENT } from '../../src/keys/batched-lookup.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createBareGateway, UNLIMITED_RATES } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { call, createWallet } from '../support/keys.ts'

const FLOOD = 3_000
const VALID_KEYS = 20

function randomKey(): IssuedKey {
  const keyId = `nk_${randomBytes(12).toString('hex')}`
  return { keyId, secret: randomBytes(32).toString('hex'), tier: 'standard', owner: '', createdAt: 0 }
}

async function statusOf(app: App, key: IssuedKey, from: string): Promise<number> {
  return (await call(app, '/v1/account/me', { key, from })).status
}

const FLOODS: Readonly<Record<string, (request: number) => string>> = {
  'one address': () => '198.51.100.7',
  'thousands of addresses': (request) => `10.${request >> 8}.${request & 255}.1`,
  'thousands of IPv6 networks of one subscriber': (request) => `2001:db8:7:${request.toString(16)}::1`,
}

for (const [source, addressOf] of Object.entries(FLOODS)) {
  test(`valid keys, cached or not, work during a flood of random keys from ${source}`, async () => {
    await using store = await openTestStore()
    await using bare = await createBareGateway({ store, rateLimits: UNLIMITED_RATES })
    const { app } = bare.gateway
    const request = { owner: createWallet('honest').publicKey(), tier: 'standard', label: null, clock: bare.clock, random: createSystemRandom() } as const
    const cached = await issueKey(store.write, request)
    const fresh: IssuedKey[] = []
    while (fresh.length < VALID_KEYS) fresh.push(await issueKey(store.write, request))
    assert.equal(await statusOf(app, cached, '192.0.2.1'), 200)

    const flood = Array.from({ length: FLOOD }, (_, number) => statusOf(app, randomKey(), addressOf(number)))
    const valid = [cached, ...fresh].map((key) => statusOf(app, key, '192.0.2.1'))
    assert.deepEqual(new Set(await Promise.all(valid)), new Set([200]))
    const refused = (await Promise.all(flood)).filter((status) => status !== 401)
    assert.ok(refused.every((status) => status === 503) && refused.length <= FLOOD - 0.9 * MAX_QUEUED_LOOKUPS_PER_CLIENT, `${refused.length} refused`)
  })
}
