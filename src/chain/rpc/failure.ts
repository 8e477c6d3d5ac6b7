// Failures of calls to the chain. One class, so that callers check the type and never the text.

import type { UnknownForm } from '../codec/newer-than-known.ts'
import type { NodeFault } from './node-fault.ts'

/**
 * `rpc`: the node returned a JSON-RPC error or a failed simulation. `oversized`: its response is larger than the method can need. `behind`: its response is of
 * an older ledger than required. `newer`: its response has a form that a later protocol of the network added.
 */
export type RpcFailureKind = 'unreachable' | 'timeout' | 'http' | 'malformed' | 'oversized' | 'rpc' | 'behind' | 'newer'

/** The details of a failure. */
export interface RpcFailureDetails {
  readonly method: string
  readonly kind: RpcFailureKind
  readonly retryable: boolean
  /** JSON-RPC error code, when the node sent one. */
  readonly code?: number
  /** HTTP status of the response, if any. */
  readonly status?: number
  /** Position of the endpoint in the configured list: safe to show, unlike its address. */
  readonly endpoint?: number
  /** The node's error text, truncated. Log it only: it may contain host names. */
  readonly detail?: string
  /** The endpoint's Retry-After. */
  readonly retryAfterMs?: number
  /** True when it is certain that nothing reached a node: the connection failed, or the call was never started. */
  readonly unsent?: boolean
  /** Of the kind `newer`: what this gateway does not know. */
  readonly newer?: UnknownForm
  /** The response was impossible: what was wrong with it. Another node may return a true one. */
  readonly fault?: NodeFault
  readonly cause?: unknown
}

/**
 * A call to the chain without a usable response. `message` contains only the method and the kind, so it is safe to show; `detail` and `cause` contain the
 * node's text and belong in the log.
 */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure'
  readonly method: string
  readonly kind: RpcFailureKind
  readonly retryable: boolean
  readonly code: number | undefined
  readonly status: number | undefined
  readonly endpoint: number | undefined
  readonly detail: string | undefined
  readonly retryAfterMs: number | undefined
  readonly unsent: boolean
  readonly newer: UnknownForm | undefined
  readonly fault: NodeFault | undefined

  constructor(details: RpcFailureDetails) {
    super(`${details.method}: ${MESSAGES[details.kind]}`, details.cause === undefined ? undefined : { cause: details.cause })
    this.method = details.method
    this.kind = details.kind
    this.retryable = details.retryable
    this.code = details.code
    this.status = details.status
    this.endpoint = details.endpoint
    this.detail = details.detail?.slice(0, DETAIL_MAX_LENGTH)
    this.retryAfterMs = details.retryAfterMs
    this.unsent = details.unsent ?? false
    this.newer = details.newer
    this.fault = details.fault
  }
}

/** Failures of nodes that did not respond themselves: another node, or another chain, may respond later. */
export const OUTAGES: ReadonlySet<RpcFailureKind> = new Set(['unreachable', 'timeout', 'http'])

/** The failure of a call whose response has a form of a later protocol. */
export function newerFailure(method: string, newer: UnknownForm): RpcFailure {
  return new RpcFailure({ method, kind: 'newer', retryable: false, detail: newer.what, newer, cause: newer })
}

const DETAIL_MAX_LENGTH = 500

/** The log fields of a failure: for an RpcFailure its details, without the stack, which is the same each time. */
export function failureFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof RpcFailure)) return { err: error }
  const { message, method, kind, code, status, endpoint, detail } = error
  return { problem: message, method, kind, code, status, endpoint, detail }
}

/** True when the nodes could not be reached, so the failure says nothing about the request. */
export function isOutage(error: unknown): boolean {
  return error instanceof RpcFailure && (error.kind === 'unreachable' || error.kind === 'timeout')
}

const MESSAGES: Readonly<Record<RpcFailureKind, string>> = {
  unreachable: 'the RPC could not be reached',
  timeout: 'the RPC did not respond in time',
  http: 'the RPC returned an HTTP error',
  malformed: 'the RPC returned an invalid response',
  oversized: 'the RPC returned a response that is too large',
  rpc: 'the RPC rejected the request',
  behind: 'the RPC returned stale data',
  newer: 'the network is newer than this gateway',
}

/** HTTP statuses that may not recur: rate limits, and overloaded or restarting proxies. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUSES.has(status)
}

/** JSON-RPC codes by name, as the node uses them. */
export const RPC_CODES = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  processingLimit: -32001,
  deadlineExceeded: -32096,
  cancelled: -32097,
  queueFull: -32098,
} as const

/**
 * True when the same read may succeed later: time limits, full queues, and internal errors of the node or its database. Everything else is permanent, also
 * -32600: getEvents returns it for a cursor outside the node's range, which the indexer handles.
 */
export function isRetryableCode(code: number): boolean {
  switch (code) {
    case RPC_CODES.processingLimit:
    case RPC_CODES.deadlineExceeded:
    case RPC_CODES.cancelled:
    case RPC_CODES.queueFull:
    case RPC_CODES.internal:
      return true
    default:
      return false
  }
}

/** Codes of requests that a node rejects before it processes them. */
const UNPROCESSED_CODES: ReadonlySet<number | undefined> = new Set([RPC_CODES.queueFull, RPC_CODES.methodNotFound, RPC_CODES.invalidRequest])

/**
 * True when it is certain that the node did not process the request, so it had no effect. A response that a node or proxy may have sent after forwarding the
 * request leaves the effect unknown; that includes every status of 500 and above.
 */
export function isUnprocessed(failure: RpcFailure): boolean {
  if (failure.kind === 'http') return failure.status !== undefined && failure.status >= 400 && failure.status < 500
  if (failure.kind === 'rpc') return UNPROCESSED_CODES.has(failure.code)
  return failure.unsent
}
