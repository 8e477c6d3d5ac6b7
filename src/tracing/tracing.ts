// Traces for the operator, sent by OTLP over HTTP: what a request, or a step of the index, was made of and how long each part took. Loaded only when an
// address is configured. What cannot be delivered is dropped: neither a request nor the end of the process waits for a collector.

import { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Context, Span } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Tracer } from '../base/tracer.ts'
import type { HttpTracer } from '../http/trace.ts'

export interface TracingOptions {
  /** The collector's base address, as OTEL_EXPORTER_OTLP_ENDPOINT gives it. */
  readonly endpoint: string
  /** Headers for the collector; may hold its secret. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly version: string
  /** This share of the traces that begin here is told, 0 to 1; one that a caller began goes by the caller's choice. */
  readonly sampleRatio: number
}

export interface Tracing extends AsyncDisposable {
  readonly tracer: Tracer
  readonly http: HttpTracer
}

/** Parts that wait to be sent; what comes on top is dropped. */
const QUEUE_MAX = 4_096
/** How long they are gathered. */
const GATHER_MS = 1_000
/** Delivery may take this long. */
const EXPORT_TIMEOUT_MS = 2_000

export function createTracing(options: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...options.headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const gatherer = new BatchSpanProcessor({
    exporter, maxQueueSize: QUEUE_MAX, scheduledDelayMillis: GATHER_MS, exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.serviceName, 'service.version': options.version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
    spanProcessors: [gatherer],
  })
  const spans = provider.getTracer('gateway', options.version)
  const contexts = new AsyncLocalStorage<Context>()
  const tracer: Tracer = {
    async span(name, attributes, work) {
      const parent = contexts.getStore() ?? ROOT_CONTEXT
      const span = spans.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent)
      try {
        return await contexts.run(trace.setSpan(parent, span), work)
      } catch (error) {
        fail(span, error)
        throw error
      } finally {
        span.end()
      }
    },
  }

  return {
    tracer,
    http: {
      startSpan({ method, traceparent, requestId }, proceed) {
        const span = spans.startSpan(method, {
          kind: SpanKind.SERVER,
          attributes: { 'http.request.method': method, 'gateway.request_id': requestId },
        }, callerOf(traceparent))
        const ended = ({ route, status }: { readonly route: string; readonly status: number }): void => {
          span.updateName(`${method} ${route}`)
          span.setAttributes({ 'http.route': route, 'http.response.status_code': status })
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        }
        contexts.run(trace.setSpan(ROOT_CONTEXT, span), () => proceed(ended))
      },
    },
    async [Symbol.asyncDispose]() {
      // A collector that is away rejects: its traces are lost, and nothing else.
      await provider.shutdown().catch(() => {})
    },
  }
}

/** The caller's own trace, when its header names one. */
function callerOf(traceparent: string | undefined): Context {
  const caller = traceparent === undefined ? null : parseTraceParent(traceparent)
  return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true })
}

/** Names the kind of failure; its text may hold what is nobody's business. */
function fail(span: Span, error: unknown): void {
  const kind = error instanceof Error && 'kind' in error ? `${error.name} ${String(error.kind)}` : error instanceof Error ? error.name : 'unknown'
  span.setAttribute('error.type', kind)
  span.setStatus({ code: SpanStatusCode.ERROR })
}
