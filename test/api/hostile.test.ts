// Hostile clients over raw sockets. Each must be rejected or disconnected in bounded time and memory, without affecting other clients.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { BODY_LIMIT_BYTES } from '../../src/limits.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import type { BareGateway } from '../support/bare-gateway.ts'

const UNLIMITED = { public: 1e9, standard: 1e9, market_maker: 1e9 }

let bare: BareGateway
let port: number
let responseCount = 0

before(async () => {
  const observer = { onResponse: () => void (responseCount += 1), onRateLimitDecision: () => {} }
  // These tests need no database: health responds without one.
  const query = (): Promise<never> => Promise.reject(new Error('no database'))
  const store = { engine: 'embedded', read: { query }, write: { query, run: query }, writeProblem: async () => null } as never
  bare = await createBareGateway({ rateLimits: UNLIMITED, documentUnits: UNLIMITED.public, observer, store })
  port = Number(new URL(await bare.gateway.listen({ host: '127.0.0.1', port: 0 })).port)
})
after(() => bare[Symbol.asyncDispose]())

interface Connection {
  readonly socket: Socket
  /** Resolves with everything received until the connection closed. */
  readonly received: Promise<string>
}

function openConnection(...chunks: readonly (string | Buffer)[]): Connection {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  for (const chunk of chunks) socket.write(chunk)
  return { socket, received: new Promise((resolve) => socket.once('close', () => resolve(text))) }
}

/** Sends a raw request over a new connection and returns the raw response. */
const send = (head: string, body: string | Buffer = ''): Promise<string> =>
  openConnection(`${head}\r\nConnection: close\r\n\r\n`, body).received

const statusOf = (response: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(response)?.[1] ?? 0)

function bodyOf(response: string): Record<string, unknown> {
  return JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>
}

async function assertHealthy(): Promise<void> {
  assert.equal(statusOf(await send('GET /v1/health HTTP/1.1\r\nHost: a')), 200)
}

test('stops responding to a pipelining client that reads nothing once its connection is full', async () => {
  const requests = 100_000
  const countBefore = responseCount
  const greedy = connect(port, '127.0.0.1')
  greedy.on('error', () => {})
  greedy.pause()
  await once(greedy, 'connect')
  greedy.write('GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests))
  // Serves other clients until the gateway stops responding to the greedy one.
  let last = -1
  while (responseCount !== last) {
    last = responseCount
    for (let round = 0; round < 20; round++) await assertHealthy()
    last += 20
  }
  assert.ok(responseCount - countBefore < requests / 10, `${responseCount - countBefore} responses to a client that reads none`)
  greedy.destroy()
  await once(greedy, 'close')
})

test('rejects too many and too large headers before routing', async () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `X-${index}: 1`).join('\r\n')
  for (const flood of [many, `Cookie: ${'x'.repeat(1_000_000)}`]) {
    const response = await send(`GET /v1/health HTTP/1.1\r\nHost: a\r\n${flood}`)
    // A client that is still sending may lose the connection before it reads the response.
    assert.ok(response === '' || statusOf(response) === 431, response.slice(0, 100))
  }
  await assertHealthy()
})

test('rejects a body that is too large by its Content-Length or by its chunks', async () => {
  // This route responds 400 to every unreadable body.
  const post = 'POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  assert.equal(statusOf(await send(`${post}Content-Length: ${BODY_LIMIT_BYTES + 1}`, Buffer.alloc(BODY_LIMIT_BYTES + 1, 0x20))), 400)
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  assert.equal(statusOf(await send(`${post}Transfer-Encoding: chunked`, `${chunk.repeat(50)}0\r\n\r\n`)), 400)
  await assertHealthy()
})

test('rejects compressed bodies with 415 without decompressing them', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20))
  const post = 'POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'gzip, gzip']) {
    const response = await send(`${post}Content-Encoding: ${encoding}\r\nContent-Length: 2000`, bomb.subarray(0, 2_000))
    assert.equal(statusOf(response), 415, encoding)
    assert.match(String(bodyOf(response)['message']), /Content-Encoding/)
  }
  const plain = '{"address":"x"}'
  assert.equal(statusOf(await send(`${post}Content-Encoding: identity\r\nContent-Length: ${plain.length}`, plain)), 400, 'identity reaches validation')
})

test('the stream does not negotiate compression', async () => {
  const { socket, received } = openConnection(
    'GET /v1/ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n',
  )
  await once(socket, 'data')
  socket.end()
  assert.doesNotMatch(await received, /permessage-deflate/i)
})

test('names such as __proto__ and constructor do not modify a prototype', async () => {
  const post = 'POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const bodies = [
    '{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '{"address":{"__proto__":{"polluted":1}}}', '{"__proto__":null}',
    '{"toString":1,"valueOf":2,"hasOwnProperty":3}', '[{"__proto__":{"polluted":1}}]',
  ]
  for (const body of bodies) assert.equal(statusOf(await send(`${post}Content-Length: ${body.length}`, body)), 400, body)
  for (const query of ['__proto__[polluted]=1', '__proto__=1', 'constructor.prototype.polluted=1', 'limit[__proto__]=1', 'constructor=1']) {
    assert.ok([200, 400].includes(statusOf(await send(`GET /v1/health?${query} HTTP/1.1\r\nHost: a`))), query)
  }
  for (const header of ['__proto__: 1', 'constructor: 1']) assert.equal(statusOf(await send(`GET /v1/health HTTP/1.1\r\nHost: a\r\n${header}`)), 200, header)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  await assertHealthy()
})

test('unusual paths and request lines reach only existing routes', async () => {
  const unknownPaths = [
    '/v1/../v1/health', '/v1/%2e%2e/v1/health', '/v1//health', '//v1/health', '/v1/health/', '/V1/health', '/v1/health%00', '/v1/health;a=b', '/v1\\health',
    '/docs/../package.json', '/docs/static/../../package.json', '/docs/static/%2e%2e/%2e%2e/package.json', '/docs/static/..%2f..%2fpackage.json',
    '/docs/static/....//....//package.json', '/etc/passwd', '/.env', '/.git/config', '/metrics',
  ]
  for (const path of unknownPaths) {
    const response = await send(`GET ${path} HTTP/1.1\r\nHost: a`)
    assert.ok([403, 404].includes(statusOf(response)), `${path}: ${response.slice(0, 40)}`)
    assert.doesNotMatch(response, /"dependencies"|root:|node_modules/, path)
  }
  for (const line of ['GET *', 'TRACE /v1/health', 'CONNECT a:1', 'PRI *', 'FOO /v1/health', 'GET v1/health']) {
    const status = statusOf(await send(`${line} HTTP/1.1\r\nHost: a`))
    assert.ok(status === 0 || (status >= 400 && status < 500), `${line}: ${status}`)
  }
  const foreign = await send('GET http://other.example/v1/nope HTTP/1.1\r\nHost: a')
  assert.deepEqual([statusOf(foreign), bodyOf(foreign)['error']], [404, 'Not Found'], 'only the path of an absolute URL counts: this is not a proxy')
  assert.equal(statusOf(await send('GET /v1/health HTTP/1.1')), 400, 'HTTP/1.1 requires a host')
  await assertHealthy()
})

test('every response has the security headers', async () => {
  for (const path of ['/v1/health', '/nowhere', '/v1/trades?limit=x', '/docs/json']) {
    const response = await send(`GET ${path} HTTP/1.1\r\nHost: a`)
    assert.match(response, /\r\nx-content-type-options: nosniff\r\n/i, path)
    assert.match(response, /\r\ncontent-security-policy: [^\r]*frame-ancestors 'none'/i, path)
    assert.match(response, /\r\nreferrer-policy: no-referrer\r\n/i, path)
    assert.doesNotMatch(response, /\r\n(server|x-powered-by):/i, path)
  }
})
