// Fuzzes every operation of the gateway's OpenAPI document with valid, invalid and unrelated values. Every response must be documented and reveal no
// internals. Half of the requests go to a deployment of each generation.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { defined } from '../../src/base/assert.ts'
import { createSigningKey } from '../../src/base/proofs/signing.ts'
import { ACCOUNT_CACHE_MS } from '../../src/limits.ts'
import { bearer } from '../support/keys.ts'
import { fc, fuzzRuns } from '../support/fuzz.ts'
import { createTrader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

type Json = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Json
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly bodies: readonly Json[]
  readonly statuses: ReadonlySet<string>
}

interface Target {
  readonly fixture: GatewayFixture
  readonly url: URL
  readonly authorizations: readonly (string | undefined)[]
}

interface FuzzedRequest {
  readonly generation: '1' | '2'
  readonly operation: Operation
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

interface FuzzedResponse {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Heap size after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let targets: Readonly<Record<'1' | '2', Target>>
let operations: readonly Operation[]

async function openTarget(generation: '1' | '2'): Promise<Target> {
  const key = defined(createSigningKey(generateKeyPairSync('ed25519').privateKey, 0), 'a key')
  const fixture = await createGatewayFixture({ traders: 2, seed: 'fuzz', generation, gateway: { signingKeys: [key] } })
  await fixture.closeLedgers(30)
  await fixture.catchUp()
  const trader = await createTrader(fixture, 'fuzzing')
  const own = bearer(trader.key)
  const invalid = [bearer({ ...trader.key, secret: 'f'.repeat(64) }), 'Bearer', 'Bearer a:b:c', 'Basic eA==', `Bearer ${'x'.repeat(2_000)}`]
  const authorizations = [undefined, own, own, own, own, ...invalid]
  return { fixture, authorizations, url: new URL(await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })) }
}

before(async () => {
  const [first, second] = [await openTarget('1'), await openTarget('2')]
  targets = { 1: first, 2: second }
  operations = readOperations((await first.fixture.get<Json>('/docs/json')).body)
})
after(async () => {
  agent.destroy()
  for (const { fixture } of Object.values(targets)) await fixture[Symbol.asyncDispose]()
})

function readOperations(document: Json): readonly Operation[] {
  const schemas = (document['components'] as { schemas: Record<string, Json> }).schemas
  const resolved = (schema: Json): Json => (typeof schema['$ref'] === 'string' ? schemas[schema['$ref'].split('/').at(-1) ?? ''] ?? {} : schema)
  return Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const content = (operation['requestBody'] as { content: Record<string, { schema: Json }> } | undefined)?.content['application/json']?.schema
      const bodies = content === undefined ? [] : ((content['oneOf'] as readonly Json[] | undefined)?.map(resolved) ?? [resolved(content)])
      return {
        method: method.toUpperCase(), path, bodies,
        parameters: (operation['parameters'] as readonly Parameter[] | undefined) ?? [],
        statuses: new Set(Object.keys(operation['responses'] as object)),
      }
    }))
}

/** Strings that often break parsers. */
const hostileText = fc.constantFrom(
  '', ' ', '0', '-1', '1.5', '1e9', '00', 'NaN', 'null', 'true', '[]', '{}', '%', '%00', '%zz', '\0', '../..', '..%2f', '/', '//', '\\', '\'', '"', ';', ';--',
  '$1', '\' or 1=1', '99999999999999999999', '-99999999999999999999', '9007199254740993', '2147483648', '__proto__', 'constructor', 'toString', 'Å', '🙂',
  '\u202e', '\ud800', 'a'.repeat(600), 'C'.repeat(56), 'G'.repeat(56), 'BTC', 'btc', 'WyJ4IiwxXQ',
)

/** Values that roughly match the schema. */
function validValue(schema: Json): fc.Arbitrary<unknown> {
  const { type, minimum = 0, maximum = 1_000_000, pattern = '', enum: values } = schema as {
    type?: unknown; minimum?: number; maximum?: number; pattern?: string; enum?: unknown[]
  }
  if (values !== undefined) return fc.constantFrom(...values)
  if (type === 'integer') return fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31) })
  if (type === 'boolean') return fc.boolean()
  if (pattern.startsWith('^[0-9]')) return fc.bigInt({ min: 0n, max: 10n ** 13n }).map(String)
  return fc.constantFrom('BTC', 'ETH', 'G'.repeat(56), '1', 'position_opened', 'Star')
}

const anything: fc.Arbitrary<unknown> = fc.oneof(
  hostileText, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 3 }), fc.constant({ ['__proto__']: 1 }),
)

function orAnything(schema: Json): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 3, arbitrary: validValue(schema) }, { weight: 1, arbitrary: anything })
}

/** Escapes only what a request line cannot hold, as a careless client does. */
function encode(text: string): string {
  const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`
  return Buffer.from(text, 'utf8').toString('latin1').replaceAll(/[^A-Za-z0-9%.~_;'"\\/$-]/g, escaped)
}

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const known = inQuery.map(({ name, schema }) => orAnything(schema).map((value) => `${name}=${encode(String(value))}`))
  const one = known.length === 0 ? fc.constant('x=1') : fc.oneof(...known)
  const unknown = fc.tuple(hostileText, hostileText).map(([name, value]) => `${encode(name)}=${encode(value)}`)
  const parts = fc.array(fc.oneof({ weight: 5, arbitrary: one }, { weight: 1, arbitrary: unknown }), { maxLength: 4 })
  return parts.map((chosen) => (chosen.length === 0 ? '' : `?${chosen.join('&')}`))
}

function bodyOf(schemas: readonly Json[]): fc.Arbitrary<string | undefined> {
  if (schemas.length === 0) return fc.constant(undefined)
  const similar = fc.constantFrom(...schemas).chain((schema) => {
    const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
    return fc.tuple(...fields.map(([, field]) => orAnything(field)), fc.dictionary(hostileText, anything, { maxKeys: 1 })).map((values) => {
      const extra = values.at(-1) as Json
      return JSON.stringify({ ...Object.fromEntries(fields.map(([name], index) => [name, values[index]])), ...(Object.keys(extra).length === 0 ? {} : extra) })
    })
  })
  const broken = fc.constantFrom(
    '', '{', '{"op"', '[', 'null', '"x"', '1', '[[[[[[[[', '{"__proto__":{"op":"x"}}', '{"op":"cancel_order","op":"x"}', `{"op":"${'x'.repeat(9_000)}"}`,
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  )
  return fc.oneof({ weight: 6, arbitrary: similar }, { weight: 1, arbitrary: broken }, { weight: 1, arbitrary: anything.map((value) => JSON.stringify(value)) })
}

function requestOf(generation: FuzzedRequest['generation'], operation: Operation): fc.Arbitrary<FuzzedRequest> {
  const path = fc.tuple(...operation.path.split('/').map((part) => {
    if (!part.startsWith('{')) return fc.constant(part)
    const schema = operation.parameters.find(({ name }) => `{${name}}` === part)?.schema ?? {}
    return fc.oneof(validValue(schema).map(String), hostileText).map((text) => encode(text))
  })).map((parts) => parts.join('/'))
  const headers = fc.record({
    authorization: fc.constantFrom(...targets[generation].authorizations),
    'content-type': fc.constantFrom('application/json', 'application/json', 'application/json', 'text/plain', 'application/json; charset=utf-16', undefined),
    'x-request-id': fc.constantFrom(undefined, 'abc', 'x'.repeat(300), '<script>'),
    'x-timestamp': fc.constantFrom(undefined, '0', 'abc', '1e99'),
    'x-min-ledger': fc.constantFrom(undefined, undefined, '1', 'abc', '-1', '1.5'),
    'if-none-match': fc.constantFrom(undefined, '*', 'W/"x"', '"'),
  }).map((all) => Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)))
  return fc.tuple(path, queryOf(operation.parameters), headers, bodyOf(operation.bodies))
    .map(([urlPath, query, chosenHeaders, body]) => ({ generation, operation, url: `${urlPath}${query}`, headers: chosenHeaders, body }))
}

async function send({ generation, operation: { method }, url: path, headers, body }: FuzzedRequest): Promise<FuzzedResponse> {
  const { url } = targets[generation]
  const request = httpRequest({ agent, host: url.hostname, port: url.port, method, path, headers })
  request.end(body)
  const [response] = await once(request, 'response') as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text: Buffer.concat(chunks).toString() }
}

/** Internals: file names, SQL, stack traces, host addresses. A sentence may end with `keys.`; a table has a name. */
const INTERNALS = /node_modules|\.ts:\d|\bat \w+ \(|select .* from|idx\.|\bkeys\.\w|ECONN|SQLITE|PGlite|\/home\/|\/tmp\//i

/** A 503 that says what this gateway or its deployment does not offer. */
function isConfigured({ status, text }: FuzzedResponse): boolean {
  return status === 503 && /^\{"error":"(?:unsupported_by_deployment|heartbeat_disabled)"/.test(text)
}

function checkResponse(request: FuzzedRequest, response: FuzzedResponse): void {
  const { operation, url: path, body } = request
  const summary = `${operation.method} ${path} ${body?.slice(0, 300) ?? ''} -> ${response.status} ${response.text.slice(0, 300)}`
  // With `strict`, a 503 is the result.
  if (operation.path === '/v1/oracle/health' && response.status === 503 && path.includes('strict=')) return
  // Fastify itself rejects malformed paths and content types.
  const common = new Set(['304', '404', '413', '414', '415', '400'])
  assert.ok(operation.statuses.has(String(response.status)) || common.has(String(response.status)), `undocumented: ${summary}`)
  assert.ok(response.status < 500 || isConfigured(response), `server error without a fault: ${summary}`)
  if (response.status === 304 || operation.path.startsWith('/docs')) return
  // A signed note, and tiles in bytes.
  if (response.status === 200 && /^\/v1\/log\/(?:checkpoint|tile)/.test(operation.path)) return
  assert.match(response.type, /^application\/json/, summary)
  const json: unknown = JSON.parse(response.text)
  // TradingView defines the shapes of these responses.
  if (response.status === 200 && operation.path.startsWith('/udf/')) return
  assert.ok(typeof json === 'object' && json !== null && !Array.isArray(json), summary)
  if (response.status < 400) return
  const error = json as Json
  assert.ok(typeof error['error'] === 'string' && error['error'] !== '', summary)
  // The response may echo the request.
  const sent = decodeSafely(path) + (body ?? '')
  const leak = INTERNALS.exec(response.text)?.[0]
  assert.ok(leak === undefined || sent.includes(leak), `reveals internals: ${summary}`)
  if (response.status !== 400 || !('statusCode' in error)) return
  assert.deepEqual([error['statusCode'], error['error'], typeof error['message']], [400, 'Bad Request', 'string'], summary)
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Allowed heap growth, including caches that fill up. */
const GROWTH_MAX_BYTES = 32 * 1024 * 1024
/** The first requests fill pools and caches. */
const WARM_AFTER = 1_000

test('property: every response is documented, nothing fails, and memory does not grow', async () => {
  const countByStatus = new Map<number, number>()
  let requestCount = 0
  let warmBytes = 0
  await fc.assert(
    fc.asyncProperty(fc.tuple(fc.constantFrom('1', '2'), fc.constantFrom(...operations)).chain((pair) => requestOf(...pair)), async (request) => {
      const response = await send(request)
      checkResponse(request, response)
      countByStatus.set(response.status, (countByStatus.get(response.status) ?? 0) + 1)
      requestCount += 1
      if (requestCount === WARM_AFTER) warmBytes = heapBytes()
    }),
    { numRuns: fuzzRuns(750, 1_500) },
  )
  for (const status of [200, 400, 401, 404]) assert.ok((countByStatus.get(status) ?? 0) > 0, `no response had status ${status}`)
  const growth = heapBytes() - warmBytes
  assert.ok(requestCount < WARM_AFTER || growth < GROWTH_MAX_BYTES, `the heap grew by ${growth} bytes over ${requestCount - WARM_AFTER} requests`)
  for (const { fixture } of Object.values(targets)) {
    fixture.clock.advance(ACCOUNT_CACHE_MS)
    assert.equal((await fixture.get('/v1/health')).status, 200)
    assert.equal((await fixture.get('/v1/markets')).status, 200)
  }
  assert.equal(({} as Json)['op'], undefined, 'Object.prototype is unchanged')
})
