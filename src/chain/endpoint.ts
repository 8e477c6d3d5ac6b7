// One RPC address: sends a call, reads its answer, names what went wrong.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { fields, MalformedResponse } from './responses.ts'
import type { Breaker } from './breaker.ts'
import { createBreaker } from './breaker.ts'
import type { RpcFailureDetails } from './failure.ts'
import { isRetryableCode, isRetryableStatus, RpcFailure } from './failure.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { TooManyWaiting } from './concurrency-limit.ts'
import type { Transport, TransportResponse } from './transport.ts'
import { BodyTooLong } from './transport.ts'

/** How one attempt is made. */
export interface Attempt<T> {
  readonly concurrencyLimit: ConcurrencyLimit
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Reads the `result` member; throws MalformedResponse, or an RpcFailure of its own. */
  readonly parse: (result: unknown) => T
}

export interface Endpoint {
  readonly index: number
  readonly breaker: Breaker
  /** One attempt. Rejects with RpcFailure, or with the caller's own reason when its signal aborts. */
  call<T>(method: string, params: object | null, attempt: Attempt<T>): Promise<T>
}

/** How much of a text is looked at for the log; an error page can be long. */
const DETAIL_READ_LENGTH = 4_096

/** The reason of an abort by our own clock. */
const TIMED_OUT = Symbol('timed out')

export function createEndpoint(options: { url: string; index: number; transport: Transport; clock: Clock; log: Log }): Endpoint {
  const { url, index, transport, clock, log } = options
  const breaker = createBreaker(clock)
  let lastId = 0

  async function ask<T>(method: string, params: object | null, attempt: Attempt<T>): Promise<T> {
    attempt.signal?.throwIfAborted()
    const id = ++lastId
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: params ?? undefined })
    const deadline = new AbortController()
    const timer = clock.setTimer(attempt.timeoutMs, () => deadline.abort(TIMED_OUT))
    const signal = attempt.signal === undefined ? deadline.signal : AbortSignal.any([attempt.signal, deadline.signal])
    let leave: (() => void) | undefined
    try {
      leave = await attempt.concurrencyLimit.acquire(signal)
      // Who left in the meantime raises no event any more.
      signal.throwIfAborted()
      const answer = await orAborted(transport(url, body, signal), signal)
      const value = readAnswer(method, id, answer, attempt.parse)
      breaker.recordSuccess()
      return value
    } catch (error) {
      if (attempt.signal?.aborted === true) {
        breaker.release()
        throw attempt.signal.reason
      }
      const failure = named(method, error, { timedOut: deadline.signal.reason === TIMED_OUT, left: leave !== undefined })
      report(failure, leave !== undefined)
      throw failure
    } finally {
      timer.cancel()
      leave?.()
    }
  }

  /** A refusal in JSON-RPC comes from a node that works; a call that never left the gate says nothing about the node. */
  function report(failure: RpcFailure, left: boolean): void {
    if (!left) breaker.release()
    else if (failure.kind === 'rpc') breaker.recordSuccess()
    else breaker.recordFailure()
    const { method, kind, code, status, detail } = failure
    log.debug({ method, kind, code, status, endpoint: index, detail }, 'a call to the RPC failed')
  }

  function named(method: string, error: unknown, { timedOut, left }: { timedOut: boolean; left: boolean }): RpcFailure {
    const facts = { method, endpoint: index, unsent: !left || neverConnected(error) }
    if (error instanceof Refusal) return new RpcFailure({ ...facts, ...error.facts, ...detailOf(error.facts.detail ?? '') })
    if (error instanceof RpcFailure) {
      return new RpcFailure({ ...facts, kind: error.kind, retryable: error.retryable, ...detailOf(error.detail ?? '') })
    }
    if (timedOut) return new RpcFailure({ ...facts, kind: 'timeout', retryable: true })
    if (error instanceof MalformedResponse || error instanceof BodyTooLong) {
      return new RpcFailure({ ...facts, kind: 'malformed', retryable: true, detail: error.message })
    }
    if (error instanceof TooManyWaiting) return new RpcFailure({ ...facts, kind: 'unreachable', retryable: true, detail: error.message })
    return new RpcFailure({ ...facts, kind: 'unreachable', retryable: true, cause: error, ...detailOf(wordsOf(error)) })
  }

  /** An address may hold an access key in its path: it is cut out of whatever is kept for the log. */
  function detailOf(words: string): { detail: string } {
    return { detail: words.slice(0, DETAIL_READ_LENGTH).replaceAll(url, '<endpoint>') }
  }

  return { index, breaker, call: ask }
}

/** What the answer itself says went wrong, before it has a method and an endpoint. */
class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly facts: Omit<RpcFailureDetails, 'method' | 'endpoint'>
  constructor(facts: Omit<RpcFailureDetails, 'method' | 'endpoint'>) {
    super(facts.kind)
    this.facts = facts
  }
}

/** The value inside an answer, or what is wrong with it: HTTP first, then JSON, then JSON-RPC, then the method's own shape. */
function readAnswer<T>(method: string, id: number, answer: TransportResponse, read: (result: unknown) => T): T {
  if (answer.status !== 200) {
    const retryAfter = answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }
    throw new Refusal({
      kind: 'http', status: answer.status, retryable: isRetryableStatus(answer.status), detail: answer.body, ...retryAfter,
    })
  }
  const message = fields(parse(answer.body), `the answer to ${method}`)
  if (message['id'] !== id) throw new MalformedResponse('the answer belongs to another call')
  if (message['error'] === undefined || message['error'] === null) {
    if (message['result'] === undefined) throw new MalformedResponse('the answer has neither result nor error')
    return read(message['result'])
  }
  const error = fields(message['error'], 'error')
  const code = error['code']
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) throw new MalformedResponse('error code is not an integer')
  const words = typeof error['message'] === 'string' ? error['message'] : ''
  throw new Refusal({ kind: 'rpc', code, retryable: isRetryableCode(code), detail: words })
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new MalformedResponse('the answer is not JSON')
  }
}

/** Ends with the promise or with the signal, whichever is first: a transport that forgets its signal cannot hold a caller. */
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

/** How a connection fails that never came about: nothing was sent over it. */
const CONNECT_FAILURES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'UND_ERR_CONNECT_TIMEOUT',
])

function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && CONNECT_FAILURES.has(cause.code)
}

/** fetch hides the reason of a failed connection one level down. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${inner}`
}
