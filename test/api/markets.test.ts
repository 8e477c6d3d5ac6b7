// GET /v1/markets, /v1/markets/{asset}, /v1/markets/{asset}/price: live reads of the chain. oracle.test.ts tests how prices are read.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ASSETS, ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { ORACLE_CACHE_MS, STALE_PRICE_SERVED_MS } from '../../src/limits.ts'
import type { Market } from '../../src/resources/market.ts'
import type { Price } from '../../src/resources/price.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { withoutMessage } from '../support/without-message.ts'

let fixture: GatewayFixture

before(async () => {
  fixture = await createGatewayFixture({ traders: 0 })
  await fixture.closeLedgers(3)
})
after(() => fixture[Symbol.asyncDispose]())

interface Markets {
  readonly markets: readonly Market[]
}
interface Prices {
  readonly prices: readonly Price[]
}

test('GET /v1/markets lists the fourteen markets with names, decimals and the oracle\'s prices', async () => {
  const { body } = await fixture.get<Markets>('/v1/markets')
  const { prices } = (await fixture.get<Prices>('/v1/oracle/prices')).body
  assert.deepEqual(body.markets.map(({ asset }) => asset), ASSETS.map(({ symbol, name, decimals }) => ({ symbol, name, decimals })))
  assert.deepEqual(body.markets.map(({ oracle }) => oracle), prices)
})

test('GET /v1/markets/{asset} and its price accept any letter case, HYPE included', async () => {
  const { prices } = (await fixture.get<Prices>('/v1/oracle/prices')).body
  for (const [index, symbol] of ASSET_SYMBOLS.entries()) {
    const text = index % 2 === 0 ? symbol.toLowerCase() : symbol
    const market = await fixture.get<Market>(`/v1/markets/${text}`)
    assert.equal(market.body.asset.symbol, symbol)
    assert.deepEqual(market.body.oracle, prices[index])
    assert.deepEqual((await fixture.get(`/v1/markets/${text}/price`)).body, prices[index])
  }
})

test('responds 404 to an unknown asset and echoes it in upper case', async () => {
  for (const suffix of ['', '/price']) {
    const unknown = [
      ['shib', 'SHIB'], ['Btcusd', 'BTCUSD'], ['%20btc', ' BTC'], ['a%2Fb', 'A/B'], ['__proto__', '__PROTO__'], ['x'.repeat(500), 'X'.repeat(500)],
    ]
    for (const [path, echo] of unknown) {
      const { status, body, headers } = await fixture.get(`/v1/markets/${path}${suffix}`)
      assert.equal(status, 404)
      assert.deepEqual(withoutMessage(body), { error: 'Unknown asset', asset: echo })
      assert.equal(headers['cache-control'], 'no-store')
    }
  }
  assert.equal((await fixture.get('/v1/markets/%00')).status, 400)
  assert.equal((await fixture.get('/v1/markets/')).status, 404)
  assert.equal((await fixture.get('/v1/markets/BTC/prices')).status, 404)
})

test('caches prices for three seconds', async () => {
  await fixture.gateway.oracle.step()
  const cached = await fixture.get('/v1/markets/BTC/price')
  await fixture.control('local_setPrice', { asset: 'BTC', price: '1000000000000' })
  assert.deepEqual((await fixture.get('/v1/markets/BTC/price')).body, cached.body)
  fixture.clock.advance(ORACLE_CACHE_MS)
  const fresh = await fixture.get<Price>('/v1/markets/BTC/price')
  assert.equal(fresh.body.price, '1000000000000')
  assert.equal(fresh.body.priceFloat, 100_000)
  assert.notEqual(fresh.headers['etag'], cached.headers['etag'])
  await fixture.control('local_releasePrice')
})

test('serves an old attestation with its own timestamp', async () => {
  await fixture.control('local_setPrice', { asset: 'XLM', price: '2500000', ageSeconds: 600 })
  await fixture.gateway.oracle.step()
  const { body, headers } = await fixture.get<Price>('/v1/markets/XLM/price')
  assert.equal(body.price, '2500000')
  assert.ok(fixture.clock.nowMs() / 1000 - body.timestamp >= 600)
  assert.equal(headers['x-stale'], undefined, 'an old attestation is not a stale read')
  await fixture.control('local_releasePrice')
})

test('a matching etag gives 304', async () => {
  await fixture.gateway.oracle.step()
  for (const path of ['/v1/markets', '/v1/oracle/prices', '/v1/markets/ETH', '/v1/markets/ETH/price']) {
    const etag = (await fixture.get(path)).headers['etag'] ?? ''
    assert.match(etag, /^W\//)
    const second = await fixture.get(path, { 'if-none-match': etag })
    assert.deepEqual([second.status, second.text, second.headers['etag']], [304, '', etag])
  }
})

test('serves an unreadable asset\'s last price as stale for five minutes, then 502; the lists never fail', async () => {
  await fixture.gateway.oracle.step()
  const known = (await fixture.get<Price>('/v1/markets/SOL/price')).body
  fixture.rpc.refusedPrices.add('SOL')
  fixture.clock.advance(ORACLE_CACHE_MS)
  await fixture.gateway.oracle.step()

  const stale = await fixture.get('/v1/markets/SOL/price')
  assert.deepEqual([stale.status, { ...stale.body, ageSec: 0 }, stale.headers['x-stale']], [200, { ...known, ageSec: 0 }, '1'])
  assert.equal((await fixture.get('/v1/markets/SOL')).headers['x-stale'], '1')
  assert.equal((await fixture.get('/v1/markets/BTC')).headers['x-stale'], undefined)
  const list = await fixture.get<Prices>('/v1/oracle/prices')
  assert.deepEqual([list.status, list.body.prices.length, list.headers['x-stale']], [200, 14, '1'])

  fixture.clock.advance(STALE_PRICE_SERVED_MS)
  await fixture.gateway.oracle.step()
  for (const path of ['/v1/markets/sol', '/v1/markets/sol/price']) {
    const expired = await fixture.get(path)
    assert.deepEqual([expired.status, expired.body['error']], [502, 'rpc_error'])
    assert.match(String(expired.body['message']), /SOL/)
  }
  const markets = await fixture.get<Markets>('/v1/markets')
  assert.equal(markets.body.markets.length, 13)
  assert.equal(markets.headers['x-stale'], undefined)

  fixture.rpc.refusedPrices.clear()
  fixture.clock.advance(ORACLE_CACHE_MS)
  assert.equal((await fixture.get('/v1/markets/SOL/price')).status, 200)
})
