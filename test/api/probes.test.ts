// GET /livez and GET /readyz.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { PRICE_STALENESS_LIMIT_SEC, RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import type { Health } from '../../src/resources/health.ts'
import type { DatabaseProblem } from '../../src/store/store.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import { samplesOf } from '../support/metrics.ts'
import { until } from '../support/until.ts'
import { createTrader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { withoutMessage } from '../support/without-message.ts'

async function readiness(fixture: GatewayFixture): Promise<readonly [number, unknown]> {
  const { status, body } = await fixture.get('/readyz')
  return [status, status === 503 ? withoutMessage(body) : body]
}

const READY = [200, { status: 'ready' }]

test('ready once a ledger is indexed, not while the index is too old, and ready again after it catches up', async () => {
  await using fixture = await createGatewayFixture({ gateway: { readyMaxLedgerAgeSec: 30 } })
  assert.deepEqual(await readiness(fixture), [503, { error: 'not_ready', status: 'not_ready', reasons: ['index_empty', 'prices_stale'] }])
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  assert.deepEqual(await readiness(fixture), READY)

  fixture.rpc.isDown = true
  await fixture.closeLedgers(30)
  assert.equal((await fixture.indexer.step()).kind, 'unreachable')
  assert.deepEqual(await readiness(fixture), READY, 'a short outage does not make it unready')
  await fixture.closeLedgers(1)
  assert.deepEqual(await readiness(fixture), [503, { error: 'not_ready', status: 'not_ready', reasons: ['index_behind'] }])
  assert.equal((await fixture.get('/livez')).status, 200, 'a restart would not help')
  assert.equal((await fixture.get('/v1/health')).status, 200)

  fixture.rpc.isDown = false
  await fixture.catchUp()
  fixture.clock.advance(1_000)
  assert.deepEqual(await readiness(fixture), READY)
})

test('names stale prices while no price can be read, and is ready again after the first read', async () => {
  await using fixture = await createGatewayFixture({ gateway: { readyMaxPriceAgeSec: 20 } })
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  assert.deepEqual(await readiness(fixture), READY)
  fixture.rpc.isDown = true
  fixture.clock.advance(20_000)
  assert.deepEqual(await readiness(fixture), READY, 'a short outage does not make it unready')
  fixture.clock.advance(1_000)
  assert.deepEqual(await readiness(fixture), [503, { error: 'not_ready', status: 'not_ready', reasons: ['prices_stale'] }])
  fixture.rpc.isDown = false
  await fixture.gateway.oracle.step()
  assert.deepEqual(await readiness(fixture), READY)

  await fixture.restartGateway()
  assert.deepEqual(await readiness(fixture), [503, { error: 'not_ready', status: 'not_ready', reasons: ['prices_stale'] }],
    'a new instance without any price is not ready')
  fixture.rpc.refusedPrices.add('BTC')
  await fixture.gateway.oracle.step()
  assert.deepEqual(await readiness(fixture), READY, 'one asset that cannot be read does not make it unready')
})

test('warns while nobody publishes prices, logs its begin and its end, and counts the assets', async () => {
  const lines: string[] = []
  const record = (_fields: object, message: string): void => void (message.includes('published') && lines.push(message))
  const metrics = createMetrics({ clock: createVirtualClock(0), runtime: false })
  await using fixture = await createGatewayFixture({ metrics, traders: 0, log: { ...silentLog, warn: record, info: record } })
  const counts = async (): Promise<readonly unknown[]> => {
    const samples = samplesOf(await metrics.text())
    return [samples.get('gateway_prices_stale'), samples.get('gateway_prices_unpublished')]
  }
  async function pass(ledgers: number): Promise<void> {
    await fixture.closeLedgers(ledgers)
    await fixture.catchUp()
  }
  await pass(3)
  assert.deepEqual([await readiness(fixture), await counts(), lines], [READY, [0, 0], []])
  await fixture.control('local_actors', { publisher: false })
  for (let round = 0; round < 3; round++) await pass(PRICE_STALENESS_LIMIT_SEC / 2 + 1)
  const assets = fixture.network.assets.length
  const begin = 'no new prices are published: the exchange no longer accepts the last ones'
  assert.deepEqual([await readiness(fixture), lines], [[200, { status: 'ready', warnings: ['prices_unpublished'] }], [begin]])
  assert.deepEqual(await counts(), [assets, assets])

  fixture.rpc.isDown = true
  await fixture.closeLedgers(5)
  await fixture.gateway.oracle.step()
  assert.deepEqual([await counts(), lines], [[assets, 0], [begin]], 'unreadable: unknown whether new ones are published')
  fixture.rpc.isDown = false
  await pass(5)
  await fixture.control('local_actors', { publisher: true })
  await pass(5)
  assert.deepEqual([await readiness(fixture), await counts(), lines], [READY, [0, 0], [begin, 'prices are published again']])
})

test('stays ready while ledgers have no events', async () => {
  await using fixture = await createGatewayFixture({ gateway: { readyMaxLedgerAgeSec: 30 } })
  await fixture.control('local_actors', { publisher: false, keeper: false, traders: false })
  await fixture.closeLedgers(60)
  await fixture.catchUp()
  assert.deepEqual(await readiness(fixture), READY)
})

test('alive but not ready while the database fails or hangs, without revealing internals', async () => {
  const broken = { query: async () => { throw new Error('connection lost to db.internal') } }
  await using bare = await createBareGateway({ store: { engine: 'embedded', read: broken, write: broken, writeProblem: async () => null } as never })
  const response = await bare.gateway.app.inject('/readyz')
  assert.deepEqual([response.statusCode, withoutMessage(response.json())], [503, { error: 'not_ready', status: 'not_ready', reasons: ['database',
    'prices_stale'] }])
  const alive = await bare.gateway.app.inject('/livez')
  assert.deepEqual([alive.statusCode, alive.json()], [200, { status: 'alive' }])

  const hanging = { query: () => new Promise(() => {}) }
  await using other = await createBareGateway({ store: { engine: 'embedded', read: hanging, write: hanging, writeProblem: async () => null } as never })
  const waiting = other.gateway.app.inject('/readyz')
  await until(() => other.clock.pendingTimers() > 0, 'the wait for the database')
  other.clock.advance(1_000)
  assert.deepEqual(withoutMessage((await waiting).json()), { error: 'not_ready', status: 'not_ready', reasons: ['database', 'prices_stale'] })
})

test('a snapshot from before the database failed does not make it ready', async () => {
  let failing = false
  await using fixture = await createGatewayFixture()
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  const { store } = fixture
  const query: typeof store.read.query = (sql, params) => (failing ? Promise.reject(new Error('connection refused')) : store.read.query(sql, params))
  await fixture.restartGateway({ store: { ...store, read: { query } } })
  await fixture.gateway.oracle.step()
  assert.deepEqual(await readiness(fixture), READY)
  failing = true
  fixture.clock.advance(1_000)
  assert.deepEqual(await readiness(fixture), [503, { error: 'not_ready', status: 'not_ready', reasons: ['database'] }])
})

test('names a database that cannot store anything, also when reads work', async () => {
  let problem: DatabaseProblem | null = null
  await using fixture = await createGatewayFixture()
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  const { store } = fixture
  await fixture.restartGateway({ store: { ...store, writeProblem: async () => problem } })
  await fixture.gateway.oracle.step()
  for (const found of ['full', 'read_only', null] as const) {
    problem = found
    fixture.clock.advance(1_000)
    const warnings = found === null ? [] : [`database_${found}`]
    assert.deepEqual(await readiness(fixture), [200, found === null ? { status: 'ready' } : { status: 'ready', warnings }])
    const { status, body } = await fixture.get('/v1/health')
    assert.deepEqual([status, body['status'], body['warnings']], [200, found === null ? 'ok' : 'degraded', warnings])
  }
})

for (const [clockAheadMs, direction] of [[3_600_000, 'ahead'], [-120_000, 'behind']] as const) {
  test(`a clock that is ${direction} is noticed from the ledgers, and ages are those of the ledger`, async () => {
    const lines: unknown[] = []
    const log = { ...silentLog, error: (fields: object, message: string) => lines.push([fields, message]) }
    const metrics = createMetrics({ clock: createVirtualClock(0), runtime: false })
    await using fixture = await createGatewayFixture({ clockAheadMs, log, metrics, gateway: { readyMaxLedgerAgeSec: 30 } })
    for (let round = 0; round < 9; round++) {
      await fixture.closeLedgers(10)
      await fixture.catchUp()
    }
    assert.deepEqual(await readiness(fixture), [200, { status: 'ready', warnings: ['clock_wrong'] }])
    const { body } = await fixture.get<Health>('/v1/health')
    assert.deepEqual([body.status, body.warnings, body.indexer.ledgerAgeSeconds], ['degraded', ['clock_wrong'], 0])
    assert.match(await metrics.text(), new RegExp(`^gateway_clock_skew_seconds ${clockAheadMs / 1_000}$`, 'm'))
    assert.deepEqual(lines, [[{ aheadSec: clockAheadMs / 1_000 }, 'the clock of this machine differs from the ledger\'s time: synchronize it']])
    const trader = await createTrader(fixture, `trader ${direction}`)
    const prepared = await trader.prepare({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' })
    assert.equal(prepared.body['expiresAt'], fixture.network.chain.history.latest().closeTimeSec + 300)
  })
}

test('a draining gateway is alive but not ready', async () => {
  await using fixture = await createGatewayFixture({ seed: 'drain', listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(2)
  const client = await connect()
  assert.deepEqual(await readiness(fixture), READY)
  const closing = fixture.gateway.close()
  await client.frame(({ type }) => type === 'draining')
  assert.deepEqual(await readiness(fixture), [503, { error: 'not_ready', status: 'not_ready', reasons: ['draining'] }])
  assert.equal((await fixture.get('/livez')).status, 200)
  await client.close()
  await closing
})

test('a draining gateway keeps serving for the drain time and closes connections after each response', async () => {
  await using fixture = await createGatewayFixture()
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  await fixture.restartGateway({ drainMs: 5_000 })
  const url = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  const serving = await getResponse(agent, `${url}/v1/trades`)
  assert.deepEqual([serving.statusCode, serving.headers.connection], [200, 'keep-alive'])
  let closed = false
  const closing = fixture.gateway.close().then(() => (closed = true))
  for (const path of ['/v1/trades', '/v1/oracle/prices', '/docs/json']) {
    const { statusCode, headers } = await getResponse(agent, `${url}${path}`)
    assert.deepEqual([statusCode, headers.connection], [200, 'close'], path)
  }
  const late = new WebSocket(`${url.replace('http', 'ws')}/v1/ws`)
  const [code] = (await once(late, 'close')) as [number]
  assert.equal(code, 1012, 'the stream rejects new connections with service restart')
  fixture.clock.advance(4_999)
  assert.equal((await getResponse(agent, `${url}/livez`)).statusCode, 200)
  assert.equal(closed, false)
  fixture.clock.advance(1)
  await closing
  agent.destroy()
})

function getResponse(agent: Agent, url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => response.resume().once('end', () => resolve(response))).once('error', reject)
  })
}

test('neither probe is rate-limited, cached or needs a valid key', async () => {
  await using fixture = await createGatewayFixture({ gateway: { rateLimits: RATE_LIMIT_PER_WINDOW } })
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  for (let call = 0; call < RATE_LIMIT_PER_WINDOW.public + 5; call++) {
    const { status, headers } = await fixture.get(call % 2 === 0 ? '/livez' : '/readyz', { authorization: 'Bearer nobody:knows' })
    assert.equal(status, 200)
    assert.deepEqual([headers['x-ratelimit-remaining'], headers['cache-control']], [undefined, 'no-store'])
  }
})
