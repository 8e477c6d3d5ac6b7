// One attempt of a call: at one node, or hedged over two. Rejects responses that are too old or not credible.

import { defined } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { createSemaphore } from '../../base/semaphore.ts'
import type { Semaphore } from '../../base/semaphore.ts'
import type { Endpoint } from './endpoint.ts'
import { RpcFailure } from './failure.ts'
import type { Hedging } from './hedge.ts'
import { raceHedged } from './hedge.ts'
import type { NodeFault } from './node-fault.ts'
import type { Nodes } from './nodes.ts'
import type { AnyRequest, CallOptions, NodeAffinity, RpcRequest } from './rpc-request.ts'
import type { RpcObserver } from './rpc-observer.ts'

/** Callers that may wait for a permit, per node and method. */
export const MAX_QUEUED_CALLS = 256

/** Bounds the concurrent calls per node and method, so that a node that hangs does not block calls to the others. */
export interface CallLimits {
  of(index: number, request: AnyRequest): Semaphore
  /** Waiting calls by method, over all nodes. */
  queues(): ReadonlyMap<string, number>
}

export function createCallLimits(nodeCount: number): CallLimits {
  const limitsByNode = Array.from({ length: nodeCount }, () => new Map<string, Semaphore>())
  return {
    of(index, { method, policy }) {
      const limits = defined(limitsByNode[index], `the limits of endpoint ${index}`)
      const limit = limits.get(method) ?? createSemaphore(policy.maxConcurrent, MAX_QUEUED_CALLS)
      limits.set(method, limit)
      return limit
    },
    queues() {
      const waiting = new Map<string, number>()
      for (const limits of limitsByNode) {
        for (const [method, limit] of limits) waiting.set(method, (waiting.get(method) ?? 0) + limit.waiting())
      }
      return waiting
    },
  }
}

/** The call that an attempt belongs to. */
interface AttemptContext {
  readonly options: CallOptions
  /** The nodes that the call has tried, this attempt's included. */
  readonly tried: ReadonlySet<number>
  /** True for the second of two calls. It has had less time than the first, so an abort says nothing about its node; and the first may be more recent. */
  readonly isSecond?: true
}

/** Called when a node returned impossible data. */
export type OnFault = (endpoint: number, fault: NodeFault) => void

export interface Attempts {
  /** Calls one node. Rejects also for a response that cannot be used. */
  single<T>(endpoint: Endpoint, request: RpcRequest<T>, context: AttemptContext): Promise<T>
  /** Calls one node, and a second one when the first is slow. `by` is the node that responded. */
  hedged<T>(affinity: NodeAffinity, endpoint: Endpoint, request: RpcRequest<T>, context: AttemptContext): Promise<{ result: T; by: number }>
  /** The other nodes that can be called, best first. */
  others(affinity: NodeAffinity, besides: ReadonlySet<number>): readonly number[]
}

export function createAttempts(parts: {
  readonly endpoints: readonly Endpoint[]
  readonly nodes: Nodes
  readonly limits: CallLimits
  readonly hedging: Hedging
  readonly clock: Clock
  readonly observer: RpcObserver | null
  readonly onFault: OnFault
}): Attempts {
  const { endpoints, nodes, limits, hedging, clock, observer, onFault } = parts

  async function single<T>(endpoint: Endpoint, request: RpcRequest<T>, { options, tried, isSecond }: AttemptContext): Promise<T> {
    const { method } = request
    const { signal, requester } = options
    const patienceMs = isSecond === true || options.isComparison === true ? Number.POSITIVE_INFINITY : hedging.patienceMs(method)
    const headAtRequest = nodes.head()
    const startedMs = clock.elapsedMs()
    const result = await endpoint.call(request, { limit: limits.of(endpoint.index, request), signal, patienceMs, requester })
    hedging.recordDuration(method, clock.elapsedMs() - startedMs)
    checkFault(endpoint.index, request, result)
    const observation = request.observationOf(result)
    if (observation === null) return result
    const { ledger } = observation
    const status = nodes.observe(endpoint.index, observation, headAtRequest)
    const failure = { method, endpoint: endpoint.index, retryable: true }
    if (status === 'ahead' && options.endpoint === undefined) {
      throw new RpcFailure({ ...failure, kind: 'malformed', detail: `the network cannot have reached ledger ${ledger} yet` })
    }
    const isReplaceable = status === 'lagging' && options.endpoint === undefined && (isSecond === true || hasUntriedNode(tried))
    if (isReplaceable || ledger < (options.minLedger ?? 0)) {
      const wanted = Math.max(headAtRequest, options.minLedger ?? 0)
      throw new RpcFailure({ ...failure, kind: 'behind', detail: `the node is at ledger ${ledger}, expected ${wanted}` })
    }
    return result
  }

  function checkFault<T>(endpoint: number, { method, faultOf }: RpcRequest<T>, result: T): void {
    const found = faultOf?.(result) ?? null
    if (found === null) return
    onFault(endpoint, found.fault)
    throw new RpcFailure({ method, endpoint, kind: 'malformed', retryable: true, ...found })
  }

  /** True while the call has not tried every usable node: then it need not accept a stale response. */
  function hasUntriedNode(tried: ReadonlySet<number>): boolean {
    return endpoints.some(({ index }) => !tried.has(index) && nodes.isUsable(index))
  }

  function others(affinity: NodeAffinity, besides: ReadonlySet<number>, minLedger: number): readonly Endpoint[] {
    return nodes.order(affinity.preferred, { tried: besides, sticky: false, minLedger })
      .filter((index) => !besides.has(index) && nodes.isUsable(index))
      .map((index) => defined(endpoints[index], `endpoint ${index}`))
  }

  /** A node that is as good as the first: an idle one within the budget, or any when the first is stuck. Undefined when there is none. */
  function secondEndpoint(
    affinity: NodeAffinity, first: Endpoint, request: AnyRequest, { minLedger = 0, isStuck }: Pick<CallOptions, 'minLedger'> & { readonly isStuck: boolean },
  ): Endpoint | undefined {
    const [endpoint] = others(affinity, new Set([first.index]), minLedger)
    if (endpoint === undefined) return undefined
    return isStuck || (limits.of(endpoint.index, request).waiting() === 0 && hedging.takeFromBudget()) ? endpoint : undefined
  }

  return {
    single,
    others: (affinity, besides) => others(affinity, besides, 0).map(({ index }) => index),
    async hedged(affinity, endpoint, request, context) {
      const { options, tried } = context
      const mayHedge = request.policy.hedged === true && !affinity.sticky && options.endpoint === undefined && endpoints.length > 1
      if (!mayHedge) return { result: await single(endpoint, request, context), by: endpoint.index }
      const [usualMs, patienceMs] = [hedging.delayMs(request.method), hedging.patienceMs(request.method)]
      let second: Endpoint | undefined
      const { value, winner } = await raceHedged(clock, options.signal, {
        first: (signal) => single(endpoint, request, { options: { ...options, signal }, tried }),
        delaysMs: usualMs === null || usualMs >= patienceMs ? [patienceMs] : [usualMs, patienceMs],
        second(waitedMs) {
          const other = secondEndpoint(affinity, endpoint, request, { ...options, isStuck: waitedMs >= patienceMs })
          second = other
          return other === undefined ? undefined : (signal) => single(other, request, { options: { ...options, signal }, tried, isSecond: true })
        },
      })
      if (second === undefined || winner === 'alone') return { result: value, by: endpoint.index }
      observer?.hedged?.(winner)
      return { result: value, by: winner === 'second' ? second.index : endpoint.index }
    },
  }
}
