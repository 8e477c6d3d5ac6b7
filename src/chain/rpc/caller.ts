// Makes calls: chooses the node, retries, and backs off.

import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { backoff } from '../../base/retry.ts'
import { createAttempts, createCallLimits } from './attempt.ts'
import type { OnFault } from './attempt.ts'
import type { Endpoint } from './endpoint.ts'
import { isUnprocessed, RpcFailure } from './failure.ts'
import type { Hedging } from './hedge.ts'
import type { Nodes } from './nodes.ts'
import type { RpcObserver } from './rpc-observer.ts'
import type { MethodPolicy } from './methods.ts'
import type { CallOptions, NodeAffinity, RpcRequest } from './rpc-request.ts'

export interface Caller {
  /** Calls nodes until one returns a usable response. Rejects with RpcFailure, or with the reason of the call's own signal. */
  call<T>(affinity: NodeAffinity, request: RpcRequest<T>, options: CallOptions): Promise<T>
  /** Tries each endpoint at most once, and the next only when it is certain that the one before did not process the request. */
  send<T>(affinity: NodeAffinity, request: RpcRequest<T>, options: Pick<CallOptions, 'requester'>): Promise<T>
  /** Calls one node once, whatever its status, unless it is paused. */
  probe<T>(index: number, request: RpcRequest<T>, signal: AbortSignal): Promise<T>
  /** The nodes besides these that can be called, best first. */
  others(affinity: NodeAffinity, besides: readonly number[]): readonly number[]
  /** Calls that wait for a permit, by method. */
  queues(): ReadonlyMap<string, number>
}

/** A pause between attempts at one endpoint is drawn from zero to these, at most about one ledger. */
const RETRY_MS = { min: 250, max: 5_000 } as const
/** Attempts while responses are too old. The next ledger brings what is missing, so this waits a little longer. */
const BEHIND_ATTEMPTS = 5

export interface CallerParts {
  readonly endpoints: readonly Endpoint[]
  readonly nodes: Nodes
  readonly hedging: Hedging
  readonly clock: Clock
  readonly random: Random
  readonly observer: RpcObserver | null
  readonly onFault: OnFault
}

export function createCaller({ endpoints, nodes, hedging, clock, random, observer, onFault }: CallerParts): Caller {
  const limits = createCallLimits(endpoints.length)
  const attempts = createAttempts({ endpoints, nodes, limits, hedging, clock, observer, onFault })

  function endpointAt(index: number): Endpoint {
    return defined(endpoints[index], `endpoint ${index}`)
  }

  /** The endpoint to call next. Undefined when all are paused. */
  function chooseEndpoint(affinity: NodeAffinity, tried: ReadonlySet<number>, options: CallOptions): Endpoint | undefined {
    const { endpoint: pinned, minLedger = 0 } = options
    const order = pinned === undefined ? nodes.order(affinity.preferred, { tried, sticky: affinity.sticky, minLedger }) : [pinned]
    return order.filter((index) => !nodes.isPaused(index)).map(endpointAt)[0]
  }

  function preferNext(affinity: NodeAffinity, { index }: Endpoint): void {
    affinity.preferred = (index + 1) % endpoints.length
  }

  /** True when the same call may succeed later, or at another endpoint. */
  function shouldRetry(failure: RpcFailure, pinned: number | undefined): boolean {
    const hasOtherEndpoints = endpoints.length > 1 && pinned === undefined
    if (failure.retryAfterMs !== undefined && failure.retryAfterMs > RETRY_MS.max && !hasOtherEndpoints) return false
    return failure.retryable || (failure.kind === 'http' && hasOtherEndpoints)
  }

  async function backOff(attempt: number, failure: RpcFailure, { endpoint: pinned, signal }: CallOptions): Promise<void> {
    // An endpoint that has not been tried yet is called without a pause.
    if (pinned === undefined && attempt + 1 < endpoints.length) return
    const drawnMs = random.float() * backoff(RETRY_MS, attempt + 1)
    await clock.sleep(Math.max(drawnMs, failure.retryAfterMs ?? 0), signal)
    signal?.throwIfAborted()
  }

  return {
    async call(affinity, request, options) {
      const tried = new Set<number>()
      let last: RpcFailure | undefined
      for (let attempt = 0; attempt < maxAttempts(request.policy, last, options.endpoint === undefined ? endpoints.length : 1); attempt++) {
        if (last !== undefined) await backOff(attempt - 1, last, options)
        options.signal?.throwIfAborted()
        const endpoint = chooseEndpoint(affinity, tried, options)
        if (endpoint === undefined) break
        tried.add(endpoint.index)
        try {
          const { result, by } = await attempts.hedged(affinity, endpoint, request, { options, tried })
          if (options.endpoint === undefined) affinity.preferred = by
          options.onAnswered?.(by)
          return result
        } catch (error) {
          if (options.signal?.aborted === true) {
            if (options.endpoint === undefined && !nodes.isUsable(endpoint.index)) preferNext(affinity, endpoint)
            throw error
          }
          if (!(error instanceof RpcFailure) || !shouldRetry(error, options.endpoint)) throw error
          if (options.endpoint === undefined) preferNext(affinity, endpoint)
          last = error
        }
      }
      throw last ?? allEndpointsPaused(request.method)
    },
    async send(affinity, request, { requester }) {
      const { method } = request
      const tried = new Set<number>()
      let last: RpcFailure | undefined
      for (let attempt = 0; attempt < endpoints.length; attempt++) {
        const endpoint = chooseEndpoint(affinity, tried, {})
        if (endpoint === undefined || tried.has(endpoint.index)) break
        tried.add(endpoint.index)
        try {
          // The response counts even when the node lags: it is about the envelope, not about a ledger.
          const how = { limit: limits.of(endpoint.index, request), signal: undefined, patienceMs: request.policy.timeoutMs, requester }
          const result = await endpoint.call(request, how)
          affinity.preferred = endpoint.index
          return result
        } catch (error) {
          if (!(error instanceof RpcFailure) || !isUnprocessed(error)) throw error
          preferNext(affinity, endpoint)
          last = error
        }
      }
      throw last ?? allEndpointsPaused(method)
    },
    async probe(index, request, signal) {
      const endpoint = endpointAt(index)
      if (nodes.isPaused(index)) throw allEndpointsPaused(request.method)
      return await attempts.single(endpoint, request, { options: { signal, endpoint: index }, tried: new Set() })
    },
    others: (affinity, besides) => attempts.others(affinity, new Set(besides)),
    queues: limits.queues,
  }
}

/** `nodes` is the number of nodes that the call may try. One that returned an impossible result is not called again. */
function maxAttempts(policy: MethodPolicy, last: RpcFailure | undefined, nodes: number): number {
  if (last?.fault !== undefined) return Math.max(policy.maxAttempts, nodes)
  return last?.kind === 'behind' && policy.maxAttempts > 1 ? BEHIND_ATTEMPTS : policy.maxAttempts
}

function allEndpointsPaused(method: string): RpcFailure {
  return new RpcFailure({ method, kind: 'unreachable', retryable: true, unsent: true, detail: 'all endpoints are paused after repeated failures' })
}
