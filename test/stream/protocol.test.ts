// The stream's protocol (docs/websocket.md), over real sockets.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { HTTP_CONNECTIONS_MAX, STREAM_LIMITS } from '../../src/limits.ts'
import type { Candle } from '../../src/resources/candle.ts'
import { createBareGateway } from '../support/bare-gateway.ts'
import type { StreamClient, StreamFrame } from '../support/stream-client.ts'
import { createTrader } from '../support/traders.ts'
import { createGatewayFixture, FIXTURE_START_MS } from '../support/gateway-fixture.ts'

function isType(type: string): (frame: StreamFrame) => boolean {
  return (frame) => frame.type === type
}

test('sends hello first with the log\'s position, and the request id in the 101 response', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect, publishLedgers } = fixture
  const early = await connect({ 'x-request-id': 'my-own-id' })
  assert.equal(early.headers['x-request-id'], 'my-own-id')
  assert.deepEqual(await early.frame(isType('hello')), { type: 'hello', ts: FIXTURE_START_MS }, 'no position before anything is indexed')
  await publishLedgers(20)
  const client = await connect()
  const hello = await client.frame(() => true)
  const { headers } = await fixture.get('/v1/events?limit=1')
  assert.equal(hello['head'], Number(headers['x-seq']))
  assert.equal(hello['ledger'], Number(headers['x-ledger']))
  assert.match(String(hello['epoch']), /^\w+$/)
})

test('accepts and rejects channels by name, unsubscribes, replies to pings, and repeats the request id', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect } = fixture
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['ticker.BTC', 'events', 'ticker.BTC', 'ticker.btc', 'trades.SHIB', 'candles.BTC.2m', 'nonsense'], id: 1 })
  client.send({ op: 'unsubscribe', channels: ['events', 'never.had'], id: 'two' })
  client.send({ op: 'subscribe', channels: [], id: 3 })
  client.send({ op: 'subscribe', channels: ['nonsense'] })
  client.send({ op: 'ping', id: { not: 'an id' } })
  await client.settle()
  const replies = client.frames.filter(({ type }) => type !== 'hello' && type !== 'pong')
  assert.deepEqual(replies, [
    { type: 'subscribed', channels: ['ticker.BTC', 'events'], heads: { events: 0 }, id: 1 },
    { type: 'rejected', channels: ['ticker.btc', 'trades.SHIB', 'candles.BTC.2m', 'nonsense'], id: 1 },
    { type: 'unsubscribed', channels: ['events', 'never.had'], id: 'two' },
    { type: 'rejected', channels: ['nonsense'] },
  ])
  assert.deepEqual(client.frames.find(isType('pong')), { type: 'pong', ts: FIXTURE_START_MS }, 'an invalid id is ignored')
})

test('replies to an invalid request with an error and keeps the connection open', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect } = fixture
  const client = await connect()
  const deep = '['.repeat(30_000) + ']'.repeat(30_000)
  const cases: [string | object, object][] = [
    ['{', { type: 'error', error: 'invalid_json' }],
    ['', { type: 'error', error: 'invalid_json' }],
    ['[]', { type: 'error', error: 'invalid_json' }],
    ['null', { type: 'error', error: 'invalid_json' }],
    ['"subscribe"', { type: 'error', error: 'invalid_json' }],
    [deep, { type: 'error', error: 'invalid_json' }],
    [{}, { type: 'error', error: 'unknown_op' }],
    [{ op: 5 }, { type: 'error', error: 'unknown_op' }],
    [{ op: 'buy', id: 9 }, { type: 'error', error: 'unknown_op', detail: 'buy', id: 9 }],
    [{ op: 'subscribe' }, { type: 'error', error: 'invalid_channels' }],
    [{ op: 'subscribe', channels: 'events' }, { type: 'error', error: 'invalid_channels' }],
    [{ op: 'subscribe', channels: ['events', ''] }, { type: 'error', error: 'invalid_channels' }],
    [{ op: 'subscribe', channels: ['x'.repeat(201)] }, { type: 'error', error: 'invalid_channels' }],
    [{ op: 'unsubscribe', channels: [1] }, { type: 'error', error: 'invalid_channels' }],
    [{ op: 'subscribe', channels: ['events'], since: -1 }, { type: 'error', error: 'invalid_since' }],
    [{ op: 'subscribe', channels: ['events'], since: '5', id: 4 }, { type: 'error', error: 'invalid_since', id: 4 }],
    [{ op: 'subscribe', channels: ['events'], since: 1.5 }, { type: 'error', error: 'invalid_since' }],
  ]
  for (const [message, reply] of cases) {
    const from = client.frames.length
    client.send(message)
    assert.deepEqual(await client.frame(() => true, from), reply, JSON.stringify(message).slice(0, 80))
    fixture.clock.advance(100)
  }
  const from = client.frames.length
  client.webSocket.send(Buffer.from('{"op":"ping"}'), { binary: true })
  assert.deepEqual(await client.frame(() => true, from), { type: 'error', error: 'invalid_json' }, 'binary frames are invalid')
})

test('a login allows its own account channel only, before the next request is handled', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect, publishLedgers } = fixture
  const [alice, bob] = [await createTrader(fixture, 'alice'), await createTrader(fixture, 'bob')]
  const client = await connect()
  const [own, foreign] = [`account.events.${alice.address}`, `account.events.${bob.address}`]
  client.send({ op: 'subscribe', channels: [own] })
  client.send({ op: 'login', keyId: 1, secret: alice.key.secret })
  client.send({ op: 'login', keyId: alice.key.keyId, secret: '0'.repeat(64) })
  client.send({ op: 'login', keyId: alice.key.keyId, secret: alice.key.secret, id: 'in' })
  client.send({ op: 'subscribe', channels: [own, foreign], id: 'sub' })
  await client.settle()
  assert.deepEqual(client.frames.filter(({ type }) => type !== 'hello' && type !== 'pong'), [
    { type: 'rejected', channels: [own] },
    { type: 'login', ok: false, error: 'missing_credentials' },
    { type: 'login', ok: false, error: 'invalid_credentials' },
    { type: 'login', ok: true, owner: alice.address, tier: 'standard', id: 'in' },
    { type: 'subscribed', channels: [own], heads: { [own]: 0 }, id: 'sub' },
    { type: 'rejected', channels: [foreign], id: 'sub' },
  ])
  await fixture.closeLedgers(1)
  await alice.trade({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' })
  await bob.trade({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Short' })
  await publishLedgers(1)
  await client.settle()
  const mine = client.of(own)
  assert.deepEqual(mine.map(({ data }) => data?.['topic']), ['position_opened'])
  const { raw, owner, trader } = mine[0]?.data ?? {}
  assert.deepEqual([owner, trader], [alice.address, alice.address])
  const page = await fixture.get<{ events: { payload: { topic: string } }[] }>('/v1/events?topic=position_opened&limit=500')
  assert.ok(page.body.events.some(({ payload }) => JSON.stringify(payload) === JSON.stringify(raw)), 'raw is the payload of REST')
  client.send({ op: 'login', keyId: bob.key.keyId, secret: bob.key.secret })
  await client.frame(({ type, owner: to }) => type === 'login' && to === bob.address)
  await alice.trade({ op: 'open_position', asset: 'ETH', collateral: '1000000000', leverage: 2, direction: 'Long' })
  await publishLedgers(1)
  await client.settle()
  assert.equal(client.of(own).length, 1, 'a login as another owner ends the first owner\'s channel')
})

test('broadcasts a tick for every readable asset, and sends the last one as a snapshot', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(2)
  const client = await connect()
  client.send({ op: 'subscribe', channels: ASSET_SYMBOLS.map((asset) => `ticker.${asset}`) })
  await client.settle()
  await fixture.gateway.stream.tick()
  await fixture.gateway.stream.tick()
  await client.settle()
  for (const symbol of ASSET_SYMBOLS) assert.equal(client.of(`ticker.${symbol}`).length, 2, symbol)
  const { body: { asset, price, priceFloat, timestamp } } = await fixture.get<Record<string, unknown>>('/v1/markets/BTC/price')
  assert.deepEqual(client.of('ticker.BTC')[1], { channel: 'ticker.BTC', data: { asset, price, priceFloat, timestamp, ts: fixture.clock.nowMs() } })
  const late = await connect()
  late.send({ op: 'subscribe', channels: ['ticker.BTC'], snapshot: true })
  await late.settle()
  assert.deepEqual(late.of('ticker.BTC'), client.of('ticker.BTC').slice(-1))
})

test('sends the price row as soon as the price changes, and the current one as a snapshot', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(2)
  await fixture.gateway.oracle.step()
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['prices.BTC', 'prices.SHIB'], snapshot: true, id: 1 })
  await client.settle()
  const row = async (): Promise<object> => (await fixture.get<object>('/v1/markets/BTC/price')).body
  assert.deepEqual(client.of('prices.BTC'), [{ channel: 'prices.BTC', data: await row() }])
  assert.deepEqual((await client.frame(isType('rejected')))['channels'], ['prices.SHIB'])
  await fixture.gateway.oracle.step()
  await client.settle()
  assert.equal(client.of('prices.BTC').length, 1, 'an unchanged price is not sent')
  await fixture.control('local_setPrice', { asset: 'BTC', price: '1234500000000' })
  await fixture.gateway.oracle.step()
  await client.settle()
  const frames = client.of('prices.BTC')
  assert.deepEqual([frames.length, frames[1]?.data?.['price'], frames[1]], [2, '1234500000000', { channel: 'prices.BTC', data: await row() }])
})

test('sends the price row again when the price becomes stale, once, and when it is attested again', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  await fixture.publishLedgers(2)
  await fixture.gateway.oracle.step()
  const client = await fixture.connect()
  client.send({ op: 'subscribe', channels: ['prices.BTC'], snapshot: true })
  await client.settle()
  const staleFlags = (): readonly unknown[] => client.of('prices.BTC').map(({ data }) => data?.['stale'])
  await fixture.gateway.stream.tick()
  await client.settle()
  assert.deepEqual(staleFlags(), [false])
  await fixture.control('local_actors', { publisher: false })
  fixture.clock.advance(400_000)
  for (let ticks = 0; ticks < 3; ticks++) {
    await fixture.gateway.oracle.step()
    await fixture.gateway.stream.tick()
  }
  await client.settle()
  assert.deepEqual(staleFlags(), [false, true])
  const { body } = await fixture.get<object>('/v1/markets/BTC/price')
  assert.deepEqual(client.of('prices.BTC')[1], { channel: 'prices.BTC', data: body })
  await fixture.publishLedgers(1)
  await fixture.control('local_setPrice', { asset: 'BTC', price: '1234500000000' })
  await fixture.gateway.oracle.step()
  await fixture.gateway.stream.tick()
  await client.settle()
  assert.deepEqual(staleFlags(), [false, true, false])
})

test('sends prints, events and heartbeats with the documented fields', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect, publishLedgers } = fixture
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['events', 'heartbeat', ...ASSET_SYMBOLS.map((asset) => `trades.${asset}`)] })
  await client.settle()
  await publishLedgers(90)
  fixture.gateway.stream.heartbeat()
  await client.settle()
  const prints = ASSET_SYMBOLS.flatMap((asset) => client.of(`trades.${asset}`).map((frame) => frame.data ?? {}))
  for (const kind of ['open', 'close']) {
    const print = prints.find((data) => data['kind'] === kind)
    const fields = ['kind', 'asset', 'positionId', 'trader', 'price', ...(kind === 'close' ? ['pnl'] : []), 'ledger', 'ts', 'txHash', 'size', 'direction']
    assert.deepEqual(Object.keys(print ?? {}).filter((field) => field !== 'orderId'), [...fields, 'eventId'])
  }
  const events = client.of('events')
  const rest = await fixture.get<{ events: { txHash: string; ledger: number }[] }>('/v1/events?limit=500')
  assert.deepEqual(events.map(({ data }) => [data?.['txHash'], data?.['ledger']]), rest.body.events.map(({ txHash, ledger }) => [txHash, ledger]).reverse())
  const beat = client.of('heartbeat')[0]?.data
  assert.equal(beat?.['head'], events.at(-1)?.seq)
  assert.deepEqual(Object.keys(beat ?? {}), ['ts', 'epoch', 'head', 'ledger', 'ledgerCloseTs'])
})

test('updates a candle at each tick and sends it once as final, equal to REST', async () => {
  await using fixture = await createGatewayFixture({ traders: 2, listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(1)
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['candles.BTC.1m'] })
  await client.settle()
  for (let tick = 0; tick < 30; tick++) {
    await publishLedgers(3)
    await fixture.gateway.stream.tick()
    fixture.clock.advance(0)
  }
  await client.settle()
  const candles = client.of('candles.BTC.1m').map(({ data }) => data as Candle)
  const finals = candles.filter(({ final, revision }) => final && revision === undefined)
  assert.ok(finals.length >= 1 && candles.length > 20)
  assert.equal(new Set(finals.map(({ time }) => time)).size, finals.length, 'each bucket is final once')
  const { body } = await fixture.get<{ candles: Candle[] }>('/v1/candles?asset=BTC&interval=1m')
  const last = new Map(candles.map((candle) => [candle.time, candle]))
  for (const { time } of finals) assert.deepEqual(body.candles.find((candle) => candle.time === time), last.get(time))
})

test('closes a connection above a limit before hello, with the reason', async () => {
  const streamLimits = { ...STREAM_LIMITS, connections: 3, connectionsPerAddress: 2 }
  await using fixture = await createGatewayFixture({ gateway: { streamLimits, trustProxy: true }, listen: true })
  const { connect } = fixture
  const from = (address: string): Promise<StreamClient> => connect({ 'x-forwarded-for': address })
  const first = await from('1.1.1.1')
  await from('1.1.1.1')
  const third = await from('1.1.1.1')
  assert.deepEqual(await third.closed, { code: 1013, reason: 'too_many_connections' })
  assert.deepEqual(third.frames, [])
  await from('2.2.2.2')
  const fourth = await from('2.2.2.2')
  assert.deepEqual(await fourth.closed, { code: 1013, reason: 'server_full' })
  await first.close()
  const again = await from('1.1.1.1')
  await again.frame(isType('hello'))
})

test('accepts as many sockets as the stream may have, besides those of other requests', async () => {
  await using bare = await createBareGateway({ streamLimits: { ...STREAM_LIMITS, connections: 20_000 } })
  assert.equal(bare.gateway.app.server.maxConnections, 20_000 + HTTP_CONNECTIONS_MAX)
})

test('closes a connection above 20 messages at once or 20 a second', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect } = fixture
  const client = await connect()
  for (let message = 0; message < 20; message++) client.send({ op: 'ping' })
  await client.frame((_frame) => client.frames.length === 21)
  fixture.clock.advance(50)
  client.send({ op: 'ping' })
  await client.frame((_frame) => client.frames.length === 22)
  client.send({ op: 'ping' })
  assert.deepEqual(await client.closed, { code: 1013, reason: 'rate limit exceeded' })
  assert.deepEqual(client.frames.at(-1), { type: 'error', error: 'rate_limited' })
})

test('accepts a frame of 64 KiB and closes with 1009 after a larger one', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect } = fixture
  const client = await connect()
  const padded = JSON.stringify({ op: 'ping', pad: '' })
  client.send(JSON.stringify({ op: 'ping', pad: 'x'.repeat(65_536 - padded.length) }))
  await client.frame(isType('pong'))
  client.send(JSON.stringify({ op: 'ping', pad: 'x'.repeat(65_537 - padded.length) }))
  assert.equal((await client.closed).code, 1009)
})

test('rejects foreign origins, accepts the web app and clients without an origin, and counts the upgrade', async () => {
  const rateLimits = { public: 5, standard: 5, market_maker: 5 }
  await using fixture = await createGatewayFixture({ gateway: { webOrigins: ['https://app.example'], rateLimits }, listen: true })
  const { connect } = fixture
  await connect({ origin: 'https://app.example' })
  await connect({ origin: fixture.url })
  await connect()
  await assert.rejects(connect({ origin: 'https://evil.example' }), /403/)
  assert.equal((await fixture.get('/v1/ws')).status, 426)
  await assert.rejects(connect(), /429/)
})

test('rejects a rebound Host on HTTP and on the upgrade', async () => {
  await using fixture = await createGatewayFixture({ gateway: { allowedHosts: ['app.example'] }, listen: true })
  const { connect, url } = fixture
  const rebound = `evil.example:${new URL(url).port}`
  await assert.rejects(connect({ host: rebound, origin: `http://${rebound}` }), /403/)
  await connect({ host: 'app.example', origin: 'http://app.example' })
  await connect({ origin: url })
  const statusOf = async (path: string, host: string, method = 'GET'): Promise<number | undefined> => {
    const sent = request(`${url}${path}`, { method, headers: { host } }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  for (const path of ['/', '/v1/oracle/prices', '/docs', '/none']) assert.equal(await statusOf(path, rebound), 403, path)
  assert.equal(await statusOf('/v1/oracle/prices', rebound, 'OPTIONS'), 403)
  assert.equal(await statusOf('/livez', 'instance-1:8080'), 200, 'load balancers name the instance')
  for (const host of ['app.example', 'localhost', '10.0.0.5:8080', '[::1]:8080']) assert.equal(await statusOf('/v1/events', host), 200, host)
})

test('closes the connections of a revoked key', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect } = fixture
  const alice = await createTrader(fixture, 'alice')
  const client = await connect()
  client.send({ op: 'login', keyId: alice.key.keyId, secret: alice.key.secret })
  await client.frame(isType('login'))
  fixture.gateway.stream.start()
  const authorization = `Bearer ${alice.key.keyId}:${alice.key.secret}`
  const answer = await fixture.gateway.app.inject({ method: 'DELETE', url: `/v1/keys/${alice.key.keyId}`, headers: { authorization } })
  assert.equal(answer.statusCode, 200)
  fixture.clock.advance(1_000)
  assert.deepEqual(await client.closed, { code: 4401, reason: 'key_revoked' })
})

test('announces a shutdown, keeps delivering, and closes with 1012', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect, publishLedgers } = fixture
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['events'] })
  await client.settle()
  const closing = fixture.gateway.close()
  assert.deepEqual(await client.frame(isType('draining')), { type: 'draining', graceMs: STREAM_LIMITS.drainMs })
  await publishLedgers(3)
  await client.settle()
  assert.ok(client.of('events').length > 0, 'delivery continues')
  fixture.clock.advance(STREAM_LIMITS.drainMs)
  assert.deepEqual(await client.closed, { code: 1012, reason: 'restart' })
  await closing
})
