// One of three nodes stops responding. Quotes and prices must stay readable, and only that node may be blamed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '../../src/base/clock.ts'
import { QUOTE_CACHE_MS, ORACLE_CACHE_MS } from '../../src/limits.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import type { Metrics } from '../../src/observability/metrics.ts'
import type { Price } from '../../src/resources/price.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import type { ApiResponse } from '../support/keys.ts'
import { samplesOf } from '../support/metrics.ts'
import { stepUntilSettled } from '../support/until.ts'

const NODES = ['http://node-0', 'http://node-1', 'http://node-2']
const STUCK = 0
/** Of a request to a gateway with a node that hangs, at first and then. */
const FIRST_MAX_MS = 1_000
const LATER_MAX_MS = 100
const QUOTE = '/v1/markets/BTC/quote?collateral=1000000000&leverage=5&direction=Long'

/** A request while time passes, and how long it took. */
async function timed<Body>(fixture: GatewayFixture, path: string): Promise<ApiResponse<Body> & { readonly tookMs: number }> {
  const { clock } = fixture
  const startedMs = clock.elapsedMs()
  const response = await stepUntilSettled(fixture.get<Body>(path), { idle: fixture.idle, step: () => clock.advance(50), stepsMax: 1_000 })
  return { ...response, tookMs: clock.elapsedMs() - startedMs }
}

async function nodesIn(metrics: Metrics): Promise<Readonly<Record<'preferred' | 'unresponsive' | 'failing', readonly number[]>>> {
  const samples = samplesOf(await metrics.text())
  const nodes = [...NODES.keys()]
  const failures = [...samples].filter(([name]) => name.startsWith('gateway_rpc_calls_total') && /outcome="(timeout|unreachable|http|malformed)"/.test(name))
  return {
    preferred: nodes.filter((node) => samples.get(`gateway_rpc_node_preferred{node="${node}"}`) === 1),
    unresponsive: nodes.filter((node) => samples.get(`gateway_rpc_node_status{node="${node}",status="unresponsive"}`) === 1),
    failing: nodes.filter((node) => failures.some(([name]) => name.includes(`node="${node}"`))),
  }
}

test('a node that stops responding delays one quote and one read of the prices by less than a second, and is reported', async () => {
  const metrics = createMetrics({ clock: createVirtualClock(0), runtime: false })
  await using fixture = await createGatewayFixture({ traders: 0, seed: 'stuck node', rpcUrls: NODES, metrics })
  const { clock, rpc } = fixture
  await fixture.closeLedgers(3)
  await fixture.catchUp()
  assert.equal((await timed(fixture, QUOTE)).status, 200)

  rpc.hanging.add(`${NODES[STUCK]}`)
  for (const [round, maxMs] of [FIRST_MAX_MS, LATER_MAX_MS, LATER_MAX_MS, LATER_MAX_MS].entries()) {
    clock.advance(QUOTE_CACHE_MS)
    const { status, text, tookMs } = await timed(fixture, QUOTE)
    assert.deepEqual([status, tookMs <= maxMs], [200, true], `quote ${round} after ${tookMs} ms: ${text}`)
  }
  assert.deepEqual(await nodesIn(metrics), { preferred: [1], unresponsive: [STUCK], failing: [STUCK] })

  // The node that took over stops as well, before the prices are read again.
  rpc.hanging.clear()
  rpc.hanging.add(`${NODES[1]}`)
  for (const [round, maxMs] of [FIRST_MAX_MS, LATER_MAX_MS].entries()) {
    await fixture.closeLedgers(1)
    clock.advance(ORACLE_CACHE_MS)
    const { body, tookMs } = await timed<{ readonly prices: readonly Price[] }>(fixture, '/v1/oracle/prices')
    assert.ok(tookMs <= maxMs, `prices ${round} after ${tookMs} ms`)
    assert.deepEqual(body.prices.map(({ asset, stale }) => [asset, stale]), ASSET_SYMBOLS.map((asset) => [asset, false]), `prices ${round}`)
  }
  assert.deepEqual((await nodesIn(metrics)).failing, [STUCK, 1], 'the third node was never charged')
})
