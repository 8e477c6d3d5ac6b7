// Soroban JSON-RPC as the gateway needs it: time-outs of its own, answers checked, failures named, several nodes of which
// the best is asked.

import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type {
  LedgerEntriesResponse, EventsPage, LedgersResponse, NodeHealth, NodeNetwork, SendResponse, SimulationResponse, TransactionResponse,
} from './responses.ts'
import {
  parseLedgerEntries, parseEvents, parseHealth, parseLatestLedger, parseLedgers, parseNetwork, parseSend, parseSimulation, parseTransaction,
} from './responses.ts'
import type { NodeAffinity, Caller, CallOptions, MethodPolicy, RpcRequest } from './caller.ts'
import { createCaller } from './caller.ts'
import { createEndpoint } from './endpoint.ts'
import { RpcFailure } from './failure.ts'
import { createHedging } from './hedge.ts'
import type { Nodes, NodeView, Observation } from './nodes.ts'
import { createNodes } from './nodes.ts'
import { withObserver } from './rpc-observer.ts'
import type { RpcObserver } from './rpc-observer.ts'
import type { Transport } from './transport.ts'
import { fetchTransport } from './transport.ts'

/** Where a page of events begins: right behind a cursor, or with a ledger. */
export type EventsFrom = { readonly cursor: string } | { readonly startLedger: number }

/** The methods of the node. Each rejects with RpcFailure and nothing else, unless its own signal ends it. */
export interface Rpc {
  /** How many endpoints there are. */
  readonly endpoints: number
  /** The node's range of ledgers. An unhealthy node rejects with kind `rpc`. */
  getHealth(options?: CallOptions): Promise<NodeHealth>
  getNetwork(options?: CallOptions): Promise<NodeNetwork>
  /** Contract events of up to five contracts, ascending. One uniform filter: nodes before 27.1.1 lose events under mixed ones. */
  getEvents(request: { from: EventsFrom; contractIds: readonly string[]; limit: number }, options?: CallOptions): Promise<EventsPage>
  getLedgers(request: { startLedger: number; limit: number }, options?: CallOptions): Promise<LedgersResponse>
  /** The sequence of the node's latest ledger, however long ago it closed. The answer is megabytes on a busy network: not for polling. */
  getLatestLedger(options?: CallOptions): Promise<number>
  /** Up to ENTRY_KEYS_MAX base64 LedgerKeys. */
  getLedgerEntries(keysXdr: readonly string[], options?: CallOptions): Promise<LedgerEntriesResponse>
  /** Simulates an envelope. A simulation that failed is an answer with `error`; a node too busy to simulate is a retryable RpcFailure. */
  simulateTransaction(envelopeXdr: string, options?: CallOptions): Promise<SimulationResponse>
  /**
   * Sends a signed envelope once. Another endpoint is asked only when it is certain that the one before did not take the envelope up; every other failure is
   * handed on, because the envelope may be on its way to a ledger.
   */
  sendTransaction(envelopeXdr: string): Promise<SendResponse>
  /** Looks a transaction up by its hash (64 hex digits). One attempt: whoever waits for a transaction asks again anyway. */
  getTransaction(hash: string, options?: CallOptions): Promise<TransactionResponse>
}

/** The client that calls the nodes by itself. */
export interface RpcClient extends Rpc {
  /** The same methods for somebody who reads on where it left off: it keeps to one node for as long as that is good. */
  session(): Rpc
  /**
   * Keeps knowing the nodes that nobody asks, until the signal aborts. Never rejects. Without it a node that was left is only asked again when the others
   * fail.
   */
  watch(signal: AbortSignal): Promise<void>
  /** How each node stands. */
  nodes(): readonly NodeView[]
  /** Calls that wait for their turn, by method. */
  queues(): ReadonlyMap<string, number>
}

/** Most keys of one getLedgerEntries. */
export const ENTRY_KEYS_MAX = 200

type Method =
  | 'getHealth' | 'getNetwork' | 'getEvents' | 'getLedgers' | 'getLatestLedger' | 'getLedgerEntries' | 'simulateTransaction' | 'sendTransaction'
  | 'getTransaction'

/** How each method is called. Simulation is a node's scarcest good, so it has the tightest cap. */
const POLICIES: Readonly<Record<Method, MethodPolicy>> = {
  getHealth: { timeoutMs: 8_000, maxConcurrent: 4, maxAttempts: 3, hedged: false },
  getNetwork: { timeoutMs: 8_000, maxConcurrent: 2, maxAttempts: 3, hedged: false },
  getEvents: { timeoutMs: 15_000, maxConcurrent: 2, maxAttempts: 3, hedged: false },
  getLedgers: { timeoutMs: 15_000, maxConcurrent: 2, maxAttempts: 3, hedged: false },
  getLatestLedger: { timeoutMs: 8_000, maxConcurrent: 2, maxAttempts: 3, hedged: false },
  getLedgerEntries: { timeoutMs: 8_000, maxConcurrent: 8, maxAttempts: 3, hedged: true },
  simulateTransaction: { timeoutMs: 10_000, maxConcurrent: 8, maxAttempts: 3, hedged: true },
  sendTransaction: { timeoutMs: 10_000, maxConcurrent: 16, maxAttempts: 1, hedged: false },
  getTransaction: { timeoutMs: 5_000, maxConcurrent: 16, maxAttempts: 1, hedged: true },
}

/** How often it is looked for nodes that are to be probed; each time is drawn between this and twice this. */
export const PROBE_INTERVAL_MS = 2_500

/** The start of a simulation's text when the node had no room to simulate. */
const OVERLOADED_SIMULATION = 'preflight queue full'

export interface RpcClientOptions {
  readonly urls: readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** The network that the nodes must serve; absent: it is not looked at. */
  readonly networkPassphrase?: string
  readonly transport?: Transport
  /** Who is told of every attempt; null or absent: nobody. */
  readonly observer?: RpcObserver | null
}

/** Builds the client. Of nodes that are as good as each other the one that answered last is asked first, at the start the first of `urls`. */
export function createRpc(options: RpcClientOptions): RpcClient {
  const { clock, random, log, urls } = options
  assert(urls.length > 0, 'an RPC client needs at least one endpoint')
  const transport = options.transport ?? fetchTransport
  const observer = options.observer ?? null
  const endpoints = urls.map((url, index) => {
    const endpoint = createEndpoint({ url, index, transport, clock, log })
    return observer === null ? endpoint : withObserver(endpoint, observer, clock)
  })
  const nodes = createNodes(urls.length, clock)
  const caller = createCaller({ endpoints, nodes, hedging: createHedging(), clock, random, observer })
  const everybody: NodeAffinity = { preferred: 0, sticky: false }
  const watch = createNodeWatch({ caller, nodes, clock, random, log, networkPassphrase: options.networkPassphrase ?? null })
  return {
    ...methodsOf(caller, everybody, urls.length),
    session: () => methodsOf(caller, { preferred: everybody.preferred, sticky: true }, urls.length),
    watch: (signal) => watch(signal),
    nodes: () => nodes.view(everybody.preferred),
    queues: caller.queues,
  }
}

/** The methods as one asker calls them. */
function methodsOf(caller: Caller, asker: NodeAffinity, endpoints: number): Rpc {
  function call<T>(method: Method, params: object | null, read: (result: unknown) => T, options: CallOptions = {}): Promise<T> {
    return caller.call(asker, questionOf(method, params, read), options)
  }
  return {
    endpoints,
    getHealth: (options) => call('getHealth', null, parseHealth, options),
    getNetwork: (options) => call('getNetwork', null, parseNetwork, options),
    getEvents: (request, options) => call('getEvents', eventsParams(request), parseEvents, options),
    getLedgers: ({ startLedger, limit }, options) => call('getLedgers', { startLedger, pagination: { limit } }, parseLedgers, options),
    getLatestLedger: (options) => call('getLatestLedger', null, parseLatestLedger, options),
    async getLedgerEntries(keysXdr, options) {
      assert(keysXdr.length > 0 && keysXdr.length <= ENTRY_KEYS_MAX, `getLedgerEntries takes 1 to ${ENTRY_KEYS_MAX} keys`)
      return await call('getLedgerEntries', { keys: keysXdr }, parseLedgerEntries, options)
    },
    simulateTransaction: (envelopeXdr, options) => call('simulateTransaction', { transaction: envelopeXdr }, readCalmSimulation, options),
    sendTransaction: (envelopeXdr) => caller.send(asker, questionOf('sendTransaction', { transaction: envelopeXdr }, parseSend)),
    getTransaction: (hash, options) => call('getTransaction', { hash }, parseTransaction, options),
  }
}

function questionOf<T>(method: Method, params: object | null, read: (result: unknown) => T): RpcRequest<T> {
  return { method, params, policy: POLICIES[method], parse: read, observationOf: (answer) => tellOf(method, answer) }
}

/** Methods that read the ledger itself. The others know of it from elsewhere in the node. */
const PROVING: ReadonlySet<Method> = new Set(['getEvents', 'getLedgers', 'getLedgerEntries', 'simulateTransaction', 'getTransaction'])

/** Where a node stands by an answer. A simulation that never reached the ledger says 0. */
function tellOf(method: Method, answer: unknown): Observation | null {
  if (typeof answer === 'number') return { ledger: answer, closeSec: null, proven: false }
  const { latestLedger, latestLedgerCloseSec } = answer as { latestLedger?: number; latestLedgerCloseSec?: number | null }
  return latestLedger === undefined || latestLedger === 0
    ? null
    : { ledger: latestLedger, closeSec: latestLedgerCloseSec ?? null, proven: PROVING.has(method) }
}

/** Keeps knowing nodes that are not asked otherwise: where they stand, how fast they are, whether they serve the right network. */
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
      if (networkPassphrase !== null) {
        const { passphrase } = await caller.probe(index, questionOf('getNetwork', null, parseNetwork), signal)
        if (nodes.recordNetwork(index, passphrase === networkPassphrase)) log.warn({ endpoint: index }, 'a node serves another network, it is left alone')
      }
      const startedMs = clock.elapsedMs()
      await caller.probe(index, questionOf('getHealth', null, parseHealth), signal)
      nodes.recordLatency(index, clock.elapsedMs() - startedMs)
    } catch (error) {
      if (!signal.aborted && !(error instanceof RpcFailure)) log.error({ err: error, endpoint: index }, 'a node could not be probed')
    } finally {
      nodes.recordProbe(index)
    }
  }

  return async (signal) => {
    if (nodes.count === 1) return
    while (!signal.aborted) {
      await Promise.all(nodes.dueForProbe().map((index) => probe(index, signal)))
      await clock.sleep(PROBE_INTERVAL_MS * (1 + random.float()), signal)
    }
  }
}

function eventsParams(request: { from: EventsFrom; contractIds: readonly string[]; limit: number }): object {
  const filters = [{ type: 'contract', contractIds: request.contractIds }]
  if ('cursor' in request.from) return { filters, pagination: { cursor: request.from.cursor, limit: request.limit } }
  return { startLedger: request.from.startLedger, filters, pagination: { limit: request.limit } }
}

/** Overload travels as the text of a failed simulation; it is told apart here so that it is retried like any other. */
function readCalmSimulation(result: unknown): SimulationResponse {
  const answer = parseSimulation(result)
  if (answer.error?.startsWith(OVERLOADED_SIMULATION) === true) {
    throw new RpcFailure({ method: 'simulateTransaction', kind: 'rpc', retryable: true, detail: answer.error })
  }
  return answer
}
