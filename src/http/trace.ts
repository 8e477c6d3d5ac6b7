// Traces requests. The span starts before all other hooks, so that it covers everything a request does.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { routeOf } from './observe.ts'

type OnResponse = (response: { readonly route: string; readonly status: number }) => void

export interface HttpTracer {
  /**
   * Starts a span and calls `proceed` once, with the function to call after the response. `traceparent` is the request header of that name (W3C Trace
   * Context).
   */
  startSpan(
    request: { readonly method: string; readonly traceparent: string | undefined; readonly requestId: string },
    proceed: (onResponse: OnResponse) => void,
  ): void
}

export function traceRequests(app: FastifyInstance, tracer: HttpTracer): void {
  const spans = new WeakMap<FastifyRequest, OnResponse>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    tracer.startSpan({ method: request.method, traceparent: typeof traceparent === 'string' ? traceparent : undefined, requestId: request.id }, (span) => {
      spans.set(request, span)
      done()
    })
  })
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.({ route: routeOf(request), status: reply.statusCode })
    done()
  })
}
