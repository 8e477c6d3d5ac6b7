// How a call to the chain fails. One class, so that callers ask the type and never the text.

/** `rpc`: the node answered with a JSON-RPC error, or with a simulation that failed. `behind`: it answered as of a ledger that is older than one asked for. */
export type RpcFailureKind = 'unreachable' | 'timeout' | 'http' | 'malformed' | 'rpc' | 'behind'

/** What is known of a failure. */
export interface RpcFailureDetails {
  readonly method: string
  readonly kind: RpcFailureKind
  readonly retryable: boolean
  /** JSON-RPC error code, when the node sent one. */
  readonly code?: number
  /** HTTP status of the answer, when there was one. */
  readonly status?: number
  /** Position of the endpoint in the configured list: safe to show, unlike its address. */
  readonly endpoint?: number
  /** The node's own words, cut short. For the log only: they may name hosts. */
  readonly detail?: string
  /** How long the endpoint asked to be left alone. */
  readonly retryAfterMs?: number
  /** True when it is certain that no byte of the call reached a node: no connection came about, or the call never left this program. */
  readonly unsent?: boolean
  readonly cause?: unknown
}

/**
 * A call to the chain that brought no usable answer. `message` holds the method and the kind and nothing else, so it can go anywhere; `detail`
 * and `cause` hold the node's words and belong in the log.
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

  constructor(facts: RpcFailureDetails) {
    super(`${facts.method}: ${SENTENCES[facts.kind]}`, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.method = facts.method
    this.kind = facts.kind
    this.retryable = facts.retryable
    this.code = facts.code
    this.status = facts.status
    this.endpoint = facts.endpoint
    this.detail = facts.detail?.slice(0, DETAIL_MAX_LENGTH)
    this.retryAfterMs = facts.retryAfterMs
    this.unsent = facts.unsent ?? false
  }
}

const DETAIL_MAX_LENGTH = 500

/** The fields of a log line about a failure: for an RpcFailure what is known of it, without the stack that is the same each time. */
export function failureFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof RpcFailure)) return { err: error }
  const { message, method, kind, code, status, endpoint, detail } = error
  return { problem: message, method, kind, code, status, endpoint, detail }
}

/** True when it says something of the way to the nodes, and nothing of what was asked. */
export function isOutage(error: unknown): boolean {
  return error instanceof RpcFailure && (error.kind === 'unreachable' || error.kind === 'timeout')
}

const SENTENCES: Readonly<Record<RpcFailureKind, string>> = {
  unreachable: 'the chain could not be reached',
  timeout: 'the chain did not answer in time',
  http: 'the chain answered with an HTTP error',
  malformed: 'the chain gave an answer that cannot be read',
  rpc: 'the chain refused the call',
  behind: 'the chain answered with a state that is out of date',
}

/** HTTP statuses that a later attempt may cure: rate limits and overloaded or restarting proxies. */
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
 * True when the same read may succeed later: time limits, full queues, and internal errors of the node or its database. Everything else is
 * permanent, -32600 included: for getEvents it means "outside this node's range" and has a procedure of its own.
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

/** Codes by which a node refuses a call before it looks at what it asks for. */
const UNTAKEN_CODES: ReadonlySet<number | undefined> = new Set([RPC_CODES.queueFull, RPC_CODES.methodNotFound, RPC_CODES.invalidRequest])

/**
 * True when it is certain that the node did not take the call up, so that a call with an effect had none. Whatever a node or a proxy may have said after
 * passing it on, every answer of 500 and above included, leaves the effect unknown.
 */
export function isUnprocessed(failure: RpcFailure): boolean {
  if (failure.kind === 'http') return failure.status !== undefined && failure.status >= 400 && failure.status < 500
  if (failure.kind === 'rpc') return UNTAKEN_CODES.has(failure.code)
  return failure.unsent
}
