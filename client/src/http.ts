// HTTP calls: timeouts, retries, rate limits, and errors as classes.

import { backoffMs, pause, createRequestId } from './clock.ts'
import type { Clock } from './clock.ts'
import { ContractFailure, GatewayError, RateLimited, Unauthorized, UnexpectedAnswer, Unreachable } from './errors.ts'
import type { ContractError, ErrorResponse, HostError } from './errors.ts'
import type { FetchLike, ResponseLike } from './platform.ts'

/** An API key. The secret is sent in a header of each call and used for nothing else. */
export interface Key {
  readonly keyId: string
  readonly secret: string
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Waits until the gateway has indexed this ledger. Pass the `ledger` of a transaction to read its effects. */
  readonly minLedger?: number
  /** Maximum wait for one response, milliseconds. */
  readonly timeoutMs?: number
  /** Maximum attempts of the call in total. */
  readonly attempts?: number
}

/** A response: its body and the values of its headers. */
export interface Answer<Body> {
  readonly body: Body
  /** The operator finds the request in the gateway's log by this id. */
  readonly requestId: string | null
  /** The last indexed ledger at the time of the response; null for responses that do not come from the index. */
  readonly ledger: number | null
  /** The same as a position in the log. */
  readonly seq: number | null
  /** True if the response contains a price that could not be refreshed. */
  readonly isStale: boolean
  /** The path of the list's next page; null on the last page. */
  readonly next: string | null
}

/** The gateway limits trading (prepare, submit and status of transactions) separately from reads. */
export type CallKind = 'read' | 'trading'

/** The calls of one kind left in this minute, by the last response that said so. */
export interface Allowance {
  readonly tier: string
  readonly remaining: number
}

export interface HttpOptions {
  /** The gateway's address, like `https://gateway.example`. */
  readonly url: string
  readonly fetch: FetchLike
  readonly clock: Clock
  /** Maximum wait for one response, milliseconds. */
  readonly timeoutMs: number
  /** Maximum attempts of a call in total. */
  readonly attempts: number
  /** Maximum sum of the delays between the attempts of one call, milliseconds. */
  readonly maxWaitMs: number
}

/** A call. `isRepeatable`: it is idempotent, so it may be retried after any failure. */
export interface Call {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly body?: unknown
  readonly isRepeatable: boolean
}

export interface Http {
  call<Body>(call: Call, options?: CallOptions): Promise<Answer<Body>>
  useKey(key: Key | null): void
  key(): Key | null
  allowance(kind?: CallKind): Allowance | null
}

const BACKOFF = { firstMs: 250, maxMs: 8_000 }

export function createHttp(options: HttpOptions): Http {
  const { clock } = options
  const base = options.url.replace(/\/+$/, '')
  let key: Key | null = null
  /** Only where the gateway requires it, because this machine's clock may be wrong. */
  let sendsTimestamp = false
  const allowances: Partial<Record<CallKind, Allowance>> = {}
  /** No call of a kind is sent before its time, because the rate limit is used up. */
  const limitedUntilMs: Record<CallKind, number> = { read: 0, trading: 0 }
  const lastLimits: Partial<Record<CallKind, RateLimited>> = {}

  async function attemptCall<Body>(call: Call, { signal, minLedger, timeoutMs = options.timeoutMs }: CallOptions): Promise<Answer<Body>> {
    const isAborted = (): boolean => signal?.aborted === true
    if (isAborted()) throw signal?.reason
    const requestId = createRequestId()
    const headers: Record<string, string> = { 'x-request-id': requestId }
    if (key !== null) headers['authorization'] = `Bearer ${key.keyId}:${key.secret}`
    if (key !== null && sendsTimestamp) headers['x-timestamp'] = String(Math.floor(clock.nowMs() / 1000))
    if (call.body !== undefined) headers['content-type'] = 'application/json'
    if (minLedger !== undefined) headers['x-min-ledger'] = String(minLedger)
    const controller = new AbortController()
    const abort = (): void => controller.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const cancelTimeout = clock.later(timeoutMs, () => controller.abort(new Error(`no response within ${timeoutMs} ms`)))
    try {
      // Following a redirect would send the key to another address.
      const init = { method: call.method, headers, signal: controller.signal, redirect: 'error' } as const
      const response = await options.fetch(`${base}${call.path}`, call.body === undefined ? init : { ...init, body: JSON.stringify(call.body) })
      const content = await readContent(response)
      recordAllowance(kindOf(call), response)
      return toAnswer<Body>(response, content)
    } catch (error) {
      if (isAborted()) throw signal?.reason
      if (error instanceof GatewayError || error instanceof UnexpectedAnswer) throw error
      const reason: unknown = controller.signal.aborted ? controller.signal.reason : error
      throw new Unreachable(`${call.method} ${base}${call.path.split('?')[0]}: ${reason instanceof Error ? reason.message : 'no response'}`, requestId, error)
    } finally {
      cancelTimeout()
      signal?.removeEventListener('abort', abort)
    }
  }

  function recordAllowance(kind: CallKind, { headers }: ResponseLike): void {
    const tier = headers.get('x-ratelimit-tier')
    const remaining = integerOf(headers.get('x-ratelimit-remaining'))
    if (tier !== null && remaining !== null) allowances[kind] = { tier, remaining }
  }

  return {
    useKey(newKey) {
      key = newKey
    },
    key: () => key,
    allowance: (kind = 'read') => allowances[kind] ?? null,
    async call<Body>(call: Call, callOptions: CallOptions = {}): Promise<Answer<Body>> {
      const kind = kindOf(call)
      const attempts = callOptions.attempts ?? options.attempts
      let waitLeftMs = options.maxWaitMs
      let lastError: unknown
      for (let attempt = 1; ; attempt++) {
        const waitMs = Math.max(limitedUntilMs[kind] - clock.nowMs(), lastError === undefined ? 0 : retryDelayMs(lastError, attempt - 1))
        if (waitMs > waitLeftMs) throw lastError ?? lastLimits[kind]
        if (waitMs > 0) await pause(clock, waitMs, callOptions.signal)
        waitLeftMs -= waitMs
        const hadTimestamp = sendsTimestamp
        try {
          return await attemptCall<Body>(call, callOptions)
        } catch (error) {
          if (error instanceof RateLimited) {
            limitedUntilMs[kind] = Math.max(limitedUntilMs[kind], clock.nowMs() + (error.retryAfterSec ?? 1) * 1000)
            lastLimits[kind] = error
          }
          if (isMissingTimestamp(error) && !hadTimestamp) {
            sendsTimestamp = true
            continue
          }
          if (attempt >= attempts || !isRetryable(error, call)) throw error
          lastError = error
        }
      }
    },
  }
}

const TRADING_PATH = /^\/v1\/(?:orders\/prepare|actions\/prepare|tx)(?:[/?]|$)/

function kindOf({ path }: Call): CallKind {
  return TRADING_PATH.test(path) ? 'trading' : 'read'
}

/** The call was not executed. */
function isMissingTimestamp(error: unknown): boolean {
  return error instanceof Unauthorized && error.code === 'missing_timestamp'
}

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([502, 503, 504])

/** True if the call may be retried. A rate-limited call was not executed; after any other failure it may have been, so only repeatable calls are retried. */
function isRetryable(error: unknown, { isRepeatable }: Call): boolean {
  if (error instanceof RateLimited) return true
  if (!isRepeatable) return false
  if (error instanceof GatewayError) {
    return (TRANSIENT_STATUSES.has(error.status) && error.code !== 'unsupported_by_deployment') || error.code === 'not_yet'
  }
  return error instanceof Unreachable
}

/** Milliseconds to the next attempt: Retry-After plus a random part, because every client of the gateway got the same Retry-After. */
function retryDelayMs(error: unknown, failures: number): number {
  const retryAfterSec = error instanceof GatewayError ? error.retryAfterSec : null
  return retryAfterSec === null ? backoffMs(failures, BACKOFF) : retryAfterSec * 1000 + backoffMs(1, BACKOFF)
}

/** The types of downloads and tiles, which are returned as bytes. */
const BYTES_TYPES: ReadonlySet<string | undefined> = new Set(['application/gzip', 'application/octet-stream'])
/** The type of signed notes, which are returned as they are. Everything else is JSON. */
const TEXT_TYPE = 'text/plain'

async function readContent(response: ResponseLike): Promise<unknown> {
  const type = response.status === 200 ? response.headers.get('content-type')?.split(';', 1)[0] : undefined
  if (BYTES_TYPES.has(type) && response.arrayBuffer !== undefined) return new Uint8Array(await response.arrayBuffer())
  const text = await response.text()
  return type === TEXT_TYPE ? text : parse(text)
}

function toAnswer<Body>(response: ResponseLike, body: unknown): Answer<Body> {
  const { headers, status } = response
  const requestId = headers.get('x-request-id')
  if (status >= 400) throw toGatewayError({ status, body, requestId, retryAfterSec: integerOf(headers.get('retry-after')) ?? undefined })
  if (status < 200 || status >= 300 || body === undefined) throw new UnexpectedAnswer(`Response ${status} is not JSON. Check that the URL is the gateway's.`)
  return {
    body: body as Body,
    requestId,
    ledger: integerOf(headers.get('x-ledger')),
    seq: integerOf(headers.get('x-seq')),
    isStale: headers.get('x-stale') === '1',
    next: nextPage(headers.get('link')),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The path of a `Link` header's next page. Accepts only paths of the API: anything else could send the key to another address. */
function nextPage(link: string | null): string | null {
  return /<(\/v1\/[^>]*)>\s*;\s*rel="next"/.exec(link ?? '')?.[1] ?? null
}

function integerOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** Converts an error response to an error. */
function toGatewayError({ status, body, requestId, retryAfterSec }: Pick<ErrorResponse, 'status' | 'body' | 'requestId' | 'retryAfterSec'>): GatewayError {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
  // Only framework errors, which have a statusCode, carry an error code in `code`. Elsewhere `code` may be a referral code.
  const code = (fields['statusCode'] === undefined ? undefined : textOf(fields['code'])) ?? textOf(fields['error']) ?? `http_${status}`
  const message = textOf(fields['message']) ?? textOf(fields['hint']) ?? code
  const [hint = textOf(fields['message']), reason, parameter] = ['hint', 'reason', 'parameter'].map((name) => textOf(fields[name]))
  const response = { status, code, message, hint, requestId, body, retryAfterSec, reason, parameter }
  if (status === 429) return new RateLimited(response)
  if (status === 401) return new Unauthorized(response)
  const stage = ({ simulation_failed: 'simulation', submission_rejected: 'submission' } as const)[code]
  if (stage === undefined) return new GatewayError(response)
  const hostError = hostErrorOf(fields['hostError'])
  return new ContractFailure(response, {
    stage, contractError: contractErrorOf(fields['contractError']), hostError, txResultCode: textOf(fields['txResultCode']) ?? null,
  })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function contractErrorOf(value: unknown): ContractError | null {
  if (typeof value !== 'object' || value === null) return null
  const { code, name } = value as { readonly code?: unknown; readonly name?: unknown }
  return typeof code === 'number' && typeof name === 'string' ? { code, name } : null
}

function hostErrorOf(value: unknown): HostError | null {
  if (typeof value !== 'object' || value === null) return null
  const { type, code } = value as { readonly type?: unknown; readonly code?: unknown }
  return typeof type === 'string' && typeof code === 'string' ? { type, code } : null
}
