// Exports traces of requests and indexer steps by OTLP over HTTP. Loaded only when an endpoint is configured. Spans that cannot be delivered are dropped:
// neither a request nor the shutdown waits for the collector.

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
  /** The collector's base URL, from OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string
  /** Headers for the collector; may contain a secret. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly version: string
  /** The share of traces to export, 0 to 1. A trace started by the caller follows the caller's sampling decision. */
  readonly sampleRatio: number
}

export interface Tracing extends AsyncDisposable {
  readonly tracer: Tracer
  readonly http: HttpTracer
}

/** Spans queued for export; further spans are dropped. */
const QUEUE_MAX = 4_096
const BATCH_INTERVAL_MS = 1_000
const EXPORT_TIMEOUT_MS = 2_000

export function createTracing(options: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...options.headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const batcher = new BatchSpanProcessor({
    exporter, maxQueueSize: QUEUE_MAX, scheduledDelayMillis: BATCH_INTERVAL_MS, exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.serviceName, 'service.version': options.version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
    spanProcessors: [batcher],
  })
  const otelTracer = provider.getTracer('gateway', options.version)
  const contexts = new AsyncLocalStorage<Context>()
  const tracer: Tracer = {
    async span(name, attributes, work) {
      const parent = contexts.getStore() ?? ROOT_CONTEXT
      const span = otelTracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent)
      try {
        return await contexts.run(trace.setSpan(parent, span), work)
      } catch (error) {
        recordError(span, error)
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
        const span = otelTracer.startSpan(method, {
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
      // Rejects when the collector is unreachable. The remaining spans are lost.
      await provider.shutdown().catch(() => {})
    },
  }
}

/** The caller's trace context, from its traceparent header. */
function callerOf(traceparent: string | undefined): Context {
  const caller = traceparent === undefined ? null : parseTraceParent(traceparent)
  return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true })
}

function recordError(span: Span, error: unknown): void {
  span.setAttribute('error.type', errorType(error))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The kind of an error only: its message may contain private data. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'kind' in error ? `${error.name} ${String(error.kind)}` : error.name
}
