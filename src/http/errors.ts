// Maps errors to HTTP responses (specification, "Gateway HTTP errors"). Clients match on codes. Responses of 500 and above reveal no internals; the log has
// the cause under the request id.

import type { FastifyReply } from 'fastify'
import { STATUS_CODES } from 'node:http'
import { mismatchedParameter } from './schema-error.ts'
import type { SchemaMismatch } from './schema-error.ts'

/** The body of every error: a code for machines, a sentence that says what to do, and members that depend on the code. */
export interface ErrorBody {
  readonly error: string
  readonly message: string
  readonly [member: string]: unknown
}

export interface ErrorResponse {
  readonly status: number
  readonly body: ErrorBody
  readonly headers?: Readonly<Record<string, string>>
  /** True for a status of 500 or above that the caller causes, by what it asks for or by how much: no failure of the gateway, so no reason for an alert. */
  readonly isCallersDoing?: boolean
}

const callersDoing = new WeakSet<FastifyReply>()

/** Declares that a reply of 500 or above is the caller's doing, or the answer to its question. */
export function excuse(reply: FastifyReply): void {
  callersDoing.add(reply)
}

/** True for a reply of 500 or above that the gateway, or what it depends on, causes. */
export function isFailure(reply: FastifyReply): boolean {
  return reply.statusCode >= 500 && !callersDoing.has(reply)
}

/** An error with a fixed HTTP response. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly response: ErrorResponse
  constructor(response: ErrorResponse, options?: ErrorOptions) {
    super(`HTTP ${response.status}`, options)
    this.response = response
  }
}

/**
 * 400 in the format of schema validation errors. `where` is the part of the request and the parameter, as in `querystring/limit`. `parameter` names the
 * parameter that `where` lacks.
 */
export function validationFailure(where: string, problem: string, parameter?: string): HttpFailure {
  const [part = where, ...path] = where.split('/')
  return new HttpFailure({ status: 400, body: validationBody(`${where} ${problem}`, parameter ?? (path.join('.') || part)) })
}

/** 502 `rpc_error`: the chain cannot be read. */
export function rpcFailure(message: string): HttpFailure {
  return new HttpFailure({ status: 502, body: { error: 'rpc_error', message } })
}

/** 429 `rate_limited` (specification, "Rate limits"). */
export function rateLimited(retryAfterSec: number): ErrorResponse {
  const message = `The rate limit of this minute is used up. Retry after ${retryAfterSec} s.`
  return { status: 429, body: { error: 'rate_limited', message, retry_after_sec: retryAfterSec }, headers: { 'retry-after': String(retryAfterSec) } }
}

/** True if the request body exceeds the size limit. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
}

const keptOpen = new WeakSet<FastifyReply>()

/**
 * Keeps the connection open after rejecting a request whose body is still arriving. The body is discarded, for at most the request timeout. Closing the
 * connection while the client sends would lose the response.
 */
export function keepConnectionOpen(reply: FastifyReply): void {
  reply.removeHeader('connection')
  keptOpen.add(reply)
}

/** True if `keepConnectionOpen` was called for this reply: a closing server must not close its connection either. */
export function isKeptOpen(reply: FastifyReply): boolean {
  return keptOpen.has(reply)
}

/** Maps an error of a lower layer to a response. src/gateway/gateway.ts lists the rules, because this folder imports neither store nor projections. */
export interface ErrorRule {
  matches(error: Error): boolean
  toResponse(error: Error): ErrorResponse
}

/** 503 with Retry-After: the data is temporarily unavailable. */
export const UNAVAILABLE: ErrorResponse = {
  status: 503,
  body: { statusCode: 503, error: 'Service Unavailable', message: 'The data is temporarily unavailable. Retry after one second.' },
  headers: { 'retry-after': '1' },
}

const INTERNAL: ErrorResponse = {
  status: 500,
  body: { statusCode: 500, error: 'Internal Server Error', message: 'Internal error. Include the x-request-id when you report it.' },
}

export function toErrorResponse(error: unknown, rules: readonly ErrorRule[]): ErrorResponse {
  if (error instanceof HttpFailure) return error.response
  if (!(error instanceof Error)) return INTERNAL
  for (const rule of rules) {
    if (rule.matches(error)) return rule.toResponse(error)
  }
  if (isSchemaMismatch(error)) return { status: 400, body: validationBody(error.message, mismatchedParameter(error)) }
  return frameworkResponse(error) ?? INTERNAL
}

/** Fastify's own errors keep Fastify's default format. */
function frameworkResponse(error: Error): ErrorResponse | undefined {
  if (!('statusCode' in error) || typeof error.statusCode !== 'number' || error.statusCode < 400 || error.statusCode > 499) return undefined
  const status = error.statusCode
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  // Of the whole request the framework rejects only its URL and its body.
  const isUrl = code.code === 'FST_ERR_BAD_URL'
  const reason = status === 400 ? { reason: INVALID_PARAMETER, parameter: isUrl ? 'url' : 'body' } : {}
  return { status, body: { statusCode: status, ...code, error: STATUS_CODES[status] ?? 'Error', message: error.message, ...reason } }
}

function isSchemaMismatch(error: Error): error is Error & SchemaMismatch {
  return 'validation' in error && error.validation !== undefined
}

const INVALID_PARAMETER = 'invalid_parameter'

function validationBody(message: string, parameter: string): ErrorBody {
  return { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message, reason: INVALID_PARAMETER, parameter }
}
