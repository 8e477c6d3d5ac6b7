// X-Min-Ledger: who wrote something can read it, on a real local network.

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { INDEX_WAIT_MS, RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'
import { createIndexWaiter } from '../../src/projections/index-waiter.ts'
import { createFlakyStore } from '../support/flaky-store.ts'
import type { FlakyStore } from '../support/flaky-store.ts'
import { bearer } from '../support/keys.ts'
import type { OpenApiDocument } from '../support/openapi.ts'
import { operationsOf } from '../support/openapi.ts'
import { createTrader } from '../support/trading.ts'
import { until } from '../support/until.ts'
import { createWorld } from '../support/world.ts'
import type { World, WorldAnswer } from '../support/world.ts'

let world: World
let flaky: FlakyStore

before(async () => {
  world = await createWorld({ seed: 'min ledger', traders: 0 })
  flaky = createFlakyStore(world.store)
  await world.restartGateway({ store: flaky.store })
  await world.closeLedgers(20)
  await world.settle()
})
after(() => world[Symbol.asyncDispose]())

/** The chain's latest ledger. */
function latest(): number {
  return world.network.chain.history.latest().sequence
}

type Headers = Readonly<Record<string, string>>

function ask<Body = Record<string, unknown>>(url: string, minLedger: number | string, headers: Headers = {}): Promise<WorldAnswer<Body>> {
  return world.get<Body>(url, { 'x-min-ledger': String(minLedger), ...headers })
}

async function untilWaiting(count = 1): Promise<void> {
  await until(() => world.gateway.stats().indexWaiters === count, `${count} who wait`)
}

test('what a submitted transaction did is read with its ledger: the answer waits for the index, and for no clock', async () => {
  const trader = await createTrader(world, 'impatient')
  const { ledger } = await trader.trade({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 5, direction: 'Long' })
  assert.ok(ledger !== undefined)
  const headers = { authorization: bearer(trader.key) }
  const stale = await world.get<{ positions: unknown[] }>('/v1/account/me/positions', headers)
  assert.equal(stale.body.positions.length, 0, 'without the header it is told what is indexed')
  const asking = ask<{ positions: { trader: string }[] }>('/v1/account/me/positions', ledger, headers)
  await untilWaiting()
  await world.settle()
  const { status, body, text, headers: told } = await asking
  assert.equal(status, 200, text)
  assert.deepEqual(body.positions.map((position) => position.trader), [trader.address])
  assert.ok(Number(told['x-ledger']) >= ledger)
  assert.equal(world.gateway.stats().indexWaiters, 0)
})

test('what is indexed already is answered at once, on every endpoint that takes the header, HEAD included', async () => {
  const document = (await world.get<OpenApiDocument>('/docs/json')).body
  const paths = operationsOf(document).filter(({ operation }) => operation.parameters?.some(({ name }) => name === 'x-min-ledger')).map(({ path }) => path)
  assert.ok(paths.includes('/v1/trades') && paths.length >= 20, `${paths.length} endpoints`)
  const own = { authorization: bearer((await createTrader(world, 'reader', null)).key) }
  await world.settle()
  for (const path of paths) {
    const url = `${path.replace('{id}', '1')}${QUERIES[path] ?? ''}`
    const { status, headers } = await ask(url, latest(), own)
    assert.ok(status === 200 || status === 404, `${path} ${status}`)
    if (status === 200) assert.equal(headers['x-ledger'], String(latest()), path)
  }
  const head = await world.gateway.app.inject({ method: 'HEAD', url: '/v1/trades', headers: { 'x-min-ledger': String(latest()) } })
  assert.equal(head.statusCode, 200)
})

/** What some endpoints must be asked with. */
const QUERIES: Readonly<Record<string, string>> = {
  '/v1/candles': '?asset=eth', '/udf/history': '?symbol=eth&resolution=60&from=0&to=1', '/v1/account/volume': `?address=${'G'.repeat(56)}`,
  '/v1/referral/lookup': '?code=abc', '/v1/referral/info': `?address=${'G'.repeat(56)}`,
}

test('an answer that is kept for seconds is not handed to who asks for a later ledger', async () => {
  for (const url of ['/v1/markets/stats', '/v1/leaderboard', '/v1/vaults']) {
    const kept = await world.get<unknown>(url)
    assert.equal(kept.headers['vary'], 'X-Min-Ledger', `${url} tells other caches as well`)
    await world.network.step()
    await world.settle()
    assert.equal((await world.get<unknown>(url)).headers['x-ledger'], kept.headers['x-ledger'], `${url} is kept`)
    const asked = await ask<unknown>(url, latest())
    assert.deepEqual([asked.status, asked.headers['x-ledger']], [200, String(latest())], url)
    assert.equal((await world.get<unknown>(url)).headers['x-ledger'], String(latest()), `${url} is kept anew`)
    assert.equal((await ask<unknown>(url, 1)).headers['x-ledger'], String(latest()))
  }
})

test('a ledger that is not indexed in five seconds is a 409 with the last one that is', async () => {
  await world.settle()
  const indexed = latest()
  const asking = ask('/v1/trades', indexed + 1)
  await untilWaiting()
  world.clock.advance(INDEX_WAIT_MS - 1)
  await until(() => world.gateway.stats().indexWaiters === 1, 'nothing')
  world.clock.advance(1)
  const { status, body, headers } = await asking
  assert.deepEqual([status, body], [409, { error: 'not_yet', ledger: indexed }])
  assert.equal(headers['cache-control'], 'no-store')
})

test('a notification that was missed delays an answer by a second', async () => {
  const lossy = createFlakyStore(world.store)
  await world.restartGateway({ store: lossy.store })
  lossy.lose()
  const asking = ask('/v1/trades', latest() + 1)
  await untilWaiting()
  await world.closeLedgers(1)
  await world.settle()
  world.clock.advance(1_000)
  assert.equal((await asking).status, 200)
  await world.restartGateway({ store: flaky.store })
})

test('a value that is no ledger is refused by the header\'s name, before anything is waited for', async () => {
  for (const value of ['', '-1', '1.5', '01', '0x10', '1e3', ' ', 'latest', '4294967296', '99999999999', '1, 2']) {
    const { status, body } = await ask('/v1/trades', value)
    assert.deepEqual([status, body['code']], [400, 'FST_ERR_VALIDATION'], value)
    assert.match(String(body['message']), /^headers\/x-min-ledger /, value)
  }
  assert.equal((await ask('/v1/trades', 0)).status, 200)
})

test('who is refused anyway does not wait: without a key, over the allowance, with a wrong query', async () => {
  const far = latest() + 1_000
  assert.equal((await ask('/v1/account/me/events', far)).status, 401)
  assert.equal((await ask('/v1/trades?limit=x', far)).status, 400)
  assert.equal((await ask('/v1/health', far)).status, 200, 'health does not wait')
  await world.restartGateway({ store: flaky.store, rateLimits: RATE_LIMIT_PER_WINDOW })
  for (let call = 0; call < RATE_LIMIT_PER_WINDOW.public; call++) await ask('/v1/trades', 1)
  assert.equal((await ask('/v1/trades', far)).status, 429)
  await world.restartGateway({ store: flaky.store })
})

test('many who wait cost the database what one does', async () => {
  await world.settle()
  const many = Array.from({ length: 60 }, () => ask<unknown>('/v1/referral/lookup?code=abc', latest() + 1))
  await untilWaiting(60)
  await flaky.idle()
  const before = flaky.statements()
  await world.closeLedgers(1)
  await world.settle()
  assert.deepEqual(new Set((await Promise.all(many)).map(({ status }) => status)), new Set([404]))
  const looks = flaky.statements() - before - many.length
  assert.ok(looks <= 20, `${looks} statements besides the answers' own`)
})

test('while the database is away who waits is told to come again', async () => {
  const asking = ask('/v1/trades', latest() + 1)
  await untilWaiting()
  flaky.set('down')
  world.clock.advance(1_000)
  const { status, headers } = await asking
  assert.deepEqual([status, headers['retry-after']], [503, '1'])
  assert.equal((await ask('/v1/trades', 1)).status, 503)
  flaky.set('up')
})

test('who leaves is not waited with, and whoever waits when the gateway ends is answered', async () => {
  const url = await world.gateway.listen({ host: '127.0.0.1', port: 0 })
  const client = httpRequest(`${url}/v1/trades`, { headers: { 'x-min-ledger': String(latest() + 1_000) } })
  client.on('error', () => {})
  client.end()
  await untilWaiting()
  client.destroy()
  await untilWaiting(0)

  const asking = ask('/v1/trades', latest() + 1_000)
  await untilWaiting()
  await world.restartGateway({ store: flaky.store })
  assert.deepEqual((await asking).body, { error: 'not_yet', ledger: latest() })
})

test('so many may wait; those on top are told at once how far the index is', async () => {
  const clock = createVirtualClock(0)
  await using waits = createIndexWaiter({ store: world.store, clock, maxWaiters: 3, maxPerCaller: 2 })
  const { signal } = new AbortController()
  const waiting = [waits.waitForLedger(latest() + 1, 'greedy', signal), waits.waitForLedger(latest() + 1, 'greedy', signal)]
  assert.equal(await waits.waitForLedger(latest() + 1, 'greedy', signal), latest(), 'one caller does not take all the places')
  waiting.push(waits.waitForLedger(latest() + 1, 'another', signal))
  assert.equal(await waits.waitForLedger(latest() + 1, 'third', signal), latest())
  assert.equal(waits.waiterCount(), 3)
  await world.closeLedgers(1)
  await world.settle()
  assert.deepEqual(await Promise.all(waiting), [latest(), latest(), latest()])
  const next = waits.waitForLedger(latest() + 1, 'greedy', signal)
  await world.closeLedgers(1)
  await world.settle()
  assert.equal(await next, latest(), 'a place is given back')
  assert.equal(clock.pendingTimers(), 0, 'nothing is left behind')
})
