// One RPC address: sends a request, reads the response, and classifies failures.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { TooManyWaiting } from '../base/semaphore.ts'
import type { Semaphore } from '../base/semaphore.ts'
import { fields, MalformedResponse } from './responses.ts'
import type { Breaker } from './breaker.ts'
import { createBreaker } from './breaker.ts'
import type { RpcFailureDetails } from './failure.ts'
import { isRetryableCode, isRetryableStatus, RpcFailure } from './failure.ts'
import type { Transport, TransportResponse } from './transport.ts'
import { BodyTooLong } from './transport.ts'

/** How one request is made. */
export interface EndpointCall<T> {
  readonly limit: Semaphore
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Parses the `result` member. Throws MalformedResponse or RpcFailure. */
  readonly parse: (result: unknown) => T
}

export interface Endpoint {
  readonly index: number
  readonly breaker: Breaker
  /** Makes one request. Rejects with RpcFailure, or with the reason of the caller's signal when that aborts. */
  call<T>(method: string, params: object | null, how: EndpointCall<T>): Promise<T>
}

/** How much of a response is searched for the endpoint's address before logging; an error page can be long. */
const DETAIL_SCAN_LENGTH = 4_096

/** The reason of an abort by our own time-out. */
const TIMED_OUT = Symbol('timed out')

export function createEndpoint(options: { url: string; index: number; transport: Transport; clock: Clock; log: Log }): Endpoint {
  const { url, index, transport, clock, log } = options
  const breaker = createBreaker(clock)
  let lastId = 0

  async function call<T>(method: string, params: object | null, how: EndpointCall<T>): Promise<T> {
    how.signal?.throwIfAborted()
    const id = ++lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: params ?? undefined })
    const deadline = new AbortController()
    const timer = clock.setTimer(how.timeoutMs, () => deadline.abort(TIMED_OUT))
    const signal = how.signal === undefined ? deadline.signal : AbortSignal.any([how.signal, deadline.signal])
    let release: (() => void) | undefined
    try {
      release = await how.limit.acquire(signal)
      // The signal may have aborted after the permit was granted; its event has fired already.
      signal.throwIfAborted()
      const response = await orAborted(transport(url, body, signal), signal)
      const value = parseResponse(method, id, response, how.parse)
      breaker.recordSuccess()
      return value
    } catch (error) {
      if (how.signal?.aborted === true) {
        breaker.release()
        throw how.signal.reason
      }
      const isStarted = release !== undefined
      const failure = toFailure(method, error, { isTimedOut: deadline.signal.reason === TIMED_OUT, isStarted })
      recordFailure(failure, isStarted)
      throw failure
    } finally {
      timer.cancel()
      release?.()
    }
  }

  /** A JSON-RPC error comes from a node that works. A call that never got a permit says nothing about the node. */
  function recordFailure(failure: RpcFailure, isStarted: boolean): void {
    if (!isStarted) breaker.release()
    else if (failure.kind === 'rpc') breaker.recordSuccess()
    else breaker.recordFailure()
    const { method, kind, code, status, detail } = failure
    log.debug({ method, kind, code, status, endpoint: index, detail }, 'RPC call failed')
  }

  function toFailure(method: string, error: unknown, { isTimedOut, isStarted }: { isTimedOut: boolean; isStarted: boolean }): RpcFailure {
    const common = { method, endpoint: index, unsent: !isStarted || neverConnected(error) }
    if (error instanceof ErrorResponse) return new RpcFailure({ ...common, ...error.details, ...redacted(error.details.detail ?? '') })
    if (error instanceof RpcFailure) {
      return new RpcFailure({ ...common, kind: error.kind, retryable: error.retryable, ...redacted(error.detail ?? '') })
    }
    if (isTimedOut) return new RpcFailure({ ...common, kind: 'timeout', retryable: true })
    if (error instanceof MalformedResponse || error instanceof BodyTooLong) {
      return new RpcFailure({ ...common, kind: 'malformed', retryable: true, detail: error.message })
    }
    if (error instanceof TooManyWaiting) return new RpcFailure({ ...common, kind: 'unreachable', retryable: true, detail: error.message })
    return new RpcFailure({ ...common, kind: 'unreachable', retryable: true, cause: error, ...redacted(textOf(error)) })
  }

  /** The URL may contain an access key, so it is removed from everything that is logged. */
  function redacted(text: string): { detail: string } {
    return { detail: text.slice(0, DETAIL_SCAN_LENGTH).replaceAll(url, '<endpoint>') }
  }

  return { index, breaker, call }
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

/** Checks HTTP, JSON, JSON-RPC and the method's own shape, in this order, and returns the parsed result. */
function parseResponse<T>(method: string, id: number, response: TransportResponse, parse: (result: unknown) => T): T {
  if (response.status !== 200) {
    const retryAfter = response.retryAfterMs === undefined ? {} : { retryAfterMs: response.retryAfterMs }
    throw new ErrorResponse({
      kind: 'http', status: response.status, retryable: isRetryableStatus(response.status), detail: response.body, ...retryAfter,
    })
  }
  const message = fields(parseJson(response.body), `the response to ${method}`)
  if (message['id'] !== id) throw new MalformedResponse('the response has the id of another request')
  if (message['error'] === undefined || message['error'] === null) {
    if (message['result'] === undefined) throw new MalformedResponse('the response has neither result nor error')
    return parse(message['result'])
  }
  const error = fields(message['error'], 'error')
  const code = error['code']
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) throw new MalformedResponse('the error code is not an integer')
  const detail = typeof error['message'] === 'string' ? error['message'] : ''
  throw new ErrorResponse({ kind: 'rpc', code, retryable: isRetryableCode(code), detail })
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new MalformedResponse('the response is not JSON')
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
