// The parts of a call to the RPC.

import { boundsOf, METHODS } from './methods.ts'
import type { Method, MethodPolicy, ResponseBounds, ResultOf } from './methods.ts'
import type { NodeFault } from './node-fault.ts'
import type { Observation } from './node-state.ts'

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** The client address that causes the call. Addresses take turns. Absent for the program's own calls, which go first. */
  readonly requester?: string | undefined
  /** Calls this endpoint only. */
  readonly endpoint?: number
  /** Rejects responses of an earlier ledger: the call tries the other nodes, then all again, and finally fails with kind `behind`. */
  readonly minLedger?: number
  /** The call has less time than others, so an abort says nothing about its node. */
  readonly isComparison?: true
  /** Called with the node whose response is returned. */
  readonly onAnswered?: (endpoint: number) => void
}

/** A request whose result is T. */
export interface RpcRequest<T> {
  readonly method: Method
  readonly params: object | null
  readonly policy: MethodPolicy
  readonly bounds: ResponseBounds
  /** Reads what the result says about the ledger of its node; null when it says nothing. */
  readonly observationOf: (result: T) => Observation | null
  /** Finds what is wrong with a result that cannot be true; null: nothing. Such a result is never returned: the call tries another node. */
  readonly faultOf?: (result: T) => { readonly fault: NodeFault; readonly detail: string } | null
}

/** A request of any result. */
export type AnyRequest = Omit<RpcRequest<unknown>, 'observationOf' | 'faultOf'>

/** The node that a client prefers. Changes with each response. */
export interface NodeAffinity {
  preferred: number
  /** Stays with a node even when another is faster, and never hedges. */
  readonly sticky: boolean
}

/** A request for `items` events, ledgers or entries. */
export function requestOf<M extends Method>(method: M, params: object | null, items = 0): RpcRequest<ResultOf<M>> {
  return { method, params, policy: METHODS[method].policy, bounds: boundsOf(method, items), observationOf: (result) => observationOf(method, result) }
}

/** Methods that read the ledger itself. The others get its sequence from elsewhere in the node. */
const PROVING_METHODS: ReadonlySet<Method> = new Set(['getEvents', 'getLedgers', 'getLedgerEntries', 'simulateTransaction', 'getTransaction'])

/** Reads what a result says about the ledger of its node. A simulation that never reached the ledger reports 0. */
function observationOf(method: Method, result: unknown): Observation | null {
  if (typeof result === 'number') return { ledger: result, closeSec: null, proven: false }
  const { latestLedger, latestLedgerCloseSec } = result as { latestLedger?: number; latestLedgerCloseSec?: number | null }
  return latestLedger === undefined || latestLedger === 0
    ? null
    : { ledger: latestLedger, closeSec: latestLedgerCloseSec ?? null, proven: PROVING_METHODS.has(method) }
}
