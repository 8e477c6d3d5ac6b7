// One RPC address: sends a request, reads the response, and classifies failures.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { TooManyWaiting } from '../../base/semaphore.ts'
import type { Semaphore } from '../../base/semaphore.ts'
import type { RpcFailureDetails } from './failure.ts'
import { isRetryableCode, isRetryableStatus, RpcFailure } from './failure.ts'
import type { MessageOutcome } from './message.ts'
import { ERROR_TEXT_MAX_LENGTH } from './message.ts'
import type { ReadMessage } from './message-reader.ts'
import type { ResponseBounds } from './methods.ts'
import type { RpcRequest } from './rpc-request.ts'
import type { Transport, TransportResponse } from './transport.ts'
import { UnusableBody } from './transport.ts'

/** The options of one request. */
interface EndpointCall {
  readonly limit: Semaphore
  readonly signal: AbortSignal | undefined
  /** Time that the node may take: a call that is aborted later counts as unanswered. */
  readonly patienceMs: number
  /** Requesters take turns while all permits are taken. */
  readonly requester: string | undefined
}

export interface Endpoint {
  readonly index: number
  /** Makes one request. Rejects with RpcFailure, or with the reason of the caller's signal when that aborts. */
  call<T>(request: RpcRequest<T>, how: EndpointCall): Promise<T>
}

/** The reason of an abort by the client's own timeout. */
const TIMED_OUT = Symbol('timed out')

export interface EndpointOptions {
  readonly url: string
  readonly index: number
  readonly transport: Transport
  readonly readMessage: ReadMessage
  readonly clock: Clock
  readonly log: Log
  /** Called after each call that the node processed or failed. */
  readonly onCalled: (isFailure: boolean) => void
  /** Called when the node did not respond in time. */
  readonly onUnanswered: () => void
}

export function createEndpoint(options: EndpointOptions): Endpoint {
  const { url, index, transport, readMessage, clock, log, onCalled, onUnanswered } = options
  let lastId = 0

  async function call<T>(request: RpcRequest<T>, how: EndpointCall): Promise<T> {
    const { method, params, policy, bounds } = request
    const id = ++lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: params ?? undefined })
    const deadline = new AbortController()
    const timer = clock.setTimer(policy.timeoutMs, () => deadline.abort(TIMED_OUT))
    const signal = how.signal === undefined ? deadline.signal : AbortSignal.any([how.signal, deadline.signal])
    let release: (() => void) | undefined
    /** While the node owes a response. */
    let waitingSinceMs: number | null = null
    try {
      release = await how.limit.acquire(signal, how.requester)
      // The signal may have aborted after the permit was granted; its event has fired already.
      signal.throwIfAborted()
      waitingSinceMs = clock.elapsedMs()
      const sent = await orAborted(transport(url, body, signal, bounds.maxBytes), signal)
      waitingSinceMs = null
      const response = checkResponse(sent, bounds)
      const outcome = await readMessage({ method, id, body: response.body, maxValues: bounds.maxValues }, signal)
      const result = resultOf(outcome)
      onCalled(false)
      // The reader has validated the result with the method's own parser.
      return result as T
    } catch (error) {
      const waitedMs = waitingSinceMs === null ? null : clock.elapsedMs() - waitingSinceMs
      if (how.signal?.aborted === true) {
        if (waitedMs !== null && waitedMs >= how.patienceMs) onUnanswered()
        throw how.signal.reason
      }
      const isStarted = release !== undefined
      const isTimedOut = deadline.signal.reason === TIMED_OUT
      const failure = toFailure(method, error, { isTimedOut, isStarted })
      recordFailure(failure, isStarted)
      if (isTimedOut && waitedMs !== null) onUnanswered()
      throw failure
    } finally {
      timer.cancel()
      release?.()
    }
  }

  /** A JSON-RPC error and a form of a later protocol come from a node that works. A call that never got a permit says nothing about the node. */
  function recordFailure(failure: RpcFailure, isStarted: boolean): void {
    if (isStarted) onCalled(failure.kind !== 'rpc' && failure.kind !== 'newer')
    const { method, kind, code, status, detail } = failure
    log.debug({ method, kind, code, status, endpoint: index, detail }, 'RPC call failed')
  }

  function toFailure(method: string, error: unknown, { isTimedOut, isStarted }: { isTimedOut: boolean; isStarted: boolean }): RpcFailure {
    const common = { method, endpoint: index, unsent: !isStarted || neverConnected(error) }
    if (error instanceof ErrorResponse) return new RpcFailure({ ...common, ...error.details, ...redacted(error.details.detail ?? '') })
    if (isTimedOut) return new RpcFailure({ ...common, kind: 'timeout', retryable: true })
    if (error instanceof UnusableBody) return new RpcFailure({ ...common, kind: error.kind, retryable: true, detail: error.message })
    if (error instanceof TooManyWaiting) return new RpcFailure({ ...common, kind: 'unreachable', retryable: true, detail: error.message })
    return new RpcFailure({ ...common, kind: 'unreachable', retryable: true, cause: error, ...redacted(textOf(error)) })
  }

  /** The URL may contain an access key, so it is removed from everything that is logged. */
  function redacted(text: string): { detail: string } {
    return { detail: text.slice(0, ERROR_TEXT_MAX_LENGTH).replaceAll(url, '<endpoint>') }
  }

  return { index, call }
}

/** An HTTP or JSON-RPC error, before it is attributed to an endpoint. */
class ErrorResponse extends Error {
  override readonly name = 'ErrorResponse'
  readonly details: Omit<RpcFailureDetails, 'method' | 'endpoint'>
  constructor(details: Omit<RpcFailureDetails, 'method' | 'endpoint'>) {
    super(details.kind)
    this.details = details
  }
}

/** Returns a response that can be read. A transport in memory does not bound its bodies itself. */
function checkResponse(response: TransportResponse, { maxBytes }: ResponseBounds): TransportResponse {
  const { status, body, retryAfterMs } = response
  if (status !== 200) {
    const detail = typeof body === 'string' ? body : Buffer.from(body).toString()
    throw new ErrorResponse({
      kind: 'http', status, retryable: isRetryableStatus(status), detail, ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }
  if (body.length > maxBytes) throw new UnusableBody('oversized', `the response is longer than ${maxBytes} bytes`)
  return response
}

function resultOf(outcome: MessageOutcome): unknown {
  switch (outcome.kind) {
    case 'result':
      return outcome.result
    case 'error':
      throw new ErrorResponse({ kind: 'rpc', code: outcome.code, retryable: isRetryableCode(outcome.code), detail: outcome.detail })
    case 'newer':
      throw new ErrorResponse({ kind: 'newer', retryable: true, detail: outcome.newer.what, newer: outcome.newer })
    case 'busy':
      throw new ErrorResponse({ kind: 'rpc', retryable: true, detail: outcome.detail })
    default:
      throw new ErrorResponse({ kind: outcome.kind, retryable: true, detail: outcome.detail })
  }
}

/** Settles with the promise or when the signal aborts, so that a transport that ignores its signal cannot block a caller. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Errors of a connection that was never established: nothing was sent. */
const CONNECT_FAILURES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'UND_ERR_CONNECT_TIMEOUT',
])

function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && CONNECT_FAILURES.has(cause.code)
}

/** fetch puts the reason of a failed connection into the cause. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}`
}
