// Steps the machine's clock by an hour, forward and back, while the gateway runs. No timer, cache or pause may last an hour longer, and no request may be
// accepted or rejected because of the step.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORACLE_CACHE_MS } from '../../src/limits.ts'
import { call, createWallet, obtainKey, requestChallenge, signChallenge } from '../support/keys.ts'
import { createTrader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const HOUR_MS = 3_600_000
const STEPS = [['forward', HOUR_MS], ['back', -HOUR_MS]] as const
const UNLIMITED = 1_000_000

async function priceOf(fixture: GatewayFixture, asset: string): Promise<string> {
  const { body } = await fixture.get<{ oracle: { price: string } }>(`/v1/markets/${asset}`)
  return body.oracle.price
}

for (const [name, stepMs] of STEPS) {
  test(`${name}: keys and revocations stay valid; challenges expire at their stated time`, async () => {
    await using fixture = await createGatewayFixture({ traders: 0 })
    const { app } = fixture.gateway
    const wallet = createWallet(`steps ${name}`)
    const [key, revoked] = [await obtainKey(app, wallet), await obtainKey(app, wallet)]
    await call(app, `/v1/keys/${revoked.keyId}`, { method: 'DELETE', key })
    const address = wallet.publicKey()
    const { challengeHex, expiresAt } = await requestChallenge(app, address)
    fixture.clock.step(stepMs)
    assert.equal((await call(app, '/v1/account/me', { key })).status, 200)
    assert.equal((await call(app, '/v1/account/me', { key: revoked })).status, 401)
    const body = { address, challenge: challengeHex, signature: signChallenge({ challengeHex, signer: wallet }) }
    assert.equal((await call(app, '/v1/keys', { method: 'POST', body })).status, fixture.clock.nowMs() < expiresAt ? 201 : 401)
    await obtainKey(app, wallet)
  })

  test(`${name}: reads a price again when its cache expires`, async () => {
    await using fixture = await createGatewayFixture({ traders: 0 })
    await fixture.closeLedgers(2)
    await fixture.catchUp()
    const initial = await priceOf(fixture, 'BTC')
    fixture.clock.step(stepMs)
    // The local network's actors need a few ledgers after the step.
    await fixture.closeLedgers(3)
    await fixture.control('local_setPrice', { asset: 'BTC', price: String(BigInt(initial) * 2n) })
    fixture.clock.advance(ORACLE_CACHE_MS)
    assert.equal(await priceOf(fixture, 'BTC'), String(BigInt(initial) * 2n))
  })

  test(`${name}: the price ticker and an order complete within seconds`, async () => {
    await using fixture = await createGatewayFixture({ traders: 0 })
    await fixture.closeLedgers(2)
    const stop = new AbortController()
    const running = fixture.gateway.oracle.run(stop.signal)
    const trader = await createTrader(fixture, `trader ${name}`)
    fixture.clock.step(stepMs)
    await fixture.closeLedgers(3)
    const { status } = await trader.trade({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' })
    assert.equal(status, 'SUCCESS')
    stop.abort()
    await running
  })

  test(`${name}: the rate limit resets within a minute, and uptime does not include the step`, async () => {
    const limits = { public: 2, standard: UNLIMITED, market_maker: UNLIMITED }
    await using fixture = await createGatewayFixture({ traders: 2, gateway: { rateLimits: limits } })
    await fixture.closeLedgers(3)
    await fixture.catchUp()
    const getMarkets = () => fixture.get('/v1/markets')
    const useUpLimit = async (): Promise<void> => {
      for (let requests = 0; requests < limits.public; requests++) await getMarkets()
    }
    await useUpLimit()
    fixture.clock.step(stepMs)
    assert.equal((await getMarkets()).status, 200, 'a new minute has a new limit')
    await useUpLimit()
    const { status, headers } = await getMarkets()
    assert.equal(status, 429)
    assert.ok(Number(headers['retry-after']) <= 60)
    fixture.clock.advance(60_000)
    assert.equal((await getMarkets()).status, 200)
    const { body } = await fixture.get<{ uptime: number; indexer: { ledgerAgeSeconds: number } }>('/v1/health')
    assert.equal(body.uptime, 63)
    assert.ok(body.indexer.ledgerAgeSeconds >= 0)
  })

  test(`${name}: candles stay ordered and never ahead of the ledger`, async () => {
    await using fixture = await createGatewayFixture({ traders: 0 })
    for (const byMs of [0, stepMs, -stepMs]) {
      fixture.clock.step(byMs)
      for (let round = 0; round < 3; round++) {
        await fixture.closeLedgers(2)
        await fixture.catchUp()
      }
    }
    const { body } = await fixture.get<{ candles: { time: number }[] }>('/v1/candles?asset=BTC&interval=1m')
    const times = body.candles.map(({ time }) => time)
    assert.ok(times.length > 0)
    assert.deepEqual(times, [...new Set(times)].sort((a, b) => a - b))
    const closeMs = fixture.network.chain.history.latest().closeTimeSec * 1000
    for (const time of times) assert.ok(time * (time < 1e11 ? 1000 : 1) <= closeMs)
  })
}
