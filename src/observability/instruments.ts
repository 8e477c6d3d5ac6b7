// The metrics with their labels. Every label has a small, fixed set of values: no addresses, URLs or client input. The hash of a contract's code changes only
// with an upgrade.

import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

const HTTP_BUCKETS_SEC = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const RPC_BUCKETS_SEC = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

const SKEW_HELP = 'How far this machine\'s clock is ahead of the ledger\'s time; absent until ledgers were seen closing for a minute'
const FAILURES_HELP = 'HTTP responses of 500 and above that the gateway or what it depends on causes, not the caller'

export type Instruments = ReturnType<typeof createInstruments>

/** Creates the instruments and registers them in `registry` only. */
export function createInstruments(registry: Registry) {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) => new Counter({ name, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) => new Gauge({ name, help, labelNames, registers })
  return {
    requests: counter('gateway_http_requests_total', 'HTTP responses', ['method', 'route', 'status']),
    requestFailures: counter('gateway_http_failures_total', FAILURES_HELP, ['route', 'status']),
    requestSeconds: new Histogram({
      name: 'gateway_http_request_duration_seconds', help: 'Time from the request headers to the end of the response', labelNames: ['method', 'route'] as const,
      buckets: HTTP_BUCKETS_SEC, registers,
    }),
    limiterDecisions: counter('gateway_rate_limit_decisions_total', 'Rate limit decisions', ['tier', 'decision']),
    limitedAddresses: counter('gateway_rate_limit_addresses_total', 'Client addresses by rate limit decision, each once a minute', ['decision']),
    sharedCounts: gauge('gateway_rate_limit_shared', '1 while the request counts shared between instances are available, 0 while each instance counts alone'),
    rpcCalls: counter('gateway_rpc_calls_total', 'RPC calls by outcome: ok, or the kind of failure', ['node', 'method', 'outcome']),
    rpcSeconds: new Histogram({
      name: 'gateway_rpc_call_duration_seconds', help: 'Duration of RPC calls, including the time in the queue',
      labelNames: ['node', 'method'] as const, buckets: RPC_BUCKETS_SEC, registers,
    }),
    rpcNodeLedger: gauge('gateway_rpc_node_ledger', 'Latest ledger in the node\'s last response; absent before the first one', ['node']),
    rpcNodeStatus: gauge(
      'gateway_rpc_node_status', '1 for the node\'s status: healthy, lagging, ahead, faulty, unresponsive, wrong_network or unknown', ['node', 'status'],
    ),
    rpcNodePreferred: gauge('gateway_rpc_node_preferred', '1 for the node that is called first', ['node']),
    rpcNodeFaults: counter('gateway_rpc_node_faults_total', 'Responses that no honest node sends, by what is wrong with them', ['node', 'fault']),
    rpcHedges: counter('gateway_rpc_hedges_total', 'Calls sent to two nodes, by which one responded first', ['winner']),
    events: counter('gateway_index_events_total', 'Events archived by this process; topic unknown: unknown shape', ['topic']),
    indexerState: gauge('gateway_indexer_state', '1 for the current state of this process\'s indexer', ['state']),
    indexerLag: gauge('gateway_indexer_lag_ledgers', 'Ledgers that the node has and the index lacks'),
    indexAnswers: gauge('gateway_index_answers', '1 while the database answers reads and takes writes, 0 while it does not'),
    clockSkew: gauge('gateway_clock_skew_seconds', SKEW_HELP),
    indexLedger: gauge('gateway_index_last_ledger', 'Last indexed ledger; absent while there is none'),
    indexAge: gauge('gateway_index_ledger_age_seconds', 'Time since the last indexed ledger closed; absent while there is none'),
    manifestProblems: gauge('gateway_deployment_problems', 'Problems of changed manifests, because of which they are not applied'),
    contractInfo: gauge('gateway_contract_info', '1 for the code that a contract runs', ['contract', 'generation', 'wasm_hash']),
    contractNotUnderstood: gauge(
      'gateway_contract_not_understood', 'What this version does not understand of a contract\'s interface; absent while its code is unknown', ['contract'],
    ),
    networkProtocol: gauge('gateway_protocol_network', 'Protocol of the network as of the last header that was read; absent before the first'),
    knownProtocol: gauge('gateway_protocol_known', 'Newest protocol that this version knows'),
    newerForms: gauge('gateway_protocol_unknown_forms', 'Kinds of headers, values and records that this version does not know'),
    unreadTransactions: gauge('gateway_index_unread_transactions', 'Transactions whose changed entries were not read yet, counted up to 10,000'),
    unknownEvents: gauge('gateway_index_unknown_events', 'Archived events of unknown topic or shape'),
    gaps: gauge('gateway_index_gaps', 'Ranges of ledgers that could not be indexed'),
    ledgersUntilLost: gauge(
      'gateway_index_ledgers_until_lost', 'Ledgers that the node can drop before unindexed ones are lost; absent before it has dropped any',
    ),
    marketFound: gauge('gateway_index_market_found', '1 when the market contract exists at its address, 0 when it does not; absent before the first check'),
    corrections: gauge('gateway_index_corrections', 'Corrections of positions and open interest that differed from the ledger', ['kind']),
    openDrift: gauge('gateway_index_open_drift', 'How many more open objects the index has than the market', ['kind']),
    missing: gauge('gateway_index_missing', 'Objects that exist on the ledger but appear in no archived event', ['kind']),
    archived: gauge('gateway_index_archived_events', 'Archived events since the last reset; topic unknown: unknown shape', ['topic']),
    vaultCorrections: gauge('gateway_index_vault_corrections', 'Corrections of vaults that differed from the sum of their events'),
    rebuildDone: gauge('gateway_index_rebuild_done_events', 'Archived events that a rebuild of the projections has replayed; absent while none is under way'),
    rebuildTotal: gauge('gateway_index_rebuild_total_events', 'Archived events in total, during a rebuild of the projections; absent otherwise'),
    stalePrices: gauge('gateway_prices_stale', 'Assets whose price cannot be read or is older than the exchange accepts; absent while unknown'),
    unpublishedPrices: gauge('gateway_prices_unpublished', 'Assets whose price can be read but is older than the exchange accepts; absent while unknown'),
    streamConnections: gauge('gateway_stream_connections', 'Open stream connections'),
    streamSubscribers: gauge('gateway_stream_subscribers', 'Stream connections with at least one channel'),
    streamAccounts: gauge('gateway_stream_accounts', 'Accounts whose channels are tracked'),
    streamBufferedBytes: gauge('gateway_stream_waiting_bytes_max', 'Buffered bytes of the slowest stream client'),
    submissionsEnded: counter('gateway_submissions_ended_total', 'Submissions that reached a final state in this process', ['status']),
    submissionsCorrected: counter('gateway_submissions_corrected_total', 'Final states of submissions that proved to be false and were corrected', []),
    agreement: counter('gateway_rpc_comparisons_total', 'Figures that were compared between nodes, by result', ['figure', 'result']),
    submissionsPending: gauge('gateway_submissions_pending', 'Stored submissions of all instances that are not final; absent while unknown'),
    submissionsOldest: gauge('gateway_submissions_oldest_pending_seconds', 'Age of the oldest submission that is not final; absent when there is none'),
    queues: gauge('gateway_queue_length', 'Entries in progress or queued; every queue is bounded', ['queue']),
  }
}
