import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { Type } from 'typebox'
import { createVirtualClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { silentLog } from '../base/log.ts'
import { createSeededRandom } from '../base/random.ts'
import { BODY_LIMIT_BYTES, RATE_LIMIT_PER_WINDOW } from '../limits.ts'
import { prepareResponse, sendResponse } from './response.ts'
import { createApp } from './app.ts'
import type { App, AppOptions } from './app.ts'
import { mayConnect } from './cors.ts'
import type { WebOrigins } from './cors.ts'
import { rpcFailure } from './errors.ts'
import { createRequestLimits } from './request-limits.ts'
import { withoutMessage } from '../../test/support/without-message.ts'

class Unavailable extends Error {}

const MINUTE_MS = 60_000

function buildApp(options: Partial<AppOptions> = {}): { app: App; clock: ReturnType<typeof createVirtualClock> } {
  const clock = createVirtualClock(MINUTE_MS * 1_000)
  const app = createApp({
    clock,
    random: createSeededRandom('app'),
    log: silentLog,
    webOrigins: [],
    trustProxy: false,
    requestLimits: createRequestLimits({ clock, limits: RATE_LIMIT_PER_WINDOW, addressCeiling: 12_000 }),
    errorRules: [
      { matches: (error) => error instanceof Unavailable, toResponse: () => ({ status: 503, body: { error: 'away', message: 'Away. Retry.' },
        headers: { 'retry-after': '1' } }) },
    ],
    ...options,
  })
  const querystring = Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    before_ts: Type.Optional(Type.Integer({ minimum: 0 })),
    asset: Type.Optional(Type.String({ minLength: 1, maxLength: 12 })),
  })
  app.get('/list', { schema: { querystring } }, (request) => request.query)
  app.get('/cached', (request, reply) => sendResponse(request, reply, prepareResponse('{"a":1}', { 'cache-control': 'no-cache' })))
  app.get('/exempt', { config: { rateLimited: false } }, () => ({ ok: true }))
  app.post('/body', { schema: { body: Type.Object({ amount: Type.String() }) } }, () => ({ ok: true }))
  app.get('/broken', () => {
    throw new Error('password=hunter2 at db.internal')
  })
  app.get('/away', () => {
    throw new Unavailable('the disk is on fire')
  })
  app.get('/rpc', () => {
    throw rpcFailure('cannot be read')
  })
  return { app, clock }
}

test('rejects query parameters that are not decimal integers in range', async () => {
  const { app } = buildApp()
  const invalid: readonly (readonly [string, RegExp])[] = [
    ['limit=abc', /^querystring\/limit must be integer$/],
    ['limit=', /^querystring\/limit must be integer$/],
    ['limit=0', /^querystring\/limit must be >= 1$/],
    ['limit=201', /^querystring\/limit must be <= 200$/],
    ['limit=1.5', /^querystring\/limit must be integer$/],
    ['limit=1e2', /^querystring\/limit must be integer$/],
    ['limit=0x10', /^querystring\/limit must be integer$/],
    ['limit=%205', /^querystring\/limit must be integer$/],
    ['limit=+5', /^querystring\/limit must be integer$/],
    ['limit=05', /^querystring\/limit must be integer$/],
    ['limit=5&limit=6', /^querystring\/limit must be given once$/],
    ['limit=true', /^querystring\/limit must be integer$/],
    ['before_ts=-1', /^querystring\/before_ts must be >= 0$/],
    ['before_ts=9007199254740993', /^querystring\/before_ts must be integer$/],
    ['before_ts=99999999999999999999', /^querystring\/before_ts must be integer$/],
    ['asset=BTC&asset=ETH', /^querystring\/asset must be given once$/],
    ['asset=', /^querystring\/asset must have at least 1 character$/],
    ['asset=%00', /^querystring\/asset must not contain a null character$/],
  ]
  for (const [query, message] of invalid) {
    const response = await app.inject(`/list?${query}`)
    assert.equal(response.statusCode, 400, query)
    const body = response.json<Record<string, unknown>>()
    assert.deepEqual(Object.keys(body).sort(), ['code', 'error', 'message', 'parameter', 'reason', 'statusCode'])
    assert.equal(body['code'], 'FST_ERR_VALIDATION')
    assert.equal(body['error'], 'Bad Request')
    assert.match(String(body['message']), message)
    assert.equal(response.headers['cache-control'], 'no-store')
  }
})

test('parses valid query parameters as numbers, applies defaults and ignores unknown parameters', async () => {
  const { app } = buildApp()
  assert.deepEqual((await app.inject('/list')).json(), { limit: 50 })
  const { statusCode, body } = await app.inject('/list?limit=200&before_ts=9007199254740991&utm_source=x&_=1')
  assert.equal(statusCode, 200)
  assert.equal(JSON.parse(body).limit, 200)
  assert.equal(JSON.parse(body).before_ts, 9007199254740991)
})

test('does not coerce body fields', async () => {
  const { app } = buildApp()
  const response = await app.inject({ method: 'POST', url: '/body', payload: { amount: 5 } })
  assert.equal(response.statusCode, 400)
  assert.match(response.json<{ message: string }>().message, /body\/amount must be string/)
})

test('returns the client\'s x-request-id if it is valid, otherwise a new one', async () => {
  const { app } = buildApp()
  for (const url of ['/cached', '/exempt', '/list?limit=x', '/nowhere', '/broken', '/away', '/%zz']) {
    const own = await app.inject({ url, headers: { 'x-request-id': 'mine-1' } })
    assert.equal(own.headers['x-request-id'], 'mine-1', url)
    const other = await app.inject({ url, headers: { 'x-request-id': 'not sane' } })
    assert.match(String(other.headers['x-request-id']), /^[0-9a-f]{12}-[0-9a-z]+$/, url)
  }
})

test('hides the cause of a 500 from the client and logs it with the request id', async () => {
  const logged: Record<string, unknown>[] = []
  const log: Log = { ...silentLog, error: (fields) => logged.push(fields) }
  const { app } = buildApp({ log })
  const broken = await app.inject({ url: '/broken', headers: { 'x-request-id': 'case-7' } })
  assert.equal(broken.statusCode, 500)
  assert.doesNotMatch(broken.body, /hunter2|internal\.|stack/)
  assert.equal(logged[0]?.['requestId'], 'case-7')
  assert.match(String(logged[0]?.['err']), /hunter2/)

  const away = await app.inject('/away')
  assert.deepEqual([away.statusCode, withoutMessage(away.json()), away.headers['retry-after']], [503, { error: 'away' }, '1'])
  const rpc = await app.inject('/rpc')
  assert.deepEqual([rpc.statusCode, rpc.json()], [502, { error: 'rpc_error', message: 'cannot be read' }])
})

test('returns a 404 in Fastify\'s default format for unknown paths', async () => {
  const { app } = buildApp()
  const urls = ['/nowhere', '//list', '/list/', '/LIST', '/list%2f', '/list%00', '/..%2f..%2fetc/passwd', `/${'x'.repeat(4_000)}`]
  for (const url of urls) {
    const response = await app.inject({ method: 'GET', url })
    assert.equal(response.statusCode, 404, url)
    const body = response.json<Record<string, unknown>>()
    assert.deepEqual(Object.keys(body), ['message', 'error', 'statusCode', 'reason'])
    assert.equal(body['error'], 'Not Found')
    assert.match(String(body['message']), /^Route GET:.* not found$/)
    assert.equal(response.headers['x-content-type-options'], 'nosniff')
  }
  const undecodable = await app.inject('/%zz')
  assert.equal(undecodable.statusCode, 400)
  assert.equal(undecodable.json<{ code: string }>().code, 'FST_ERR_BAD_URL')
})

test('rejects malformed bodies with the matching 4xx', async () => {
  const { app } = buildApp()
  const post = (payload: string, type: string) => app.inject({ method: 'POST', url: '/body', payload, headers: { 'content-type': type } })
  assert.equal((await post('<a/>', 'text/xml')).statusCode, 415)
  assert.equal((await post('{', 'application/json')).statusCode, 400)
  assert.equal((await post('{"__proto__":{"a":1},"amount":"1"}', 'application/json')).statusCode, 400)
  assert.equal((await post(`"${'x'.repeat(BODY_LIMIT_BYTES)}"`, 'application/json')).statusCode, 413)
  assert.equal((await app.inject({ method: 'DELETE', url: '/list' })).statusCode, 404)
})

test('allows 60 requests per minute, then returns 429 with retry-after, and exempts exempt routes', async () => {
  const { app, clock } = buildApp()
  clock.advance(42_500)
  for (let call = 0; call < 60; call++) {
    const response = await app.inject(call % 2 === 0 ? '/cached' : '/nowhere')
    assert.equal(response.headers['x-ratelimit-tier'], 'public')
    assert.equal(response.headers['x-ratelimit-remaining'], String(59 - call))
  }
  const exempt = await app.inject('/exempt?x=1')
  assert.equal(exempt.statusCode, 200)
  assert.equal(exempt.headers['x-ratelimit-remaining'], undefined)

  for (const url of ['/cached', '/nowhere', '/list?limit=x', '/%zz']) {
    const refused = await app.inject(url)
    assert.equal(refused.statusCode, 429, url)
    assert.deepEqual(withoutMessage(refused.json()), { error: 'rate_limited', retry_after_sec: 18 })
    assert.equal(refused.headers['retry-after'], '18')
    assert.equal(refused.headers['x-ratelimit-remaining'], '0')
    assert.equal(refused.headers['x-ratelimit-tier'], 'public')
  }
  assert.equal((await app.inject({ url: '/cached', remoteAddress: '192.0.2.44' })).statusCode, 200, 'another address has its own limit')
  clock.advance(17_500)
  assert.equal((await app.inject('/cached')).headers['x-ratelimit-remaining'], '59')
})

test('ignores X-Forwarded-For without a trusted proxy', async () => {
  const direct = buildApp().app
  const proxied = buildApp({ trustProxy: 1 }).app
  const ask = async (app: App, client: string) => {
    const response = await app.inject({ url: '/cached', headers: { 'x-forwarded-for': client } })
    return response.headers['x-ratelimit-remaining']
  }
  assert.deepEqual([await ask(direct, '198.51.100.1'), await ask(direct, '198.51.100.2')], ['59', '58'])
  assert.deepEqual([await ask(proxied, '198.51.100.1'), await ask(proxied, '198.51.100.2')], ['59', '59'])
})

test('allows CORS only for WEB_ORIGIN and does not count preflights', async () => {
  const webOrigin = 'https://app.example'
  const { app } = buildApp({ webOrigins: ['https://other.example', webOrigin] })
  const preflight = (origin: string) =>
    app.inject({ method: 'OPTIONS', url: '/list', headers: { origin, 'access-control-request-method': 'GET' } })
  const allowed = await preflight(webOrigin)
  assert.equal(allowed.statusCode, 204)
  assert.equal(allowed.headers['access-control-allow-origin'], webOrigin)
  assert.match(String(allowed.headers['access-control-allow-headers']), /Authorization/)
  assert.equal(allowed.headers['x-ratelimit-remaining'], undefined)
  const foreign = await preflight('https://evil.example')
  assert.equal(foreign.headers['access-control-allow-origin'], undefined)

  for (const url of ['/cached', '/nowhere', '/broken']) {
    const own = await app.inject({ url, headers: { origin: webOrigin } })
    assert.equal(own.headers['access-control-allow-origin'], webOrigin, url)
    assert.match(String(own.headers['access-control-expose-headers']), /Link.*X-Request-Id/)
    assert.equal(own.headers['access-control-allow-credentials'], undefined)
    const other = await app.inject({ url, headers: { origin: 'https://app.example.evil' } })
    assert.equal(other.headers['access-control-allow-origin'], undefined, url)
    assert.equal(other.headers['vary'], 'Origin')
  }
  const closed = await buildApp().app.inject({ url: '/cached', headers: { origin: 'null' } })
  assert.equal(closed.headers['access-control-allow-origin'], undefined)
})

test('WEB_ORIGIN=* lets every page read, without credentials', async () => {
  const { app } = buildApp({ webOrigins: '*' })
  const origin = 'https://any.example'
  const read = await app.inject({ url: '/cached', headers: { origin } })
  assert.deepEqual([read.headers['access-control-allow-origin'], read.headers['vary']], ['*', undefined])
  assert.match(String(read.headers['access-control-expose-headers']), /RateLimit-Reset/)
  const { headers } = await app.inject({ method: 'OPTIONS', url: '/body', headers: { origin, 'access-control-request-method': 'POST' } })
  assert.equal(headers['access-control-allow-methods'], 'GET, HEAD')
  assert.doesNotMatch(String(headers['access-control-allow-headers']), /authorization|content-type/i)
  assert.equal(headers['access-control-allow-credentials'], undefined)
  const write = await app.inject({ method: 'POST', url: '/body', payload: { amount: '1' }, headers: { origin } })
  assert.equal(write.headers['access-control-allow-origin'], undefined)
})

test('allows a WebSocket from the listed origins, from the gateway itself, and from programs', () => {
  const host = 'gateway.example'
  const allowed = (webOrigins: WebOrigins) =>
    [undefined, 'https://app.example', 'https://gateway.example', 'https://evil.example', 'null'].map((origin) => mayConnect(webOrigins, { origin, host }))
  assert.deepEqual(allowed([]), [true, false, true, false, false])
  assert.deepEqual(allowed(['https://other.example', 'https://app.example']), [true, true, true, false, false])
  assert.deepEqual(allowed('*'), [true, true, true, true, true])
})

test('returns 304 for a matching etag', async () => {
  const { app } = buildApp()
  const first = await app.inject('/cached')
  const etag = String(first.headers['etag'])
  assert.match(etag, /^W\/"[\w-]+"$/)
  assert.equal(first.headers['content-type'], 'application/json; charset=utf-8')
  for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const again = await app.inject({ url: '/cached', headers: { 'if-none-match': known } })
    assert.equal(again.statusCode, 304, known)
    assert.equal(again.body, '')
    assert.equal(again.headers['etag'], etag)
    assert.ok(again.headers['x-request-id'])
  }
  assert.equal((await app.inject({ url: '/cached', headers: { 'if-none-match': 'W/"other"' } })).statusCode, 200)
  const head = await app.inject({ method: 'HEAD', url: '/cached' })
  assert.deepEqual([head.statusCode, head.body, head.headers['content-length']], [200, '', '7'])
})

/** Sends raw bytes and returns everything received until the server closes the connection. */
async function sendRaw(port: number, bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let received = ''
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk)).on('close', () => resolve(received)).on('error', reject)
  return await promise
}

test('responds to malformed HTTP with a request id and closes the connection', async () => {
  const { app } = buildApp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  assert.ok(typeof address === 'object' && address !== null)
  try {
    const garbage = await sendRaw(address.port, 'HELO there\r\n\r\n')
    assert.match(garbage, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.match(garbage, /\r\nx-request-id: [0-9a-f]{12}-[0-9a-z]+\r\n/)
    assert.match(await sendRaw(address.port, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
    assert.match(await sendRaw(address.port, `GET /${'y'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`), /^HTTP\/1\.1 431 /)
  } finally {
    await app.close()
  }
})

test('rejects a request that repeats its Host or its credentials, and closes the connection', async () => {
  const { app } = buildApp()
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  for (const [header, lines] of [['host', 'Host: a\r\nhOST: b'], ['authorization', 'Host: a\r\nAuthorization: Bearer a:b\r\nauthorization: Bearer c:d']]) {
    const socket = connect(Number(url.port), url.hostname)
    socket.write(`GET /exempt HTTP/1.1\r\n${lines}\r\n\r\nGET /exempt HTTP/1.1\r\nHost: a\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    assert.match(text, /^HTTP\/1\.1 400 /)
    assert.ok(text.includes(`headers/${header} must be given once`), text)
    assert.equal(text.split('HTTP/1.1 ').length, 2, 'the next request is not answered')
  }
  await app.close()
})
