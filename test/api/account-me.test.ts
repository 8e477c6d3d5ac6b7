// GET /v1/account/me, and the authentication and rate limits of every endpoint.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { LOOKUP_TIMEOUT_MS } from '../../src/base/batched-lookup.ts'
import { KEY_TTL_MS } from '../../src/keys/key-cache.ts'
import { issueKey } from '../../src/keys/keys.ts'
import type { App } from '../../src/http/app.ts'
import type { AccountLimits } from '../../src/resources/account-limits.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import type { Store } from '../../src/store/store.ts'
import { BARE_START_MS, createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { createFlakyStore } from '../support/flaky-store.ts'
import type { FlakyStore } from '../support/flaky-store.ts'
import { bearer, call, createWallet, obtainKey } from '../support/keys.ts'
import { withoutMessage } from '../support/without-message.ts'

const MINUTE_MS = 60_000
const clock = createVirtualClock(BARE_START_MS)
const warnings: string[] = []
const log: Log = { ...silentLog, warn: (_fields, message) => warnings.push(message) }
let real: Store
let flaky: FlakyStore
let bare: BareGateway
let app: App
let key: IssuedKey

before(async () => {
  real = await openTestStore()
  flaky = createFlakyStore(real)
  bare = await createBareGateway({
    store: flaky.store, clock, log,
    regionGuard: { country: 'cf-ipcountry', region: 'cf-region-code' },
    rateLimits: { public: 8, standard: 15, market_maker: 25 },
  })
  app = bare.gateway.app
  key = await obtainKey(app, createWallet('caller'))
})
after(async () => {
  await bare[Symbol.asyncDispose]()
  await real[Symbol.asyncDispose]()
})

function me(headers: Readonly<Record<string, string>>, from?: string) {
  return call(app, '/v1/account/me', { headers, ...(from === undefined ? {} : { from }) })
}

test('returns owner, tier and key id', async () => {
  const response = await me({ authorization: bearer(key) })
  assert.deepEqual([response.status, response.body], [200, { owner: key.owner, tier: 'standard', keyId: key.keyId }])
  assert.equal(response.headers['cache-control'], 'no-store')
})

test('rejects bad credentials with the specified error codes', async () => {
  clock.advance(MINUTE_MS)
  const hint = { hint: 'Authorization: Bearer <keyId>:<secret>' }
  const { keyId, secret } = key
  const refused: readonly (readonly [Readonly<Record<string, string>>, object])[] = [
    [{}, { error: 'missing_bearer' }],
    [{ authorization: `Basic ${Buffer.from(`${keyId}:${secret}`).toString('base64')}` }, { error: 'missing_bearer' }],
    [{ authorization: `${keyId}:${secret}` }, { error: 'missing_bearer' }],
    [{ authorization: `BearerX ${keyId}:${secret}` }, { error: 'missing_bearer' }],
    [{ authorization: 'Bearer' }, { error: 'malformed_bearer', ...hint }],
    [{ authorization: `Bearer ${keyId}` }, { error: 'malformed_bearer', ...hint }],
    [{ authorization: 'Bearer :' }, { error: 'invalid_credentials' }],
    [{ authorization: `Bearer ${keyId}:${secret}:` }, { error: 'invalid_credentials' }],
    [{ authorization: `Bearer ${keyId}::${secret}` }, { error: 'invalid_credentials' }],
    [{ authorization: `Bearer ${keyId}:${secret.slice(0, -1)}` }, { error: 'invalid_credentials' }],
    [{ authorization: `Bearer ${keyId}:${secret.toUpperCase()}` }, { error: 'invalid_credentials' }],
    [{ authorization: `Bearer ${keyId}:` }, { error: 'invalid_credentials' }],
    [{ authorization: `Bearer ${keyId.toUpperCase()}:${secret}` }, { error: 'invalid_credentials' }],
    [{ authorization: `Bearer nk_${'0'.repeat(24)}:${secret}` }, { error: 'invalid_credentials' }],
  ]
  for (const [index, [headers, body]] of refused.entries()) {
    const response = await me(headers, `192.0.2.${index}`)
    assert.deepEqual([response.status, withoutMessage(response.body)], [401, body], JSON.stringify(headers))
    assert.equal(response.headers['www-authenticate'], 'Bearer')
    assert.equal(response.headers['cache-control'], 'no-store')
    assert.equal(response.headers['x-ratelimit-tier'], 'public', 'the rate limit counts by IP address')
  }
  assert.equal((await me({ authorization: `bearer   ${keyId}:${secret}` })).status, 200, 'the scheme is case-insensitive')
})

test('rejects an X-Timestamp more than thirty seconds off', async () => {
  clock.advance(MINUTE_MS)
  const nowSec = Math.floor(clock.nowMs() / 1000)
  const good = [nowSec, nowSec - 30, nowSec + 30, `${nowSec}.75`]
  const stale = [nowSec - 31, nowSec + 31, clock.nowMs(), 0, -nowSec, 'now', '', `${nowSec}x`, `${nowSec}, ${nowSec}`, '1e9', '0x10']
  for (const timestamp of good) assert.equal((await me({ authorization: bearer(key), 'x-timestamp': String(timestamp) })).status, 200, String(timestamp))
  for (const timestamp of stale) {
    const response = await me({ authorization: bearer(key), 'x-timestamp': String(timestamp) }, `192.0.2.${stale.indexOf(timestamp)}`)
    assert.deepEqual([response.status, withoutMessage(response.body)], [401, { error: 'stale_timestamp' }], String(timestamp))
  }
})

test('rate limits count by key on every endpoint and report its tier; without a valid key by IP address', async () => {
  clock.advance(MINUTE_MS)
  const other = await obtainKey(app, createWallet('other'))
  const maker = await issueKey(real.write, {
    owner: createWallet('maker').publicKey(), tier: 'market_maker', label: null, clock, random: createSeededRandom('maker'),
  })
  const limitOf = async (url: string, options: Parameters<typeof call>[2]) => {
    const { headers } = await call(app, url, options)
    return [headers['x-ratelimit-tier'], headers['x-ratelimit-remaining']]
  }
  clock.advance(MINUTE_MS)
  assert.deepEqual(await limitOf('/v1/keys/beta-status', { key }), ['standard', '14'])
  assert.deepEqual(await limitOf('/v1/account/me', { key, from: '198.51.100.7' }), ['standard', '13'])
  assert.deepEqual(await limitOf('/v1/nowhere', { key }), ['standard', '12'])
  assert.deepEqual(await limitOf('/%zz', { key }), ['standard', '11'])
  assert.deepEqual(await limitOf('/v1/account/me', { key: other }), ['standard', '14'])
  assert.deepEqual(await limitOf('/v1/account/me', { key: maker }), ['market_maker', '24'])
  assert.deepEqual(await limitOf('/v1/keys/beta-status', {}), ['public', '7'])
  const wrongSecret = { ...key, secret: other.secret }
  assert.deepEqual(await limitOf('/v1/keys/beta-status', { key: wrongSecret }), ['public', '6'])
  assert.deepEqual(await limitOf('/v1/keys/beta-status', { key, headers: { 'x-timestamp': '1' } }), ['public', '5'])
  assert.equal((await call(app, '/v1/keys/beta-status', { key: wrongSecret })).status, 200, 'public data needs no valid credentials')
})

test('429 precedes 401, and 401 precedes 400', async () => {
  clock.advance(MINUTE_MS)
  const from = '203.0.113.5'
  const malformed = () => call(app, '/v1/keys/%00', { method: 'DELETE', from })
  for (let count = 0; count < 8; count++) assert.equal((await malformed()).status, 401)
  const refused = await malformed()
  assert.deepEqual([refused.status, withoutMessage(refused.body)], [429, { error: 'rate_limited', retry_after_sec: 60 }])
  assert.equal((await call(app, '/v1/keys/%00', { method: 'DELETE', from, key })).status, 400, 'a valid key has its own limit')
})

test('a key\'s rate limit applies from any IP address', async () => {
  clock.advance(MINUTE_MS)
  for (let count = 0; count < 15; count++) assert.equal((await call(app, '/v1/account/me', { key, from: `198.51.100.${count}` })).status, 200)
  const refused = await call(app, '/v1/account/me', { key, from: '198.51.100.99' })
  assert.deepEqual([refused.status, refused.headers['x-ratelimit-tier'], refused.headers['x-ratelimit-remaining']], [429, 'standard', '0'])
})

test('the documentation is exempt from rate limits, with credentials too', async () => {
  const response = await call(app, '/docs/json', { key })
  assert.deepEqual([response.status, response.headers['x-ratelimit-tier']], [200, undefined])
})

test('while the database is down a cached key works until it expires; then the response is 503, not 401', async () => {
  clock.advance(MINUTE_MS)
  warnings.length = 0
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
  flaky.set('down')
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200, 'the key is cached')
  clock.advance(KEY_TTL_MS)
  const unknown = await call(app, '/v1/account/me', { key })
  assert.deepEqual([unknown.status, unknown.body['error'], unknown.headers['retry-after']], [503, 'Service Unavailable', '1'])
  assert.equal(unknown.headers['x-ratelimit-tier'], 'public')
  assert.equal((await call(app, '/v1/account/me', {})).status, 401, 'missing credentials need no database')
  assert.equal((await call(app, '/v1/keys/beta-status', { key })).status, 200, 'public data needs no valid credentials')
  assert.equal((await call(app, '/v1/keys', { key })).status, 503)
  assert.equal(warnings.filter((message) => message.startsWith('API keys cannot be looked up')).length, 1, 'logged once')
  flaky.set('up')
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
})

test('each request waits one second at most for a hanging database', async () => {
  clock.advance(MINUTE_MS)
  // Wait until the last uses are written, then let the cached key expire.
  await flaky.idle()
  clock.advance(KEY_TTL_MS)
  flaky.set('hangs')
  const first = call(app, '/v1/account/me', { key })
  const second = call(app, '/v1/keys/beta-status', { key })
  await flaky.waitForBlockedCall()
  clock.advance(LOOKUP_TIMEOUT_MS)
  assert.deepEqual([(await first).status, (await second).status], [503, 200])
  const timers = clock.pendingTimers()
  const third = call(app, '/v1/account/me', { key })
  while (clock.pendingTimers() === timers) await setImmediate()
  clock.advance(LOOKUP_TIMEOUT_MS)
  assert.equal((await third).status, 503)
  flaky.set('up')
  await flaky.idle()
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
})

/** Returns the requests left in each bucket, by name and what it counts. */
async function bucketsOf(headers: Readonly<Record<string, string>>): Promise<Readonly<Record<string, number>>> {
  const { body } = await call(app, '/v1/account/me/limits', { headers })
  const { buckets } = body as unknown as AccountLimits
  return Object.fromEntries(buckets.map(({ name, countedPer, remaining }) => [`${name} ${countedPer}`, remaining]))
}

test('GET /v1/account/me/limits lists every bucket and is free', async () => {
  clock.advance(MINUTE_MS)
  const headers = { authorization: bearer(key) }
  const full = { 'read key': 15, 'trading key': 15, 'keys address': 12_000, 'public address': 8, 'documents address': 1_500 }
  for (let request = 0; request < 20; request++) assert.deepEqual(await bucketsOf(headers), full)
  const read = await me(headers)
  const resetSec = 60 - (Math.floor(clock.nowMs() / 1000) % 60)
  assert.deepEqual(['limit', 'remaining', 'reset'].map((name) => read.headers[`ratelimit-${name}`]), ['15', '14', String(resetSec)])
  await call(app, '/v1/tx/submit', { method: 'POST', body: {}, headers })
  await call(app, '/docs/json', {})
  const { 'documents address': documents, ...left } = await bucketsOf(headers)
  assert.deepEqual(left, { 'read key': 14, 'trading key': 14, 'keys address': 11_998, 'public address': 8 })
  assert.ok(documents !== undefined && documents < 1_490, 'a document counts by its size')
  const { body, headers: free } = await call(app, '/v1/account/me/limits', { headers })
  assert.deepEqual([body['tier'], body['resetSec'], free['x-ratelimit-remaining']], ['standard', resetSec, undefined])
})

test('GET /v1/account/me/limits counts requests without a valid key', async () => {
  clock.advance(MINUTE_MS)
  const statuses: number[] = []
  for (let request = 0; request < 10; request++) statuses.push((await call(app, '/v1/account/me/limits', { headers: { authorization: 'Bearer x:y' } })).status)
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 401, 401, 401, 429, 429])
})

test('a key that used up its reads can still trade', async () => {
  clock.advance(MINUTE_MS)
  const headers = { authorization: bearer(key) }
  for (let request = 0; request < 15; request++) assert.equal((await me(headers)).status, 200)
  assert.equal((await me(headers)).status, 429)
  for (const url of ['/v1/orders/prepare', '/v1/actions/prepare', '/v1/tx/submit']) {
    const { status, headers: response } = await call(app, url, { method: 'POST', body: {}, headers })
    assert.deepEqual([status, response['x-ratelimit-tier']], [400, 'standard'], url)
  }
  assert.equal((await bucketsOf(headers))['trading key'], 12)
})

test('creating keys counts by client address, whatever key is presented', async () => {
  clock.advance(MINUTE_MS)
  const keys = [key, await obtainKey(app, createWallet('second'))]
  clock.advance(MINUTE_MS)
  const remaining: unknown[] = []
  for (let request = 0; request < 10; request++) {
    const url = request % 2 === 0 ? '/v1/keys' : '/v1/keys/challenge'
    const presented = keys[request % 3]
    const { headers } = await call(app, url, { method: 'POST', body: {}, ...(presented === undefined ? {} : { key: presented }) })
    remaining.push(headers['x-ratelimit-remaining'])
    assert.equal(headers['x-ratelimit-tier'], 'public')
  }
  assert.deepEqual(remaining, ['7', '6', '5', '4', '3', '2', '1', '0', '0', '0'])
  assert.equal((await me({ authorization: bearer(key) })).status, 200, 'other requests with the key are not affected')
})

test('free keys do not multiply the rate limit: all keys used from one address share a ceiling', async () => {
  await using bounded = await createBareGateway({ store: real, clock, addressCeiling: 20, random: createSeededRandom('bounded') })
  const keys: IssuedKey[] = []
  for (let index = 0; index < 10; index++) {
    const owner = createWallet(`free ${index}`).publicKey()
    keys.push(await issueKey(real.write, { owner, tier: 'standard', label: null, clock, random: createSeededRandom(`free ${index}`) }))
  }
  clock.advance(MINUTE_MS)
  const from = async (address: string): Promise<readonly number[]> => {
    const statuses: number[] = []
    for (let round = 0; round < 5; round++) {
      for (const one of keys) statuses.push((await call(bounded.gateway.app, '/v1/account/me', { key: one, from: address })).status)
    }
    return statuses
  }
  const passed = Array.from({ length: 50 }, (_, request) => (request < 20 ? 200 : 429))
  assert.deepEqual(await from('192.0.2.1'), passed)
  const refused = await call(bounded.gateway.app, '/v1/account/me', { ...(keys[0] === undefined ? {} : { key: keys[0] }), from: '192.0.2.1' })
  assert.deepEqual([refused.headers['x-ratelimit-tier'], refused.headers['ratelimit-limit'], refused.headers['ratelimit-remaining']], ['standard', '20', '0'])
  assert.deepEqual(await from('192.0.2.2'), passed, 'another address has its own ceiling')
})
