// One function maps errors to HTTP (specification, "Gateway HTTP errors"). Clients match on codes; operators read causes in the log, under the
// request's id; an answer of 500 and above says nothing about the inside.

import type { FastifyReply } from 'fastify'
import { STATUS_CODES } from 'node:http'

/** An answer that is an error, whole. */
export interface ErrorResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** An error that knows its answer. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly response: ErrorResponse
  constructor(response: ErrorResponse, options?: ErrorOptions) {
    super(`answered ${response.status}`, options)
    this.response = response
  }
}

/** 400 in the shape that schema validation answers with; the message begins with the part and the parameter's name. */
export function validationFailure(message: string): HttpFailure {
  return new HttpFailure({ status: 400, body: validationBody(message) })
}

/** 502 `rpc_error`: the chain could not be read. */
export function rpcFailure(message: string): HttpFailure {
  return new HttpFailure({ status: 502, body: { error: 'rpc_error', message } })
}

/** True when the body was larger than is read. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
}

/**
 * Keeps the connection of a request whose body is not read open: it is thrown away as it comes, for as long as a request may take. Closed under a client that
 * is still sending, it would take the answer with it.
 */
export function keepConnectionOpen(reply: FastifyReply): void {
  reply.removeHeader('connection')
}

/** What lower layers throw, and what it means over HTTP; the composition lists these, because this folder knows neither store nor projections. */
export interface ErrorRule {
  matches(error: Error): boolean
  toResponse(error: Error): ErrorResponse
}

/** 503 with Retry-After: the data is there but cannot be read right now. */
export const UNAVAILABLE: ErrorResponse = {
  status: 503,
  body: { statusCode: 503, error: 'Service Unavailable', message: 'The data cannot be read right now; try again shortly.' },
  headers: { 'retry-after': '1' },
}

const INTERNAL: ErrorResponse = {
  status: 500,
  body: { statusCode: 500, error: 'Internal Server Error', message: 'Something went wrong inside; name the x-request-id when you report it.' },
}

/** The answer to an error. */
export function toErrorResponse(error: unknown, rules: readonly ErrorRule[]): ErrorResponse {
  if (error instanceof HttpFailure) return error.response
  if (!(error instanceof Error)) return INTERNAL
  for (const rule of rules) {
    if (rule.matches(error)) return rule.toResponse(error)
  }
  if ('validation' in error && error.validation !== undefined) return { status: 400, body: validationBody(error.message) }
  return frameworkResponse(error) ?? INTERNAL
}

/** Fastify's own refusals keep Fastify's default shape. */
function frameworkResponse(error: Error): ErrorResponse | undefined {
  if (!('statusCode' in error) || typeof error.statusCode !== 'number' || error.statusCode < 400 || error.statusCode > 499) return undefined
  const status = error.statusCode
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  return { status, body: { statusCode: status, ...code, error: STATUS_CODES[status] ?? 'Error', message: error.message } }
}

function validationBody(message: string): Readonly<Record<string, unknown>> {
  return { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message }
}
