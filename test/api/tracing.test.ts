// Traces, as a collector receives them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tracedStore } from '../../src/store/traced-store.ts'
import { createTracing } from '../../src/observability/tracing.ts'
import type { Tracing } from '../../src/observability/tracing.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import { openTestStore } from '../support/database.ts'
import { serveHttp } from '../support/http-server.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly status: { readonly code?: number }
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

interface Collector extends AsyncDisposable {
  readonly endpoint: string
  readonly bodies: string[]
  readonly headers: (string | undefined)[]
  spans(): readonly Span[]
}

async function createCollector(): Promise<Collector> {
  const bodies: string[] = []
  const headers: (string | undefined)[] = []
  const server = await serveHttp((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      assert.equal(request.url, '/v1/traces')
      bodies.push(Buffer.concat(chunks).toString())
      headers.push(request.headers.authorization)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  return {
    endpoint: `${server.url}/`,
    bodies,
    headers,
    spans: () => bodies.flatMap((body) => {
      const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const open = (endpoint: string, sampleRatio = 1): Tracing =>
  createTracing({ endpoint, headers: { authorization: 'Bearer of-the-collector' }, serviceName: 'a gateway', version: '1.2.3', sampleRatio })

const attributeOf = ({ attributes }: Span, key: string): unknown => Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0]

test('a request is one trace with its statements as children and continues the caller\'s trace', async () => {
  await using collector = await createCollector()
  const tracing = open(collector.endpoint)
  await using real = await openTestStore()
  const store = tracedStore(real, tracing.tracer)
  await using bare = await createBareGateway({ store, tracer: tracing.http })
  const traceId = 'ab'.repeat(16)
  const { app } = bare.gateway
  const [continued, fresh, unknownPath] = await Promise.all([
    app.inject({ url: '/v1/trades?asset=BTC', headers: { traceparent: `00-${traceId}-${'cd'.repeat(8)}-01`, 'x-request-id': 'mine' } }),
    app.inject('/v1/positions/open'),
    app.inject({ url: '/nowhere/at/all', headers: { traceparent: 'nonsense' } }),
  ])
  assert.deepEqual([continued.statusCode, fresh.statusCode, unknownPath.statusCode], [200, 200, 404])
  await tracing[Symbol.asyncDispose]()
  const spans = collector.spans()
  const server = spans.find(({ name }) => name === 'GET /v1/trades')
  assert.deepEqual([server?.traceId, server?.parentSpanId], [traceId, 'cd'.repeat(8)])
  assert.ok(server !== undefined)
  assert.deepEqual(
    ['http.request.method', 'http.route', 'http.response.status_code', 'gateway.request_id'].map((key) => String(attributeOf(server, key))),
    ['GET', '/v1/trades', '200', 'mine'],
  )
  const children = spans.filter(({ parentSpanId }) => parentSpanId === server.spanId)
  assert.ok(children.length > 0 && children.every((span) => span.name === 'sql' && span.traceId === traceId), 'the request\'s statements')
  const other = spans.find(({ name }) => name === 'GET /v1/positions/open')
  assert.ok(other !== undefined && other.traceId !== traceId, 'each request has its own trace')
  assert.ok(spans.some(({ parentSpanId }) => parentSpanId === other.spanId), 'the other request\'s statements')
  assert.ok(spans.some(({ name }) => name === 'GET none'), 'an unknown path is not recorded')
  assert.ok(spans.every(({ name }) => !name.includes('nowhere')))
  assert.ok(collector.headers.every((header) => header === 'Bearer of-the-collector'))
  assert.match(collector.bodies[0] ?? '', /"a gateway"/)
})

test('spans contain no secrets, query strings or error messages', async () => {
  await using collector = await createCollector()
  const tracing = open(collector.endpoint)
  const query = (): Promise<never> => Promise.reject(new Error('password=hunter2'))
  const store = tracedStore({ engine: 'embedded', read: { query }, write: { query, run: query } } as never, tracing.tracer)
  await using bare = await createBareGateway({ store, tracer: tracing.http })
  const response = await bare.gateway.app.inject({ url: '/v1/trades?asset=SECRETASSET', headers: { cookie: 'session=verysecret' } })
  assert.equal(response.statusCode, 500)
  await tracing[Symbol.asyncDispose]()
  assert.doesNotMatch(collector.bodies.join(''), /hunter2|SECRETASSET|verysecret/)
  const failed = collector.spans().filter(({ status }) => status.code === 2).map(({ name }) => name)
  assert.deepEqual(failed.sort(), ['GET /v1/trades', 'sql'])
})

test('sends no spans of unsampled traces, and an unreachable collector does not affect requests', async () => {
  await using collector = await createCollector()
  const unsampled = open(collector.endpoint, 0)
  const unreachable = open('http://127.0.0.1:1')
  for (const tracing of [unsampled, unreachable]) {
    await using bare = await createBareGateway({ tracer: tracing.http })
    assert.equal((await bare.gateway.app.inject('/nowhere')).statusCode, 404)
    assert.equal(await tracing.tracer.span('work', {}, () => Promise.resolve('done')), 'done')
    await assert.rejects(tracing.tracer.span('work', {}, () => Promise.reject(new Error('from the operation'))), /from the operation/)
    await tracing[Symbol.asyncDispose]()
  }
  assert.deepEqual(collector.spans(), [])
})
