// Who is told of calls to the nodes, when somebody wants to be.

import type { Clock } from '../base/clock.ts'
import type { Endpoint } from './endpoint.ts'
import { RpcFailure } from './failure.ts'
import type { RpcFailureKind } from './failure.ts'

export interface RpcCall {
  /** Position of the node in the configured list: safe to show, unlike its address. */
  readonly endpoint: number
  readonly method: string
  /** `given-up`: the caller did not wait for the end. */
  readonly outcome: 'ok' | RpcFailureKind | 'given-up'
  /** Waiting for a turn included. */
  readonly seconds: number
}

export interface RpcObserver {
  /** One attempt at one node has ended. */
  called(call: RpcCall): void
  /** Two nodes were asked for the same, and this one was faster. */
  hedged?(winner: 'first' | 'second'): void
}

/** The same endpoint, whose calls are told. */
export function withObserver(endpoint: Endpoint, observer: RpcObserver, clock: Clock): Endpoint {
  return {
    ...endpoint,
    async call(method, params, attempt) {
      const startedAtMs = clock.elapsedMs()
      const ended = (outcome: RpcCall['outcome']): void =>
        observer.called({ endpoint: endpoint.index, method, outcome, seconds: Math.max(0, clock.elapsedMs() - startedAtMs) / 1000 })
      try {
        const answer = await endpoint.call(method, params, attempt)
        ended('ok')
        return answer
      } catch (error) {
        ended(error instanceof RpcFailure ? error.kind : 'given-up')
        throw error
      }
    },
  }
}
