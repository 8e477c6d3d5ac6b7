// The operator's metrics, on a real local network.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { GENERATION_1_EVENTS } from '../../src/exchange/events.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import type { Metrics } from '../../src/observability/metrics.ts'
import { serveMetrics } from '../../src/observability/server.ts'
import { createIndexSnapshotReader } from '../../src/projections/state/index-snapshot.ts'
import { bearer } from '../support/keys.ts'
import { samplesOf } from '../support/metrics.ts'
import { createTrader } from '../support/traders.ts'
import { until } from '../support/until.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'

function newMetrics(): Metrics {
  return createMetrics({ clock: createVirtualClock(0), runtime: false })
}

async function read(metrics: Metrics): Promise<ReadonlyMap<string, number>> {
  return samplesOf(await metrics.text())
}

/** The samples of one metric. */
function samplesNamed(samples: ReadonlyMap<string, number>, name: string): readonly [string, number][] {
  return [...samples].filter(([key]) => key === name || key.startsWith(`${name}{`))
}

test('counts requests by route pattern and status; labels contain nothing that clients send', async () => {
  const metrics = newMetrics()
  await using fixture = await createGatewayFixture({ metrics, traders: 0 })
  const trader = await createTrader(fixture, 'counted', null)
  await fixture.get('/v1/markets/btc/price')
  await fixture.get('/v1/markets/nope/price')
  await fixture.get('/v1/trades?limit=x')
  for (const asset of ['eth', 'sol']) await fixture.get(`/v1/trades?asset=${asset}`, { authorization: bearer(trader.key) })
  for (let path = 0; path < 50; path++) await fixture.get<unknown>(`/secret-${path}?address=${trader.address}`)
  await fixture.gateway.app.inject({ method: 'PROPFIND', url: '/v1/trades' })
  await fixture.get<unknown>('/v1/%zz')
  const text = await metrics.text()
  const samples = samplesOf(text)
  const count = (method: string, route: string, status: number): number | undefined =>
    samples.get(`gateway_http_requests_total{method="${method}",route="${route}",status="${status}"}`)
  assert.deepEqual([count('GET', '/v1/markets/:asset/price', 200), count('GET', '/v1/markets/:asset/price', 404)], [1, 1])
  assert.deepEqual([count('GET', '/v1/trades', 200), count('GET', '/v1/trades', 400)], [2, 1])
  assert.deepEqual([count('GET', 'none', 404), count('GET', 'none', 400), count('other', 'none', 404)], [50, 1, 1])
  assert.equal(samples.get('gateway_http_request_duration_seconds_count{method="GET",route="/v1/trades"}'), 3)
  for (const secret of ['secret-', trader.address, trader.key.keyId, trader.key.secret, 'PROPFIND']) assert.ok(!text.includes(secret), secret)
})

test('counts the rate limiter\'s decisions by tier', async () => {
  const metrics = newMetrics()
  await using fixture = await createGatewayFixture({ metrics, traders: 0, gateway: { rateLimits: { public: 3, standard: 1, market_maker: 1 } } })
  for (let requests = 0; requests < 5; requests++) await fixture.get('/v1/trades')
  await fixture.get('/v1/health')
  const samples = await read(metrics)
  const countOf = (decision: string): number | undefined => samples.get(`gateway_rate_limit_decisions_total{tier="public",decision="${decision}"}`)
  assert.deepEqual([countOf('allowed'), countOf('refused')], [3, 2])
})

test('counts archived events by topic and reports the index lag', async () => {
  const metrics = newMetrics()
  await using fixture = await createGatewayFixture({ metrics, seed: 'metrics' })
  assert.deepEqual(samplesNamed(await read(metrics), 'gateway_index_ledger_age_seconds'), [], 'an unknown age has no sample')
  await fixture.closeLedgers(40)
  await fixture.catchUp()
  const { body } = await fixture.get<{ events: { topic: string }[] }>('/v1/events?limit=500')
  const inLog = Object.entries(Object.groupBy(body.events, ({ topic }) => topic)).map(([topic, rows]) => [topic, rows?.length])
  const samples = await read(metrics)
  const counted = samplesNamed(samples, 'gateway_index_events_total').map(([key, value]) => [/topic="(\w+)"/.exec(key)?.[1], value])
  assert.deepEqual(Object.fromEntries(counted), Object.fromEntries(inLog))
  assert.ok(counted.length > 2)
  assert.equal(samples.get('gateway_index_last_ledger'), fixture.network.chain.history.latest().sequence)
  assert.deepEqual([samples.get('gateway_indexer_lag_ledgers'), samples.get('gateway_indexer_state{state="live"}')], [0, 1])
  assert.deepEqual([samples.get('gateway_index_unknown_events'), samples.get('gateway_index_gaps'), samples.get('gateway_prices_stale')], [0, 0, 0])
  assert.equal(samples.get('gateway_prices_unpublished'), 0)
  assert.deepEqual([samples.get('gateway_index_vault_corrections'), samples.get('gateway_index_answers')], [0, 1])
  const archived = samplesNamed(samples, 'gateway_index_archived_events').map(([key, value]) => [/topic="(\w+)"/.exec(key)?.[1], value])
  assert.deepEqual(Object.fromEntries(archived), Object.fromEntries(inLog))
  assert.equal(samples.get('gateway_index_corrections{kind="ended"}'), 0)
})

test('counts an undecodable event as unknown; its topic never becomes a label', async () => {
  const metrics = newMetrics()
  const event = { topic: 'anything_at_all', problem: 'unknown topic' }
  metrics.archived([event, { topic: 'position_opened', problem: null }] as never)
  const samples = await read(metrics)
  assert.deepEqual([...samples].filter(([key]) => key.startsWith('gateway_index_events')), [
    ['gateway_index_events_total{topic="unknown"}', 1], ['gateway_index_events_total{topic="position_opened"}', 1],
  ])
  assert.ok(Object.values(GENERATION_1_EVENTS).every((shapes) => !Object.hasOwn(shapes, 'unknown')), 'no real topic has this name')
})

test('counts RPC calls by node, method and outcome', async () => {
  const metrics = newMetrics()
  await using fixture = await createGatewayFixture({ metrics })
  await fixture.closeLedgers(2)
  await fixture.catchUp()
  const initial = await read(metrics)
  assert.ok((initial.get('gateway_rpc_calls_total{node="0",method="getEvents",outcome="ok"}') ?? 0) > 0)
  fixture.rpc.isDown = true
  assert.equal((await fixture.indexer.step()).kind, 'unreachable')
  const failed = await read(metrics)
  assert.equal(failed.get('gateway_rpc_calls_total{node="0",method="getEvents",outcome="http"}'), 1)
  assert.equal(failed.get('gateway_indexer_state{state="unreachable"}'), 1)
  assert.equal(failed.get('gateway_queue_length{queue="rpc_getEvents"}'), 0)
  assert.deepEqual([failed.get('gateway_queue_length{queue="database_reads"}'), failed.get('gateway_stream_waiting_bytes_max')], [0, 0])
})

test('a wait that the caller asked for is no slow response', async () => {
  const metrics = newMetrics()
  await using fixture = await createGatewayFixture({ metrics, traders: 0 })
  await fixture.closeLedgers(1)
  await fixture.catchUp()
  // The server measures real time.
  const startedMs = performance.now()
  const waiting = fixture.get('/v1/trades', { 'x-min-ledger': '100000' })
  await until(() => fixture.gateway.stats().indexWaiters === 1, 'the waiting request')
  const waitingMs = performance.now()
  await until(() => performance.now() - waitingMs > 100, 'a measurable wait')
  const waitedMs = performance.now() - waitingMs
  fixture.clock.advance(5_000)
  assert.equal((await waiting).status, 409)
  const totalMs = performance.now() - startedMs
  const measuredMs = 1_000 * ((await read(metrics)).get('gateway_http_request_duration_seconds_sum{method="GET",route="/v1/trades"}') ?? totalMs)
  assert.ok(measuredMs <= totalMs - waitedMs + 1, `${measuredMs} of ${totalMs} ms, ${waitedMs} of them waiting`)
})

test('reports the current stream connections and waiting requests', async () => {
  const metrics = newMetrics()
  await using fixture = await createGatewayFixture({ metrics, seed: 'gauges', listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(2)
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['events'] })
  await client.settle()
  const waiting = fixture.get('/v1/trades', { 'x-min-ledger': '100000' })
  await until(() => fixture.gateway.stats().indexWaiters === 1, 'the waiting request')
  const during = await read(metrics)
  assert.deepEqual([during.get('gateway_stream_connections'), during.get('gateway_stream_subscribers')], [1, 1])
  assert.equal(during.get('gateway_queue_length{queue="index_waiters"}'), 1)
  await client.close()
  fixture.clock.advance(5_000)
  await waiting
  await until(() => fixture.gateway.stats().stream.connections === 0, 'the end of the connection')
  const closed = await read(metrics)
  assert.deepEqual([closed.get('gateway_stream_connections'), closed.get('gateway_queue_length{queue="index_waiters"}')], [0, 0])
})

test('metrics stay available while the database is down and report it', async () => {
  const clock = createVirtualClock(100_000)
  const metrics = createMetrics({ clock, runtime: false })
  const db = { query: async () => { throw new Error('connection refused') } }
  metrics.addSources({ index: createIndexSnapshotReader({ store: { read: db, writeProblem: async () => null }, clock, log: silentLog }) })
  const samples = await read(metrics)
  assert.equal(samples.get('gateway_index_answers'), 0)
  assert.equal(samples.get('gateway_index_last_ledger'), undefined)
})

test('serves metrics on a separate port at one path, not on the gateway', async () => {
  const metrics = newMetrics()
  await using server = await serveMetrics({ metrics, host: '127.0.0.1', port: 0, log: silentLog })
  const response = await fetch(server.url)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.ok((await response.text()).includes('# TYPE gateway_http_requests_total counter'))
  assert.equal((await fetch(`${server.url}?name=x`)).status, 200)
  assert.equal((await fetch(new URL('/', server.url))).status, 404)
  assert.equal((await fetch(server.url, { method: 'POST', body: 'x' })).status, 405)
  await using fixture = await createGatewayFixture({ traders: 0 })
  assert.equal((await fixture.get('/metrics')).status, 404)
})
