// Reports requests to an observer, such as the metrics.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tier } from './caller.ts'

export interface HttpObserver {
  /** Called after each response. `route` is the declared path with parameter names. */
  onResponse(response: { readonly method: string; readonly route: string; readonly status: number; readonly seconds: number }): void
  /** Called for each rate-limited request. `allowed` is false if the request exceeds the limit. */
  onRateLimitDecision(tier: Tier, allowed: boolean): void
}

/** The route label of requests that match no route. */
const NO_ROUTE = 'none'

/** The declared path. Unlike requested paths, the number of values is bounded. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? NO_ROUTE
}

export function observeResponses(app: FastifyInstance, observer: HttpObserver): void {
  app.addHook('onResponse', (request, reply, done) => {
    const isEndless = request.routeOptions.config.endless === true && reply.statusCode === 200
    if (!isEndless) observer.onResponse({ method: request.method, route: routeOf(request), status: reply.statusCode, seconds: reply.elapsedTime / 1000 })
    done()
  })
}

/** Reports a response that bypasses the hooks. */
export function observeUnrouted(observer: HttpObserver, request: FastifyRequest, reply: FastifyReply): void {
  observer.onResponse({ method: request.method, route: NO_ROUTE, status: reply.statusCode, seconds: 0 })
}
