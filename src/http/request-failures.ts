// Logs failed requests. What a client causes is counted and never an error; the log must stay readable while someone sends nonsense.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { createFailureLog } from '../base/failure-log.ts'
import type { Log } from '../base/log.ts'
import type { ErrorResponse } from './errors.ts'
import { routeOf } from './observe.ts'

/** Failures of the gateway with a line of their own, per code and minute: a request id finds its line unless there are more. */
const INDIVIDUAL_LINES = 20

export interface RequestFailures extends Disposable {
  /** Records a response of 400 or above. `error` is its cause, if any. */
  record(request: FastifyRequest, reply: FastifyReply, response: ErrorResponse, error?: unknown): void
  /** Records input that is not an HTTP request. A connection that its client resets between requests is no failure. */
  recordMalformed(error: NodeJS.ErrnoException, requestId: string): void
}

export function createRequestFailures({ clock, log }: { readonly clock: Clock; readonly log: Log }): RequestFailures {
  const ofClients = createFailureLog({ clock, log, level: 'info', message: 'requests failed because of client errors' })
  const unavailable = createFailureLog({
    clock, log, level: 'warn', message: 'requests failed because a dependency is unavailable', individually: INDIVIDUAL_LINES,
  })
  const unexpected = createFailureLog({ clock, log, level: 'error', message: 'request failed', individually: INDIVIDUAL_LINES })
  const all = [ofClients, unavailable, unexpected]

  return {
    record(request, reply, response, error) {
      const { id, raw: { method, url } } = request
      const { status } = response
      // A query may hold what a client mistakes for a parameter, such as its secret.
      const path = url?.replace(/\?.*$/s, '')
      if (status < 500 || response.isCallersDoing === true) ofClients.record(codeOf(response), () => ({ status, requestId: id, method, path }))
      else if (reply.raw.destroyed) ofClients.record('client_disconnected', () => ({ requestId: id, method, path }))
      else if (status > 500) unavailable.record(codeOf(response), () => ({ status, requestId: id, method, path, cause: causeOf(error) }))
      else unexpected.record(`${nameOf(error)} ${routeOf(request)}`, () => ({ status, requestId: id, method, url, err: error }))
    },
    recordMalformed(error, requestId) {
      if (error.code !== 'ECONNRESET') ofClients.record(error.code ?? 'malformed', () => ({ requestId }))
    },
    [Symbol.dispose]: () => all.forEach((failures) => failures[Symbol.dispose]()),
  }
}

/** The response's code for machines; its values are a fixed set. */
function codeOf({ status, body }: ErrorResponse): string {
  const { code, error } = body
  return typeof code === 'string' ? code : typeof error === 'string' ? error : String(status)
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

function causeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return `${error.name}: ${error.message}${error.cause instanceof Error ? ` (${error.cause.message})` : ''}`
}
