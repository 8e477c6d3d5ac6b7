// Clients that mean harm, below every HTTP library: over real sockets against a whole gateway. Each is refused or cut off in bounded time, costs bounded
// memory, and the client beside it notices nothing.

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
let answered = 0

before(async () => {
  const observer = { onResponse: () => void (answered += 1), onRateLimitDecision: () => {} }
  // Health answers without the database: a connection that fails at once stands for it.
  const query = (): Promise<never> => Promise.reject(new Error('no database here'))
  bare = await createBareGateway({ rateLimits: UNLIMITED, observer, store: { engine: 'embedded', read: { query }, write: { query } } as never })
  port = Number(new URL(await bare.gateway.listen({ host: '127.0.0.1', port: 0 })).port)
})
after(() => bare[Symbol.asyncDispose]())

interface Talk {
  readonly socket: Socket
  /** All that came until the connection was over. */
  readonly heard: Promise<string>
}

function talk(...said: readonly (string | Buffer)[]): Talk {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  for (const part of said) socket.write(part)
  return { socket, heard: new Promise((resolve) => socket.once('close', () => resolve(text))) }
}

/** A request as it stands on the wire, on a connection of its own. */
const ask = (head: string, body: string | Buffer = ''): Promise<string> => talk(`${head}\r\nConnection: close\r\n\r\n`, body).heard

const statusOf = (heard: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(heard)?.[1] ?? 0)

function bodyOf(heard: string): Record<string, unknown> {
  return JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>
}

async function assertWell(): Promise<void> {
  assert.equal(statusOf(await ask('GET /v1/health HTTP/1.1\r\nHost: a')), 200)
}

test('clients that dawdle over their request, or never begin one, are cut off within seconds, and nobody waits for them', async () => {
  const post = 'POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const slow = [
    { what: 'says nothing', said: '' },
    { what: 'stops inside its headers', said: 'GET /v1/health HTTP/1.1\r\nHost: a\r\nX-Slow: ' },
    { what: 'announces a body and sends none', said: `${post}Content-Length: 90\r\n\r\n` },
    { what: 'announces an endless body and stops inside it', said: `${post}Transfer-Encoding: chunked\r\n\r\n5\r\n{"add\r\n` },
  ].map(({ what, said }) => ({ what, ...talk(said) }))
  const dripping = talk('GET /v1/health HTTP/1.1\r\nHost: a\r\n')
  const drip = setInterval(() => dripping.socket.write('X-Drip: 1\r\n'), 200)
  await assertWell()
  try {
    for (const { what, heard } of [...slow, { what: 'sends a header now and then', heard: dripping.heard }]) {
      const text = await heard
      assert.ok(text === '' || statusOf(text) === 408, `${what}: ${text.slice(0, 200)}`)
    }
  } finally {
    clearInterval(drip)
  }
})

test('a client that asks again and again and reads nothing is answered until its connection is full, and no further', async () => {
  const requests = 40_000
  const before = answered
  const greedy = connect(port, '127.0.0.1')
  greedy.on('error', () => {})
  greedy.pause()
  await once(greedy, 'connect')
  greedy.write('GET /docs/json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests))
  // Others are served in between, for as long as the greedy one's answers go on.
  let last = -1
  while (answered !== last) {
    last = answered
    for (let round = 0; round < 20; round++) await assertWell()
    last += 20
  }
  assert.ok(answered - before < requests / 10, `${answered - before} answers were made for somebody who reads none`)
  greedy.destroy()
  await once(greedy, 'close')
})

test('floods of headers, and headers that contradict each other, are refused before any route', async () => {
  const many = Array.from({ length: 20_000 }, (_, place) => `X-${place}: 1`).join('\r\n')
  for (const flood of [many, `Cookie: ${'x'.repeat(1_000_000)}`]) {
    const heard = await ask(`GET /v1/health HTTP/1.1\r\nHost: a\r\n${flood}`)
    // Who goes on sending after the answer may find the connection gone before having read it.
    assert.ok(heard === '' || statusOf(heard) === 431, heard.slice(0, 100))
  }
  const contradicting = [
    'Content-Length: 5\r\nTransfer-Encoding: chunked', 'Content-Length: 5\r\nContent-Length: 6', 'Content-Length: -1', 'Content-Length: 0x10',
    'Transfer-Encoding: chunked, identity', 'Transfer-Encoding : chunked', ' Folded: 1', 'X\u0000: 1', 'X: a\u0000b', 'X: a\rY: b',
  ]
  for (const headers of contradicting) {
    const smuggled = '0\r\n\r\nGET /v1/health HTTP/1.1\r\n\r\n'
    const heard = await ask(`POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}`, smuggled)
    assert.equal(statusOf(heard), 400, JSON.stringify(headers))
    assert.equal(heard.split('HTTP/1.1 ').length, 2, `${JSON.stringify(headers)}: what came behind is no request`)
  }
  await assertWell()
})

test('a body that is too large is refused for what it announces, and for what it brings', async () => {
  // This route's refusal of whatever it cannot read is a 400 of its own.
  const post = 'POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  assert.equal(statusOf(await ask(`${post}Content-Length: ${BODY_LIMIT_BYTES + 1}`, Buffer.alloc(BODY_LIMIT_BYTES + 1, 0x20))), 400)
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  assert.equal(statusOf(await ask(`${post}Transfer-Encoding: chunked`, `${chunk.repeat(50)}0\r\n\r\n`)), 400)
  await assertWell()
})

test('compressed bodies are refused as such and never unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20))
  const post = 'POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'gzip, gzip']) {
    const heard = await ask(`${post}Content-Encoding: ${encoding}\r\nContent-Length: 2000`, bomb.subarray(0, 2_000))
    assert.equal(statusOf(heard), 415, encoding)
    assert.match(String(bodyOf(heard)['message']), /Content-Encoding/)
  }
  const plain = '{"address":"x"}'
  assert.equal(statusOf(await ask(`${post}Content-Encoding: identity\r\nContent-Length: ${plain.length}`, plain)), 400, 'which says what is wrong with it')
})

test('the stream offers no compression, so that no frame can become larger than it is', async () => {
  const { socket, heard } = talk(
    'GET /v1/ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n',
  )
  await once(socket, 'data')
  socket.end()
  assert.doesNotMatch(await heard, /permessage-deflate/i)
})

test('names out of JavaScript\'s inside are fields like any other, and touch no prototype', async () => {
  const post = 'POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const bodies = [
    '{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '{"address":{"__proto__":{"polluted":1}}}', '{"__proto__":null}',
    '{"toString":1,"valueOf":2,"hasOwnProperty":3}', '[{"__proto__":{"polluted":1}}]',
  ]
  for (const body of bodies) assert.equal(statusOf(await ask(`${post}Content-Length: ${body.length}`, body)), 400, body)
  for (const query of ['__proto__[polluted]=1', '__proto__=1', 'constructor.prototype.polluted=1', 'limit[__proto__]=1', 'constructor=1']) {
    assert.ok([200, 400].includes(statusOf(await ask(`GET /v1/health?${query} HTTP/1.1\r\nHost: a`))), query)
  }
  for (const header of ['__proto__: 1', 'constructor: 1']) assert.equal(statusOf(await ask(`GET /v1/health HTTP/1.1\r\nHost: a\r\n${header}`)), 200, header)
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
  await assertWell()
})

test('paths lead to routes or nowhere, however they are written', async () => {
  const nowhere = [
    '/v1/../v1/health', '/v1/%2e%2e/v1/health', '/v1//health', '//v1/health', '/v1/health/', '/V1/health', '/v1/health%00', '/v1/health;a=b', '/v1\\health',
    '/docs/../package.json', '/docs/static/../../package.json', '/docs/static/%2e%2e/%2e%2e/package.json', '/docs/static/..%2f..%2fpackage.json',
    '/docs/static/....//....//package.json', '/etc/passwd', '/.env', '/.git/config', '/metrics',
  ]
  for (const path of nowhere) {
    const heard = await ask(`GET ${path} HTTP/1.1\r\nHost: a`)
    assert.ok([403, 404].includes(statusOf(heard)), `${path}: ${heard.slice(0, 40)}`)
    assert.doesNotMatch(heard, /"dependencies"|root:|node_modules/, path)
  }
  for (const line of ['GET *', 'TRACE /v1/health', 'CONNECT a:1', 'PRI *', 'FOO /v1/health', 'GET v1/health']) {
    const status = statusOf(await ask(`${line} HTTP/1.1\r\nHost: a`))
    assert.ok(status === 0 || (status >= 400 && status < 500), `${line}: ${status}`)
  }
  const foreign = await ask('GET http://other.example/v1/nope HTTP/1.1\r\nHost: a')
  assert.deepEqual([statusOf(foreign), bodyOf(foreign)['error']], [404, 'Not Found'], 'an address in full is taken for its path: this is no proxy')
  assert.equal(statusOf(await ask('GET /v1/health HTTP/1.1')), 400, 'HTTP/1.1 names a host')
  await assertWell()
})

test('every answer forbids what browsers must not do with it', async () => {
  for (const path of ['/v1/health', '/nowhere', '/v1/trades?limit=x', '/docs/json']) {
    const heard = await ask(`GET ${path} HTTP/1.1\r\nHost: a`)
    assert.match(heard, /\r\nx-content-type-options: nosniff\r\n/i, path)
    assert.match(heard, /\r\ncontent-security-policy: [^\r]*frame-ancestors 'none'/i, path)
    assert.match(heard, /\r\nreferrer-policy: no-referrer\r\n/i, path)
    assert.doesNotMatch(heard, /\r\n(server|x-powered-by):/i, path)
  }
})
