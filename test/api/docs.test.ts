// /docs and /docs/json: checks the OpenAPI document, and compares it with the gateway's responses.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { schemaMismatches, operationsOf, resolve } from './openapi.ts'
import type { Media, NamedOperation, OpenApiDocument, Schema } from './openapi.ts'
import { createTrader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

/** Routes without a rate limit ("Rate limits", and the probes). */
const UNLIMITED = ['/v1/health', '/livez', '/readyz']

let fixture: GatewayFixture
let document: OpenApiDocument
let operations: readonly NamedOperation[]

before(async () => {
  fixture = await createGatewayFixture({ seed: 'docs' })
  document = (await fixture.get<OpenApiDocument>('/docs/json')).body
  operations = operationsOf(document)
  await fixture.closeLedgers(40)
  // The market applies funding hourly.
  await fixture.control('local_advance', { seconds: 3_600 })
  await fixture.closeLedgers(10)
  await fixture.catchUp()
  // Pool samples and other state without events come from the observer.
  await fixture.indexer.observe()
})
after(() => fixture[Symbol.asyncDispose]())

test('serves OpenAPI 3.0.3 with the product\'s version, a relative server URL, licence and contact', async () => {
  const { status, headers } = await fixture.get('/docs/json')
  assert.equal(status, 200)
  assert.deepEqual([headers['content-type'], headers['cache-control']], ['application/json; charset=utf-8', 'no-cache'])
  assert.equal(document.openapi, '3.0.3')
  assert.equal(document.info.version, manifest.version)
  assert.deepEqual(document.servers.map(({ url }) => url), ['/'])
  const { title, license, contact } = document.info
  assert.deepEqual([title, license?.name], ['Perpetual Exchange Gateway', 'Apache-2.0'])
  assert.match(license?.url ?? '', /^https:\/\//)
  assert.ok(contact?.name !== undefined)
})

test('/docs serves the page, and neither is rate-limited', async () => {
  for (const path of ['/docs', '/docs/', '/docs/json']) {
    const { status, headers } = await fixture.get<unknown>(path === '/docs/json' ? path : '/docs/json')
    assert.equal(status, 200)
    assert.equal(headers['x-ratelimit-remaining'], undefined)
    const page = await fixture.gateway.app.inject(path)
    assert.equal(page.statusCode, 200)
    assert.equal(page.headers['x-ratelimit-remaining'], undefined)
  }
})

/** Their bodies are files, a signed text, bytes, and a stream of events that does not end. */
const OTHER_BODIES = ['/v1/export/{kind}/{file}', '/v1/log/checkpoint', '/v1/log/tile/{path}', '/v1/stream']

test('every operation has a unique name, a tag, a summary, a description and a valid example', () => {
  assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
  const tags = document.tags.map(({ name }) => name)
  for (const { method, path, operation } of operations) {
    const name = `${method} ${path}`
    assert.match(operation.operationId ?? '', /^[a-z][A-Za-z]+$/, name)
    assert.ok((operation.summary ?? '').length > 5 && (operation.description ?? '').length > 20, name)
    assert.ok(operation.tags?.length === 1 && operation.tags.every((tag) => tags.includes(tag)), name)
    const [status = '', ...others] = Object.keys(operation.responses).filter((code) => code.startsWith('2'))
    assert.deepEqual(others, [], name)
    const media = operation.responses[status]?.content?.['application/json']
    if (status === '204') {
      assert.equal(operation.responses[status]?.content, undefined, `${name} has no body`)
      continue
    }
    if (OTHER_BODIES.includes(path)) continue
    assert.ok(media?.schema !== undefined && media.example !== undefined, `${name} has a schema and an example`)
    assert.deepEqual(schemaMismatches(document, media.schema, media.example, name), [])
  }
})

/** "Gateway HTTP errors", "Authentication failures" and this gateway's additional codes. */
const CODES = [
  '400 FST_ERR_VALIDATION', '400 ledger_not_indexed', '400 unsupported_asset', '400 unsupported_by_deployment',
  '400 simulation_failed', '400 submission_rejected', '400 invalid_channels',
  '401 unauthorized', '401 missing_bearer', '401 malformed_bearer', '401 missing_timestamp',
  '401 stale_timestamp', '401 invalid_credentials', '401 invalid_signature', '403 not_in_beta', '404 Unknown asset', '404 vault_not_found', '404 unknown_code',
  '404 no_code', '404 key_not_found', '400 not_a_subset', '401 key_expired', '403 address_not_allowed', '403 cap_exceeded', '403 scope_missing',
  '409 already_rotated', '404 not_in_log', '404 order_not_found', '404 unknown_transaction', '404 export_not_available', '409 client_id_in_use',
  '409 key_limit_reached', '409 not_yet',
  '413 Payload Too Large', '415 Unsupported Media Type', '429 rate_limited', '431 Request Header Fields Too Large', '451 region_restricted',
  '500 Internal Server Error', '502 rpc_error',
  '503 Service Unavailable', '503 try_again_later', '503 unsupported_by_deployment', '503 not_ready', '503 oracle_unhealthy', '503 heartbeat_disabled',
  '503 export_in_progress', '503 server_full', '503 signing_disabled', '503 too_many_connections', '503 restart',
]

test('the introduction explains the conventions, and the meaning and remedy of every error code', () => {
  const { description = '' } = document.info
  const sections = new Map(description.split(/^##+ /m).slice(1).map((text) => [text.split('\n')[0] ?? '', text]))
  const conventions = ['Amounts, times, directions', 'Authentication', 'Trading', 'Limits', 'Pages', 'Consistency', 'Errors']
  for (const heading of [...conventions, 'Contract errors']) assert.ok((sections.get(heading) ?? '').length > 150, heading)
  const rowsOf = (heading: string): readonly (readonly string[])[] =>
    [...(sections.get(heading) ?? '').matchAll(/^\| (\d.*) \|$/gm)].map(([, row = '']) => row.split(' | '))
  const rows = rowsOf('Errors')
  assert.deepEqual(rows.map(([status, code = '']) => `${status} ${code.replaceAll('`', '')}`).toSorted(), CODES.toSorted())
  const shared = rowsOf('Market, liquidity vault, price shim and router')
  assert.deepEqual([shared.length, rowsOf('Trader vaults').length, rowsOf('Referral').length], [41, 15, 15])
  const changed = ['Market, liquidity vault, price shim and router', 'Trader vaults', 'Referral']
    .map((heading) => rowsOf(`${heading}, generation 2: new or changed`))
  assert.deepEqual(changed.map(({ length }) => length), [27, 6, 4])
  for (const row of [...rows, ...shared, ...rowsOf('Trader vaults'), ...rowsOf('Referral'), ...changed.flat()]) {
    assert.equal(row.length, 4, row.join())
    for (const cell of row.slice(2)) assert.ok(cell.length > 3, row.join())
  }
  assert.deepEqual(shared.find(([code]) => code === '43')?.slice(0, 2), ['43', 'UnknownContractError'])
  assert.equal(description.match(/^\| 4 \| Paused \|/gm)?.length, 2, 'of each generation')
})

test('tags are described, used and in the order of a first integration', () => {
  const names = document.tags.map(({ name }) => name)
  assert.deepEqual([names[0], names.at(-1)], ['markets', 'health'])
  const steps = ['keys', 'account', 'orders', 'tx']
  assert.deepEqual(names.filter((name) => steps.includes(name)), steps)
  const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []))
  assert.deepEqual(new Set(names), used)
  for (const { name, description = '' } of document.tags) assert.ok(description.length > 20, name)
})

test('every error response has a description and a body with examples; all list 500, rate-limited ones 429', () => {
  for (const { method, path, operation } of operations) {
    const codes = Object.keys(operation.responses)
    assert.ok(codes.includes('500'))
    assert.equal(codes.includes('429'), !UNLIMITED.includes(path), path)
    const takesSomething = (operation.parameters ?? []).length > 0 || operation.requestBody !== undefined
    if (takesSomething) assert.ok(codes.includes('400'), `${method} ${path} takes parameters and documents 400`)
    assert.ok(codes.some((code) => code.startsWith('4')), `${method} ${path} documents a 4xx`)
    for (const code of codes.filter((each) => Number(each) >= 400)) {
      const response = operation.responses[code]
      assert.ok((response?.description ?? '').length > 5, `${path} ${code}`)
      const { schema, example: given } = response?.content?.['application/json'] ?? {}
      assert.ok(schema, `${path} ${code} has a schema`)
      if (given !== undefined) {
        assert.deepEqual(schemaMismatches(document, schema, given, `${path} ${code}`), [])
        continue
      }
      for (const one of (schema['oneOf'] as readonly Schema[] | undefined) ?? [schema]) {
        const body = resolve(document, one)
        const example = exampleOf(body)
        assert.deepEqual(schemaMismatches(document, body, example, `${path} ${code}`), [])
        if ('statusCode' in example) assert.ok([Number(code), 503].includes(Number(example['statusCode'])))
      }
    }
  }
})

/** The examples of a body, or those built from the properties of its alternatives. */
function bodyExamples({ schema = {}, example, examples = {} }: Media): readonly unknown[] {
  const given = [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)]
  const alternatives = (schema['oneOf'] as readonly Schema[] | undefined) ?? [schema]
  return given.length > 0 ? given : alternatives.map((one) => exampleOf(resolve(document, one)))
}

/** The object that tools build from the examples of its properties. */
function exampleOf(schema: Schema): Record<string, unknown> {
  const required = (schema['required'] ?? []) as readonly string[]
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  return Object.fromEntries(required.map((key) => [key, valueOf(properties[key] ?? {})]))
}

function valueOf(schema: Schema): unknown {
  if (schema['example'] !== undefined) return schema['example']
  if (schema['nullable'] === true) return null
  return (schema['enum'] as readonly unknown[] | undefined)?.[0]
}

test('parameters are described and match their path; bodies have valid examples', () => {
  for (const { path, operation } of operations) {
    const parameters = operation.parameters ?? []
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    assert.deepEqual(parameters.filter((one) => one.in === 'path').map(({ name }) => name), inPath, path)
    for (const one of parameters) {
      assert.ok((one.description ?? '').length > 5, `${path} ${one.name}`)
      // "Try it out" fills them in.
      if (one.required === true) assert.ok(one.example !== undefined || one.schema['default'] !== undefined, `${path} ${one.name} has an example`)
      if (one.in === 'path') assert.equal(one.required, true, `${path} ${one.name}`)
      if (one.example !== undefined) assert.deepEqual(schemaMismatches(document, one.schema, one.example, `${path} ${one.name}`), [])
      if (one.schema['default'] !== undefined) assert.deepEqual(schemaMismatches(document, one.schema, one.schema['default'], `${path} ${one.name}`), [])
    }
    const media = operation.requestBody?.content['application/json']
    if (media === undefined) continue
    for (const example of bodyExamples(media)) assert.deepEqual(schemaMismatches(document, media.schema ?? {}, example, path), [])
  }
})

test('every schema is used, every reference resolves, and every field\'s example is valid', () => {
  const text = JSON.stringify(document)
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    assert.ok(text.includes(`"#/components/schemas/${name}"`), `${name} is referred to`)
    for (const [key, property] of Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>)) {
      if (property['example'] !== undefined) assert.deepEqual(schemaMismatches(document, property, property['example'], `${name}.${key}`), [])
    }
  }
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) assert.ok(document.components.schemas[name], name)
  for (const { operation } of operations) {
    for (const scheme of (operation.security ?? []).flatMap((one) => Object.keys(one))) assert.ok(document.components.securitySchemes?.[scheme], scheme)
  }
})

/** Required query parameters of some operations. */
const REQUIRED: Readonly<Record<string, string>> = {
  '/udf/symbols': '&symbol=eth', '/udf/history': '&symbol=eth&resolution=60&from=0&to=4000000000',
  '/v1/candles': '&asset=eth', '/v1/account/volume': `&address=${'G'.repeat(56)}`, '/v1/referral/lookup': '&code=NORTH',
  '/v1/adl/queue': '&asset=eth', '/v1/markets/{asset}/quote': '&direction=Long&collateral=1000000000&leverage=5',
  '/v1/leaderboard/rank': `&trader=${'G'.repeat(56)}`, '/v1/log/consistency': '&from=1&to=2',
}

/** Operations with the required parameter `address`, of an account that exists. */
const NEEDS_ACCOUNT = ['/v1/referral/info', '/v1/account/shortfall']

/**
 * Nothing was corrected. Withdrawals, fee claims and whole days take longer than this test's history. The contracts of generation 1 have no
 * auto-deleveraging. This gateway has no signing key, and the first page may have no events.
 */
const MAY_BE_EMPTY = [
  '/v1/corrections', '/v1/export', '/v1/vaults/{id}/withdraws', '/v1/vaults/{id}/fee-claims', '/v1/adl/queue', '/v1/health',
  '/.well-known/http-message-signatures-directory', '/v1/log/records/{leafIndex}',
]

/** Headers that only some responses carry. */
const OPTIONAL_HEADERS = ['link', 'x-stale', 'x-ignored-parameters']

test('public responses match the document, headers included', async () => {
  const reads = operations.filter(({ method, operation }) => method === 'GET' && operation.security?.length === 0)
  assert.ok(reads.length >= 11)
  const { body: { referrer } } = await fixture.get<{ referrer: string }>('/v1/referral/lookup?code=NORTH')
  const { body: { events: [event] } } = await fixture.get<{ events: readonly { eventId: string }[] }>('/v1/events?limit=1')
  const { body: { orders: [order] } } = await fixture.get<{ orders: readonly { orderId: number }[] }>('/v1/orders/open?status=all&limit=1')
  for (const { path, operation } of reads) {
    if (OTHER_BODIES.includes(path)) continue
    const ofOne = path === '/v1/log/inclusion' ? `&eventId=${event?.eventId}` : NEEDS_ACCOUNT.includes(path) ? `&address=${referrer}` : undefined
    const required = ofOne ?? REQUIRED[path] ?? ''
    const named = path.replace('{asset}', 'eth').replace('{id}', '0').replace('{leafIndex}', '1').replace('{address}', referrer)
      .replace('{orderId}', String(order?.orderId))
    const url = `${named}?limit=2${required}`
    const { status, body, headers } = await fixture.get(url)
    assert.equal(status, 200, path)
    const documented = operation.responses['200']
    assert.deepEqual(schemaMismatches(document, documented?.content?.['application/json']?.schema ?? {}, body, path), [])
    const rows = Object.values(body).find((value) => Array.isArray(value)) as readonly unknown[] | undefined
    assert.ok(rows === undefined || rows.length > 0 || MAY_BE_EMPTY.includes(path), `${path} returns rows`)
    const names = Object.keys(documented?.headers ?? {})
    for (const name of names) assert.ok(headers[name] !== undefined || OPTIONAL_HEADERS.includes(name), `${path} responds without its header ${name}`)
    const own = Object.keys(headers).filter((name) => /^x-(?!content-type-options)|^etag$|^link$/.test(name))
    assert.deepEqual(own.filter((name) => !names.includes(name)), [], `${path} responds with undocumented headers`)
  }
})

test('authenticated responses match the document, from preparing an order to reading the account', async () => {
  const trader = await createTrader(fixture, 'docs')
  await trader.trade({ op: 'open_position', asset: 'ETH', collateral: '1000000000', leverage: 3, direction: 'Long' })
  const prepared = await trader.prepare({ op: 'open_position', asset: 'ETH', collateral: '1000000000', leverage: 2, direction: 'Short' })
  const schemaOf = (path: string, method: string): Schema =>
    document.paths[path]?.[method]?.responses['200']?.content?.['application/json']?.schema ?? { type: 'nothing' }
  assert.deepEqual(schemaMismatches(document, schemaOf('/v1/orders/prepare', 'post'), prepared.body, 'prepare'), [])
  const terms = { asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long', triggerPrice: '10000000' } as const
  const order = { op: 'place_limit_order', clientId: 'docs-1', ...terms } as const
  const submitted = await trader.submit(await trader.signed({ ...order, triggerCondition: 'Below', slippageToleranceBps: 100 }))
  assert.deepEqual(schemaMismatches(document, schemaOf('/v1/tx/submit', 'post'), submitted.body, 'submit'), [])
  await fixture.catchUp()
  const authorization = `Bearer ${trader.key.keyId}:${trader.key.secret}`
  const reads = operations.filter(({ method, operation }) => method === 'GET' && operation.security?.length === 1)
  assert.ok(reads.length >= 9)
  for (const { path } of reads) {
    const query = path === '/v1/tx' ? '?clientId=docs-1' : ''
    const { status, body } = await fixture.get(`${path.replace('{hash}', String(submitted.body['hash']))}${query}`, { authorization })
    assert.equal(status, 200, path)
    assert.deepEqual(schemaMismatches(document, schemaOf(path, 'get'), body, path), [])
  }
})

test('error responses match the document', async () => {
  for (const [url, path, status] of [
    ['/v1/trades?limit=x', '/v1/trades', 400], ['/v1/candles', '/v1/candles', 400], ['/v1/leaderboard?sort=x', '/v1/leaderboard', 400],
    ['/v1/events?limit=x', '/v1/events', 400], ['/v1/positions/open?trader=x', '/v1/positions/open', 400],
    ['/v1/markets/NOPE', '/v1/markets/{asset}', 404], ['/v1/markets/NOPE/price', '/v1/markets/{asset}/price', 404],
    ['/v1/markets/%00', '/v1/markets/{asset}', 400],
  ] as const) {
    const response = await fixture.get(url)
    assert.equal(response.status, status, url)
    const schema = document.paths[path]?.['get']?.responses[status]?.content?.['application/json']?.schema
    assert.deepEqual(schemaMismatches(document, schema ?? {}, response.body, url), [])
  }
})

test('the schema check detects mismatches', () => {
  const price = { $ref: '#/components/schemas/Price' }
  const good = { asset: 'BTC', price: '1', priceFloat: 1e-7, timestamp: 5, stale: null, ageSec: 1, ledger: 9 }
  assert.deepEqual(schemaMismatches(document, price, good), [])
  const wrong = [
    { ...good, price: 1 }, { ...good, price: '1.5' }, { ...good, timestamp: 1.5 }, { ...good, extra: 1 }, { asset: 'BTC' }, [good], null, 'BTC',
    { ...good, priceFloat: Number.NaN },
  ]
  for (const value of wrong) assert.notDeepEqual(schemaMismatches(document, price, value), [], JSON.stringify(value))
  assert.notDeepEqual(schemaMismatches(document, { type: 'integer', multipleOf: 2 }, 5), [], 'an unsupported keyword')
  assert.notDeepEqual(schemaMismatches(document, { oneOf: [price, price] }, good), [], 'two alternatives match')
})
