// Walks every operation of the OpenAPI document with bad input: every error body has a stable code, a sentence and what its schema says.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BODY_LIMIT_BYTES, KEY_SCOPES, TRANSACTION_BODY_LIMIT_BYTES } from '../../src/limits.ts'
import { bearer, obtainKey } from '../support/keys.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { createTrader } from '../support/traders.ts'
import { operationsOf, resolve, schemaMismatches } from './openapi.ts'
import type { NamedOperation, OpenApiDocument, Schema } from './openapi.ts'

type Method = 'GET' | 'POST' | 'DELETE' | 'PATCH'
type Json = Readonly<Record<string, unknown>>

interface Answer {
  readonly status: number
  readonly body: Json
  readonly ignored: unknown
}

let fixture: GatewayFixture
let document: OpenApiDocument
let operations: readonly NamedOperation[]
let authorization: string

before(async () => {
  fixture = await createGatewayFixture({ traders: 1, seed: 'error-shape' })
  await fixture.closeLedgers(5)
  await fixture.catchUp()
  document = (await fixture.get<OpenApiDocument>('/docs/json')).body
  operations = operationsOf(document)
  const { wallet } = await createTrader(fixture, 'error-shape')
  // With lend too, which a key has only on request.
  authorization = bearer(await obtainKey(fixture.gateway.app, wallet, 'all scopes', { scopes: [...KEY_SCOPES] }))
})
after(() => fixture[Symbol.asyncDispose]())

const LONG = 'x'.repeat(600)

/** A value that a text of this schema must not have; undefined if every text is valid. */
function badText(schema: Schema): string | undefined {
  if (schema['type'] === 'integer' || schema['type'] === 'boolean' || schema['enum'] !== undefined) return 'x'
  if (schema['pattern'] !== undefined || schema['maxLength'] !== undefined) return LONG
  return schema['minLength'] === undefined ? undefined : ''
}

function goodText(name: string, schema: Schema): string {
  const value = schema['example'] ?? (schema['enum'] as readonly unknown[] | undefined)?.[0] ?? (name === 'collateral' ? '1000000000' : undefined)
  if (name === 'hash') return '0'.repeat(64)
  if (['address', 'trader'].includes(name)) return 'G'.padEnd(56, 'A')
  return encodeURIComponent((value ?? (schema['type'] === 'integer' ? schema['minimum'] ?? 1 : 'BTC')) as string | number)
}

/** The URL of an operation with valid parameters, and this query. */
function urlOf({ path, operation }: NamedOperation, query: Readonly<Record<string, string>> = {}, inPath: Readonly<Record<string, string>> = {}): string {
  const parameters = operation.parameters ?? []
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => inPath[name] ?? goodText(name, parameters.find((one) => one.name === name)?.schema ?? {}))
  const required = parameters.filter((one) => one.in === 'query' && one.required === true).map(({ name, schema }) => [name, goodText(name, schema)] as const)
  const all = Object.entries({ ...Object.fromEntries(required), ...query })
  return all.length === 0 ? filled : `${filled}?${all.map(([name, value]) => `${name}=${value}`).join('&')}`
}

async function send(method: string, url: string, options: { readonly headers?: Readonly<Record<string,
  string>>; readonly payload?: string } = {}): Promise<Answer> {
  const response = await fixture.gateway.app.inject({ method: method as Method, url, ...options })
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  return { status: response.statusCode, body: isJson ? response.json<Json>() : {}, ignored: response.headers['x-ignored-parameters'] }
}

/** Every error has a code and a sentence, and its body is what the document says. */
function checkError({ path, operation }: NamedOperation, { status, body }: Answer, about: string): void {
  const summary = `${about} -> ${status} ${JSON.stringify(body).slice(0, 300)}`
  assert.ok(status >= 400, summary)
  assert.ok(typeof body['error'] === 'string' && body['error'] !== '', summary)
  assert.ok(typeof body['message'] === 'string' && body['message'].length > 8, summary)
  const schema = operation.responses[status]?.content?.['application/json']?.schema
  assert.ok(schema !== undefined, `undocumented: ${path} ${summary}`)
  assert.deepEqual(schemaMismatches(document, schema, body, about), [])
}

function checkInvalid(named: NamedOperation, answer: Answer, parameter: string): void {
  const about = `${named.method} ${named.path} ${parameter}`
  checkError(named, answer, about)
  const { statusCode, code, error, reason } = answer.body
  assert.deepEqual([answer.status, statusCode, code, error, reason], [400, 400, 'FST_ERR_VALIDATION', 'Bad Request', 'invalid_parameter'], about)
  assert.equal(answer.body['parameter'], parameter, `${about}: ${JSON.stringify(answer.body)}`)
}

test('every error schema of the document requires a code and a sentence', () => {
  for (const { method, path, operation } of operations) {
    for (const [status, { content }] of Object.entries(operation.responses).filter(([code]) => Number(code) >= 400)) {
      const schema = content?.['application/json']?.schema ?? {}
      for (const one of (schema['oneOf'] as readonly Schema[] | undefined) ?? [schema]) {
        const { required = [], properties = {} } = resolve(document, one) as { required?: readonly string[]; properties?: Record<string, Schema> }
        for (const member of ['error', 'message']) {
          assert.ok(required.includes(member) && properties[member]?.['type'] === 'string', `${method} ${path} ${status} lacks ${member}`)
        }
      }
    }
  }
})

test('an invalid parameter is named, in the query, the path and the headers', async () => {
  let checked = 0
  for (const named of operations) {
    for (const { in: part, name, schema } of named.operation.parameters ?? []) {
      const bad = badText(schema)
      if (bad === undefined) continue
      checked += 1
      if (part === 'path') {
        const answer = await send(named.method, urlOf(named, {}, { [name]: bad }), { headers: { authorization } })
        if (answer.status === 404) checkError(named, answer, `${named.path} ${name}`)
        else checkInvalid(named, answer, name)
        continue
      }
      const headers = { authorization, ...(part === 'header' ? { [name]: bad } : {}) }
      checkInvalid(named, await send(named.method, urlOf(named, part === 'query' ? { [name]: bad } : {}), { headers }), name)
    }
    for (const { name } of (named.operation.parameters ?? []).filter((one) => one.in === 'query' && one.required === true)) {
      const url = new URL(urlOf(named), 'http://gateway')
      url.searchParams.delete(name)
      checkInvalid(named, await send(named.method, `${url.pathname}${url.search}`, { headers: { authorization } }), name)
    }
  }
  assert.ok(checked > 150, `${checked} parameters`)
})

test('an invalid body is named by its dotted path, and other bodies are rejected in the same shape', async () => {
  for (const named of operations) {
    const content = named.operation.requestBody?.content['application/json']?.schema
    if (content === undefined) continue
    const post = (payload: string, type = 'application/json') =>
      send(named.method, urlOf(named), { payload, headers: { 'content-type': type, authorization, 'x-keeper-secret': 'unknown' } })
    if (named.path === '/v1/oracle/heartbeat') {
      checkError(named, await post('{}'), named.path)
      continue
    }
    const broken = await post('{"a":')
    checkError(named, broken, `${named.path} broken`)
    assert.deepEqual([broken.status, broken.body['reason'], broken.body['parameter']], [400, 'invalid_parameter', 'body'], named.path)
    checkInvalid(named, await post('[]'), 'body')
    checkError(named, await post('a=b', 'text/plain'), `${named.path} text`)
    checkError(named, await post(`{"a":"${'x'.repeat(Math.max(BODY_LIMIT_BYTES, TRANSACTION_BODY_LIMIT_BYTES))}"}`), `${named.path} large`)
    const bodies = ((content['oneOf'] as readonly Schema[] | undefined) ?? [content]).map((one) => resolve(document, one))
    for (const schema of bodies) {
      const properties = schema['properties'] as Readonly<Record<string, Schema>>
      const required = (schema['required'] ?? []) as readonly string[]
      const valid = Object.fromEntries(required.map((name) => [name, properties[name]?.['example'] ?? (properties[name]?.['enum'] as unknown[])?.[0] ?? '1']))
      checkInvalid(named, await post(JSON.stringify({ ...valid, slipage: 1 })), 'slipage')
      for (const name of Object.keys(properties)) {
        const bad = properties[name]?.['type'] === 'object' ? [] : {}
        checkInvalid(named, await post(JSON.stringify({ ...valid, [name]: bad })), name)
      }
      for (const name of required) {
        const { [name]: _, ...rest } = valid
        checkInvalid(named, await post(JSON.stringify(rest)), name)
      }
    }
  }
})

test('missing and wrong keys, unknown assets, ids and codes have a code and a sentence', async () => {
  for (const named of operations.filter(({ operation }) => (operation.security ?? []).length > 0)) {
    for (const [credentials, error] of [[undefined, 'missing_bearer'], ['Bearer x', 'malformed_bearer'], ['Bearer nk_1:2', 'invalid_credentials']] as const) {
      const answer = await send(named.method, urlOf(named), { headers: credentials === undefined ? {} : { authorization: credentials } })
      checkError(named, answer, named.path)
      assert.deepEqual([answer.status, answer.body['error']], [401, error], named.path)
    }
  }
  const missing = [
    ['/v1/markets/{asset}', '/v1/markets/NOPE'], ['/v1/markets/{asset}/limits', '/v1/markets/NOPE/limits'], ['/v1/vaults/{id}', '/v1/vaults/99999'],
    ['/v1/orders/{orderId}', '/v1/orders/99999'], ['/v1/referral/lookup', '/v1/referral/lookup?code=NOBODY'],
    ['/v1/referral/info', `/v1/referral/info?address=${'G'.repeat(56)}`], ['/v1/export/{kind}/{file}', '/v1/export/trades/2001-01-01.ndjson.gz'],
    ['/v1/trades', '/v1/trades?at_ledger=4294967295'], ['/v1/trades', '/v1/trades?cursor=abc'], ['/v1/stream', '/v1/stream?channels=nope'],
    ['/v1/oracle/health', '/v1/oracle/health?strict=1'], ['/v1/tx/{hash}', `/v1/tx/${'0'.repeat(64)}`],
  ] as const
  for (const [path, url] of missing) {
    const named = operations.find((one) => one.path === path && one.method === 'GET')
    assert.ok(named !== undefined, path)
    checkError(named, await send('GET', url, { headers: { authorization } }), url)
  }
  const revoke = operations.find(({ method, path }) => method === 'DELETE' && path === '/v1/keys/{keyId}')
  assert.ok(revoke !== undefined)
  checkError(revoke, await send('DELETE', urlOf(revoke), { headers: { authorization } }), revoke.path)
})

test('an unknown route is 404 Not Found with the reason unknown_route', async () => {
  for (const named of operations) {
    const url = urlOf(named)
    const { status, body } = await send('PATCH', url)
    assert.deepEqual([status, body], [404, { message: `Route PATCH:${url} not found`, error: 'Not Found', statusCode: 404, reason: 'unknown_route' }])
  }
})

test('every operation ignores an unknown query parameter, and names it with the nearest known one', async () => {
  for (const named of operations) {
    if (named.path === '/v1/stream') continue
    const known = (named.operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name)
    const headers = { authorization }
    const plain = await send(named.method, urlOf(named), { headers })
    assert.equal(plain.ignored, undefined, named.path)
    const nearest = known.includes('limit') ? ' (limit?)' : ''
    const answer = await send(named.method, urlOf(named, { limt: '1', 'zz%22%0d%C3%A5': '2' }), { headers })
    assert.equal(answer.ignored, `limt${nearest}, zz%22%0D%C3%A5`, named.path)
    assert.equal(answer.status, plain.status, named.path)
  }
  const trades = async (query: string) => (await send('GET', `/v1/trades?${query}`)).ignored
  assert.equal(await trades('beforeTs=1&LIMIT=2&at-ledger=3&assets=BTC&page=2'),
    'beforeTs (before_ts?), LIMIT (limit?), at-ledger (at_ledger?), assets (asset?), page')
  assert.equal(await trades(Array.from({ length: 40 }, (_, index) => `q${index}=1`).join('&')), Array.from({ length: 10 }, (_,
    index) => `q${index}`).join(', '))
  assert.equal((await send('GET', '/v1/trades?limt=5&limit=x')).ignored, 'limt (limit?)', 'errors carry the header too')
  assert.equal((await send('GET', '/v1/account/me/fills?limt=5')).ignored, 'limt (limit?)', 'so does a request without a key')
})
