// The channel account.orders.<G…>: submissions, orders and fills, with the rows that REST serves.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Fill } from '../../src/resources/fill.ts'
import type { Order } from '../../src/resources/order.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { bearer } from '../support/keys.ts'
import type { StreamClient, StreamFrame } from '../support/stream-client.ts'
import { createTrader } from '../support/traders.ts'
import type { Trader } from '../support/traders.ts'

interface Change extends StreamFrame {
  readonly more?: number
  readonly data?: { readonly kind: 'submission' | 'order' | 'fill'; readonly row: Readonly<Record<string,
    unknown>>; readonly revision: number; readonly again?: true }
}

let fixture: GatewayFixture
let alice: Trader
let bob: Trader
let live: StreamClient
let channel: string

async function connectAs(trader: Trader): Promise<StreamClient> {
  const client = await fixture.connect()
  client.send({ op: 'login', keyId: trader.key.keyId, secret: trader.key.secret })
  await client.frame(({ type }) => type === 'login')
  return client
}

/** The channel's frames, up to the end of the log. */
async function changesOf(client: StreamClient, since: number): Promise<readonly Change[]> {
  const [last] = await fixture.store.read.query<{ seq: number }>('select last_seq as seq from idx.cursor')
  client.send({ op: 'subscribe', channels: [channel, 'trades.BTC'], since, id: since })
  const { heads } = (await client.frame((frame) => frame.type === 'subscribed' && frame['id'] === since)) as unknown as { heads: Record<string, number> }
  const head = heads[channel] ?? 0
  assert.ok(head <= (last?.seq ?? 0))
  if (head > since) await client.frame((frame) => frame.channel === channel && frame.seq === head && frame['more'] === undefined)
  return client.of(channel) as readonly Change[]
}

before(async () => {
  fixture = await createGatewayFixture({ traders: 6, listen: true })
  alice = await createTrader(fixture, 'alice')
  bob = await createTrader(fixture, 'bob')
  await fixture.publishLedgers(2)
  channel = `account.orders.${alice.address}`
  live = await connectAs(alice)
  live.send({ op: 'subscribe', channels: [channel] })
  const opening = { op: 'open_position', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long' } as const
  await alice.trade(opening)
  await fixture.publishLedgers(1)
  await bob.trade(opening)
  const terms = { asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long', slippageToleranceBps: 500 } as const
  // One order that a keeper executes, and one that is cancelled.
  await alice.trade({ op: 'place_limit_order', ...terms, triggerPrice: '930000000000', triggerCondition: 'Below' })
  await alice.trade({ op: 'place_limit_order', ...terms, triggerPrice: '500000000000', triggerCondition: 'Below' })
  await fixture.publishLedgers(8)
  const { body: { orders } } = await fixture.get<{ orders: { orderId: number }[] }>('/v1/account/me/orders/open', { authorization: bearer(alice.key) })
  for (const { orderId } of orders) await alice.trade({ op: 'cancel_order', orderId })
  const { body: { positions } } = await fixture.get<{ positions: { positionId: number }[] }>('/v1/account/me/positions', { authorization: bearer(alice.key) })
  await alice.trade({ op: 'close_position', positionId: positions[0]?.positionId ?? 0 })
  await fixture.publishLedgers(5)
})
after(() => fixture[Symbol.asyncDispose]())

test('needs the login of its account', async () => {
  const stranger = await fixture.connect()
  stranger.send({ op: 'subscribe', channels: [channel] })
  assert.deepEqual((await stranger.frame(({ type }) => type === 'rejected'))['channels'], [channel])
  const other = await connectAs(bob)
  other.send({ op: 'subscribe', channels: [channel] })
  assert.deepEqual((await other.frame(({ type }) => type === 'rejected'))['channels'], [channel])
})

test('has every fill and every order change of the account with the row that REST serves', async () => {
  const changes = await changesOf(await connectAs(alice), 0)
  const rowsOf = <Row>(kind: string): Row[] => changes.filter(({ data }) => data?.kind === kind).map(({ data }) => data?.row as Row)
  const authorization = bearer(alice.key)
  const { body: { fills } } = await fixture.get<{ fills: Fill[] }>('/v1/account/me/fills', { authorization })
  assert.ok(fills.length >= 3)
  assert.deepEqual(rowsOf<Fill>('fill'), fills.toReversed())
  assert.deepEqual(changes.filter(({ data }) => data?.kind === 'fill').map(({ seq }) => seq), fills.map(({ seq }) => seq).toReversed())

  const orders = Map.groupBy(rowsOf<Order>('order'), ({ orderId }) => orderId)
  assert.equal(orders.size, 2)
  for (const [orderId, [placed, ended, ...more]] of orders) {
    const { body } = await fixture.get(`/v1/orders/${orderId}`)
    assert.deepEqual([placed?.status, placed?.ended, placed?.execution, more], ['pending', null, null, []])
    assert.deepEqual(ended, body)
    assert.notEqual(ended?.status, 'pending')
  }
  assert.deepEqual(new Set(rowsOf<Order>('order').map(({ status }) => status)), new Set(['pending', 'executed', 'cancelled']))
})

test('has every change of a submission, in its order, among the events of its transaction', async () => {
  const changes = await changesOf(await connectAs(alice), 0)
  const submissions = Map.groupBy(changes.filter(({ data }) => data?.kind === 'submission'), ({ data }) => String(data?.row['hash']))
  assert.ok(submissions.size >= 5)
  for (const frames of submissions.values()) {
    const statuses = frames.map(({ data }) => data?.row['status'])
    assert.equal(statuses[0], 'PENDING')
    assert.equal(statuses.at(-1), 'SUCCESS')
  }
  const stored = await fixture.store.read.query<{ seq: number; row: object }>(
    'select seq, row from tx.submission_changes where owner = $1 order by seq', [alice.address],
  )
  const frames = changes.filter(({ data }) => data?.kind === 'submission').map(({ seq, data }) => ({ seq, row: data?.row }))
  assert.deepEqual(frames, stored)
})

test('live frames and replays from every position are the same', async () => {
  const all = await changesOf(await connectAs(alice), 0)
  const text = (frames: readonly Change[]): string[] => frames.map(({ seq, prev, more, data }) => `${seq} ${prev} ${more} ${data?.kind}`)
  await live.settle()
  assert.deepEqual(text(live.of(channel) as readonly Change[]), text(all))
  let last = 0
  for (const { seq = 0, prev, more } of all) {
    assert.equal(prev, last)
    if (more === undefined) last = seq
  }
  for (const since of new Set(all.map(({ seq = 0 }) => seq))) {
    const client = await connectAs(alice)
    assert.deepEqual(text(await changesOf(client, since)), text(all.filter((frame) => (frame.seq ?? 0) > since)), `since ${since}`)
    await client.close()
  }
})

test('sends a fill again when its missing members become known, with a later position, and no order that was whole at once', async () => {
  const client = await connectAs(alice)
  const { seq: since = 0 } = (await changesOf(client, 0)).at(-1) ?? {}
  for (let found = 1; found > 0;) found = await fixture.indexer.observe()
  await fixture.publishLedgers(0)
  const changes = (await changesOf(await connectAs(alice), 0)).filter(({ seq = 0 }) => seq > since)
  const rowsOf = <Row>(kind: string): Row[] => changes.filter(({ data }) => data?.kind === kind).map(({ data }) => data?.row as Row)
  assert.deepEqual(rowsOf<Order>('order'), [])
  const { body: { fills } } = await fixture.get<{ fills: Fill[] }>('/v1/account/me/fills', { authorization: bearer(alice.key) })
  assert.ok(changes.every(({ data }) => data?.again === true), 'each had a frame before')
  const completed = rowsOf<Fill>('fill')
  assert.ok(completed.length >= 1 && completed.every(({ fee, funding }) => fee !== null && funding !== null))
  for (const fill of completed) assert.deepEqual(fill, fills.find(({ seq, positionId }) => seq === fill.seq && positionId === fill.positionId))
  await live.settle()
  const text = (frames: readonly Change[]): string[] => frames.map(({ seq, prev, more, data }) => `${seq} ${prev} ${more} ${data?.kind}`)
  assert.deepEqual(text(live.of(channel) as readonly Change[]), text(await changesOf(await connectAs(alice), 0)))
})

test('a snapshot has the open orders, the pending submissions and the last fills as of its position', async () => {
  await alice.trade({
    op: 'place_limit_order', asset: 'BTC', collateral: '1000000000', leverage: 2, direction: 'Long', slippageToleranceBps: 500, triggerPrice: '400000000000',
    triggerCondition: 'Below',
  })
  await fixture.publishLedgers(2)
  await fixture.store.write.query(
    `insert into tx.submissions (owner, hash, trader, sequence, status, logged_status, envelopes, accepted, attempts, submitted_at, updated_at)
     values ($1, 'pending', $1, 1, 'PENDING', 'PENDING', '[]', true, 1, 0, 0)`, [alice.address])
  await fixture.store.write.query(
    `insert into tx.submission_changes (owner, hash, row, changed_at) values ($1, 'pending', '{"hash":"pending","status":"PENDING"}', 0)`, [alice.address])
  const client = await connectAs(alice)
  client.send({ op: 'subscribe', channels: [channel], snapshot: true })
  const snapshot = await client.frame((frame) => frame.channel === channel)
  const data = snapshot['data'] as unknown as { readonly orders: Order[]; readonly submissions: { hash: string }[]; readonly fills: Fill[] }
  const authorization = bearer(alice.key)
  const { body: history } = await fixture.get<{ orders: Order[] }>('/v1/account/me/orders/history?status=pending', { authorization })
  const { body: { fills } } = await fixture.get<{ fills: Fill[] }>('/v1/account/me/fills', { authorization })
  assert.equal(snapshot['snapshot'], true)
  assert.equal(data.orders.length, 1)
  assert.deepEqual([data.orders, data.fills], [history.orders, fills])
  assert.deepEqual(data.submissions.map(({ hash }) => hash), ['pending'])
  await fixture.store.write.query(`delete from tx.submissions where hash = 'pending'`)

  await alice.trade({ op: 'cancel_order', orderId: data.orders[0]?.orderId ?? 0 })
  await fixture.publishLedgers(2)
  const next = await client.frame((frame) => frame.channel === channel && frame['snapshot'] === undefined) as Change
  assert.ok((next.seq ?? 0) > (snapshot.seq ?? Infinity))
  assert.ok((next.prev ?? Infinity) <= (snapshot.seq ?? 0))
})

test('frames of one event share its seq, count those that follow, and are never separated', async () => {
  const [fill] = await fixture.store.read.query<{ seq: number }>('select max(seq) as seq from idx.position_fills where trader = $1', [alice.address])
  await fixture.store.write.query(
    `insert into idx.position_fills select (jsonb_populate_record(f, jsonb_build_object('position_id', 1000000 + n))).*
     from idx.position_fills f cross join generate_series(1, 3) n where f.trader = $1 and f.seq = $2`,
    [alice.address, fill?.seq ?? 0],
  )
  const group = (await changesOf(await connectAs(alice), 0)).filter(({ seq }) => seq === fill?.seq)
  assert.deepEqual(group.map(({ more }) => more), [3, 2, 1, undefined])
  assert.equal(new Set(group.map(({ prev }) => prev)).size, 1)
  await fixture.store.write.query('delete from idx.position_fills where position_id >= 1000000')
})

test('an order that was submitted here is pushed whole, and a row that is sent again has a higher revision', async () => {
  const changes = await changesOf(await connectAs(alice), 0)
  for (const { seq, data } of changes) assert.equal(data?.revision, seq)
  const orders = changes.filter(({ data }) => data?.kind === 'order')
  assert.ok(orders.length >= 4)
  for (const { data } of orders) {
    for (const member of ['orderType', 'asset', 'direction', 'collateral', 'leverage', 'timeInForce', 'slippageToleranceBps']) {
      assert.notEqual(data?.row[member], null, member)
    }
    assert.equal(data?.again, undefined)
  }
})
