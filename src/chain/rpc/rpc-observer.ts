// Reports calls to the nodes, for metrics.

import type { Clock } from '../../base/clock.ts'
import type { Endpoint } from './endpoint.ts'
import { RpcFailure } from './failure.ts'
import type { NodeFault } from './node-fault.ts'
import type { RpcFailureKind } from './failure.ts'

export interface RpcCall {
  /** Position of the node in the configured list: safe to show, unlike its address. */
  readonly endpoint: number
  readonly method: string
  /** `given-up`: the caller aborted the call before the node had enough time. */
  readonly outcome: 'ok' | RpcFailureKind | 'given-up'
  /** Includes the wait for a permit. */
  readonly seconds: number
}

export interface RpcObserver {
  /** One attempt at one node has ended. */
  called(call: RpcCall): void
  /** Two nodes were called with the same request, and this one responded first. */
  hedged?(winner: 'first' | 'second'): void
  /** A node returned impossible data. */
  faulted?(endpoint: number, fault: NodeFault): void
}

/** Wraps an endpoint so that its calls are reported to the observer. */
export function withObserver(endpoint: Endpoint, observer: RpcObserver, clock: Clock): Endpoint {
  return {
    ...endpoint,
    async call(request, attempt) {
      const startedAtMs = clock.elapsedMs()
      const report = (outcome: RpcCall['outcome']): void =>
        observer.called({ endpoint: endpoint.index, method: request.method, outcome, seconds: Math.max(0, clock.elapsedMs() - startedAtMs) / 1000 })
      try {
        const result = await endpoint.call(request, attempt)
        report('ok')
        return result
      } catch (error) {
        const isUnanswered = clock.elapsedMs() - startedAtMs >= attempt.patienceMs
        if (attempt.signal?.aborted === true) report(isUnanswered ? 'timeout' : 'given-up')
        else report(error instanceof RpcFailure ? error.kind : 'given-up')
        throw error
      }
    },
  }
}
