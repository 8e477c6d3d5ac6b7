// Who is told of requests, when somebody wants to be: nothing is noted otherwise.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tier } from './caller.ts'

export interface HttpObserver {
  /** A request was answered. `route` is the address as it is declared, with its parameters' names. */
  onResponse(response: { readonly method: string; readonly route: string; readonly status: number; readonly seconds: number }): void
  /** A request was counted: within its allowance, or above it. */
  onRateLimitDecision(tier: Tier, allowed: boolean): void
}

/** The route of requests that have none. */
const NO_ROUTE = 'none'

/** The address as it is declared; bounded in number, unlike those that are asked for. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? NO_ROUTE
}

export function observeResponses(app: FastifyInstance, observer: HttpObserver): void {
  app.addHook('onResponse', (request, reply, done) => {
    observer.onResponse({ method: request.method, route: routeOf(request), status: reply.statusCode, seconds: reply.elapsedTime / 1000 })
    done()
  })
}

/** The same for an answer that passes no hook. */
export function observeUnrouted(observer: HttpObserver, request: FastifyRequest, reply: FastifyReply): void {
  observer.onResponse({ method: request.method, route: NO_ROUTE, status: reply.statusCode, seconds: 0 })
}
