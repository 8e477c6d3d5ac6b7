// Callers that try to raise the operator's alerts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { call } from '../support/keys.ts'
import { samplesOf } from '../support/metrics.ts'
import { createTrader } from '../support/traders.ts'

test('no caller raises HighErrorRate by what it asks for: such a response counts as no failure, and the log does not call it one', async () => {
  const metrics = createMetrics({ clock: createVirtualClock(0), runtime: false })
  const read = async (): Promise<ReadonlyMap<string, number>> => samplesOf(await metrics.text())
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (fields: object) => warnings.push(fields) }
  await using fixture = await createGatewayFixture({ metrics, log, traders: 0 })
  await fixture.closeLedgers(2)
  await fixture.catchUp()
  const trader = await createTrader(fixture, 'caller')
  warnings.length = 0
  await fixture.control('local_fault', { name: 'try_again_later', count: 3 })
  const again = await trader.submit(await trader.signed({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' }))
  const { app } = fixture.gateway
  const statuses = [
    again.status,
    (await call(app, '/v1/oracle/heartbeat', { method: 'POST', body: {} })).status,
    (await call(app, '/v1/oracle/health?strict=1')).status,
  ]
  await fixture.restartGateway()
  statuses.push((await call(fixture.gateway.app, '/readyz')).status)
  assert.deepEqual(statuses, [503, 503, 503, 503])
  assert.deepEqual([...(await read())].filter(([name]) => name.startsWith('gateway_http_failures_total')), [])
  assert.deepEqual(warnings.filter((line) => 'status' in (line as object)), [], 'no line says that the gateway failed')

  const broken = { query: async () => { throw new StoreUnavailable('down') } }
  await fixture.restartGateway({ store: { ...fixture.store, read: broken } })
  assert.equal((await call(fixture.gateway.app, '/v1/trades')).status, 503)
  assert.equal((await read()).get('gateway_http_failures_total{route="/v1/trades",status="503"}'), 1)
})

test('a caller that exceeds its limit is one address among others, however many requests are refused', async () => {
  const metrics = createMetrics({ clock: createVirtualClock(0), runtime: false })
  await using fixture = await createGatewayFixture({ metrics, traders: 0, gateway: { rateLimits: { public: 3, standard: 3, market_maker: 3 } } })
  for (let minute = 0; minute < 2; minute++) {
    for (let requests = 0; requests < 100; requests++) await call(fixture.gateway.app, '/v1/trades', { from: '192.0.2.66' })
    for (const from of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) await call(fixture.gateway.app, '/v1/trades', { from })
    fixture.clock.advance(60_000)
  }
  const samples = samplesOf(await metrics.text())
  const addresses = ['allowed', 'refused'].map((decision) => samples.get(`gateway_rate_limit_addresses_total{decision="${decision}"}`))
  assert.deepEqual(addresses, [8, 2])
  assert.equal(samples.get('gateway_rate_limit_decisions_total{tier="public",decision="refused"}'), 194)
})
