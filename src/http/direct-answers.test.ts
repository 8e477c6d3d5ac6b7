import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { createVirtualClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createSeededRandom } from '../base/random.ts'
import { UNRESTRICTED } from '../keys/restrictions.ts'
import type { Authentication } from '../keys/authentication.ts'
import { createApp } from './app.ts'
import type { App, AppOptions } from './app.ts'
import type { ReadPrepared } from './direct-answers.ts'
import { createRequestLimits } from './request-limits.ts'
import { prepareResponse, sendResponse } from './response.ts'

const PREPARED = prepareResponse('{"price":"1€"}', { 'cache-control': 'public, max-age=1', 'x-stale': '1' })
const PLAIN = { restrictions: UNRESTRICTED, parent: null, rotation: 0, secretUntil: null } as const
const KEY = { keyId: `nk_${'a'.repeat(24)}`, owner: `G${'A'.repeat(55)}`, tier: 'standard', ...PLAIN } as const
const LIMIT = 6

interface Served extends AsyncDisposable {
  /** Returns the server's output on one connection, with closing requests aside, and without the date. */
  exchange(requests: string): Promise<string>
  /** Requests reported to the observer. */
  readonly observed: unknown[]
  /** Number of times the handler of the framework ran. */
  handled(): number
}

async function serve(isDirect: boolean, options: Partial<AppOptions>, read: ReadPrepared): Promise<Served> {
  const clock = createVirtualClock(60_000_000)
  const random = createSeededRandom('direct')
  const observed: unknown[] = []
  let handled = 0
  const app: App = createApp({
    clock, random, log: silentLog, webOrigins: [], trustProxy: false, errorRules: [],
    requestLimits: createRequestLimits({ clock, limits: { public: LIMIT, standard: LIMIT, market_maker: LIMIT }, addressCeiling: 100 }),
    // The framework measures durations with its own clock.
    observer: {
      onResponse: ({ method, route, status }) => observed.push({ method, route, status }),
      onRateLimitDecision: (tier, allowed) => observed.push({ tier, allowed }),
    },
    ...options,
  })
  app.get('/prices', { config: isDirect ? { prepared: read } : {} }, (request, reply) => {
    handled += 1
    return sendResponse(request, reply, read() ?? prepareResponse('{"computed":true}', {}))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return {
    observed,
    handled: () => handled,
    async exchange(requests) {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(requests)
      return (await readText(socket)).replaceAll(/^Date: .*$/gm, 'Date')
    },
    [Symbol.asyncDispose]: () => app.close(),
  }
}

/** Sends the same connections to both servers and compares all bytes. Returns what the direct one wrote, and whether its handler ran. */
async function compare(
  connections: readonly string[], options: () => Partial<AppOptions> = () => ({}), read: ReadPrepared = () => PREPARED,
): Promise<{ readonly written: readonly string[]; readonly handled: number }> {
  await using direct = await serve(true, options(), read)
  await using framework = await serve(false, options(), read)
  const written: string[] = []
  for (const requests of connections) {
    const found = await direct.exchange(requests)
    assert.equal(found, await framework.exchange(requests), requests)
    written.push(found)
  }
  assert.deepEqual(direct.observed, framework.observed)
  return { written, handled: direct.handled() }
}

function get(...headers: readonly string[]): string {
  return `GET /prices HTTP/1.1\r\n${['Host: gateway.example', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`
}

test('answers directly with the bytes of the framework', async () => {
  const { written, handled } = await compare([
    get(), get('X-Request-Id: mine-1'), get('X-Request-Id: not sane'), get('Accept-Encoding: gzip, br', 'User-Agent: test'),
    'GET /prices HTTP/1.1\r\nHost: gateway.example\r\n\r\n' + get(),
  ])
  assert.equal(handled, 0)
  assert.match(written[0] ?? '', /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n\{"price":"1€"\}$/)
  assert.match(written[1] ?? '', /x-request-id: mine-1\r\n/)
})

test('answers 304 directly', async () => {
  const { written, handled } = await compare([
    get(`If-None-Match: ${PREPARED.etag}`), get('If-None-Match: *'), get(`If-None-Match: "other", ${PREPARED.etag.slice(2)}`), get('If-None-Match: "other"'),
  ])
  assert.equal(handled, 0)
  assert.deepEqual(written.map((response) => response.slice(9, 12)), ['304', '304', '304', '200'])
})

test('rejects the request over the limit, and counts a connection\'s requests once', async () => {
  const { written } = await compare(Array.from({ length: LIMIT + 2 }, () => get()))
  assert.deepEqual(written.map((response) => response.slice(9, 12)), [...Array.from({ length: LIMIT }, () => '200'), '429', '429'])
  assert.match(written[LIMIT - 1] ?? '', /x-ratelimit-remaining: 0\r\n/)
})

test('leaves to the framework what is not an ordinary request', async () => {
  const { handled } = await compare([
    'HEAD /prices HTTP/1.1\r\nHost: gateway.example\r\nConnection: close\r\n\r\n',
    'POST /prices HTTP/1.1\r\nHost: gateway.example\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    'GET /prices?a=1 HTTP/1.1\r\nHost: gateway.example\r\nConnection: close\r\n\r\n',
    get('Content-Length: 2') + '{}',
    get('Content-Encoding: gzip'),
    get('Host: other.example'),
  ])
  assert.ok(handled > 0)
})

test('applies CORS, the host check and the shutdown to direct answers', async () => {
  const origins = [get(), get('Origin: https://app.example'), get('Origin: https://evil.example')]
  assert.equal((await compare(origins, () => ({ webOrigins: ['https://app.example'] }))).handled, 0)
  const open = await compare(origins, () => ({ webOrigins: '*' }))
  assert.match(open.written[2] ?? '', /access-control-allow-origin: \*\r\n/)
  const hosts = await compare([get(), get().replace('gateway.example', 'evil.example')], () => ({ allowedHosts: ['gateway.example'] }))
  assert.deepEqual(hosts.written.map((response) => response.slice(9, 12)), ['200', '403'])
  const draining = await compare(['GET /prices HTTP/1.1\r\nHost: gateway.example\r\n\r\n'], () => ({ isDraining: () => true }))
  assert.match(draining.written[0] ?? '', /connection: close\r\n/)
})

test('counts a key\'s requests against its own bucket, also if the key must be looked up', async () => {
  for (const isKnown of [true, false]) {
    let lookups = 0
    const authenticate = (authorization: string | undefined): Authentication | Promise<Authentication> => {
      lookups += 1
      const found = authorization === 'Bearer good' ? KEY : 'invalid_credentials'
      return isKnown ? found : Promise.resolve(found)
    }
    const good = get('Authorization: Bearer good')
    const requests = [good, get(), get('Authorization: Bearer bad'), ...Array.from({ length: LIMIT }, () => good)]
    const { written } = await compare(requests, () => ({ authenticate }))
    assert.match(written[0] ?? '', /x-ratelimit-tier: standard\r\n/)
    assert.match(written[2] ?? '', /x-ratelimit-tier: public\r\n/)
    assert.equal(written.at(-1)?.slice(9, 12), '429')
    // Both servers look each key up once per request, rejected ones included.
    assert.equal(lookups, 2 * (requests.length - 1))
  }
})

test('leaves a response that is not in memory, or cannot be built, to the handler', async () => {
  assert.match((await compare([get()], undefined, () => undefined)).written[0] ?? '', /\{"computed":true\}$/)
  const broken = (): never => {
    throw new Error('secret')
  }
  assert.match((await compare([get()], undefined, broken)).written[0] ?? '', /^HTTP\/1\.1 500 /)
})
