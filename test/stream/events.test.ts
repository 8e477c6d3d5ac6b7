// GET /v1/stream: the stream as server-sent events, over real sockets.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { STREAM_LIMITS } from '../../src/limits.ts'
import { openEventSource, requestStream } from './event-source.ts'
import type { EventSourceClient } from './event-source.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import type { StreamFrame } from '../support/stream-client.ts'
import { withoutMessage } from '../support/without-message.ts'

const TRADES = ['BTC', 'ETH', 'SOL', 'XRP', 'XLM'].map((asset) => `trades.${asset}`)
const CHANNELS = ['events', ...TRADES]
const isSubscribed = ({ type }: StreamFrame): boolean => type === 'subscribed'

function streamOf({ url }: GatewayFixture, channels: readonly string[]): string {
  return `${url}/v1/stream?channels=${channels.join(',')}`
}

/** The frames of log channels. */
function logFrames(...sources: readonly EventSourceClient[]): readonly StreamFrame[] {
  return sources.flatMap(({ events }) => events.map(({ frame }) => frame).filter(({ channel, seq }) => channel !== undefined && seq !== undefined))
}

/** Returns the identity of a frame. */
function nameOf({ channel, seq, prev }: StreamFrame): string {
  return `${channel} ${seq} after ${prev}`
}

/** The seq of the last frame that the log has for these channels. */
async function lastSeq(fixture: GatewayFixture): Promise<number> {
  const [row] = await fixture.store.read.query<{ seq: number }>('select max(seq) as seq from idx.events where not is_transfer')
  return row?.seq ?? 0
}

test('delivers the frames of the WebSocket, with positions as ids', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  await fixture.publishLedgers(5)
  const channels = [...CHANNELS, 'ticker.BTC', 'heartbeat']
  using source = await openEventSource(streamOf(fixture, channels))
  const socket = await fixture.connect()
  socket.send({ op: 'subscribe', channels })
  await source.frame(isSubscribed)
  await socket.settle()
  await fixture.publishLedgers(20)
  await fixture.gateway.stream.tick()
  fixture.gateway.stream.heartbeat()
  await source.frame(({ channel }) => channel === 'heartbeat')
  await socket.frame(({ channel }) => channel === 'heartbeat')
  const ofChannels = (frames: readonly StreamFrame[]): readonly StreamFrame[] => frames.filter(({ channel }) => channel !== undefined)
  assert.deepEqual(ofChannels(source.events.map(({ frame }) => frame)), ofChannels(socket.frames), 'the same frames in the same order')
  assert.deepEqual(source.events.slice(0, 2).map(({ frame }) => frame.type), ['hello', 'subscribed'])
  const epoch = String(source.events[0]?.frame['epoch'])
  const log = source.events.filter(({ frame }) => frame.channel !== undefined && frame.seq !== undefined)
  assert.ok(log.some(({ frame }) => frame.channel !== 'events'), 'several channels')
  for (const [index, { frame, id }] of log.entries()) {
    const isLast = log[index + 1]?.frame.seq !== frame.seq
    assert.equal(id, isLast ? `${epoch}:${frame.seq}` : undefined, 'the last frame of a position has its id')
  }
  assert.equal(source.events.find(({ frame }) => frame.channel === 'heartbeat')?.id, undefined)
})

test('resumes from any event without a gap, wherever the connection breaks', async () => {
  await using fixture = await createGatewayFixture({ listen: true, seed: 'cuts' })
  await fixture.publishLedgers(25)
  const url = streamOf(fixture, CHANNELS)
  using whole = await openEventSource(`${url}&since=0`)
  const last = await lastSeq(fixture)
  await whole.frame(({ channel, seq }) => channel === 'events' && seq === last)
  const wanted = logFrames(whole).map(nameOf)
  const shared = whole.events.findIndex(({ frame, id }) => frame.seq !== undefined && id === undefined)
  assert.ok(shared > 0, 'two channels have a frame with the same seq')
  const firsts = whole.events.flatMap(({ frame, id }, index) => (frame.seq !== undefined && id === undefined ? [index + 1] : []))
  for (const cutAfter of [...firsts.slice(0, 5), 3, 4, 10, 21, 40]) {
    using cut = await openEventSource(`${url}&since=0`, { cutAfter })
    await cut.ended
    assert.equal(cut.events.length, cutAfter)
    // EventSource reconnects to the same URL.
    using rest = await openEventSource(`${url}&since=0`, { lastEventId: cut.lastEventId() })
    await rest.frame(({ channel, seq }) => channel === 'events' && seq === last)
    const received = logFrames(cut, rest).map(nameOf)
    assert.deepEqual([...new Set(received)], wanted, `cut after ${cutAfter} events`)
    assert.ok(received.length - wanted.length <= 1, 'at most the frames of one position are repeated')
  }
})

test('resumes from the position of the subscription before the first frame', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  await fixture.publishLedgers(10)
  using source = await openEventSource(streamOf(fixture, CHANNELS))
  const { heads } = (await source.frame(isSubscribed)) as unknown as { readonly heads: Readonly<Record<string, number>> }
  assert.notEqual(source.lastEventId(), '')
  source.destroy()
  await fixture.publishLedgers(10)
  using resumed = await openEventSource(streamOf(fixture, CHANNELS), { lastEventId: source.lastEventId() })
  const last = await lastSeq(fixture)
  await resumed.frame(({ channel, seq }) => channel === 'events' && seq === last)
  assert.equal(logFrames(resumed).find(({ channel }) => channel === 'events')?.prev, heads['events'])
})

test('announces a gap as an event that can be resumed from', async () => {
  await using fixture = await createGatewayFixture({ listen: true, gateway: { streamLimits: { ...STREAM_LIMITS, replayFrames: 10 } } })
  await fixture.publishLedgers(25)
  const url = streamOf(fixture, ['events'])
  using first = await openEventSource(url)
  const epoch = String((await first.frame(({ type }) => type === 'hello'))['epoch'])
  first.destroy()
  const head = await lastSeq(fixture)
  for (const [lastEventId, reason] of [[`${epoch}:0`, 'too_far'], [`other:${head}`, 'epoch'], [`${epoch}:${head + 1_000}`, 'ahead']]) {
    using source = await openEventSource(url, { lastEventId: lastEventId ?? '' })
    const gap = await source.frame(({ type }) => type === 'gap')
    assert.deepEqual([gap['reason'], gap['channels'], gap['since']], [reason, ['events'], Number(lastEventId?.split(':')[1])])
    assert.equal(source.events.find(({ frame }) => frame === gap)?.id, source.lastEventId())
    using next = await openEventSource(url, { lastEventId: source.lastEventId() })
    await next.frame(isSubscribed)
    await fixture.publishLedgers(5)
    await Promise.all([source, next].map((each) => each.frame(({ channel }) => channel === 'events')))
    assert.equal(next.events.some(({ frame }) => frame.type === 'gap'), false, 'live from the gap on')
  }
})

test('the gap of an epoch that begins while the client is connected has an id, from which the stream continues without another gap', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  await fixture.publishLedgers(25)
  const url = streamOf(fixture, CHANNELS)
  using source = await openEventSource(url)
  await source.frame(isSubscribed)
  await fixture.publishLedgers(5)
  await fixture.control('local_reset')
  await fixture.publishLedgers(15)
  const gap = await source.frame(({ type }) => type === 'gap')
  const id = source.events.find(({ frame }) => frame === gap)?.id
  assert.equal(id, `${String(gap['epoch'])}:${String(gap['since'])}`)
  const last = await lastSeq(fixture)
  const isLast = ({ channel, seq }: StreamFrame): boolean => channel === 'events' && seq === last
  await source.frame(isLast)
  using resumed = await openEventSource(url, { lastEventId: id ?? '' })
  await resumed.frame(isLast)
  assert.equal(resumed.events.some(({ frame }) => frame.type === 'gap'), false)
  const later = logFrames(source).filter(({ seq }) => Number(seq) > Number(gap['since']))
  assert.deepEqual(logFrames(resumed).map(nameOf), later.map(nameOf), 'all frames of the new epoch')
})

test('the gap of an epoch that begins during a replay has no id: the frames before it are still to come', async () => {
  const streamLimits = { ...STREAM_LIMITS, waitingBytes: 40_000, replayBurstBytes: 1, replayBytesPerSecond: 100 }
  await using fixture = await createGatewayFixture({ listen: true, gateway: { streamLimits } })
  await fixture.publishLedgers(25)
  const before = await lastSeq(fixture)
  using source = await openEventSource(`${streamOf(fixture, CHANNELS)}&since=0`)
  await source.frame(({ channel }) => channel === 'events')
  await fixture.control('local_reset')
  await fixture.publishLedgers(5)
  const gap = await source.frame(({ type }) => type === 'gap')
  assert.ok(!logFrames(source).some(({ seq }) => seq === before), 'the replay has not reached the border')
  assert.equal(source.events.find(({ frame }) => frame === gap)?.id, undefined)
  const last = await lastSeq(fixture)
  let isWaiting = true
  const arrived = source.frame(({ channel, seq }) => channel === 'events' && seq === last).finally(() => (isWaiting = false))
  while (isWaiting) {
    fixture.clock.advance(1_000_000)
    await new Promise((resolve) => void setImmediate(resolve))
  }
  await arrived
  const seqs = logFrames(source).filter(({ channel }) => channel === 'events').map(({ seq }) => seq)
  const archived = await fixture.store.read.query<{ seq: number }>('select seq from idx.events where not is_transfer order by seq')
  assert.deepEqual(seqs, archived.map(({ seq }) => seq), 'every event once, on both sides of the border')
})

test('rejects what is not a public channel, and positions that are none', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const account = fixture.network.contracts.market.replace(/^C/, 'G')
  const advice = 'Name channels as in trades.BTC,ticker.BTC, with symbols of GET /v1/markets.'
  for (const [query, problem] of [
    ['', 'channels is missing.'], ['?channels=', 'channels is missing.'], ['?channels=events,', 'Not a public channel: "".'],
    ['?channels=nothing,events,trades.btc', 'Not a public channel: "nothing", "trades.btc".'],
    ...['trades.NONE', 'trades.btc', `account.events.${account}`, `account.orders.${account}`]
      .map((name) => [`?channels=${name}`, `Not a public channel: "${name}".`]),
  ] as const) {
    const { status, body } = await fixture.get(`/v1/stream${query}`)
    assert.deepEqual([status, body], [400, { error: 'invalid_channels', message: `${problem} ${advice}` }], query)
  }
  for (const id of ['5', 'e1:', 'e1:-1', ':5', 'e1:1e3', `e1:${'9'.repeat(16)}`]) {
    assert.equal((await fixture.get('/v1/stream?channels=events', { 'last-event-id': id })).status, 400, id)
  }
  assert.equal((await fixture.get('/v1/stream?channels=events&since=-1')).status, 400)
  assert.equal((await fixture.get('/v1/stream?channels=events&channels=heartbeat')).status, 400)
  assert.equal(fixture.gateway.stream.connections(), 0)
})

test('shares the limits of connections with the WebSocket', async () => {
  const streamLimits = { ...STREAM_LIMITS, connections: 3, connectionsPerAddress: 2 }
  await using fixture = await createGatewayFixture({ listen: true, gateway: { streamLimits, trustProxy: 1 } })
  const url = streamOf(fixture, ['heartbeat'])
  const from = (address: string): Readonly<Record<string, string>> => ({ 'x-forwarded-for': address })
  const idle = await fixture.connect(from('192.0.2.1'))
  using source = await openEventSource(url, { headers: from('192.0.2.1') })
  const rejected = await requestStream(url, from('192.0.2.1'))
  const body = JSON.parse((await rejected.toArray()).join('')) as unknown
  assert.deepEqual([rejected.statusCode, rejected.headers['retry-after'], withoutMessage(body)], [503, '5', { error: 'too_many_connections', retryable: true }])
  await fixture.connect(from('192.0.2.2'))
  using newcomer = await openEventSource(url, { headers: from('192.0.2.3') })
  await newcomer.frame(isSubscribed)
  assert.deepEqual(await idle.closed, { code: 1013, reason: 'evicted' }, 'one address had two')
  const full = await requestStream(url, from('192.0.2.4'))
  assert.deepEqual([full.statusCode, withoutMessage(JSON.parse((await full.toArray()).join('')))], [503, { error: 'server_full', retryable: true }])
  const webSocket = await fixture.connect(from('192.0.2.5'))
  assert.deepEqual(await webSocket.closed, { code: 1013, reason: 'server_full' })
  source.destroy()
  while (fixture.gateway.stream.connections() === 3) await fixture.idle()
  using again = await openEventSource(url, { headers: from('192.0.2.3') })
  await again.frame(isSubscribed)
})

test('gives way to a newcomer when there are too many connections, with the reason', async () => {
  const streamLimits = { ...STREAM_LIMITS, connections: 2, connectionsPerAddress: 2 }
  await using fixture = await createGatewayFixture({ listen: true, gateway: { streamLimits, trustProxy: 1 } })
  const url = streamOf(fixture, ['heartbeat'])
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  using first = await openEventSource(url, from('192.0.2.1'))
  using second = await openEventSource(url, from('192.0.2.1'))
  using newcomer = await openEventSource(url, from('198.51.100.1'))
  assert.equal(await second.ended, true)
  assert.deepEqual([second.comments, first.comments, newcomer.comments], [['evicted'], [], []])
})

/** Beats sent at a time, 12 KB. */
const BEATS = 100

/** A client of heartbeats that does not read. */
async function openStuckClient({ url, gateway, idle }: GatewayFixture): Promise<Socket> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET /v1/stream?channels=heartbeat HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`)
  while (gateway.stream.connections() === 0) await idle()
  return socket
}

/** Sends heartbeats until this many bytes wait that the operating system does not take, or nobody is connected. Returns the most that waited at any time. */
async function fill({ gateway: { stream } }: GatewayFixture, waitingBytes: number): Promise<number> {
  let most = 0
  let waiting = 0
  while (waiting < waitingBytes && stream.connections() > 0) {
    for (let beats = 0; beats < BEATS; beats++) stream.heartbeat()
    most = Math.max(most, stream.stats().bufferedBytesMax)
    await new Promise((resolve) => void setImmediate(resolve))
    waiting = stream.stats().bufferedBytesMax
  }
  return most
}

test('disconnects a client that does not read, within the limit of memory', async () => {
  const streamLimits = { ...STREAM_LIMITS, waitingBytes: 20_000 }
  await using fixture = await createGatewayFixture({ listen: true, gateway: { streamLimits } })
  const socket = await openStuckClient(fixture)
  const most = await fill(fixture, Infinity)
  assert.ok(most > streamLimits.waitingBytes / 2 && most <= streamLimits.waitingBytes + 1_000, `${most} bytes`)
  fixture.clock.advance(3_000)
  socket.resume()
  await once(socket, 'close')
})

test('sends heartbeats as comments', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  using source = await openEventSource(streamOf(fixture, ['trades.BTC']))
  await source.frame(isSubscribed)
  fixture.gateway.stream.ping()
  await source.comment('heartbeat')
  fixture.gateway.stream.ping()
  assert.equal(fixture.gateway.stream.connections(), 1)
  source.destroy()
})

test('disconnects a client that took nothing since the last heartbeat', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const socket = await openStuckClient(fixture)
  const { stream } = fixture.gateway
  await fill(fixture, 200_000)
  // The operating system may still take some of it.
  for (let pings = 0; stream.connections() === 1 && pings < 1_000; pings++) {
    stream.ping()
    await new Promise((resolve) => void setImmediate(resolve))
  }
  assert.equal(stream.connections(), 0)
  fixture.clock.advance(3_000)
  socket.resume()
  await once(socket, 'close')
})

test('ends with a hint to reconnect when the gateway shuts down, and loses nothing', async () => {
  const streamLimits = { ...STREAM_LIMITS, drainMs: 1_000 }
  await using fixture = await createGatewayFixture({ listen: true, gateway: { streamLimits } })
  await fixture.publishLedgers(10)
  const url = streamOf(fixture, CHANNELS)
  using source = await openEventSource(url)
  await source.frame(isSubscribed)
  const restarting = fixture.restartGateway()
  await source.frame(({ type }) => type === 'draining')
  await fixture.closeLedgers(3)
  assert.equal(await source.ended, true, 'the response ends regularly')
  assert.deepEqual([source.comments.at(-1), source.retryMs()], ['restart', 1_000])
  await restarting
  await fixture.publishLedgers(5)
  const last = await lastSeq(fixture)
  using resumed = await openEventSource(streamOf(fixture, CHANNELS), { lastEventId: source.lastEventId() })
  await resumed.frame(({ channel, seq }) => channel === 'events' && seq === last)
  const events = logFrames(source, resumed).filter(({ channel }) => channel === 'events')
  for (const [index, { prev }] of events.entries()) if (index > 0) assert.equal(prev, events[index - 1]?.seq)
})

test('has the headers of a stream, and those of every response; HEAD has no body and takes no connection', async () => {
  const origin = 'https://app.example'
  await using fixture = await createGatewayFixture({ listen: true, gateway: { webOrigins: [origin] } })
  const url = streamOf(fixture, ['heartbeat'])
  for (const method of ['GET', 'HEAD']) {
    const response = await requestStream(url, { origin, 'accept-encoding': 'gzip, br', 'x-request-id': 'mine' }, method)
    const { headers } = response
    assert.deepEqual(
      [response.statusCode, headers['content-type'], headers['cache-control'], headers['x-accel-buffering'], headers['content-encoding']],
      [200, 'text/event-stream; charset=utf-8', 'no-store, no-transform', 'no', undefined],
    )
    assert.deepEqual([headers['access-control-allow-origin'], headers['x-request-id'], headers['x-ratelimit-tier']], [origin, 'mine', 'public'])
    if (method === 'HEAD') assert.deepEqual(await response.toArray(), [])
    else response.destroy()
  }
  while (fixture.gateway.stream.connections() > 0) await fixture.idle()
  const preflight = await fixture.gateway.app.inject({
    method: 'OPTIONS', url: '/v1/stream', headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'last-event-id' },
  })
  assert.match(String(preflight.headers['access-control-allow-headers']), /Last-Event-ID/)
})
