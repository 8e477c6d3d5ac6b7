// X-Min-Ledger: a client that submitted a transaction can read its effect, on a real local network.

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { INDEX_WAIT_MS, RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'
import { createIndexWaiter } from '../../src/projections/state/index-waiter.ts'
import { createFlakyStore } from '../support/flaky-store.ts'
import type { FlakyStore } from '../support/flaky-store.ts'
import { bearer } from '../support/keys.ts'
import type { OpenApiDocument } from './openapi.ts'
import { operationsOf } from './openapi.ts'
import { createTrader } from '../support/traders.ts'
import { until } from '../support/until.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import type { ApiResponse } from '../support/keys.ts'
import { withoutMessage } from '../support/without-message.ts'

let fixture: GatewayFixture
let flaky: FlakyStore

before(async () => {
  fixture = await createGatewayFixture({ seed: 'min ledger', traders: 0 })
  flaky = createFlakyStore(fixture.store)
  await fixture.restartGateway({ store: flaky.store })
  await fixture.closeLedgers(20)
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

/** The chain's latest ledger. */
function latest(): number {
  return fixture.network.chain.history.latest().sequence
}

type Headers = Readonly<Record<string, string>>

function getAtLedger<Body = Record<string, unknown>>(url: string, minLedger: number | string, headers: Headers = {}): Promise<ApiResponse<Body>> {
  return fixture.get<Body>(url, { 'x-min-ledger': String(minLedger), ...headers })
}

async function untilWaiting(count = 1): Promise<void> {
  await until(() => fixture.gateway.stats().indexWaiters === count, `${count} waiting requests`)
}

test('waits for the index until it has the transaction\'s ledger, without advancing the clock', async () => {
  const trader = await createTrader(fixture, 'min ledger')
  const { ledger } = await trader.trade({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' })
  assert.ok(ledger !== undefined)
  const headers = { authorization: bearer(trader.key) }
  const stale = await fixture.get<{ positions: unknown[] }>('/v1/account/me/positions', headers)
  assert.equal(stale.body.positions.length, 0, 'without the header the response shows the indexed state')
  const waiting = getAtLedger<{ positions: { trader: string }[] }>('/v1/account/me/positions', ledger, headers)
  await untilWaiting()
  await fixture.catchUp()
  const { status, body, text, headers: responseHeaders } = await waiting
  assert.equal(status, 200, text)
  assert.deepEqual(body.positions.map((position) => position.trader), [trader.address])
  assert.ok(Number(responseHeaders['x-ledger']) >= ledger)
  assert.equal(fixture.gateway.stats().indexWaiters, 0)
})

test('responds at once for an indexed ledger on every endpoint that accepts the header, HEAD included', async () => {
  const document = (await fixture.get<OpenApiDocument>('/docs/json')).body
  const paths = operationsOf(document).filter(({ operation }) => operation.parameters?.some(({ name }) => name === 'x-min-ledger')).map(({ path }) => path)
  assert.ok(paths.includes('/v1/trades') && paths.length >= 20, `${paths.length} endpoints`)
  const own = { authorization: bearer((await createTrader(fixture, 'reader', null)).key) }
  await fixture.catchUp()
  for (const path of paths) {
    const named = path.replace(/\{(\w+)\}/, (_match, name: string) => NAMES[name] ?? '')
    const url = `${named}${QUERIES[path] ?? ''}`
    const { status, headers } = await getAtLedger(url, latest(), own)
    assert.ok(status === 200 || status === 404, `${path} ${status}`)
    if (status === 200) assert.equal(headers['x-ledger'], String(latest()), path)
  }
  const head = await fixture.gateway.app.inject({ method: 'HEAD', url: '/v1/trades', headers: { 'x-min-ledger': String(latest()) } })
  assert.equal(head.statusCode, 200)
})

/** Parameters of paths. */
const NAMES: Readonly<Record<string, string>> = { id: '1', orderId: '1', address: 'G'.repeat(56), hash: '0'.repeat(64) }

/** Required query parameters of some endpoints. */
const QUERIES: Readonly<Record<string, string>> = {
  '/v1/candles': '?asset=eth', '/udf/history': '?symbol=eth&resolution=60&from=0&to=1', '/v1/account/volume': `?address=${'G'.repeat(56)}`,
  '/v1/referral/lookup': '?code=abc', '/v1/referral/info': `?address=${'G'.repeat(56)}`,
  '/v1/leaderboard/rank': `?trader=${'G'.repeat(56)}`, '/v1/tx': '?clientId=x',
}

test('does not return a cached response to a request for a later ledger', async () => {
  for (const url of ['/v1/markets/stats', '/v1/leaderboard', '/v1/vaults']) {
    const cached = await fixture.get<unknown>(url)
    assert.equal(cached.headers['vary'], 'X-Min-Ledger', `${url} varies by the header`)
    await fixture.network.step()
    await fixture.catchUp()
    assert.equal((await fixture.get<unknown>(url)).headers['x-ledger'], cached.headers['x-ledger'], `${url} is cached`)
    const later = await getAtLedger<unknown>(url, latest())
    assert.deepEqual([later.status, later.headers['x-ledger']], [200, String(latest())], url)
    assert.equal((await fixture.get<unknown>(url)).headers['x-ledger'], String(latest()), `${url} is cached again`)
    assert.equal((await getAtLedger<unknown>(url, 1)).headers['x-ledger'], String(latest()))
  }
})

test('responds 409 with the last indexed ledger when the requested one is not indexed within five seconds', async () => {
  await fixture.catchUp()
  const indexed = latest()
  const waiting = getAtLedger('/v1/trades', indexed + 1)
  await untilWaiting()
  fixture.clock.advance(INDEX_WAIT_MS - 1)
  await until(() => fixture.gateway.stats().indexWaiters === 1, 'the request still waits')
  fixture.clock.advance(1)
  const { status, body, headers } = await waiting
  assert.deepEqual([status, withoutMessage(body)], [409, { error: 'not_yet', ledger: indexed }])
  assert.equal(headers['cache-control'], 'no-store')
})

test('a missed notification delays the response by one second', async () => {
  const lossy = createFlakyStore(fixture.store)
  await fixture.restartGateway({ store: lossy.store })
  lossy.dropNotifications()
  const waiting = getAtLedger('/v1/trades', latest() + 1)
  await untilWaiting()
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  fixture.clock.advance(1_000)
  assert.equal((await waiting).status, 200)
  await fixture.restartGateway({ store: flaky.store })
})

test('rejects an invalid ledger with a 400 that names the header, without waiting', async () => {
  for (const value of ['', '-1', '1.5', '01', '0x10', '1e3', ' ', 'latest', '4294967296', '99999999999', '1, 2']) {
    const { status, body } = await getAtLedger('/v1/trades', value)
    assert.deepEqual([status, body['code']], [400, 'FST_ERR_VALIDATION'], value)
    assert.match(String(body['message']), /^headers\/x-min-ledger /, value)
  }
  assert.equal((await getAtLedger('/v1/trades', 0)).status, 200)
})

test('rejects a request without a key, over the rate limit or with a bad query before waiting', async () => {
  const far = latest() + 1_000
  assert.equal((await getAtLedger('/v1/account/me/events', far)).status, 401)
  assert.equal((await getAtLedger('/v1/trades?limit=x', far)).status, 400)
  assert.equal((await getAtLedger('/v1/health', far)).status, 200, 'health does not wait')
  await fixture.restartGateway({ store: flaky.store, rateLimits: RATE_LIMIT_PER_WINDOW })
  for (let call = 0; call < RATE_LIMIT_PER_WINDOW.public; call++) await getAtLedger('/v1/trades', 1)
  assert.equal((await getAtLedger('/v1/trades', far)).status, 429)
  await fixture.restartGateway({ store: flaky.store })
})

test('many waiting requests share the database queries', async () => {
  await fixture.catchUp()
  const many = Array.from({ length: 60 }, () => getAtLedger<unknown>('/v1/referral/lookup?code=abc', latest() + 1))
  await untilWaiting(60)
  await flaky.idle()
  const statementsBefore = flaky.statements()
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  assert.deepEqual(new Set((await Promise.all(many)).map(({ status }) => status)), new Set([404]))
  const polls = flaky.statements() - statementsBefore - many.length
  assert.ok(polls <= 20, `${polls} statements besides the responses' own`)
})

test('waiting requests get 503 with retry-after while the database is down', async () => {
  const waiting = getAtLedger('/v1/trades', latest() + 1)
  await untilWaiting()
  flaky.set('down')
  fixture.clock.advance(1_000)
  const { status, headers } = await waiting
  assert.deepEqual([status, headers['retry-after']], [503, '1'])
  assert.equal((await getAtLedger('/v1/trades', 1)).status, 503)
  flaky.set('up')
})

test('stops waiting when the client disconnects and responds to waiting requests when the gateway closes', async () => {
  const url = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })
  const client = httpRequest(`${url}/v1/trades`, { headers: { 'x-min-ledger': String(latest() + 1_000) } })
  client.on('error', () => {})
  client.end()
  await untilWaiting()
  client.destroy()
  await untilWaiting(0)

  const waiting = getAtLedger('/v1/trades', latest() + 1_000)
  await untilWaiting()
  await fixture.restartGateway({ store: flaky.store })
  assert.deepEqual(withoutMessage((await waiting).body), { error: 'not_yet', ledger: latest() })
})

test('limits the waiting requests and returns the index\'s ledger at once to the rest', async () => {
  const clock = createVirtualClock(0)
  await using waiter = createIndexWaiter({ store: fixture.store, clock, maxWaiters: 3, maxPerCaller: 2 })
  const { signal } = new AbortController()
  const [greedy, another] = [{ address: 'greedy', key: 'greedy' }, { address: 'another', key: 'another' }]
  const waiting = [waiter.waitForLedger(latest() + 1, greedy, signal), waiter.waitForLedger(latest() + 1, greedy, signal)]
  assert.equal(await waiter.waitForLedger(latest() + 1, greedy, signal), latest(), 'one caller cannot take all permits')
  waiting.push(waiter.waitForLedger(latest() + 1, another, signal))
  assert.equal(await waiter.waitForLedger(latest() + 1, another, signal), latest(), 'it would have as many as the greedy caller')
  assert.equal(waiter.waiterCount(), 3)
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  assert.deepEqual(await Promise.all(waiting), [latest(), latest(), latest()])
  const next = waiter.waitForLedger(latest() + 1, greedy, signal)
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  assert.equal(await next, latest(), 'the permit is released')
  assert.equal(clock.pendingTimers(), 0, 'no timer remains')
})
