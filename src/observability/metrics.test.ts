// Every gauge that is read when the metrics are scraped, from sources of which no two values are equal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplesOf } from '../../test/support/metrics.ts'
import { createVirtualClock } from '../base/clock.ts'
import { KNOWN_PROTOCOL } from '../base/protocol.ts'
import type { IndexState } from '../projections/state/index-state.ts'
import { createMetrics } from './metrics.ts'
import type { MetricSources } from './sources.ts'

const NOW_SEC = 1_800_000_000
const MARKET = { generation: '2', wasmHash: 'ab', notUnderstood: ['a', 'b'] }

function sources(index: Partial<IndexState> | null): Partial<MetricSources> {
  return {
    gateway: () => ({
      stream: { connections: 11, subscribers: 12, accounts: 13, replays: 14, bufferedBytesMax: 15 },
      indexWaiters: 16, submissions: { inFlight: 17, waiters: 18 },
      storedSubmissions: { ended: new Map([['applied', 19]]), pending: 20, oldestPendingSec: 21, corrected: 29 },
      agreement: new Map([['prices', { agreed: 30, disagreed: 31, alone: 32 }]]),
      sharedCounts: true, stalePrices: 22, unpublishedPrices: 9,
    }),
    indexer: () => ({ state: 'catching-up', problem: null, lastLedger: 100, latestLedger: 123 }),
    interfaces: () => ({ market: MARKET, vault: { ...MARKET, generation: null, notUnderstood: [] }, router: null } as never),
    manifestProblems: () => ['one', 'two', 'three'],
    rpcQueues: () => new Map([['getEvents', 24]]),
    storeQueues: () => ({ reads: 25, writes: 26 }),
    rpcNodes: () => [{ ledger: 27, status: 'wrongNetwork', preferred: false }, { ledger: null, status: 'healthy', preferred: true }] as never,
    index: async () => ({ state: index, fresh: index !== null, database: index === null ? 'unreachable' : null } as never),
    ledgerTime: { nowMs: () => NOW_SEC * 1_000, skewSec: () => 28 },
  }
}

async function gaugesOf(from: Partial<MetricSources>): Promise<Record<string, number>> {
  const metrics = createMetrics({ clock: createVirtualClock(NOW_SEC * 1_000), runtime: false })
  metrics.addSources(from)
  const samples = samplesOf(await metrics.text())
  return Object.fromEntries([...samples].map(([name, value]) => [name.replace(/^gateway_/, ''), value]))
}

const flags = (name: string, labels: string, states: readonly string[], current: string): Record<string, number> =>
  Object.fromEntries(states.map((state) => [`${name}{${labels}="${state}"}`, state === current ? 1 : 0]))

const NODE_STATUSES = ['unknown', 'healthy', 'lagging', 'ahead', 'faulty', 'unresponsive', 'wrong_network']
const INDEXER_STATES = ['starting', 'standby', 'catching-up', 'live', 'waiting', 'outdated', 'unreachable', 'refusing', 'unwritable']
const OF_THE_PROCESS = {
  rate_limit_shared: 1, prices_stale: 22, prices_unpublished: 9,
  stream_connections: 11, stream_subscribers: 12, stream_accounts: 13, stream_waiting_bytes_max: 15,
  'submissions_ended_total{status="applied"}': 19, submissions_pending: 20, submissions_oldest_pending_seconds: 21,
  submissions_corrected_total: 29, 'rpc_comparisons_total{figure="prices",result="agreed"}': 30,
  'rpc_comparisons_total{figure="prices",result="disagreed"}': 31, 'rpc_comparisons_total{figure="prices",result="alone"}': 32,
  ...flags('indexer_state', 'state', INDEXER_STATES, 'catching-up'),
  indexer_lag_ledgers: 23, clock_skew_seconds: 28,
  deployment_problems: 3, protocol_known: KNOWN_PROTOCOL,
  'contract_info{contract="market",generation="2",wasm_hash="ab"}': 1, 'contract_info{contract="vault",generation="unknown",wasm_hash="ab"}': 1,
  'contract_not_understood{contract="market"}': 2, 'contract_not_understood{contract="vault"}': 0,
  'rpc_node_ledger{node="0"}': 27, 'rpc_node_preferred{node="0"}': 0, 'rpc_node_preferred{node="1"}': 1,
  ...flags('rpc_node_status', 'node="0",status', NODE_STATUSES, 'wrong_network'), ...flags('rpc_node_status', 'node="1",status', NODE_STATUSES, 'healthy'),
  'queue_length{queue="stream_replays"}': 14, 'queue_length{queue="index_waiters"}': 16, 'queue_length{queue="submissions"}': 17,
  'queue_length{queue="submission_waiters"}': 18, 'queue_length{queue="rpc_getEvents"}': 24,
  'queue_length{queue="database_reads"}': 25, 'queue_length{queue="database_writes"}': 26,
}

test('reports what the process and the index say, each under its name', async () => {
  const gauges = await gaugesOf(sources({
    lastLedger: 31, lastLedgerCloseTs: NOW_SEC - 32, protocol: 50, newerForms: [{ what: 'address type 6', ledger: 30, isStop: false }],
    unknownEvents: 33, unreadTransactions: 34, gaps: 35, ledgersUntilLost: 36, marketFound: false,
    vaultCorrections: 37, rebuild: { done: 38, total: 39 }, corrections: { ended: 40, changed: 41, opened: 42, interest: 43 }, archived: { deposit: 44 },
    compared: { positionsMissing: 45, ordersMissing: 46, vaultsMissing: 47, openPositionsDrift: 48, openOrdersDrift: -49 } as never,
  }))
  assert.deepEqual(gauges, {
    ...OF_THE_PROCESS,
    index_answers: 1, index_last_ledger: 31, index_ledger_age_seconds: 32, index_unknown_events: 33, index_unread_transactions: 34, index_gaps: 35,
    protocol_network: 50, protocol_unknown_forms: 1,
    index_ledgers_until_lost: 36, index_market_found: 0, index_vault_corrections: 37, index_rebuild_done_events: 38, index_rebuild_total_events: 39,
    'index_corrections{kind="ended"}': 40, 'index_corrections{kind="changed"}': 41, 'index_corrections{kind="opened"}': 42,
    'index_corrections{kind="interest"}': 43, 'index_archived_events{topic="deposit"}': 44,
    'index_missing{kind="positions"}': 45, 'index_missing{kind="orders"}': 46, 'index_missing{kind="vaults"}': 47,
    'index_open_drift{kind="positions"}': 48, 'index_open_drift{kind="orders"}': -49,
  })
})

test('what is unknown has no sample', async () => {
  assert.deepEqual(await gaugesOf(sources(null)), { ...OF_THE_PROCESS, index_answers: 0 })
  for (const [lastLedger, latestLedger] of [[null, 5], [5, null]]) {
    const gauges = await gaugesOf({ indexer: () => ({ state: 'starting', lastLedger, latestLedger } as ReturnType<MetricSources['indexer']>) })
    assert.ok(!('indexer_lag_ledgers' in gauges))
  }
})

test('what is no longer reported disappears with the next scrape', async () => {
  const metrics = createMetrics({ clock: createVirtualClock(0), runtime: false })
  const full = sources({ archived: { deposit: 1 }, corrections: { ended: 2 }, newerForms: [] } as never)
  metrics.addSources(full)
  await metrics.text()
  const { gateway = assert.fail() } = full
  metrics.addSources({
    ...sources({ archived: {}, corrections: {}, newerForms: [] } as never),
    gateway: () => ({ ...gateway(), storedSubmissions: { ended: new Map([['failed', 3]]), pending: null, oldestPendingSec: null, corrected: 0 } }),
    rpcQueues: () => new Map(), interfaces: () => ({}) as never,
  })
  const names = [...samplesOf(await metrics.text()).keys()]
  const gone = /archived_events|corrections\{|applied|pending|rpc_getEvents|contract_/
  assert.deepEqual(names.filter((name) => gone.test(name)), [])
  assert.ok(names.includes('gateway_submissions_ended_total{status="failed"}'))
})

test('observes the calls to nodes, hedged ones and faults', async () => {
  const metrics = createMetrics({ clock: createVirtualClock(0), runtime: false })
  metrics.rpc.called({ endpoint: 1, method: 'getEvents', outcome: 'ok', seconds: 0.2 })
  metrics.rpc.hedged?.('second')
  metrics.rpc.faulted?.(1, 'other_chain')
  const samples = samplesOf(await metrics.text())
  assert.equal(samples.get('gateway_rpc_calls_total{node="1",method="getEvents",outcome="ok"}'), 1)
  assert.equal(samples.get('gateway_rpc_call_duration_seconds_sum{node="1",method="getEvents"}'), 0.2)
  assert.equal(samples.get('gateway_rpc_hedges_total{winner="second"}'), 1)
  assert.equal(samples.get('gateway_rpc_node_faults_total{node="1",fault="other_chain"}'), 1)
})

test('adds the metrics of the process and of Node.js when asked to', async () => {
  const names = createMetrics({ clock: createVirtualClock(0), runtime: true }).describe().map(({ name }) => name)
  assert.ok(names.includes('process_cpu_seconds_total') && names.includes('nodejs_eventloop_lag_seconds'))
})
