// More of the stream's protocol (docs/websocket.md): periodic frames, omitted fields, and combined options.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PRINTS_IN_SNAPSHOT, STALE_PRICE_SERVED_MS } from '../../src/limits.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { bearer, call } from '../support/keys.ts'
import type { StreamFrame } from '../support/stream-client.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import { createTrader } from '../support/traders.ts'
import { until } from '../support/until.ts'

const isType = (type: string) => (frame: StreamFrame): boolean => frame.type === type

test('sends a heartbeat every second and a tick every three seconds', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(2)
  fixture.gateway.stream.start()
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['heartbeat', 'ticker.BTC'] })
  await client.settle()
  const [beats, ticks] = [client.of('heartbeat').length, client.of('ticker.BTC').length]
  for (let second = 1; second <= 6; second++) {
    fixture.clock.advance(1_000)
    await client.frame((frame) => frame.channel === 'heartbeat' && frame.data?.['ts'] === fixture.clock.nowMs())
    assert.equal(client.of('heartbeat').length, beats + second)
    const due = ticks + Math.floor(second / 3)
    await until(() => client.of('ticker.BTC').length >= due, `tick ${due}`)
    assert.ok(client.of('ticker.BTC').length <= due + 1, 'no more than one in three seconds')
  }
  const [first, last] = [client.of('ticker.BTC')[0], client.of('ticker.BTC').at(-1)]
  assert.deepEqual({ ...first?.data, ts: 0 }, { ...last?.data, ts: 0 }, 'an unchanged price is sent too')
})

test('omits an unreadable asset from the tick and sends the others', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(2)
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['ticker.BTC', 'ticker.ETH'] })
  await client.settle()
  fixture.rpc.refusedPrices.add('BTC')
  await publishLedgers(5)
  await fixture.gateway.stream.tick()
  await client.settle()
  assert.deepEqual([client.of('ticker.BTC').length, client.of('ticker.ETH').length], [0, 1], 'an old price is not broadcast')
  fixture.rpc.refusedPrices.clear()
  fixture.clock.advance(STALE_PRICE_SERVED_MS)
  await publishLedgers(5)
  await fixture.gateway.stream.tick()
  await client.settle()
  assert.deepEqual([client.of('ticker.BTC').length, client.of('ticker.ETH').length], [1, 2])
})

test('reports heads of log channels only, and omits them when there are none', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect } = fixture
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['ticker.BTC', 'heartbeat', 'candles.BTC.1m'], id: 1 })
  assert.deepEqual(await client.frame(isType('subscribed')), { type: 'subscribed', channels: ['ticker.BTC', 'heartbeat', 'candles.BTC.1m'], id: 1 })
})

test('prefers since over snapshot for log channels', async () => {
  await using fixture = await createGatewayFixture({ traders: 20, listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(80)
  await fixture.gateway.stream.tick()
  const whole = await connect()
  whole.send({ op: 'subscribe', channels: ['trades.BTC'], since: 0 })
  const { heads } = (await whole.frame(isType('subscribed'))) as unknown as { heads: Readonly<Record<string, number>> }
  await whole.frame(({ channel, seq }) => channel === 'trades.BTC' && seq === heads['trades.BTC'])
  const [first, ...more] = whole.of('trades.BTC')
  assert.ok(more.length > 1 && more.length < PRINTS_IN_SNAPSHOT)
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['trades.BTC', 'ticker.BTC'], since: first?.seq, snapshot: true })
  await client.frame(({ channel, seq }) => channel === 'trades.BTC' && seq === heads['trades.BTC'])
  assert.deepEqual(client.of('trades.BTC'), more, 'the prints after since, and none before')
  assert.equal(client.of('ticker.BTC').length, 1, 'a channel outside of the log has its snapshot')
})

test('a snapshot of a live channel restarts it: prints repeat and new ones follow without a gap', async () => {
  await using fixture = await createGatewayFixture({ traders: 20, listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(60)
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['trades.BTC'], since: 0 })
  await client.settle()
  await publishLedgers(20)
  await client.settle()
  const from = client.frames.length
  client.send({ op: 'subscribe', channels: ['trades.BTC'], snapshot: true })
  await client.settle()
  await publishLedgers(30)
  await client.settle()
  const again = client.frames.slice(from).filter(({ channel }) => channel === 'trades.BTC')
  assert.ok(again.length > 0)
  assertUnbroken(again, again[0]?.prev ?? -1)
})

test('counts an upgrade with a Bearer key against the key\'s rate limit, without logging in', async () => {
  const rateLimits = { public: 1, standard: 100, market_maker: 100 }
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect } = fixture
  const alice = await createTrader(fixture, 'alice')
  await fixture.restartGateway({ rateLimits })
  const withKey = { authorization: bearer(alice.key) }
  const client = await connect(withKey)
  await connect(withKey)
  client.send({ op: 'subscribe', channels: [`account.events.${alice.address}`] })
  await client.frame(isType('rejected'))
  await connect()
  await assert.rejects(connect(), /429/, 'one upgrade is allowed without a key')
  await connect(withKey)
})

test('rejects a login with a revoked key', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect } = fixture
  const alice = await createTrader(fixture, 'alice')
  const { keyId, secret } = alice.key
  assert.equal((await call(fixture.gateway.app, `/v1/keys/${keyId}`, { method: 'DELETE', key: alice.key })).status, 200)
  const client = await connect()
  client.send({ op: 'login', keyId, secret, id: 'x' })
  assert.deepEqual(await client.frame(isType('login')), { type: 'login', ok: false, error: 'invalid_credentials', id: 'x' })
})
