// GET /v1/account/me, and with it how every endpoint tells who is calling.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { LOOKUP_TIMEOUT_MS } from '../../src/keys/batched-lookup.ts'
import { KEY_TTL_MS } from '../../src/keys/key-cache.ts'
import { issueKey } from '../../src/keys/keys.ts'
import type { App } from '../../src/http/app.ts'
import type { IssuedKey } from '../../src/resources/api-key.ts'
import type { Store } from '../../src/store/store.ts'
import { BARE_START_MS, createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { createFlakyStore } from '../support/flaky-store.ts'
import type { FlakyStore } from '../support/flaky-store.ts'
import { bearer, call, createWallet, obtainKey } from '../support/keys.ts'

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

test('tells owner, tier and key id', async () => {
  const answer = await me({ authorization: bearer(key) })
  assert.deepEqual([answer.status, answer.body], [200, { owner: key.owner, tier: 'standard', keyId: key.keyId }])
  assert.equal(answer.headers['cache-control'], 'no-store')
})

test('refuses by the specification\'s names', async () => {
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
    const answer = await me(headers, `192.0.2.${index}`)
    assert.deepEqual([answer.status, answer.body], [401, body], JSON.stringify(headers))
    assert.equal(answer.headers['www-authenticate'], 'Bearer')
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers['x-ratelimit-tier'], 'public', 'and is counted by address')
  }
  assert.equal((await me({ authorization: `bearer   ${keyId}:${secret}` })).status, 200, 'the scheme\'s name has no case')
})

test('X-Timestamp is within thirty seconds or refused; without it no clock is looked at', async () => {
  clock.advance(MINUTE_MS)
  const nowSec = Math.floor(clock.nowMs() / 1000)
  const good = [nowSec, nowSec - 30, nowSec + 30, `${nowSec}.75`]
  const stale = [nowSec - 31, nowSec + 31, clock.nowMs(), 0, -nowSec, 'now', '', `${nowSec}x`, `${nowSec}, ${nowSec}`, '1e9', '0x10']
  for (const timestamp of good) assert.equal((await me({ authorization: bearer(key), 'x-timestamp': String(timestamp) })).status, 200, String(timestamp))
  for (const timestamp of stale) {
    const answer = await me({ authorization: bearer(key), 'x-timestamp': String(timestamp) }, `192.0.2.${stale.indexOf(timestamp)}`)
    assert.deepEqual([answer.status, answer.body], [401, { error: 'stale_timestamp' }], String(timestamp))
  }
})

test('a key is counted as itself on every endpoint, its tier told; whoever has none by address', async () => {
  clock.advance(MINUTE_MS)
  const other = await obtainKey(app, createWallet('other'))
  const maker = await issueKey(real.write, {
    owner: createWallet('maker').publicKey(), tier: 'market_maker', label: null, clock, random: createSeededRandom('maker'),
  })
  const told = async (url: string, options: Parameters<typeof call>[2]) => {
    const { headers } = await call(app, url, options)
    return [headers['x-ratelimit-tier'], headers['x-ratelimit-remaining']]
  }
  clock.advance(MINUTE_MS)
  assert.deepEqual(await told('/v1/keys/beta-status', { key }), ['standard', '14'])
  assert.deepEqual(await told('/v1/account/me', { key, from: '198.51.100.7' }), ['standard', '13'])
  assert.deepEqual(await told('/v1/nowhere', { key }), ['standard', '12'])
  assert.deepEqual(await told('/%zz', { key }), ['standard', '11'])
  assert.deepEqual(await told('/v1/account/me', { key: other }), ['standard', '14'])
  assert.deepEqual(await told('/v1/account/me', { key: maker }), ['market_maker', '24'])
  assert.deepEqual(await told('/v1/keys/beta-status', {}), ['public', '7'])
  const wrong = { ...key, secret: other.secret }
  assert.deepEqual(await told('/v1/keys/beta-status', { key: wrong }), ['public', '6'])
  assert.deepEqual(await told('/v1/keys/beta-status', { key, headers: { 'x-timestamp': '1' } }), ['public', '5'])
  assert.equal((await call(app, '/v1/keys/beta-status', { key: wrong })).status, 200, 'what is wrong with credentials does not keep public data from anyone')
})

test('429 comes before 401, and 401 before 400', async () => {
  clock.advance(MINUTE_MS)
  const from = '203.0.113.5'
  const malformed = () => call(app, '/v1/keys/%00', { method: 'DELETE', from })
  for (let count = 0; count < 8; count++) assert.equal((await malformed()).status, 401)
  const refused = await malformed()
  assert.deepEqual([refused.status, refused.body], [429, { error: 'rate_limited', retry_after_sec: 60 }])
  assert.equal((await call(app, '/v1/keys/%00', { method: 'DELETE', from, key })).status, 400, 'a valid key has an allowance of its own')
})

test('a key that used up its allowance is refused as itself, from whatever address', async () => {
  clock.advance(MINUTE_MS)
  for (let count = 0; count < 15; count++) assert.equal((await call(app, '/v1/account/me', { key, from: `198.51.100.${count}` })).status, 200)
  const refused = await call(app, '/v1/account/me', { key, from: '198.51.100.99' })
  assert.deepEqual([refused.status, refused.headers['x-ratelimit-tier'], refused.headers['x-ratelimit-remaining']], [429, 'standard', '0'])
})

test('health and the documentation are exempt, whatever credentials say', async () => {
  const health = await call(app, '/docs/json', { key })
  assert.deepEqual([health.status, health.headers['x-ratelimit-tier']], [200, undefined])
})

test('while the database is down a trusted key works on, and then its validity is unknown, not denied', async () => {
  clock.advance(MINUTE_MS)
  warnings.length = 0
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
  flaky.set('down')
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200, 'read a moment ago')
  clock.advance(KEY_TTL_MS)
  const unknown = await call(app, '/v1/account/me', { key })
  assert.deepEqual([unknown.status, unknown.body['error'], unknown.headers['retry-after']], [503, 'Service Unavailable', '1'])
  assert.equal(unknown.headers['x-ratelimit-tier'], 'public')
  assert.equal((await call(app, '/v1/account/me', {})).status, 401, 'no credentials are no credentials')
  assert.equal((await call(app, '/v1/keys/beta-status', { key })).status, 200, 'public data is public')
  assert.equal((await call(app, '/v1/keys', { key })).status, 503)
  assert.equal(warnings.filter((message) => message.startsWith('API keys cannot be looked up')).length, 1, 'told once')
  flaky.set('up')
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
})

test('a database that does not answer is waited for one second, once', async () => {
  clock.advance(MINUTE_MS)
  // Uses have been written down, and what was read with them is old again.
  await flaky.idle()
  clock.advance(KEY_TTL_MS)
  flaky.set('hangs')
  const first = call(app, '/v1/account/me', { key })
  const second = call(app, '/v1/keys/beta-status', { key })
  await flaky.waitForBlockedCall()
  clock.advance(LOOKUP_TIMEOUT_MS)
  assert.deepEqual([(await first).status, (await second).status], [503, 200])
  assert.equal((await call(app, '/v1/account/me', { key })).status, 503, 'at once: an earlier look has not ended')
  flaky.set('up')
  await flaky.idle()
  assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
})
