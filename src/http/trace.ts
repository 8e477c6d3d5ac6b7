// Requests as traces, when the operator wants them: begun ahead of every other hook, so that all that a request causes becomes a part of it.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { routeOf } from './observe.ts'

type OnResponse = (response: { readonly route: string; readonly status: number }) => void

export interface HttpTracer {
  /**
   * A request has come. Goes on with it by calling `proceed` once, with what is to be told when it was answered. `traceparent` is the caller's header of that
   * name (W3C Trace Context).
   */
  startSpan(
    request: { readonly method: string; readonly traceparent: string | undefined; readonly requestId: string },
    proceed: (ended: OnResponse) => void,
  ): void
}

export function traceRequests(app: FastifyInstance, tracer: HttpTracer): void {
  const underWay = new WeakMap<FastifyRequest, OnResponse>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    tracer.startSpan({ method: request.method, traceparent: typeof traceparent === 'string' ? traceparent : undefined, requestId: request.id }, (ended) => {
      underWay.set(request, ended)
      done()
    })
  })
  app.addHook('onResponse', (request, reply, done) => {
    underWay.get(request)?.({ route: routeOf(request), status: reply.statusCode })
    done()
  })
}
