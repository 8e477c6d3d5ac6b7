// GET /v1/oracle/prices, and how the gateway reads the prices of all market endpoints.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { ORACLE_CACHE_MS, STALE_PRICE_SERVED_MS } from '../../src/limits.ts'
import { CADENCE_MAX_MS } from '../../src/markets/ledger-cadence.ts'
import { PRICE_WAIT_MS } from '../../src/markets/price-book.ts'
import { MAX_CONCURRENT_PRICE_READS, PRICE_READ_TIMEOUT_MS } from '../../src/markets/prices.ts'
import type { Market } from '../../src/resources/market.ts'
import type { Price } from '../../src/resources/price.ts'
import { until } from '../support/until.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

let fixture: GatewayFixture

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'oracle' })
  await fixture.closeLedgers(3)
})
after(() => fixture[Symbol.asyncDispose]())

interface Prices {
  readonly prices: readonly Price[]
}
interface Markets {
  readonly markets: readonly Market[]
}

const PATHS = ['/v1/oracle/prices', '/v1/markets', '/v1/markets/BTC', '/v1/markets/BTC/price', '/v1/markets/ETH/price']

/** Returns and clears the assets whose prices were read from the chain. */
function takePriceReads(): readonly string[] {
  return fixture.rpc.requestedPrices.splice(0).toSorted()
}

const ALL = ASSET_SYMBOLS.toSorted()

function withoutAge({ prices }: Prices): readonly object[] {
  return prices.map(({ ageSec: _age, stale: _stale, ...price }) => price)
}

test('returns one price per supported asset, in listing order, without waiting for the ticker', async () => {
  const { status, body, headers } = await fixture.get<Prices>('/v1/oracle/prices')
  assert.equal(status, 200)
  assert.deepEqual(body.prices.map(({ asset }) => asset), ASSET_SYMBOLS)
  for (const { price, priceFloat, timestamp, ...rest } of body.prices) {
    assert.deepEqual(Object.keys(rest), ['asset', 'stale', 'ageSec', 'ledger'])
    assert.match(price, /^[1-9]\d*$/)
    assert.equal(priceFloat, Number(price) / 1e7)
    assert.ok(Number.isInteger(timestamp) && timestamp <= fixture.clock.nowMs() / 1000 && timestamp > 1_783_339_000)
  }
  assert.equal(headers['cache-control'], 'public, max-age=1')
  assert.equal(headers['x-stale'], undefined)
})

test('concurrent requests share one read per asset, cached for three seconds', async () => {
  fixture.clock.advance(ORACLE_CACHE_MS)
  takePriceReads()
  const released = Promise.withResolvers<void>()
  fixture.rpc.heldUntil = released.promise
  const responding = Promise.all([...PATHS, ...PATHS, ...PATHS].map((path) => fixture.get(path)))
  await until(() => fixture.rpc.requestedPrices.length >= MAX_CONCURRENT_PRICE_READS, 'the first reads')
  fixture.rpc.heldUntil = null
  released.resolve()
  const responses = await responding
  assert.ok(responses.every(({ status, headers }) => status === 200 && headers['x-stale'] === undefined))
  assert.deepEqual(takePriceReads(), ALL)
  fixture.clock.advance(ORACLE_CACHE_MS - 1)
  for (const path of PATHS) await fixture.get(path)
  assert.deepEqual(takePriceReads(), [])
  fixture.clock.advance(1)
  await fixture.get('/v1/markets/BTC/price')
  assert.deepEqual(takePriceReads(), ['BTC'], 'reading one asset does not read the others')
  for (const path of PATHS) await fixture.get(path)
  assert.deepEqual(takePriceReads(), ALL.filter((asset) => asset !== 'BTC'))
})

test('the ticker reads prices before they expire, so requests cause no reads', async () => {
  await fixture.gateway.oracle.step()
  await fixture.gateway.oracle.step()
  takePriceReads()
  for (let round = 0; round < 3; round++) {
    fixture.clock.advance(CADENCE_MAX_MS)
    for (const path of PATHS) await fixture.get(path)
    assert.deepEqual(takePriceReads(), [])
    fixture.rpc.requestedKeys.length = 0
    await fixture.gateway.oracle.step()
    assert.deepEqual(takePriceReads(), [], 'one call reads the entries of all assets')
    assert.ok(fixture.rpc.requestedKeys.length >= ALL.length)
  }
})

test('a hanging chain delays only the first request, by one second; then cached prices are served as stale', async () => {
  await fixture.gateway.oracle.step()
  const known = (await fixture.get<Prices>('/v1/oracle/prices')).body
  const timers = fixture.clock.pendingTimers()
  fixture.clock.advance(ORACLE_CACHE_MS)
  const released = Promise.withResolvers<void>()
  fixture.rpc.heldUntil = released.promise
  takePriceReads()
  const first = fixture.get<Prices>('/v1/oracle/prices')
  await until(() => fixture.rpc.requestedPrices.length >= MAX_CONCURRENT_PRICE_READS, 'the first reads')
  fixture.clock.advance(PRICE_WAIT_MS)
  const stale = await first
  assert.deepEqual([stale.status, withoutAge(stale.body), stale.headers['x-stale']], [200, withoutAge(known), '1'])
  assert.equal((await fixture.get('/v1/markets/BTC')).headers['x-stale'], '1', 'the second request does not wait')
  // The hanging reads time out and the queued ones start.
  fixture.clock.advance(PRICE_READ_TIMEOUT_MS)
  await until(() => fixture.rpc.requestedPrices.length >= ALL.length, 'the other reads')
  fixture.rpc.heldUntil = null
  released.resolve()
  await fixture.gateway.oracle.step()
  const recovered = await fixture.get<Prices>('/v1/oracle/prices')
  assert.deepEqual([recovered.body.prices.length, recovered.headers['x-stale']], [14, undefined])
  assert.equal(fixture.clock.pendingTimers(), timers)
})

test('omits an asset that was never read from the lists and responds 502 on its own endpoints', async () => {
  await using fresh = await createGatewayFixture({ traders: 0, seed: 'never read' })
  fresh.rpc.refusedPrices.add('HYPE').add('LTC')
  const { status, body, headers } = await fresh.get<Prices>('/v1/oracle/prices')
  assert.deepEqual([status, body.prices.length, headers['x-stale']], [200, 12, undefined])
  assert.equal((await fresh.get<Markets>('/v1/markets')).body.markets.length, 12)
  const hype = await fresh.get('/v1/markets/HYPE')
  assert.deepEqual([hype.status, hype.body['error']], [502, 'rpc_error'])
})

test('without the chain serves the last prices for five minutes, then none, and recovers without a restart', async () => {
  await fixture.gateway.oracle.step()
  const known = (await fixture.get<Prices>('/v1/oracle/prices')).body
  fixture.rpc.isDown = true
  fixture.clock.advance(ORACLE_CACHE_MS)
  await fixture.gateway.oracle.step()
  const stale = await fixture.get<Prices>('/v1/oracle/prices')
  assert.deepEqual([stale.status, withoutAge(stale.body), stale.headers['x-stale']], [200, withoutAge(known), '1'])
  assert.equal((await fixture.get<Markets>('/v1/markets')).body.markets.length, 14)

  fixture.clock.advance(STALE_PRICE_SERVED_MS)
  await fixture.gateway.oracle.step()
  assert.deepEqual((await fixture.get('/v1/oracle/prices')).body, { prices: [] })
  assert.deepEqual((await fixture.get('/v1/markets')).body, { markets: [] })
  for (const path of ['/v1/markets/BTC', '/v1/markets/HYPE/price']) {
    const { status, body, text, headers } = await fixture.get(path)
    assert.deepEqual([status, Object.keys(body), body['error'], headers['cache-control']], [502, ['error', 'message'], 'rpc_error', 'no-store'])
    assert.doesNotMatch(text, /internal|upstream|simulate/)
  }
  assert.equal((await fixture.get('/v1/markets/SHIB')).status, 404, 'unknown assets stay 404 without the chain')

  fixture.rpc.isDown = false
  for (let round = 0; round < 3; round++) {
    fixture.clock.advance(CADENCE_MAX_MS)
    await fixture.gateway.oracle.step()
  }
  const { body, headers } = await fixture.get<Prices>('/v1/oracle/prices')
  assert.deepEqual([body.prices.length, headers['x-stale']], [14, undefined])
})
