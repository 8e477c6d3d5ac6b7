// What a call to the RPC consists of.

import type { Observation } from './node-state.ts'

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Calls this endpoint only. */
  readonly endpoint?: number
  /** Rejects responses of an earlier ledger: the call tries the other nodes, then all again, and finally fails with kind `behind`. */
  readonly minLedger?: number
}

/** How a method is called. */
export interface MethodPolicy {
  readonly timeoutMs: number
  /** Concurrent calls per node. */
  readonly maxConcurrent: number
  /** Only reads may have more than one. */
  readonly maxAttempts: number
  /** Whether a second node may be called while the first has not responded. */
  readonly hedged: boolean
}

/** A request, and how its result is read. */
export interface RpcRequest<T> {
  readonly method: string
  readonly params: object | null
  readonly policy: MethodPolicy
  readonly parse: (result: unknown) => T
  /** What the result says about the ledger of its node; null when it says nothing. */
  readonly observationOf: (result: unknown) => Observation | null
}

/** The node that a client prefers. Changes with each response. */
export interface NodeAffinity {
  preferred: number
  /** Stays with a node even when another is faster, and never hedges. */
  readonly sticky: boolean
}
