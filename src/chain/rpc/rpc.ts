// The client for Soroban JSON-RPC: time-outs, validated responses, typed failures, and several nodes of which the best is called.

import { assert } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { createSystemClock } from '../../base/clock.ts'
import type { LedgerClock } from '../../base/ledger-clock.ts'
import type { Log } from '../../base/log.ts'
import type { Random } from '../../base/random.ts'
import type {
  LedgerEntriesResponse, EventsPage, LedgersResponse, NodeHealth, NodeNetwork, SendResponse, SimulationResponse, TransactionResponse,
} from './responses.ts'
import type { TransactionsPage } from './transactions-page.ts'
import type { OnFault } from './attempt.ts'
import type { Caller } from './caller.ts'
import { createCaller } from './caller.ts'
import { createEndpoint } from './endpoint.ts'
import { RpcFailure } from './failure.ts'
import { createHedging } from './hedge.ts'
import { createMessageReader, readInline } from './message-reader.ts'
import { findMismatch } from './record-fit.ts'
import { requestOf } from './rpc-request.ts'
import type { NodeFault } from './node-fault.ts'
import type { Nodes, NodeView } from './nodes.ts'
import { createNodes } from './nodes.ts'
import { withObserver } from './rpc-observer.ts'
import type { RpcObserver } from './rpc-observer.ts'
import type { CallOptions, NodeAffinity, RpcRequest } from './rpc-request.ts'
import type { TokenTransfers } from '../codec/token-transfers.ts'
import { transferPatterns } from '../codec/token-transfers.ts'
import type { Transport } from './transport.ts'
import { createFetchTransport } from './transport.ts'

/** The start of a page of events: right after a cursor, or at a ledger. */
export type EventsFrom = { readonly cursor: string } | { readonly startLedger: number }

export interface EventsRequest {
  readonly from: EventsFrom
  /** At most 25 together with `upgradesOf`, five of which share a filter. */
  readonly contractIds: readonly string[]
  readonly upgradesOf?: readonly string[]
  readonly transfers?: readonly TokenTransfers[]
  readonly limit: number
}

/** The methods of the node. Each rejects with RpcFailure only, or with the reason of its own signal. */
export interface Rpc {
  /** The number of endpoints. */
  readonly endpoints: number
  /** The node's range of ledgers. For an unhealthy node, rejects with kind `rpc`. */
  getHealth(options?: CallOptions): Promise<NodeHealth>
  getNetwork(options?: CallOptions): Promise<NodeNetwork>
  /**
   * Events of these contracts, ascending, upgrades included, the upgrades of further ones, and transfers of tokens. Every filter has the same members, because
   * nodes before 27.1.1 lose events otherwise.
   */
  getEvents(request: EventsRequest, options?: CallOptions): Promise<EventsPage>
  getLedgers(request: { startLedger: number; limit: number }, options?: CallOptions): Promise<LedgersResponse>
  /** The sequence of the node's latest ledger, even an old one. The response is megabytes on a busy network, so do not poll it. */
  getLatestLedger(options?: CallOptions): Promise<number>
  /** Up to ENTRY_KEYS_MAX base64 LedgerKeys. */
  getLedgerEntries(keysXdr: readonly string[], options?: CallOptions): Promise<LedgerEntriesResponse>
  /** Simulates an envelope. A failed simulation resolves with `error`; a node too busy to simulate rejects with a retryable RpcFailure. */
  simulateTransaction(envelopeXdr: string, options?: CallOptions): Promise<SimulationResponse>
  /**
   * Sends a signed envelope once. Tries another endpoint only when it is certain that the one before did not process the envelope. Rejects with every
   * other failure, because the envelope may be on its way to a ledger.
   */
  sendTransaction(envelopeXdr: string, options?: Pick<CallOptions, 'requester'>): Promise<SendResponse>
  /** Looks up a transaction by its hash (64 hex digits). Makes one attempt: callers that wait for a transaction poll anyway. */
  getTransaction(hash: string, options?: TransactionOptions): Promise<TransactionResponse>
  /** Transactions from a ledger or a cursor on, in the order of the chain. */
  getTransactions(request: { readonly from: EventsFrom; readonly limit: number }, options?: CallOptions): Promise<TransactionsPage>
  /** The nodes besides these that can be called now, best first. Absent: there are none. */
  others?(besides: readonly number[]): readonly number[]
  /** Reports that a node returned impossible data, by default the one that responded last. Other nodes are preferred for a while. */
  reportFault?(fault: NodeFault, endpoint?: number): void
}

export interface TransactionOptions extends CallOptions {
  /**
   * The SHA-256 of the network's passphrase. With it, a record counts only if it is of this transaction and its parts agree; otherwise that is the node's
   * fault, and another node is called.
   */
  readonly networkId?: Uint8Array
}

/** The client, with its nodes. */
export interface RpcClient extends Rpc {
  /** The same methods for a reader that continues from a cursor: it stays with one node while that node is usable. */
  session(): Rpc
  /**
   * Probes the nodes in the background until the signal aborts. Never rejects. Without it, an excluded node is only called again when the others fail. A
   * single node is probed for the ledger's time only.
   */
  watch(signal: AbortSignal): Promise<void>
  /** The status of each node. */
  nodes(): readonly NodeView[]
  /** Calls that wait for a permit, by method. */
  queues(): ReadonlyMap<string, number>
}

/** The maximum number of keys per getLedgerEntries call. */
export const ENTRY_KEYS_MAX = 200

/** Base interval of the check for nodes to probe; each interval is drawn between this and twice this. */
const PROBE_INTERVAL_MS = 2_500

export interface RpcClientOptions {
  readonly urls: readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** The network that the nodes must serve; absent: not checked. */
  readonly networkPassphrase?: string
  /** Replaces HTTP. Its responses are read without a worker thread. */
  readonly transport?: Transport
  /** Receives every attempt. */
  readonly observer?: RpcObserver | null
  /** Gets the close times of credible responses. */
  readonly ledgerClock?: LedgerClock
}

/** Creates the client. Among equally good nodes it prefers the one that responded last, initially the first of `urls`. */
export function createRpc(options: RpcClientOptions): RpcClient {
  const { clock, random, log, urls } = options
  assert(urls.length > 0, 'an RPC client needs at least one endpoint')
  const readMessage = options.transport === undefined ? createMessageReader({ clock: createSystemClock({ keepAlive: false }) }) : readInline
  const observer = options.observer ?? null
  const nodes = createNodes(urls.length, clock, options.ledgerClock)
  const endpoints = urls.map((url, index) => {
    const onUnanswered = (): void => {
      if (nodes.recordSilence(index)) log.warn({ endpoint: index }, 'RPC node did not respond in time; other nodes are preferred for a while')
    }
    const onCalled = (isFailure: boolean): void => nodes.recordCall(index, isFailure)
    const transport = options.transport ?? createFetchTransport()
    const endpoint = createEndpoint({ url, index, transport, readMessage, clock, log, onCalled, onUnanswered })
    return observer === null ? endpoint : withObserver(endpoint, observer, clock)
  })
  const caller = createCaller({ endpoints, nodes, hedging: createHedging(), clock, random, observer, onFault: reportFault })
  const sharedAffinity: NodeAffinity = { preferred: 0, sticky: false }
  function reportFault(endpoint: number, fault: NodeFault): void {
    observer?.faulted?.(endpoint, fault)
    if (nodes.recordFault(endpoint)) log.warn({ endpoint, fault }, 'RPC node returned impossible data; other nodes are preferred for a while')
  }
  const watch = createNodeWatch({ caller, nodes, clock, random, log, networkPassphrase: options.networkPassphrase ?? null })
  return {
    ...methodsOf(caller, sharedAffinity, urls.length, reportFault),
    session() {
      const affinity: NodeAffinity = { preferred: sharedAffinity.preferred, sticky: true }
      return methodsOf(caller, affinity, urls.length, reportFault)
    },
    watch: (signal) => watch(signal),
    nodes: () => nodes.view(sharedAffinity.preferred),
    queues: caller.queues,
  }
}

/** The methods, called with one affinity. */
function methodsOf(caller: Caller, affinity: NodeAffinity, endpoints: number, onFault: OnFault): Rpc {
  function call<T>(request: RpcRequest<T>, options: CallOptions = {}): Promise<T> {
    return caller.call(affinity, request, options)
  }
  return {
    endpoints,
    getHealth: (options) => call(requestOf('getHealth', null), options),
    getNetwork: (options) => call(requestOf('getNetwork', null), options),
    getEvents: (request, options) => call(requestOf('getEvents', eventsParams(request), request.limit), options),
    getLedgers: ({ startLedger, limit }, options) => call(requestOf('getLedgers', { startLedger, pagination: { limit } }, limit), options),
    getLatestLedger: (options) => call(requestOf('getLatestLedger', null), options),
    async getLedgerEntries(keysXdr, options) {
      assert(keysXdr.length > 0 && keysXdr.length <= ENTRY_KEYS_MAX, `getLedgerEntries takes 1 to ${ENTRY_KEYS_MAX} keys`)
      return await call(requestOf('getLedgerEntries', { keys: keysXdr }, keysXdr.length), options)
    },
    simulateTransaction: (envelopeXdr, options) => call(requestOf('simulateTransaction', { transaction: envelopeXdr }), options),
    sendTransaction: (envelopeXdr, options = {}) => caller.send(affinity, requestOf('sendTransaction', { transaction: envelopeXdr }), options),
    getTransaction: (hash, { networkId, ...options } = {}) => call(transactionRequest(hash, networkId), options),
    others: (besides) => caller.others(affinity, besides),
    reportFault: (fault, endpoint = affinity.preferred) => onFault(endpoint, fault),
    getTransactions({ from, limit }, options) {
      const params = 'cursor' in from ? { pagination: { cursor: from.cursor, limit } } : { startLedger: from.startLedger, pagination: { limit } }
      return call(requestOf('getTransactions', params, limit), options)
    },
  }
}

function transactionRequest(hash: string, networkId: Uint8Array | undefined): RpcRequest<TransactionResponse> {
  const request = requestOf('getTransaction', { hash })
  if (networkId === undefined) return request
  return {
    ...request,
    faultOf(response) {
      const detail = findMismatch(response, hash, networkId)
      return detail === null ? null : { fault: 'bad_transaction', detail }
    },
  }
}

/** Probes the nodes in the background: their ledger, latency and network. */
function createNodeWatch(parts: {
  readonly caller: Caller
  readonly nodes: Nodes
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly networkPassphrase: string | null
}): (signal: AbortSignal) => Promise<void> {
  const { caller, nodes, clock, random, log, networkPassphrase } = parts

  async function probe(index: number, signal: AbortSignal): Promise<void> {
    try {
      if (networkPassphrase !== null && nodes.count > 1) {
        const { passphrase } = await caller.probe(index, requestOf('getNetwork', null), signal)
        if (nodes.recordNetwork(index, passphrase === networkPassphrase)) log.warn({ endpoint: index }, 'RPC node serves another network; it is not used')
      }
      const startedMs = clock.elapsedMs()
      await caller.probe(index, requestOf('getHealth', null), signal)
      nodes.recordLatency(index, clock.elapsedMs() - startedMs)
    } catch (error) {
      if (!signal.aborted && !(error instanceof RpcFailure)) log.error({ err: error, endpoint: index }, 'RPC node could not be probed')
    } finally {
      nodes.recordProbe(index)
    }
  }

  return async (signal) => {
    while (!signal.aborted) {
      await Promise.all(nodes.dueForProbe().map((index) => probe(index, signal)))
      await clock.sleep(PROBE_INTERVAL_MS * (1 + random.float()), signal)
    }
  }
}

/** Limits of the RPC. */
const EVENT_FILTERS_MAX = 5
const CONTRACTS_PER_FILTER = 5

function filtersOf(type: string, contractIds: readonly string[]): object[] {
  return Array.from({ length: Math.ceil(contractIds.length / CONTRACTS_PER_FILTER) }, (_, index) => {
    return { type, contractIds: contractIds.slice(index * CONTRACTS_PER_FILTER, (index + 1) * CONTRACTS_PER_FILTER) }
  })
}

function eventsParams(request: EventsRequest): object {
  const { transfers = [] } = request
  const byContract = [...filtersOf('contract,system', request.contractIds), ...filtersOf('system', request.upgradesOf ?? [])]
  const byTopics = transfers.flatMap((each) => transferPatterns(each).map((topics) => ({ type: 'contract', contractIds: [each.token], topics })))
  // No topics: any. A node combines the topics of all filters, and leaves them out when one filter has none.
  const filters = [...(byTopics.length === 0 ? byContract : byContract.map((filter) => ({ ...filter, topics: [] }))), ...byTopics]
  assert(filters.length <= EVENT_FILTERS_MAX, 'getEvents is called for too many contracts')
  if ('cursor' in request.from) return { filters, pagination: { cursor: request.from.cursor, limit: request.limit } }
  return { startLedger: request.from.startLedger, filters, pagination: { limit: request.limit } }
}
