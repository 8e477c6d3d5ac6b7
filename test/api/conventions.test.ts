// "Global conventions" and what every endpoint shares: request ids, caching, CORS, errors.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { after, before, test } from 'node:test'
import type { Log } from '../../src/base/log.ts'
import { silentLog } from '../../src/base/log.ts'
import { RATE_LIMIT_PER_WINDOW, REQUEST_ID_MAX_LENGTH, VAULT_CACHE_MS } from '../../src/limits.ts'
import { StatementTimeout } from '../../src/store/store.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import { createFlakyStore } from '../support/flaky-store.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { call } from '../support/keys.ts'
import { withoutMessage } from '../support/without-message.ts'

const WEB_ORIGIN = 'https://app.example'

/** Every public read endpoint, its cache-control, and whether it reads from the index. */
const READS: readonly { readonly path: string; readonly cache: string; readonly indexed: boolean }[] = [
  { path: '/v1/health', cache: 'no-store', indexed: true },
  { path: '/v1/markets', cache: 'public, max-age=1', indexed: false },
  { path: '/v1/markets/stats', cache: 'public, max-age=1', indexed: true },
  { path: '/v1/markets/btc', cache: 'public, max-age=1', indexed: false },
  { path: '/v1/markets/btc/price', cache: 'public, max-age=1', indexed: false },
  { path: '/v1/oracle/prices', cache: 'public, max-age=1', indexed: false },
  { path: '/v1/trades', cache: 'no-cache', indexed: true },
  { path: '/v1/candles?asset=BTC', cache: 'no-cache', indexed: true },
  { path: '/udf/config', cache: 'no-cache', indexed: false },
  { path: '/udf/search', cache: 'no-cache', indexed: false },
  { path: '/udf/symbols?symbol=btc', cache: 'no-cache', indexed: false },
  { path: '/udf/history?symbol=btc&resolution=60&from=0&to=1', cache: 'no-cache', indexed: true },
  { path: '/v1/leaderboard', cache: 'public, max-age=1', indexed: true },
  { path: '/v1/events', cache: 'no-cache', indexed: true },
  { path: '/v1/positions/open', cache: 'no-cache', indexed: true },
  { path: '/v1/vaults', cache: 'public, max-age=1', indexed: true },
  { path: '/v1/vaults/0/trades', cache: 'no-cache', indexed: true },
  { path: '/v1/vaults/0/fee-claims', cache: 'no-cache', indexed: true },
  { path: '/v1/vaults/0/history', cache: 'no-cache', indexed: true },
  { path: `/v1/traders/${'G'.padEnd(56, 'A')}`, cache: 'no-cache', indexed: true },
  { path: `/v1/traders/${'G'.padEnd(56, 'A')}/pnl`, cache: 'no-cache', indexed: true },
  { path: `/v1/traders/${'G'.padEnd(56, 'A')}/ledger`, cache: 'no-cache', indexed: true },
  { path: '/v1/pool/history', cache: 'no-cache', indexed: true },
  { path: '/v1/funding', cache: 'no-cache', indexed: true },
  { path: '/v1/pool', cache: 'public, max-age=1', indexed: false },
  { path: '/v1/markets/btc/limits', cache: 'public, max-age=1', indexed: false },
]
const CACHEABLE = READS.filter(({ cache }) => cache !== 'no-store')
const INDEXED = READS.filter(({ indexed, path }) => indexed && path !== '/v1/health')

const UNAVAILABLE = { statusCode: 503, error: 'Service Unavailable', message: 'The data is temporarily unavailable. Retry after one second.' }

let fixture: GatewayFixture

before(async () => {
  fixture = await createGatewayFixture({ seed: 'conventions', gateway: { webOrigins: [WEB_ORIGIN] } })
  await fixture.closeLedgers(30)
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

test('every response is JSON with a request id, cache-control and the state of the index it was read from', async () => {
  const head = fixture.network.chain.history.latest().sequence
  // The end of the log, which counts transfers of the token too.
  const [{ seq, epoch }] = await fixture.store.read.query<{ seq: string; epoch: string }>(
    'select max(e.seq)::text as seq, max(n.epoch) as epoch from idx.events e join idx.epochs n on n.number = e.epoch',
  ) as [{ seq: string; epoch: string }]
  for (const { path, cache, indexed } of READS) {
    const { status, headers } = await fixture.get(path)
    assert.equal(status, 200, path)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8', path)
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    assert.match(headers['x-request-id'] ?? '', /^[0-9a-f]{12}-[0-9a-z]+$/, path)
    assert.equal(headers['cache-control'], cache, path)
    const found = [headers['x-ledger'], headers['x-seq'], headers['x-epoch']]
    assert.deepEqual(found, indexed ? [String(head), seq, epoch] : [undefined, undefined, undefined], path)
  }
})

const MUXED = [
  ['WCVSPNZJ3HGEZMOABFQHABCGSJAVT2JJRUHZKKXOHVKUBC4OBMNXCABAAAAAAAAAAGQOA',
    'is a muxed contract address (W…). Use the address of the contract, CCVSPNZJ3HGEZMOABFQHABCGSJAVT2JJRUHZKKXOHVKUBC4OBMNXDK7T'],
  ['MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK',
    'is a muxed account address (M…). Use the address of the account, GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'],
] as const

test('a muxed address is rejected with the address to use instead, wherever an address is expected', async () => {
  for (const [address, problem] of MUXED) {
    const paths: readonly (readonly [path: string, where: string])[] = [
      [`/v1/trades?trader=${address}`, 'querystring/trader'], [`/v1/positions/open?trader=%20${address}`, 'querystring/trader'],
      [`/v1/traders/${address}`, 'params/address'], [`/v1/traders/${address}/ledger`, 'params/address'],
      [`/v1/account/volume?address=${address}`, 'querystring/address'], [`/v1/referral/info?address=${address}`, 'querystring/address'],
      [`/v1/account/shortfall?address=${address}`, 'querystring/address'], [`/v1/vaults?leader=${address}`, 'querystring/leader'],
      [`/v1/leaderboard/rank?trader=${address}`, 'querystring/trader'], [`/v1/keys/beta-status?address=${address}`, 'querystring/address'],
    ]
    for (const [path, where] of paths) {
      const { status, body } = await fixture.get<{ message: string }>(path)
      assert.deepEqual([status, body.message], [400, `${where} ${problem}`], path)
    }
    const challenge = await call<{ message: string }>(fixture.gateway.app, '/v1/keys/challenge', { method: 'POST', body: { address } })
    assert.deepEqual([challenge.status, challenge.body.message], [400, `body/address ${problem}`])
  }
})

test('every cacheable endpoint responds 304 without a body to a matching weak etag', async () => {
  assert.equal((await fixture.get('/v1/health')).headers['etag'], undefined)
  for (const { path, cache } of CACHEABLE) {
    const first = await fixture.get(path)
    const etag = first.headers['etag'] ?? ''
    assert.match(etag, /^W\/"[\w-]+"$/, path)
    for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const second = await fixture.get(path, { 'if-none-match': known })
      assert.deepEqual([second.status, second.text, second.headers['etag'], second.headers['cache-control']], [304, '', etag, cache], `${path} ${known}`)
      assert.ok(second.headers['x-request-id'] !== undefined)
      assert.equal(second.headers['x-seq'], first.headers['x-seq'])
    }
    const other = await fixture.get(path, { 'if-none-match': 'W/"other"' })
    assert.deepEqual([other.status, other.text], [200, first.text], path)
  }
})

test('a list\'s etag changes only with its rows', async () => {
  const emptyList = `/v1/trades?trader=${'G'.padEnd(56, 'A')}`
  const first = await fixture.get(emptyList)
  const events = await fixture.get('/v1/events')
  await fixture.closeLedgers(10)
  await fixture.catchUp()
  const unchanged = await fixture.get(emptyList, { 'if-none-match': first.headers['etag'] ?? '' })
  assert.equal(unchanged.status, 304)
  assert.notEqual(unchanged.headers['x-ledger'], first.headers['x-ledger'], 'a 304 carries the current state of the index')
  assert.equal((await fixture.get('/v1/events', { 'if-none-match': events.headers['etag'] ?? '' })).status, 200)
})

test('HEAD responds as GET does, without the body', async () => {
  for (const { path, cache } of READS) {
    const got = await fixture.get(path)
    const head = await fixture.gateway.app.inject({ method: 'HEAD', url: path })
    assert.deepEqual([head.statusCode, head.body], [200, ''], path)
    assert.deepEqual([head.headers['cache-control'], head.headers['etag'], head.headers['x-seq']], [cache, got.headers['etag'], got.headers['x-seq']], path)
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(got.text)), path)
  }
  assert.equal((await fixture.gateway.app.inject({ method: 'HEAD', url: '/v1/markets/NOPE' })).statusCode, 404)
  assert.equal((await fixture.gateway.app.inject({ method: 'HEAD', url: '/v1/trades?limit=x' })).statusCode, 400)
})

test('unknown routes and wrong methods are 404 in Fastify\'s default shape', async () => {
  const requests = [
    ...['/', '/v1', '/v1/', '/v2/markets', '/v1/market', '/v1/trades/', '/V1/trades', '/v1//trades', '/v1/positions', '/v1/positions/closed', '/v1/oracle']
      .map((url) => ({ method: 'GET', url }) as const),
    ...READS.map(({ path }) => ({ method: 'POST', url: path }) as const),
    ...READS.map(({ path }) => ({ method: 'DELETE', url: path }) as const),
    { method: 'OPTIONS', url: '/v1/trades' }, { method: 'PUT', url: '/docs/json' }, { method: 'PATCH', url: '/v1/events' },
  ] as const
  for (const request of requests) {
    const response = await fixture.gateway.app.inject(request)
    assert.equal(response.statusCode, 404, `${request.method} ${request.url}`)
    assert.deepEqual(response.json(), { message: `Route ${request.method}:${request.url} not found`, error: 'Not Found', statusCode: 404,
      reason: 'unknown_route' })
    assert.ok(response.headers['x-request-id'])
    assert.equal(response.headers['cache-control'], 'no-store')
  }
})

test('CORS allows only the web app\'s origin, on every response', async () => {
  const urls = [...READS.map(({ path }) => path), '/v1/markets/NOPE', '/v1/trades?limit=x', '/v1/nowhere', '/docs/json']
  for (const url of urls) {
    const own = await fixture.get<unknown>(url, { origin: WEB_ORIGIN })
    assert.equal(own.headers['access-control-allow-origin'], WEB_ORIGIN, url)
    for (const readable of ['ETag', 'Link', 'Retry-After', 'X-Ledger', 'X-RateLimit-Remaining', 'X-RateLimit-Tier', 'X-Request-Id', 'X-Seq', 'X-Stale']) {
      assert.ok(own.headers['access-control-expose-headers']?.includes(readable), `${url} ${readable}`)
    }
    const foreign = ['https://evil.example', 'https://app.example.evil', 'http://app.example', 'https://app.example:8443', 'null', 'https://APP.example']
    for (const origin of foreign) {
      const other = await fixture.get<unknown>(url, { origin })
      assert.equal(other.headers['access-control-allow-origin'], undefined, `${url} ${origin}`)
      assert.match(other.headers['vary'] ?? '', /^Origin(, X-Min-Ledger|, Accept-Encoding)?$/)
    }
    assert.equal((await fixture.get<unknown>(url)).headers['access-control-allow-origin'], undefined)
  }
})

test('a preflight allows only the web app and is not rate-limited', async () => {
  for (const { path } of READS) {
    const preflight = async (origin: string) => await fixture.gateway.app.inject({
      method: 'OPTIONS', url: path, headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-request-id' },
    })
    const own = await preflight(WEB_ORIGIN)
    assert.deepEqual([own.statusCode, own.body, own.headers['access-control-allow-origin']], [204, '', WEB_ORIGIN], path)
    assert.match(String(own.headers['access-control-allow-methods']), /GET/)
    assert.match(String(own.headers['access-control-allow-headers']), /X-Request-Id/)
    assert.equal(own.headers['x-ratelimit-remaining'], undefined)
    const other = await preflight('https://evil.example')
    const allowed = Object.keys(other.headers).filter((name) => name.startsWith('access-control-'))
    assert.deepEqual(allowed, [], path)
  }
})

/** Sends one request over a socket with unmodified headers. */
async function send(base: string, path: string, headers: OutgoingHttpHeaders): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  const request = httpRequest(new URL(path, base), { headers })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode ?? 0, headers: response.headers }
}

test('accepts a valid request id from the client and replaces an invalid one', async () => {
  const base = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })
  const valid = ['a', 'trace-1', '4f9c0d3e-6f1c-4b1e-9f55-0d6b1e4f4c11', 'x'.repeat(REQUEST_ID_MAX_LENGTH)]
  const invalid = ['a\tb', 'a b', '', 'x'.repeat(REQUEST_ID_MAX_LENGTH + 1), 'é', '<b>', 'a,b', ['a', 'b']]
  for (const [path, status] of [['/v1/trades', 200], ['/v1/trades?limit=0', 400], ['/v1/markets/NOPE', 404], ['/nowhere', 404], ['/v1/health', 200]] as const) {
    for (const id of valid) {
      const response = await send(base, path, { 'x-request-id': id })
      assert.deepEqual([response.status, response.headers['x-request-id']], [status, id], path)
    }
    for (const id of invalid) {
      const response = await send(base, path, { 'x-request-id': id })
      assert.equal(response.status, status)
      assert.match(String(response.headers['x-request-id']), /^[0-9a-f]{12}-[0-9a-z]+$/, `${path} ${JSON.stringify(id)}`)
    }
  }
})

test('while the database is down indexed endpoints respond 503 with retry-after, and prices and health stay available', async () => {
  const flaky = createFlakyStore(fixture.store)
  await fixture.restartGateway({ store: flaky.store })
  await fixture.gateway.oracle.step()
  for (const { path } of READS) assert.equal((await fixture.get(path)).status, 200, path)
  flaky.set('down')
  fixture.clock.advance(VAULT_CACHE_MS)
  for (const { path } of INDEXED) {
    const { status, body, headers } = await fixture.get(path)
    assert.deepEqual([status, body, headers['retry-after'], headers['cache-control']], [503, UNAVAILABLE, '1', 'no-store'], path)
    assert.ok(headers['x-request-id'] !== undefined)
  }
  for (const { path, indexed } of READS) if (!indexed) assert.equal((await fixture.get(path)).status, 200, path)
  const health = await fixture.get<{ indexer: { lastLedger: number } }>('/v1/health')
  const latestLedger = fixture.network.chain.history.latest().sequence
  assert.deepEqual([health.status, health.body.indexer.lastLedger], [200, latestLedger], 'health reports the last known state')
  flaky.set('up')
  for (const { path } of INDEXED) assert.equal((await fixture.get(path)).status, 200, path)
})

/** A store whose every statement fails with this error, and a log that records errors. */
function failing(error: Error): { store: never; log: Log; logged: Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = []
  const query = async (): Promise<never> => {
    throw error
  }
  const store = { engine: 'embedded', read: { query }, write: { query, run: query }, writeProblem: async () => null } as never
  return { store, log: { ...silentLog, error: (fields) => logged.push(fields) }, logged }
}

test('responds 503 when a statement times out', async () => {
  const { store } = failing(new StatementTimeout('canceling statement due to statement timeout on db.internal'))
  await using bare = await createBareGateway({ store })
  for (const { path } of INDEXED) {
    const response = await bare.gateway.app.inject(path)
    assert.deepEqual([response.statusCode, response.json(), response.headers['retry-after']], [503, UNAVAILABLE, '1'], path)
  }
})

test('an unexpected error is a 500 without details, and the log has them with the request id', async () => {
  const { store, log, logged } = failing(new Error('relation idx.trades does not exist, password=hunter2'))
  await using bare = await createBareGateway({ store, log })
  for (const { path } of INDEXED) {
    const response = await bare.gateway.app.inject({ url: path, headers: { 'x-request-id': `case-${path.length}` } })
    assert.equal(response.statusCode, 500, path)
    assert.deepEqual(Object.keys(response.json<object>()), ['statusCode', 'error', 'message'])
    assert.doesNotMatch(response.body, /hunter2|idx\.|relation|\.ts|node:/, path)
    const entry = logged.find(({ requestId }) => requestId === `case-${path.length}`)
    assert.match(String(entry?.['err']), /hunter2/)
  }
})

test('limits requests without a key to sixty a minute over all endpoints but health and the documentation', async () => {
  await fixture.restartGateway({ rateLimits: RATE_LIMIT_PER_WINDOW })
  fixture.clock.advance(60_000 - (fixture.clock.nowMs() % 60_000) + 20_000)
  const counted = [...READS.filter(({ path }) => path !== '/v1/health').map(({ path }) => path), '/v1/nowhere', '/v1/trades?limit=x', '/v1/markets/NOPE']
  for (let sent = 0; sent < RATE_LIMIT_PER_WINDOW.public; sent++) {
    const { status, headers } = await fixture.get(counted[sent % counted.length] ?? '')
    assert.notEqual(status, 429)
    assert.deepEqual([headers['x-ratelimit-tier'], headers['x-ratelimit-remaining']], ['public', String(RATE_LIMIT_PER_WINDOW.public - sent - 1)])
  }
  for (const path of counted) {
    const { status, body, headers } = await fixture.get(path)
    assert.deepEqual([status, withoutMessage(body)], [429, { error: 'rate_limited', retry_after_sec: 40 }], path)
    assert.deepEqual([headers['retry-after'], headers['x-ratelimit-remaining'], headers['cache-control']], ['40', '0', 'no-store'])
  }
  for (const path of ['/v1/health', '/v1/health?x=1', '/docs/json']) assert.equal((await fixture.get<unknown>(path)).status, 200)
  fixture.clock.advance(40_000)
  assert.equal((await fixture.get('/v1/trades')).headers['x-ratelimit-remaining'], '59')
})
