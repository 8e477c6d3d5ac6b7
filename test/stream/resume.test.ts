// No frame is lost: resuming from a position, gap messages, and snapshots that continue as a stream (docs/websocket.md).

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { ACCOUNT_CACHE_MS, PRINTS_IN_SNAPSHOT, STREAM_LIMITS } from '../../src/limits.ts'
import { CONTROL_MESSAGES } from '../../src/resources/stream-message.ts'
import { createStreamFixture } from './stream-fixture.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import { bearer } from '../support/keys.ts'
import { assertUnbroken } from '../support/stream-client.ts'
import type { StreamClient, StreamFrame } from '../support/stream-client.ts'
import { createTrader } from '../support/traders.ts'

const TRADES = ASSET_SYMBOLS.map((asset) => `trades.${asset}`)
const LOG_CHANNELS = ['events', ...TRADES]

function positionsOf(frames: readonly StreamFrame[]): readonly (readonly [number | undefined, number | undefined])[] {
  return frames.map(({ seq, prev }) => [seq, prev])
}

test('a disconnected client resumes without a gap or duplicate, also after a restart of the gateway', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect, publishLedgers } = fixture
  const witness = await connect()
  witness.send({ op: 'subscribe', channels: LOG_CHANNELS })
  await witness.settle()
  await publishLedgers(30)
  await witness.settle()
  const early = await connect()
  const half = witness.of('events')[20]?.seq ?? 0
  early.send({ op: 'subscribe', channels: LOG_CHANNELS, since: half })
  await early.settle()
  await publishLedgers(10)
  await early.settle()
  await witness.settle()
  for (const channel of LOG_CHANNELS) {
    const wanted = witness.of(channel).filter(({ seq }) => (seq ?? 0) > half)
    assert.deepEqual(early.of(channel), wanted, `${channel} is the same when replayed and live`)
  }
  const order = early.frames.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  assert.deepEqual(order, order.toSorted((a, b) => a - b), 'frames of all channels are in order')
  const all = witness.of('events')
  await Promise.all([early.close(), witness.close()])

  await fixture.restartGateway()
  const returned = await connect()
  assert.equal((await returned.frame(() => true))['head'], all.at(-1)?.seq, 'the first client gets the position')
  returned.send({ op: 'subscribe', channels: LOG_CHANNELS, since: 0 })
  await returned.frame(({ channel, seq }) => channel === 'events' && seq === all.at(-1)?.seq)
  assert.deepEqual(positionsOf(returned.of('events')), positionsOf(all), 'the whole log, from the database')
  assertUnbroken(returned.of('events'), 0)
  for (const channel of TRADES) assertUnbroken(returned.of(channel), 0)
  const busy = TRADES.find((channel) => returned.of(channel).length > 1) ?? ''
  const place = returned.of(busy)[0]?.seq ?? 0
  const again = await connect()
  again.send({ op: 'subscribe', channels: [busy], since: place })
  await again.frame(({ channel, seq }) => channel === busy && seq === returned.of(busy).at(-1)?.seq)
  assertUnbroken(again.of(busy), place)

  const before = returned.of('events').length
  await publishLedgers(10)
  await returned.settle()
  assertUnbroken(returned.of('events'), 0)
  assert.ok(returned.of('events').length > before)
})

test('the first live frame of each channel follows the reported head', async () => {
  await using fixture = await createGatewayFixture({ listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(25)
  const client = await connect()
  client.send({ op: 'subscribe', channels: LOG_CHANNELS })
  const { heads } = (await client.frame(({ type }) => type === 'subscribed')) as unknown as { heads: Readonly<Record<string, number>> }
  await publishLedgers(40)
  await client.settle()
  assert.ok(client.of('events').length > 0)
  for (const channel of LOG_CHANNELS) assertUnbroken(client.of(channel), heads[channel] ?? -1)
})

/** The reasons in docs/websocket.md, which are those of the AsyncAPI document. */
function documentedReasons(): readonly string[] {
  const text = readFileSync(new URL('../../docs/websocket.md', import.meta.url), 'utf8')
  const rows = /\| Reason of a `gap` \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(text)?.[1] ?? ''
  const reasons = [...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason = '']) => reason).toSorted()
  const gap = CONTROL_MESSAGES.find(({ name }) => name === 'gap')?.payload as unknown as { properties: { reason: { enum: readonly string[] } } }
  assert.deepEqual(gap.properties.reason.enum.toSorted(), reasons)
  return reasons
}

test('replies with a gap and its reason when it cannot resume, then delivers live frames', async () => {
  const streamLimits = { ...STREAM_LIMITS, replayFrames: 10 }
  await using fixture = await createGatewayFixture({ gateway: { streamLimits }, listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(30)
  const client = await connect()
  const hello = await client.frame(() => true)
  const head = Number(hello['head'])
  const recent = await fixture.store.read.query<{ seq: number }>('select seq from idx.events where not is_transfer order by seq desc limit 12')
  const [newest = 0, tenthBefore = 0, eleventhBefore = 0] = [recent[0], recent[10], recent[11]].map((row) => row?.seq)
  const cases: [string, object][] = [
    ['ahead', { since: head + 1 }],
    ['too_far', { since: eleventhBefore }],
    ['epoch', { since: head, epoch: 'another' }],
  ]
  for (const [reason, place] of cases) {
    const from = client.frames.length
    client.send({ op: 'subscribe', channels: ['events'], id: reason, ...place })
    const since = (place as { since: number }).since
    assert.deepEqual(await client.frame(({ type }) => type === 'gap', from), { type: 'gap', channels: ['events'], since, oldest: 1, reason, id: reason })
  }
  assert.deepEqual(documentedReasons(), cases.map(([reason]) => reason).toSorted(), 'every documented reason can occur')
  const from = client.frames.length
  client.send({ op: 'subscribe', channels: ['events'], since: tenthBefore, epoch: hello['epoch'] })
  await client.frame(({ channel, seq }) => channel === 'events' && seq === newest, from)
  assert.equal(client.frames.slice(from).filter(({ type }) => type === 'gap').length, 0)
  assert.equal(client.of('events').length, 10, 'the maximum of a replay')
  await publishLedgers(5)
  await client.settle()
  assertUnbroken(client.of('events'), tenthBefore)
})

test('a snapshot of trades has the last prints, and live prints follow', async () => {
  await using fixture = await createGatewayFixture({ traders: 20, listen: true })
  const { connect, publishLedgers } = fixture
  await publishLedgers(150)
  const whole = await connect()
  const untilNewest = async (reader: StreamClient): Promise<void> => {
    const [newest] = await fixture.store.read.query<{ seq: number }>(`select max(seq) as seq from (
      select seq from idx.opens where asset = 'BTC' union all select seq from idx.trades where 'BTC' in (asset, event_asset)) prints`)
    await reader.frame(({ channel, seq }) => channel === 'trades.BTC' && seq === newest?.seq)
  }
  whole.send({ op: 'subscribe', channels: ['trades.BTC'], since: 0 })
  await untilNewest(whole)
  const client = await connect()
  client.send({ op: 'subscribe', channels: ['trades.BTC'], snapshot: true })
  await client.settle()
  assert.deepEqual(client.of('trades.BTC'), whole.of('trades.BTC').slice(-PRINTS_IN_SNAPSHOT))
  await publishLedgers(30)
  await Promise.all([client, whole].map(untilNewest))
  const last = whole.of('trades.BTC').length
  assert.deepEqual(client.of('trades.BTC'), whole.of('trades.BTC').slice(last - client.of('trades.BTC').length))
})

test('a snapshot of an account is followed by frames with a higher seq', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect, publishLedgers } = fixture
  const alice = await createTrader(fixture, 'alice')
  await publishLedgers(1)
  await alice.trade({ op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' })
  await publishLedgers(1)
  const client = await connect()
  const channel = `account.events.${alice.address}`
  client.send({ op: 'login', keyId: alice.key.keyId, secret: alice.key.secret })
  client.send({ op: 'subscribe', channels: [channel], snapshot: true })
  const snapshot = await client.frame((frame) => frame.channel === channel)
  const rest = await fixture.get<{ positions: object[] }>('/v1/account/me/positions', { authorization: bearer(alice.key) })
  assert.equal(snapshot['snapshot'], true)
  assert.deepEqual(snapshot.data?.['positions'], rest.body.positions)
  assert.equal(rest.body.positions.length, 1)
  await alice.trade({ op: 'open_position', asset: 'ETH', collateral: '1000000000', leverage: 2, direction: 'Short' })
  await publishLedgers(1)
  const next = await client.frame((frame) => frame.channel === channel && frame['snapshot'] !== true)
  assert.ok((next.prev ?? Infinity) <= (snapshot.seq ?? 0) && (snapshot.seq ?? 0) < (next.seq ?? 0))
  const again = await connect()
  again.send({ op: 'login', keyId: alice.key.keyId, secret: alice.key.secret })
  again.send({ op: 'subscribe', channels: [channel], since: 0 })
  await again.frame((frame) => frame.channel === channel && frame.seq === next.seq)
  assertUnbroken(again.of(channel), 0)
  assert.deepEqual(again.of(channel).at(-1), next)
})

test('an account snapshot has all resting orders, also those without an event, and none that has ended', async () => {
  await using fixture = await createGatewayFixture({ traders: 0, listen: true })
  const { connect, publishLedgers } = fixture
  const alice = await createTrader(fixture, 'alice')
  await publishLedgers(1)
  const terms = { asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long', triggerPrice: '500000000000', triggerCondition: 'Below' } as const
  await alice.trade({ op: 'place_limit_order', ...terms, slippageToleranceBps: 100 })
  await alice.trade({ op: 'place_stop_limit_order', ...terms, limitPrice: '490000000000', slippageToleranceBps: 100 })
  await publishLedgers(2)
  const client = await connect()
  const channel = `account.events.${alice.address}`
  client.send({ op: 'login', keyId: alice.key.keyId, secret: alice.key.secret })
  const snapshot = async (): Promise<StreamFrame> => {
    const from = client.frames.length
    client.send({ op: 'subscribe', channels: [channel], snapshot: true })
    return await client.frame((frame) => frame['snapshot'] === true, from)
  }
  const resting = () => fixture.get<{ orders: { orderId: number }[] }>('/v1/account/me/orders/open', { authorization: bearer(alice.key) })
  const { body: { orders } } = await resting()
  assert.equal(orders.length, 2)
  assert.deepEqual((await snapshot()).data?.['orders'], orders)

  // The order ends in the log while the cached list still includes it.
  const [, placed] = orders
  const signedXdr = await alice.signed({ op: 'cancel_order', orderId: placed?.orderId ?? 0 })
  fixture.clock.advance(ACCOUNT_CACHE_MS)
  assert.deepEqual((await resting()).body.orders, orders)
  await fixture.network.rpc.call('sendTransaction', { transaction: signedXdr })
  await fixture.network.step()
  await publishLedgers(0)
  await client.settle()
  assert.equal(client.of(channel).at(-1)?.data?.['topic'], 'order_cancelled')
  assert.deepEqual((await snapshot()).data?.['orders'], orders.slice(0, 1))

  fixture.clock.advance(ACCOUNT_CACHE_MS)
  fixture.rpc.isDown = true
  assert.equal((await snapshot()).data?.['orders'], null, 'null while the network cannot be read')
  fixture.rpc.isDown = false
})

test('replies with a gap to a client that resumes in an epoch which another chain interrupted', async () => {
  await using fixture = await createStreamFixture()
  await fixture.publish(5)
  await fixture.interrupt(2)
  await fixture.publish(3)
  const client = await fixture.connect()
  const hello = await client.frame(() => true)
  assert.equal(hello['epoch'], 'e1')
  const from = client.frames.length
  client.send({ op: 'subscribe', channels: ['events'], since: 4, epoch: 'e1' })
  assert.equal((await client.frame(({ type }) => type === 'gap', from))['reason'], 'epoch', 'events of the other chain are not replayed')
  client.send({ op: 'subscribe', channels: ['events'], since: 7, epoch: 'e1' })
  assert.equal((await client.frame(({ channel }) => channel === 'events', from)).seq, 8)
})

test('replies with a gap to a client that names no epoch, and resumes before another chain interrupted the current one', async () => {
  await using fixture = await createStreamFixture()
  await fixture.publish(5)
  await fixture.interrupt(2)
  await fixture.publish(3)
  const client = await fixture.connect()
  client.send({ op: 'subscribe', channels: ['events'], since: 4 })
  const { reason, since, channels } = await client.frame(({ type, channel }) => type === 'gap' || channel === 'events')
  assert.deepEqual([reason, since, channels], ['epoch', 4, ['events']], 'events of the other chain are not replayed')
  client.send({ op: 'subscribe', channels: ['events'], since: 7 })
  assert.equal((await client.frame(({ channel }) => channel === 'events')).seq, 8)
})

test('names the epoch of the published position while the instance catches up with a reset', async () => {
  const reading = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  let pages = -1
  await using fixture = await createStreamFixture({
    async beforeRead(sql) {
      if (pages === -1 || !sql.includes('"headSeq"') || ++pages !== 2) return
      reading.resolve()
      await resumed.promise
    },
  })
  await fixture.publish(5)
  await fixture.append(3_000)
  await fixture.appendReset(10)
  pages = 0
  const caughtUp = fixture.stream.publishCommitted()
  await reading.promise
  const client = await fixture.connect()
  const { epoch, head } = await client.frame(() => true)
  assert.deepEqual({ epoch, head }, { epoch: 'e1', head: 505 }, 'the second page is not published yet')
  client.send({ op: 'subscribe', channels: ['events'], since: head, epoch: 'e2' })
  assert.equal((await client.frame(({ type }) => type === 'gap'))['reason'], 'epoch', 'the new epoch has not begun there')
  client.send({ op: 'subscribe', channels: ['events', 'heartbeat'], since: head, epoch })
  await client.settle()
  fixture.stream.heartbeat()
  const beat = (await client.frame(({ channel }) => channel === 'heartbeat')).data
  assert.deepEqual([beat?.['epoch'], beat?.['head']], [epoch, head])
  resumed.resolve()
  await caughtUp
  const last = await client.frame(({ seq }) => seq === 3_015)
  assertUnbroken(client.of('events'), Number(head))
  const gaps = client.frames.filter(({ type }) => type === 'gap').map(({ since, epoch: next }) => [since, next])
  assert.deepEqual(gaps, [[head, undefined], [3_005, 'e2']], 'the new epoch is announced once')
  assert.equal(last.prev, 3_014)
})
