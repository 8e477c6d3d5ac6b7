// Malformed and hostile input: the gateway replies or closes as documented, another client misses nothing, and no state is left behind.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { STREAM_LIMITS } from '../../src/limits.ts'
import { openRawSocket, OPCODE } from '../attack/raw-socket.ts'
import type { RawSocket } from '../attack/raw-socket.ts'
import { assertUnbroken, connectStream } from '../support/stream-client.ts'
import type { StreamClient } from '../support/stream-client.ts'
import { createTrader } from '../support/traders.ts'
import { until } from '../support/until.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

let fixture: GatewayFixture
let url: string
/** A well-behaved client that follows all events. */
let neighbour: StreamClient

before(async () => {
  fixture = await createGatewayFixture({ traders: 8 })
  url = await fixture.gateway.listen({ host: '127.0.0.1', port: 0 })
  await play()
  neighbour = await connectStream(url)
  neighbour.send({ op: 'subscribe', channels: ['events'], since: 0 })
  await neighbour.settle()
})
after(async () => {
  await neighbour.close()
  await fixture[Symbol.asyncDispose]()
})

async function play(): Promise<void> {
  await fixture.closeLedgers(5)
  await fixture.catchUp()
  await fixture.gateway.stream.publishCommitted()
}

/** The other client receives all events in order, and is the only client left. */
async function assertUndisturbed(): Promise<void> {
  await play()
  fixture.clock.advance(1_000)
  await neighbour.settle()
  const { headers } = await fixture.get('/v1/events?limit=1')
  assert.equal(neighbour.of('events').at(-1)?.seq, Number(headers['x-seq']), 'the neighbour has all events')
  assertUnbroken(neighbour.of('events'), 0)
  const left = { connections: 1, addresses: 1, subscribers: 1, accounts: 0, replays: 0, bufferedBytesMax: 0 }
  await until(() => isDeepStrictEqual(fixture.gateway.stream.stats(), left), 'the state of the other clients to be removed')
}

const PING = JSON.stringify({ op: 'ping' })
const HUGE = Buffer.alloc(10 * 1024 * 1024, 'x')

/** Frames that close the connection, with the close code. */
const CLOSING: readonly [string, number, (raw: RawSocket) => void][] = [
  ['text that is not UTF-8', 1007, (raw) => raw.send(OPCODE.text, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))],
  ['text that ends inside a character', 1007, (raw) => raw.send(OPCODE.text, Buffer.from('{"op":"ping","pad":"\u{1f4a5}').subarray(0, -2))],
  ['a frame of 10 MB', 1009, (raw) => raw.send(OPCODE.text, HUGE)],
  ['a fragmented message of 10 MB', 1009, (raw) => {
    for (let piece = 0; piece < 160; piece++) raw.send(piece === 0 ? OPCODE.text : OPCODE.continuation, HUGE.subarray(0, 65_536), { final: false })
  }],
  ['a binary frame of 10 MB', 1009, (raw) => raw.send(OPCODE.binary, HUGE)],
  ['an unmasked frame', 1002, (raw) => raw.send(OPCODE.text, PING, { masked: false })],
  ['a reserved bit', 1002, (raw) => raw.send(OPCODE.text, PING, { reserved: true })],
  ['a reserved opcode', 1002, (raw) => raw.send(5, PING)],
  ['a continuation without a message', 1002, (raw) => raw.send(OPCODE.continuation, PING)],
  ['a ping above 125 bytes', 1002, (raw) => raw.send(OPCODE.ping, Buffer.alloc(126))],
  ['an invalid close code', 1002, (raw) => raw.send(OPCODE.close, Buffer.from([0, 1]))],
  ['bytes that are not a frame', 1002, (raw) => void raw.socket.write(Buffer.alloc(5_000, 'GET / HTTP/1.1\r\n'))],
]

for (const [what, code, send] of CLOSING) {
  test(`closes only the sender's connection with ${code} after ${what}`, async () => {
    const raw = await openRawSocket(url)
    send(raw)
    await until(() => fixture.gateway.stream.connections() === 1, 'the close')
    // The raw socket never completes the close handshake, so it is terminated.
    fixture.clock.advance(2_000)
    raw.socket.end()
    assert.equal((await raw.closed)?.code, code)
    await assertUndisturbed()
  })
}

test('replies once to a binary frame, an empty frame and a fragmented message', async () => {
  const raw = await openRawSocket(url)
  raw.send(OPCODE.binary, PING)
  raw.send(OPCODE.text, '')
  raw.send(OPCODE.text, '{"op":', { final: false })
  raw.send(OPCODE.ping, 'between')
  raw.send(OPCODE.continuation, '"ping","id":1}')
  await until(() => raw.texts.length === 4, 'the replies')
  const replies = raw.texts.slice(1).map((text) => JSON.parse(text) as Record<string, unknown>)
  assert.deepEqual(replies.map(({ type, error, id }) => [type, error, id]), [
    ['error', 'invalid_json', undefined], ['error', 'invalid_json', undefined], ['pong', undefined, 1],
  ])
  raw.socket.destroy()
  await assertUndisturbed()
})

test('handles a message nested thousands of levels deep like any other', async () => {
  const client = await connectStream(url)
  const deep = (open: string, close: string, levels: number): string => open.repeat(levels) + close.repeat(levels)
  const cases: [string, string][] = [
    [deep('[', ']', 32_000), 'invalid_json'],
    [`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 'unknown_op'],
    [`{"op":"subscribe","channels":[${deep('[', ']', 30_000)}]}`, 'invalid_channels'],
    [`{"op":"subscribe","channels":["events"],"since":${deep('[', ']', 30_000)}}`, 'invalid_since'],
    [deep('[', '', 65_000), 'invalid_json'],
    ['{"__proto__":{"op":"ping"}}', 'unknown_op'],
  ]
  for (const [text, error] of cases) {
    const from = client.frames.length
    client.send(text)
    assert.equal((await client.frame(() => true, from))['error'], error, text.slice(0, 60))
  }
  await client.close()
  await assertUndisturbed()
})

test('accepts and rejects thousands of channels in one message with two replies', async () => {
  const client = await connectStream(url)
  await client.settle()
  const unknown = Array.from({ length: 6_000 }, (_, index) => `x${index}`)
  const from = client.frames.length
  client.send({ op: 'subscribe', channels: ['events', ...unknown, 'events'], id: 7 })
  await client.frame(({ type }) => type === 'rejected', from)
  const [subscribed, rejected] = client.frames.slice(from)
  assert.deepEqual([subscribed?.['channels'], rejected?.['channels']], [['events'], unknown])
  client.send({ op: 'unsubscribe', channels: unknown })
  client.send({ op: 'subscribe', channels: unknown.map((name) => `ticker.${name}`).slice(0, 4_000) })
  await client.settle()
  assert.equal(client.frames.slice(from).filter(({ type }) => type === 'rejected').length, 2)
  await client.close()
  await assertUndisturbed()
})

test('a flood of logins ends at the limit of failures or of messages, whichever it reaches first', async () => {
  const client = await connectStream(url)
  for (let login = 0; login < 500; login++) client.send({ op: 'login', keyId: `nk_${login.toString(16).padStart(24, '0')}`, secret: '0'.repeat(64), id: login })
  assert.ok(['too many failed logins', 'rate limit exceeded'].includes((await client.closed).reason))
  const replies = client.frames.filter(({ type }) => type === 'login')
  const errors = (replies as { error?: unknown }[]).map(({ error }) => error)
  assert.deepEqual(errors, [...Array<string>(5).fill('invalid_credentials'), 'too_many_attempts'].slice(0, errors.length))
  await assertUndisturbed()
})

test('closes a client that sends requests and does not read, at the buffer limit', async () => {
  const raw = await openRawSocket(url)
  raw.socket.pause()
  const unknown = JSON.stringify({ op: 'subscribe', channels: Array.from({ length: 6_000 }, (_, index) => `x${index}`) })
  // The sockets' buffers add to the limit.
  let most = 0
  for (let requests = 0; requests < 1_000 && fixture.gateway.stream.connections() > 1; requests++) {
    raw.send(OPCODE.text, unknown)
    fixture.clock.advance(100)
    most = Math.max(most, fixture.gateway.stream.stats().bufferedBytesMax)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(fixture.gateway.stream.connections(), 1, 'the client is removed')
  assert.ok(most > 0 && most <= STREAM_LIMITS.waitingBytes, `${most} bytes were waiting`)
  fixture.clock.advance(2_000)
  raw.socket.resume()
  await raw.closed
  await assertUndisturbed()
})

test('closes a half-open connection at the second ping', async () => {
  const raw = await openRawSocket(url)
  const { stream } = fixture.gateway
  stream.ping()
  // The first reply arrives after the ping, so the second request is sent after the pong.
  await neighbour.settle()
  await neighbour.settle()
  assert.equal(stream.connections(), 2, 'one missing pong is tolerated')
  stream.ping()
  assert.equal(await raw.closed, null)
  await assertUndisturbed()
})

test('leaves no state of a client that disconnects while its account channel\'s head is read', async () => {
  const alice = await createTrader(fixture, 'alice')
  for (let times = 0; times < 5; times++) {
    const client = await connectStream(url)
    client.send({ op: 'login', keyId: alice.key.keyId, secret: alice.key.secret })
    await client.frame(({ type, ok }) => type === 'login' && ok === true)
    client.send({ op: 'subscribe', channels: [`account.events.${alice.address}`], snapshot: times % 2 === 0 })
    client.webSocket.close()
    await client.closed
  }
  await assertUndisturbed()
})

test('leaves no state of connections that are reset during or after the upgrade', async () => {
  for (let times = 0; times < 15; times++) {
    const raw = await openRawSocket(url)
    raw.send(OPCODE.text, JSON.stringify({ op: 'subscribe', channels: ['events', 'trades.BTC', 'heartbeat'], since: 0 }))
    raw.socket.resetAndDestroy()
  }
  await assertUndisturbed()
})
