// Calls over HTTP: time-outs, pauses, repetitions, and errors as classes.

import { backoffMs, pause, createRequestId } from './clock.ts'
import type { Clock } from './clock.ts'
import { ContractFailure, GatewayError, RateLimited, Unauthorized, UnexpectedAnswer, Unreachable } from './errors.ts'
import type { ContractError, ErrorResponse } from './errors.ts'
import type { FetchLike, ResponseLike } from './platform.ts'

/** An API key. The secret goes into a header of every call, and nowhere else. */
export interface Key {
  readonly keyId: string
  readonly secret: string
}

/** How one call is made. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Answers from the index wait until this ledger is in it: the `ledger` of a transaction, to read what it did. */
  readonly minLedger?: number
  /** How long to wait for one answer, milliseconds. */
  readonly timeoutMs?: number
  /** How often the call may be tried in all. */
  readonly attempts?: number
}

/** An answer, and what stands beside its body. */
export interface Answer<Body> {
  readonly body: Body
  /** By this the operator finds the request in the log. */
  readonly requestId: string | null
  /** The last indexed ledger that the answer knows of; null where it does not come from the index. */
  readonly ledger: number | null
  /** The same as a place in the log. */
  readonly seq: number | null
  /** True when some price in it could not be read anew. */
  readonly isStale: boolean
  /** Where the list goes on: a path; null at its end. */
  readonly next: string | null
}

/** What is left of this minute's calls, by the last answer that told. */
export interface Allowance {
  readonly tier: string
  readonly remaining: number
}

export interface HttpOptions {
  /** The gateway's address, like `https://gateway.example`. */
  readonly url: string
  readonly fetch: FetchLike
  readonly clock: Clock
  /** How long to wait for one answer, milliseconds. */
  readonly timeoutMs: number
  /** How often a call may be tried in all. */
  readonly attempts: number
  /** How long the pauses of one call may be together, milliseconds. */
  readonly maxWaitMs: number
}

/** A call. `isRepeatable`: doing it twice does what doing it once does. */
export interface Call {
  readonly method: string
  /** With its query, from `/` on. */
  readonly path: string
  readonly body?: unknown
  readonly isRepeatable: boolean
}

export interface Http {
  call<Body>(call: Call, options?: CallOptions): Promise<Answer<Body>>
  useKey(key: Key | null): void
  key(): Key | null
  allowance(): Allowance | null
}

const BACKOFF = { firstMs: 250, mostMs: 8_000 }

export function createHttp(options: HttpOptions): Http {
  const { clock } = options
  const base = options.url.replace(/\/+$/, '')
  let key: Key | null = null
  let allowance: Allowance | null = null
  /** Nobody asks before then: the gateway has said that it would refuse. */
  let closedUntilMs = 0
  let closedBy: RateLimited | undefined

  async function once<Body>(call: Call, { signal, minLedger, timeoutMs = options.timeoutMs }: CallOptions): Promise<Answer<Body>> {
    const hasLeft = (): boolean => signal?.aborted === true
    if (hasLeft()) throw signal?.reason
    const requestId = createRequestId()
    const headers: Record<string, string> = { 'x-request-id': requestId }
    if (key !== null) headers['authorization'] = `Bearer ${key.keyId}:${key.secret}`
    if (call.body !== undefined) headers['content-type'] = 'application/json'
    if (minLedger !== undefined) headers['x-min-ledger'] = String(minLedger)
    const ended = new AbortController()
    const end = (): void => ended.abort(signal?.reason)
    signal?.addEventListener('abort', end, { once: true })
    const cancel = clock.later(timeoutMs, () => ended.abort(new Error(`no answer within ${timeoutMs} ms`)))
    try {
      // A redirect would carry the key to whoever it names.
      const init = { method: call.method, headers, signal: ended.signal, redirect: 'error' } as const
      const response = await options.fetch(`${base}${call.path}`, call.body === undefined ? init : { ...init, body: JSON.stringify(call.body) })
      const text = await response.text()
      note(response)
      return read<Body>(response, text)
    } catch (error) {
      if (hasLeft()) throw signal?.reason
      if (error instanceof GatewayError || error instanceof UnexpectedAnswer) throw error
      const reason: unknown = ended.signal.aborted ? ended.signal.reason : error
      throw new Unreachable(`${call.method} ${base}${call.path.split('?')[0]}: ${reason instanceof Error ? reason.message : 'no answer'}`, requestId, error)
    } finally {
      cancel()
      signal?.removeEventListener('abort', end)
    }
  }

  function note({ headers }: ResponseLike): void {
    const tier = headers.get('x-ratelimit-tier')
    const remaining = integerOf(headers.get('x-ratelimit-remaining'))
    if (tier !== null && remaining !== null) allowance = { tier, remaining }
  }

  return {
    useKey(given) {
      key = given
    },
    key: () => key,
    allowance: () => allowance,
    async call<Body>(call: Call, how: CallOptions = {}): Promise<Answer<Body>> {
      const attempts = how.attempts ?? options.attempts
      let waitLeftMs = options.maxWaitMs
      let last: unknown
      for (let attempt = 1; ; attempt++) {
        const waitMs = Math.max(closedUntilMs - clock.nowMs(), last === undefined ? 0 : retryDelayMs(last, attempt - 1))
        // Whoever would have to wait too long hears why.
        if (waitMs > waitLeftMs) throw last ?? closedBy
        if (waitMs > 0) await pause(clock, waitMs, how.signal)
        waitLeftMs -= waitMs
        try {
          return await once<Body>(call, how)
        } catch (error) {
          if (error instanceof RateLimited) {
            closedUntilMs = Math.max(closedUntilMs, clock.nowMs() + (error.retryAfterSec ?? 1) * 1000)
            closedBy = error
          }
          if (attempt >= attempts || !isRetryable(error, call)) throw error
          last = error
        }
      }
    },
  }
}

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

/** Whether the same call may be made again. What was refused for its number was not done; everything else may have been, so that only repeatable calls may. */
function isRetryable(error: unknown, { isRepeatable }: Call): boolean {
  if (error instanceof RateLimited) return true
  if (!isRepeatable) return false
  if (error instanceof GatewayError) return TRANSIENT_STATUSES.has(error.status) || error.code === 'not_yet'
  return error instanceof Unreachable
}

/** Milliseconds to the next try: what the gateway asks for and a little more, since all others were told the same. */
function retryDelayMs(error: unknown, failures: number): number {
  const asked = error instanceof GatewayError ? error.retryAfterSec : null
  return asked === null ? backoffMs(failures, BACKOFF) : asked * 1000 + backoffMs(1, BACKOFF)
}

function read<Body>(response: ResponseLike, text: string): Answer<Body> {
  const { headers, status } = response
  const requestId = headers.get('x-request-id')
  const body = parse(text)
  if (status >= 400) throw toGatewayError({ status, body, requestId, retryAfterSec: integerOf(headers.get('retry-after')) ?? undefined })
  if (status < 200 || status >= 300 || body === undefined) throw new UnexpectedAnswer(`An answer of ${status} that is not JSON: is this the gateway's address?`)
  return {
    body: body as Body,
    requestId,
    ledger: integerOf(headers.get('x-ledger')),
    seq: integerOf(headers.get('x-seq')),
    isStale: headers.get('x-stale') === '1',
    next: nextOf(headers.get('link')),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The path of a `Link` header's next page; anything but a path of the API would lead elsewhere, with the key. */
function nextOf(link: string | null): string | null {
  return /<(\/v1\/[^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1] ?? null
}

function integerOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** An answer that refuses, as the error that it is. */
function toGatewayError({ status, body, requestId, retryAfterSec }: Pick<ErrorResponse, 'status' | 'body' | 'requestId' | 'retryAfterSec'>): GatewayError {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  // Only errors of the framework have a `code` of this kind; elsewhere that may be the very code that was asked for.
  const code = (said['statusCode'] === undefined ? undefined : textOf(said['code'])) ?? textOf(said['error']) ?? `http_${status}`
  const message = textOf(said['message']) ?? textOf(said['hint']) ?? code
  const refusal = { status, code, message, hint: textOf(said['hint']) ?? textOf(said['message']), requestId, body, retryAfterSec }
  if (status === 429) return new RateLimited(refusal)
  if (status === 401) return new Unauthorized(refusal)
  const stage = ({ simulation_failed: 'simulation', submission_rejected: 'submission' } as const)[code]
  return stage === undefined ? new GatewayError(refusal) : new ContractFailure(refusal, { stage, contractError: contractErrorOf(said['contractError']) })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function contractErrorOf(value: unknown): ContractError | null {
  if (typeof value !== 'object' || value === null) return null
  const { code, name } = value as { readonly code?: unknown; readonly name?: unknown }
  return typeof code === 'number' && typeof name === 'string' ? { code, name } : null
}
