// The metrics by name: what they count, and their labels. Every label has a fixed and small set of values: no address, no URL, no text of a client.

import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

const HTTP_BUCKETS_SEC = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const RPC_BUCKETS_SEC = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

export type Instruments = ReturnType<typeof createInstruments>

/** Builds the instruments, each registered in `registry` and nowhere else. */
export function createInstruments(registry: Registry) {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) => new Counter({ name, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) => new Gauge({ name, help, labelNames, registers })
  return {
    requests: counter('gateway_http_requests_total', 'Requests that were answered', ['method', 'route', 'status']),
    requestSeconds: new Histogram({
      name: 'gateway_http_request_duration_seconds', help: 'From a request\'s headers to the end of its answer', labelNames: ['method', 'route'] as const,
      buckets: HTTP_BUCKETS_SEC, registers,
    }),
    limiterDecisions: counter('gateway_rate_limit_decisions_total', 'Requests counted against an allowance', ['tier', 'decision']),
    sharedCounts: gauge('gateway_rate_limit_shared', '1 while the counts that instances share answer, 0 while each counts alone'),
    rpcCalls: counter('gateway_rpc_calls_total', 'Calls to a node of the network: ok, or how they failed', ['node', 'method', 'outcome']),
    rpcSeconds: new Histogram({
      name: 'gateway_rpc_call_duration_seconds', help: 'From the wish to call a node to its answer, waiting for a turn included',
      labelNames: ['node', 'method'] as const, buckets: RPC_BUCKETS_SEC, registers,
    }),
    rpcNodeLedger: gauge('gateway_rpc_node_ledger', 'The ledger that a node told with its last answer; absent while it has told none', ['node']),
    rpcNodeStanding: gauge('gateway_rpc_node_standing', '1 for how a node stands to the others', ['node', 'standing']),
    rpcNodePreferred: gauge('gateway_rpc_node_preferred', '1 for the node that is asked first', ['node']),
    rpcHedges: counter('gateway_rpc_hedges_total', 'Calls that two nodes were asked, by which of them was faster', ['winner']),
    events: counter('gateway_index_events_total', 'Events that this process archived; topic unknown: they could not be decoded', ['topic']),
    indexerState: gauge('gateway_indexer_state', '1 for what the indexer of this process is doing', ['state']),
    indexerLag: gauge('gateway_indexer_lag_ledgers', 'Ledgers that the node has and this process has not indexed'),
    indexAnswers: gauge('gateway_index_answers', '1 while the database tells the state of the index, 0 while it does not'),
    indexLedger: gauge('gateway_index_last_ledger', 'The last indexed ledger; absent while there is none'),
    indexAge: gauge('gateway_index_ledger_age_seconds', 'How long ago the last indexed ledger closed; absent while there is none'),
    unknownEvents: gauge('gateway_index_unknown_events', 'Archived events that could not be decoded'),
    gaps: gauge('gateway_index_gaps', 'Stretches of ledgers that were lost'),
    ledgersUntilLost: gauge(
      'gateway_index_ledgers_until_lost', 'Ledgers that the node may still drop before one is lost; absent while it has dropped none',
    ),
    marketFound: gauge('gateway_index_market_found', '0 while there is no market on the ledger at its address; absent before the first look'),
    corrections: gauge('gateway_index_corrections', 'How often a position or the open interest was not what the ledger says', ['kind']),
    missing: gauge('gateway_index_missing', 'What the exchange has given an id and no archived event tells of', ['kind']),
    archived: gauge('gateway_index_archived_events', 'Events in the archive since the network began; topic unknown: they could not be decoded', ['topic']),
    vaultCorrections: gauge('gateway_index_vault_corrections', 'How often a vault was not what its events added up to, and was corrected'),
    stalePrices: gauge('gateway_prices_stale', 'Assets without a fresh price; absent while that is not known'),
    streamConnections: gauge('gateway_stream_connections', 'Open connections of the stream'),
    streamSubscribers: gauge('gateway_stream_subscribers', 'Connections that get at least one channel'),
    streamAccounts: gauge('gateway_stream_accounts', 'Accounts whose channels are followed'),
    streamWaitingBytes: gauge('gateway_stream_waiting_bytes_max', 'Bytes that wait to be sent to the client that is furthest behind'),
    queues: gauge('gateway_queue_length', 'What is under way or waits: all of it is bounded', ['queue']),
  }
}
