// Callers that try to raise the operator's alerts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
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
