// GET /v1/oracle/prices, and how the prices behind it and behind the markets are read.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import { ORACLE_CACHE_MS, STALE_PRICE_SERVED_MS } from '../../src/limits.ts'
import { TICKER_INTERVAL_MS } from '../../src/oracle/oracle.ts'
import { MAX_CONCURRENT_PRICE_READS, PRICE_READ_TIMEOUT_MS, PRICE_WAIT_MS } from '../../src/oracle/prices.ts'
import type { Market } from '../../src/resources/market.ts'
import type { Price } from '../../src/resources/price.ts'
import { until } from '../support/until.ts'
import { createWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

let world: World

before(async () => {
  world = await createWorld({ traders: 0, seed: 'oracle' })
  await world.closeLedgers(3)
})
after(() => world[Symbol.asyncDispose]())

interface Prices {
  readonly prices: readonly Price[]
}
interface Markets {
  readonly markets: readonly Market[]
}

const PATHS = ['/v1/oracle/prices', '/v1/markets', '/v1/markets/BTC', '/v1/markets/BTC/price', '/v1/markets/ETH/price']

/** The prices that were asked of the chain since the last look. */
function asked(): readonly string[] {
  return world.rpc.pricesAsked.splice(0).toSorted()
}

const ALL = ASSET_SYMBOLS.toSorted()

test('one price per supported asset, in listing order, without waiting for the ticker', async () => {
  const { status, body, headers } = await world.get<Prices>('/v1/oracle/prices')
  assert.equal(status, 200)
  assert.deepEqual(body.prices.map(({ asset }) => asset), ASSET_SYMBOLS)
  for (const { price, priceFloat, timestamp, ...rest } of body.prices) {
    assert.deepEqual(Object.keys(rest), ['asset'])
    assert.match(price, /^[1-9]\d*$/)
    assert.equal(priceFloat, Number(price) / 1e7)
    assert.ok(Number.isInteger(timestamp) && timestamp <= world.clock.nowMs() / 1000 && timestamp > 1_783_339_000)
  }
  assert.equal(headers['cache-control'], 'public, max-age=1')
  assert.equal(headers['x-stale'], undefined)
})

test('one read per asset for all who ask at once, kept for three seconds', async () => {
  world.clock.advance(ORACLE_CACHE_MS)
  asked()
  const released = Promise.withResolvers<void>()
  world.rpc.held = released.promise
  const asking = Promise.all([...PATHS, ...PATHS, ...PATHS].map((path) => world.get(path)))
  await until(() => world.rpc.pricesAsked.length >= MAX_CONCURRENT_PRICE_READS, 'the first reads')
  world.rpc.held = null
  released.resolve()
  const answers = await asking
  assert.ok(answers.every(({ status, headers }) => status === 200 && headers['x-stale'] === undefined))
  assert.deepEqual(asked(), ALL)
  world.clock.advance(ORACLE_CACHE_MS - 1)
  for (const path of PATHS) await world.get(path)
  assert.deepEqual(asked(), [])
  world.clock.advance(1)
  await world.get('/v1/markets/BTC/price')
  assert.deepEqual(asked(), ['BTC'], 'one asset is read for itself alone')
  for (const path of PATHS) await world.get(path)
  assert.deepEqual(asked(), ALL.filter((asset) => asset !== 'BTC'))
})

test('the ticker reads ahead of expiry: requests find the prices and cost no read', async () => {
  await world.gateway.oracle.step()
  asked()
  for (let round = 0; round < 3; round++) {
    world.clock.advance(TICKER_INTERVAL_MS)
    for (const path of PATHS) await world.get(path)
    assert.deepEqual(asked(), [])
    await world.gateway.oracle.step()
    assert.deepEqual(asked(), ALL)
  }
})

test('a chain that hangs holds up a request for one second, and only the first; then what is known is served as stale', async () => {
  await world.gateway.oracle.step()
  const known = (await world.get<Prices>('/v1/oracle/prices')).body
  const timers = world.clock.pendingTimers()
  world.clock.advance(ORACLE_CACHE_MS)
  const released = Promise.withResolvers<void>()
  world.rpc.held = released.promise
  asked()
  const first = world.get<Prices>('/v1/oracle/prices')
  await until(() => world.rpc.pricesAsked.length >= MAX_CONCURRENT_PRICE_READS, 'the first reads')
  world.clock.advance(PRICE_WAIT_MS)
  const stale = await first
  assert.deepEqual([stale.status, stale.body, stale.headers['x-stale']], [200, known, '1'])
  assert.equal((await world.get('/v1/markets/BTC')).headers['x-stale'], '1', 'this one waited for nothing')
  // The reads are given up; what waited behind them is asked now.
  world.clock.advance(PRICE_READ_TIMEOUT_MS)
  await until(() => world.rpc.pricesAsked.length >= ALL.length, 'the other reads')
  world.rpc.held = null
  released.resolve()
  await world.gateway.oracle.step()
  const again = await world.get<Prices>('/v1/oracle/prices')
  assert.deepEqual([again.body.prices.length, again.headers['x-stale']], [14, undefined])
  assert.equal(world.clock.pendingTimers(), timers)
})

test('an asset that was never read is left out of the lists, and 502 on its own endpoints', async () => {
  await using fresh = await createWorld({ traders: 0, seed: 'never read' })
  fresh.rpc.unreadable.add('HYPE').add('LTC')
  const { status, body, headers } = await fresh.get<Prices>('/v1/oracle/prices')
  assert.deepEqual([status, body.prices.length, headers['x-stale']], [200, 12, undefined])
  assert.equal((await fresh.get<Markets>('/v1/markets')).body.markets.length, 12)
  const hype = await fresh.get('/v1/markets/HYPE')
  assert.deepEqual([hype.status, hype.body['error']], [502, 'rpc_error'])
})

test('with no chain at all the last known prices are served for five minutes, then nothing, and it comes back by itself', async () => {
  await world.gateway.oracle.step()
  const known = (await world.get<Prices>('/v1/oracle/prices')).body
  world.rpc.gone = true
  world.clock.advance(ORACLE_CACHE_MS)
  await world.gateway.oracle.step()
  const stale = await world.get<Prices>('/v1/oracle/prices')
  assert.deepEqual([stale.status, stale.body, stale.headers['x-stale']], [200, known, '1'])
  assert.equal((await world.get<Markets>('/v1/markets')).body.markets.length, 14)

  world.clock.advance(STALE_PRICE_SERVED_MS)
  await world.gateway.oracle.step()
  assert.deepEqual((await world.get('/v1/oracle/prices')).body, { prices: [] })
  assert.deepEqual((await world.get('/v1/markets')).body, { markets: [] })
  for (const path of ['/v1/markets/BTC', '/v1/markets/HYPE/price']) {
    const { status, body, text, headers } = await world.get(path)
    assert.deepEqual([status, Object.keys(body), body['error'], headers['cache-control']], [502, ['error', 'message'], 'rpc_error', 'no-store'])
    assert.doesNotMatch(text, /internal|upstream|simulate/)
  }
  assert.equal((await world.get('/v1/markets/SHIB')).status, 404, 'what is not known is not known, chain or not')

  world.rpc.gone = false
  for (let round = 0; round < 3; round++) {
    world.clock.advance(TICKER_INTERVAL_MS)
    await world.gateway.oracle.step()
  }
  const { body, headers } = await world.get<Prices>('/v1/oracle/prices')
  assert.deepEqual([body.prices.length, headers['x-stale']], [14, undefined])
})
