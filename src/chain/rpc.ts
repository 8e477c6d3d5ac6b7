// Soroban JSON-RPC as the gateway needs it: time-outs of its own, answers checked, failures named, several endpoints with one preferred.

import { assert, defined } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type {
  EntriesAnswer, EventsPage, LedgersAnswer, NodeHealth, NodeNetwork, SendAnswer, SimulationAnswer, TransactionAnswer,
} from './answers.ts'
import {
  readEntries, readEvents, readHealth, readLatestLedger, readLedgers, readNetwork, readSend, readSimulation, readTransaction,
} from './answers.ts'
import type { Endpoint } from './endpoint.ts'
import { createEndpoint } from './endpoint.ts'
import { isUntaken, RpcFailure } from './failure.ts'
import type { Gate } from './gate.ts'
import { createGate } from './gate.ts'
import { observed } from './observe.ts'
import type { RpcObserver } from './observe.ts'
import type { Transport } from './transport.ts'
import { fetchTransport } from './transport.ts'

/** What every call takes. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's own reason. */
  readonly signal?: AbortSignal
  /** Asks this endpoint and no other. */
  readonly endpoint?: number
}

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
  getLedgers(request: { startLedger: number; limit: number }, options?: CallOptions): Promise<LedgersAnswer>
  /** The sequence of the node's latest ledger, however long ago it closed. The answer is megabytes on a busy network: not for polling. */
  getLatestLedger(options?: CallOptions): Promise<number>
  /** Up to ENTRY_KEYS_MAX base64 LedgerKeys. */
  getLedgerEntries(keysXdr: readonly string[], options?: CallOptions): Promise<EntriesAnswer>
  /** Simulates an envelope. A simulation that failed is an answer with `error`; a node too busy to simulate is a retryable RpcFailure. */
  simulateTransaction(envelopeXdr: string, options?: CallOptions): Promise<SimulationAnswer>
  /**
   * Sends a signed envelope once. Another endpoint is asked only when it is certain that the one before did not take the envelope up; every other failure is
   * handed on, because the envelope may be on its way to a ledger.
   */
  sendTransaction(envelopeXdr: string): Promise<SendAnswer>
  /** Looks a transaction up by its hash (64 hex digits). One attempt: whoever waits for a transaction asks again anyway. */
  getTransaction(hash: string, options?: CallOptions): Promise<TransactionAnswer>
}

/** The client that calls the nodes by itself. */
export interface RpcClient extends Rpc {
  /** Calls that wait for their turn, by method. */
  queues(): ReadonlyMap<string, number>
}

/** Most keys of one getLedgerEntries. */
export const ENTRY_KEYS_MAX = 200

type Method =
  | 'getHealth' | 'getNetwork' | 'getEvents' | 'getLedgers' | 'getLatestLedger' | 'getLedgerEntries' | 'simulateTransaction' | 'sendTransaction'
  | 'getTransaction'

/** How each method is called. More than one attempt is for reads only. Simulation is a node's scarcest good, so it has the tightest cap. */
const POLICIES: Readonly<Record<Method, { readonly timeoutMs: number; readonly concurrent: number; readonly attempts: number }>> = {
  getHealth: { timeoutMs: 8_000, concurrent: 4, attempts: 3 },
  getNetwork: { timeoutMs: 8_000, concurrent: 2, attempts: 3 },
  getEvents: { timeoutMs: 15_000, concurrent: 2, attempts: 3 },
  getLedgers: { timeoutMs: 15_000, concurrent: 2, attempts: 3 },
  getLatestLedger: { timeoutMs: 8_000, concurrent: 2, attempts: 3 },
  getLedgerEntries: { timeoutMs: 8_000, concurrent: 8, attempts: 3 },
  simulateTransaction: { timeoutMs: 10_000, concurrent: 8, attempts: 3 },
  sendTransaction: { timeoutMs: 10_000, concurrent: 16, attempts: 1 },
  getTransaction: { timeoutMs: 5_000, concurrent: 16, attempts: 1 },
}

/** Waits between attempts at one endpoint are drawn from [0, base x 2^n], and never above the cap, about one ledger. */
export const RETRY_BASE_MS = 250
export const RETRY_CAP_MS = 5_000

/** The start of a simulation's text when the node had no room to simulate. */
const OVERLOADED_SIMULATION = 'preflight queue full'

/** Builds the client. `urls` are tried in order, the one that answered last first. */
export function createRpc(options: {
  urls: readonly string[]
  clock: Clock
  random: Random
  log: Log
  transport?: Transport
  /** Who is told of every attempt; null or absent: nobody. */
  observer?: RpcObserver | null
}): RpcClient {
  const { clock, random, log } = options
  assert(options.urls.length > 0, 'an RPC client needs at least one endpoint')
  const transport = options.transport ?? fetchTransport
  const observer = options.observer ?? null
  const endpoints = options.urls.map((url, index) => {
    const endpoint = createEndpoint({ url, index, transport, clock, log })
    return observer === null ? endpoint : observed(endpoint, observer, clock)
  })
  const gates = new Map<Method, Gate>()
  let preferred = 0

  /** The endpoint to ask next: the preferred one, or the next whose breaker gives leave. */
  function choose(pinned: number | undefined): Endpoint | undefined {
    if (pinned !== undefined) {
      const only = defined(endpoints[pinned], `endpoint ${pinned}`)
      return only.breaker.allow() ? only : undefined
    }
    for (let step = 0; step < endpoints.length; step++) {
      const endpoint = defined(endpoints[(preferred + step) % endpoints.length], 'endpoint')
      if (endpoint.breaker.allow()) return endpoint
    }
    return undefined
  }

  /** True when another attempt makes sense: the same call may work later, or another endpoint may be better. */
  function worthAnother(failure: RpcFailure, pinned: number | undefined): boolean {
    if (failure.retryAfterMs !== undefined && failure.retryAfterMs > RETRY_CAP_MS && (endpoints.length === 1 || pinned !== undefined)) return false
    return failure.retryable || (failure.kind === 'http' && endpoints.length > 1 && pinned === undefined)
  }

  async function pause(attempt: number, failure: RpcFailure, callOptions: CallOptions): Promise<void> {
    // An endpoint that has not been asked yet is asked at once.
    if (callOptions.endpoint === undefined && attempt + 1 < endpoints.length) return
    const drawnMs = random.float() * Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** attempt)
    await clock.sleep(Math.max(drawnMs, failure.retryAfterMs ?? 0), callOptions.signal)
    callOptions.signal?.throwIfAborted()
  }

  function gateOf(method: Method): Gate {
    const gate = gates.get(method) ?? createGate(POLICIES[method].concurrent)
    gates.set(method, gate)
    return gate
  }

  async function call<T>(method: Method, params: object | null, read: (result: unknown) => T, callOptions: CallOptions = {}): Promise<T> {
    const policy = POLICIES[method]
    const gate = gateOf(method)
    let last: RpcFailure | undefined
    for (let attempt = 0; attempt < policy.attempts; attempt++) {
      if (last !== undefined) await pause(attempt - 1, last, callOptions)
      const endpoint = choose(callOptions.endpoint)
      if (endpoint === undefined) break
      try {
        const answer = await endpoint.ask(method, params, { gate, timeoutMs: policy.timeoutMs, signal: callOptions.signal, read })
        if (callOptions.endpoint === undefined) preferred = endpoint.index
        return answer
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error
        if (!worthAnother(error, callOptions.endpoint)) throw error
        if (callOptions.endpoint === undefined) preferred = (endpoint.index + 1) % endpoints.length
        last = error
      }
    }
    throw last ?? resting(method)
  }

  /** Each endpoint at most once, the next only when the one before did not take the envelope. */
  async function send(envelopeXdr: string): Promise<SendAnswer> {
    const method = 'sendTransaction'
    let last: RpcFailure | undefined
    for (let attempt = 0; attempt < endpoints.length; attempt++) {
      const endpoint = choose(undefined)
      if (endpoint === undefined) break
      try {
        const { timeoutMs } = POLICIES[method]
        const answer = await endpoint.ask(method, { transaction: envelopeXdr }, { gate: gateOf(method), timeoutMs, signal: undefined, read: readSend })
        preferred = endpoint.index
        return answer
      } catch (error) {
        if (!(error instanceof RpcFailure) || !isUntaken(error)) throw error
        preferred = (endpoint.index + 1) % endpoints.length
        last = error
      }
    }
    throw last ?? resting(method)
  }

  return {
    endpoints: endpoints.length,
    queues: () => new Map([...gates].map(([method, gate]) => [method, gate.waiting()])),
    getHealth: (callOptions) => call('getHealth', null, readHealth, callOptions),
    getNetwork: (callOptions) => call('getNetwork', null, readNetwork, callOptions),
    getEvents: (request, callOptions) => call('getEvents', eventsParams(request), readEvents, callOptions),
    getLedgers: (request, callOptions) =>
      call('getLedgers', { startLedger: request.startLedger, pagination: { limit: request.limit } }, readLedgers, callOptions),
    getLatestLedger: (callOptions) => call('getLatestLedger', null, readLatestLedger, callOptions),
    async getLedgerEntries(keysXdr, callOptions) {
      assert(keysXdr.length > 0 && keysXdr.length <= ENTRY_KEYS_MAX, `getLedgerEntries takes 1 to ${ENTRY_KEYS_MAX} keys`)
      return await call('getLedgerEntries', { keys: keysXdr }, readEntries, callOptions)
    },
    simulateTransaction: (envelopeXdr, callOptions) => call('simulateTransaction', { transaction: envelopeXdr }, readCalmSimulation, callOptions),
    sendTransaction: send,
    getTransaction: (hash, callOptions) => call('getTransaction', { hash }, readTransaction, callOptions),
  }
}

function resting(method: Method): RpcFailure {
  return new RpcFailure({ method, kind: 'unreachable', retryable: true, unsent: true, detail: 'every endpoint is resting after failures' })
}

function eventsParams(request: { from: EventsFrom; contractIds: readonly string[]; limit: number }): object {
  const filters = [{ type: 'contract', contractIds: request.contractIds }]
  if ('cursor' in request.from) return { filters, pagination: { cursor: request.from.cursor, limit: request.limit } }
  return { startLedger: request.from.startLedger, filters, pagination: { limit: request.limit } }
}

/** Overload travels as the text of a failed simulation; it is told apart here so that it is retried like any other. */
function readCalmSimulation(result: unknown): SimulationAnswer {
  const answer = readSimulation(result)
  if (answer.error?.startsWith(OVERLOADED_SIMULATION) === true) {
    throw new RpcFailure({ method: 'simulateTransaction', kind: 'rpc', retryable: true, detail: answer.error })
  }
  return answer
}
