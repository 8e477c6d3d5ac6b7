// Reports requests to an observer, such as the metrics.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tier } from './caller.ts'
import { isFailure } from './errors.ts'

export interface HttpObserver {
  /** Called after each response. */
  onResponse(response: ObservedResponse): void
  /**
   * Called for each rate-limited request. `allowed` is false if the request exceeds the limit. `isFirst`: the client address had no such decision within a
   * minute.
   */
  onRateLimitDecision(tier: Tier, allowed: boolean, isFirst: boolean): void
}

interface ObservedResponse {
  readonly method: string
  /** The declared path with parameter names. */
  readonly route: string
  readonly status: number
  readonly seconds: number
  /** The gateway, or what it depends on, failed. Absent: false. */
  readonly isFailure?: boolean
}

/** The route label of requests that match no route. */
const NO_ROUTE = 'none'

const waits = new WeakMap<FastifyReply, number>()

/** Leaves time out of a response's duration that its caller asked for. */
export function excludeWait(reply: FastifyReply, waitedMs: number): void {
  waits.set(reply, waitedMs)
}

/** The declared path. Unlike requested paths, the number of values is bounded. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? NO_ROUTE
}

export function observeResponses(app: FastifyInstance, observer: HttpObserver): void {
  app.addHook('onResponse', (request, reply, done) => {
    const isEndless = request.routeOptions.config.endless === true && reply.statusCode === 200
    const { method } = request
    const seconds = (reply.elapsedTime - (waits.get(reply) ?? 0)) / 1000
    if (!isEndless) observer.onResponse({ method, route: routeOf(request), status: reply.statusCode, seconds, isFailure: isFailure(reply) })
    done()
  })
}

/** Reports a response that bypasses the hooks. */
export function observeUnrouted(observer: HttpObserver, request: FastifyRequest, reply: FastifyReply): void {
  observer.onResponse({ method: request.method, route: NO_ROUTE, status: reply.statusCode, seconds: 0 })
}
