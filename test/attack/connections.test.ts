// Request smuggling and dropped connections, over raw sockets, against the running program.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { forEachConcurrently, startAttacked, untilClosed } from './attack.ts'
import type { Attacked } from './attack.ts'
import { bearer, createWallet } from '../support/keys.ts'
import { openRawSocket, OPCODE } from './raw-socket.ts'
import { until } from '../support/until.ts'

let attacked: Attacked
before(async () => {
  attacked = await startAttacked({ METRICS_PORT: '0' })
})
after(() => attacked[Symbol.asyncDispose]())

const POST = 'POST /v1/keys/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
const GET = 'GET /v1/health HTTP/1.1\r\nHost: a\r\n'
/** The request that must not be executed. Its path appears in its response. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const END = '0\r\n\r\n'

/** A proxy that reads the first of two contradictory lengths, or ignores an invalid one, sees the smuggled request as a part of the body. */
const withBody = (headers: string, body: string): string => `${POST}${headers}\r\n${body}`

/** Each is one ambiguous request with another one inside it: the program must answer once, with an error, and close the connection. */
const SMUGGLING: Readonly<Record<string, string>> = {
  'Content-Length before Transfer-Encoding': withBody(`Content-Length: ${SMUGGLED.length + END.length}\r\n${CHUNKED}`, END + SMUGGLED),
  'Transfer-Encoding before Content-Length': withBody(`${CHUNKED}Content-Length: 4\r\n`, END + SMUGGLED),
  'two different Content-Lengths': withBody(`Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}\r\n`, SMUGGLED),
  'the same Content-Length twice': withBody('Content-Length: 0\r\nContent-Length: 0\r\n', SMUGGLED),
  'a list of Content-Lengths': withBody(`Content-Length: 0, ${SMUGGLED.length}\r\n`, SMUGGLED),
  'a negative Content-Length': withBody('Content-Length: -1\r\n', SMUGGLED),
  'a Content-Length with a sign': withBody('Content-Length: +0\r\n', SMUGGLED),
  'a hexadecimal Content-Length': withBody('Content-Length: 0x0\r\n', SMUGGLED),
  'a Content-Length with a fraction': withBody('Content-Length: 0.0\r\n', SMUGGLED),
  'a Content-Length beyond 64 bits': withBody('Content-Length: 18446744073709551616\r\n', SMUGGLED),
  'an empty Content-Length': withBody('Content-Length: \r\n', SMUGGLED),
  'a space before the colon of Content-Length': withBody(`Content-Length : ${SMUGGLED.length}\r\n`, SMUGGLED),
  'a space before the colon of Transfer-Encoding': withBody('Transfer-Encoding : chunked\r\n', END + SMUGGLED),
  'chunked that is not the last encoding': withBody('Transfer-Encoding: chunked, identity\r\n', END + SMUGGLED),
  'an unknown encoding': withBody('Transfer-Encoding: xchunked\r\n', END + SMUGGLED),
  'identity': withBody('Transfer-Encoding: identity\r\n', SMUGGLED),
  'a quoted encoding': withBody('Transfer-Encoding: "chunked"\r\n', END + SMUGGLED),
  'two different Transfer-Encodings': withBody(`${CHUNKED}Transfer-Encoding: identity\r\n`, END + SMUGGLED),
  'a folded header': withBody(`Transfer-Encoding:\r\n chunked\r\nContent-Length: 3\r\n`, END + SMUGGLED),
  'a folded first header': `POST /v1/keys/challenge HTTP/1.1\r\n Host: a\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`,
  'line feeds as line ends': withBody(CHUNKED, END + SMUGGLED).replaceAll('\r\n', '\n'),
  'a line feed inside a header': withBody('X: a\nTransfer-Encoding: chunked\r\n', END + SMUGGLED),
  'a carriage return inside a header': withBody('X: a\rTransfer-Encoding: chunked\r\nContent-Length: 0\r\n', SMUGGLED),
  'a zero byte in a header': withBody('X: a\u0000b\r\nContent-Length: 0\r\n', SMUGGLED),
  'a header name with a zero byte': withBody('Transfer-\u0000Encoding: chunked\r\nContent-Length: 0\r\n', SMUGGLED),
  'a negative chunk size': withBody(CHUNKED, `-1\r\n\r\n${SMUGGLED}`),
  'a chunk size with a prefix': withBody(CHUNKED, `0x0\r\n\r\n${SMUGGLED}`),
  'a chunk size beyond 64 bits': withBody(CHUNKED, `10000000000000000\r\n${SMUGGLED}`),
  'a chunk that is longer than its size': withBody(CHUNKED, `1\r\nAA\r\n${END}${SMUGGLED}`),
  'a line feed after a chunk size': withBody(CHUNKED, `0\n\n${SMUGGLED}`),
  'two keys': `${POST}Authorization: Bearer a:b\r\nAuthorization: Bearer c:d\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`,
  'two Hosts': `${GET}Host: b\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`,
}

/** The outer request comes from a new client address, so that no rate limit answers in place of the parser. */
const fromNewAddress = (bytes: string): Buffer => Buffer.from(bytes.replace('Host: a\r\n', `Host: a\r\n${forwardedFor()}`), 'latin1')
const forwardedFor = (): string => `X-Forwarded-For: ${attacked.newAddress()}\r\n`

const countResponses = (text: string): number => text.split('HTTP/1.1 ').length - 1

test('32 smuggling attempts are answered once, with an error, and the smuggled request is not executed', async () => {
  assert.equal(Object.keys(SMUGGLING).length, 32)
  const wrong: unknown[] = []
  await forEachConcurrently(Object.entries(SMUGGLING), async ([what, bytes]) => {
    const text = await attacked.sendRaw(fromNewAddress(bytes))
    if (!/^HTTP\/1\.1 (?:4[01]\d|501) /.test(text) || countResponses(text) !== 1 || text.includes('smuggled')) wrong.push([what, text.slice(0, 400)])
  })
  assert.deepEqual(wrong, [])
  await attacked.assertUnharmed()
})

test('requests in one connection are separate callers: a key of one does not apply to the next', async () => {
  const key = await attacked.obtainKey(createWallet('pipelined'))
  const me = 'GET /v1/account/me HTTP/1.1\r\nHost: a\r\n'
  const text = await attacked.sendRaw(
    `${me}Authorization: ${bearer(key)}\r\n\r\n${me}\r\n${me}X-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n`,
  )
  assert.deepEqual([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status), ['200', '401', '401'])
})

const WELL_KNOWN = 'dGhlIHNhbXBsZSBub25jZQ=='
const UPGRADE = 'GET /v1/ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  `Sec-WebSocket-Key: ${WELL_KNOWN}\r\nSec-WebSocket-Version: 13\r\n`

/** Data that a client sent before its connection broke. */
const BROKEN: Readonly<Record<string, string>> = {
  'before its first byte': '',
  'inside the request line': 'GET /v1/tra',
  'inside the headers': 'GET /v1/trades HTTP/1.1\r\nHost: a\r\nX-',
  'inside a body': `${POST}Content-Length: 100\r\n\r\n{"address":`,
  'inside a chunk': `${POST}${CHUNKED}\r\n20\r\n{"addr`,
  'between two chunks': `${POST}${CHUNKED}\r\n1\r\n{\r\n`,
  'before its response': `${GET}\r\n`,
  'before a large response': 'GET /docs/json HTTP/1.1\r\nHost: a\r\n\r\n',
  'with many requests waiting': `${GET}\r\n`.repeat(50),
  'inside the upgrade': UPGRADE,
  'right after the upgrade': `${UPGRADE}\r\n`,
  'with a frame behind the upgrade': `${UPGRADE}\r\n\u0081\u0085`,
}
const ROUNDS = 10

async function readMetric(name: string): Promise<number> {
  const line = /http:\S+/.exec(attacked.main.output().split('\n').find((each) => each.startsWith('Metrics: ')) ?? '')?.[0] ?? ''
  const text = await (await fetch(line)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

for (const how of ['reset', 'closed', 'left half open'] as const) {
  test(`connections that are ${how} at any point leave nothing behind`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const sockets = await Promise.all(Object.values(BROKEN).map(async (bytes) => {
        const socket = await attacked.connect()
        socket.resume()
        socket.write(fromNewAddress(bytes))
        if (how === 'reset') socket.resetAndDestroy()
        else socket.end()
        return socket
      }))
      // A client that neither reads nor closes its half holds the connection until it is reset.
      if (how !== 'left half open') await Promise.all(sockets.map(untilClosed))
      for (const socket of sockets) socket.destroy()
    }
    await until(async () => (await readMetric('gateway_stream_connections')) === 0, 'the stream to forget its clients')
    await attacked.assertUnharmed()
  })
}

test('a connection that breaks inside a response or a replay does not disturb the others', async () => {
  const neighbour = await openRawSocket(attacked.url, forwardedFor())
  neighbour.send(OPCODE.text, JSON.stringify({ op: 'subscribe', channels: ['events'], since: 0 }))
  for (let round = 0; round < ROUNDS; round++) {
    const socket = await attacked.connect()
    socket.write(fromNewAddress('GET /docs/json HTTP/1.1\r\nHost: a\r\n\r\n'))
    await once(socket, 'data')
    socket.resetAndDestroy()
    const raw = await openRawSocket(attacked.url, forwardedFor())
    raw.send(OPCODE.text, JSON.stringify({ op: 'subscribe', channels: ['events', 'trades.BTC'], since: 0 }))
    raw.socket.resetAndDestroy()
  }
  neighbour.send(OPCODE.text, JSON.stringify({ op: 'ping', id: 'still here' }))
  const hasPong = (): boolean => neighbour.texts.some((text) => text.includes('still here'))
  await Promise.race([neighbour.closed, until(hasPong, 'the response to a ping')])
  assert.ok(hasPong(), neighbour.texts.map((text) => text.slice(0, 100)).slice(-5).join('\n'))
  neighbour.socket.destroy()
  await until(async () => (await readMetric('gateway_stream_connections')) === 0, 'the stream to forget its clients')
  await attacked.assertUnharmed()
})
