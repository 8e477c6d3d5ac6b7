// METRICS_PORT, tested on the whole program.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { startMain } from '../support/main-process.ts'
import { samplesOf } from '../support/metrics.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('serves the metrics of every component on METRICS_PORT, and exits cleanly', async () => {
  await using folder = await temporaryFolder()
  await using main = startMain({ DATA_DIR: folder.path, LOCAL_TRADERS: '0', METRICS_PORT: '0' })
  const url = /http:\S+/.exec(await main.waitForLine(/^Metrics: /))?.[0] ?? ''
  await main.waitForLine(/^Indexer in sync/)
  await main.get('/v1/trades')
  const samples = samplesOf(await (await fetch(url)).text())
  assert.equal(samples.get('gateway_http_requests_total{method="GET",route="/v1/trades",status="200"}'), 1)
  assert.ok((samples.get('gateway_rpc_calls_total{node="0",method="getEvents",outcome="ok"}') ?? 0) > 0)
  assert.ok((samples.get('gateway_index_last_ledger') ?? 0) > 0)
  assert.equal(samples.get('gateway_indexer_state{state="live"}'), 1)
  assert.ok([...samples.values()].some((value) => value > 0))
  for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds', 'gateway_stream_connections']) assert.ok(samples.has(name), name)
  assert.equal((await fetch(`${await main.url()}/metrics`)).status, 404)
  assert.equal(await main.stop('SIGTERM'), 0, main.errors())
})
