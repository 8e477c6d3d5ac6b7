// The warnings of prepared transactions, each one present and absent, on both generations; and client ids.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { VENUE_CACHE_MS } from '../../src/limits.ts'
import type { PreparedTransaction, WarningCode } from '../../src/resources/prepared-transaction.ts'
import { call } from '../support/keys.ts'
import { createPreviewedTrader } from './previewed-trader.ts'
import type { PreviewedTrader } from './previewed-trader.ts'
import { createTrader, lastPositionId, ONE, sign } from '../support/traders.ts'

const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const
const LIMIT = { op: 'place_limit_order', ...TERMS, slippageToleranceBps: 100 } as const
const OPEN = { op: 'open_position', ...TERMS } as const

for (const generation of ['1', '2'] as const) {
  describe(`generation ${generation}`, () => {
    let opened: PreviewedTrader
    before(async () => {
      opened = await createPreviewedTrader(generation)
    })
    after(() => opened.fixture[Symbol.asyncDispose]())
    orderWarnings(() => opened)
    positionWarnings(() => opened)
    if (generation === '2') clientIds(() => opened)
  })
}

/** The codes, after everything cached has expired. Fails when a message is not a sentence. */
async function codesOf({ fixture, prepare }: PreviewedTrader, body: Parameters<PreviewedTrader['prepare']>[0]): Promise<readonly WarningCode[]> {
  await fixture.closeLedgers(1 + VENUE_CACHE_MS / 1_000)
  await fixture.gateway.oracle.step()
  const { warnings } = await prepare(body)
  for (const { message } of warnings) assert.match(message, /^[A-Z].{30,}\.$/)
  return warnings.map(({ code }) => code)
}

function orderWarnings(world: () => PreviewedTrader): void {
  test('triggers_at_once: an entry or a stop whose trigger the price has reached', async () => {
    const { price } = await world().price()
    const [below, above] = [String((price * 9n) / 10n), String((price * 11n) / 10n)]
    const at = (triggerPrice: string, triggerCondition: 'Above' | 'Below') => codesOf(world(), { ...LIMIT, triggerPrice, triggerCondition })
    assert.deepEqual([await at(below, 'Below'), await at(above, 'Below')], [[], ['triggers_at_once']])
    assert.deepEqual([await at(above, 'Above'), await at(below, 'Above')], [[], ['triggers_at_once']])
    await world().apply(OPEN)
    const positionId = await lastPositionId(world().fixture, world().trader.address)
    const stop = { op: 'set_stop_loss', positionId, triggerPrice: String((price * 99n) / 100n), slippageToleranceBps: 100 } as const
    assert.deepEqual(await codesOf(world(), stop), [])
    await world().fixture.control('local_setPrice', { asset: 'BTC', price: String((price * 98n) / 100n) })
    assert.deepEqual(await codesOf(world(), stop), ['triggers_at_once'])
    assert.deepEqual(await codesOf(world(), { op: 'place_trailing_stop', positionId, trailingPercentBps: 1, slippageToleranceBps: 100 }), [])
    await world().fixture.control('local_setPrice', { asset: 'BTC', price: String(price) })
    await world().fixture.closeLedgers(2)
    await world().apply({ op: 'close_position', positionId })
  })

  test('above_headroom: an entry that is larger than what can be opened', async () => {
    const order = { ...LIMIT, triggerPrice: '1', triggerCondition: 'Below', leverage: 10, collateral: String(9_999n * ONE) } as const
    assert.deepEqual(await codesOf(world(), order), [])
    // The vault of generation 1 has no caps that can be read.
    if (world().generation === '1') return
    await world().apply(order)
    assert.deepEqual(await restingWarnings(world()), [[], [], [], [], []], 'the pool takes it')
    await capBtc(world(), 1)
    assert.deepEqual(await restingWarnings(world()), Array.from({ length: 5 }, () => ['above_headroom']))
    assert.deepEqual(await codesOf(world(), order), ['above_headroom'])
    assert.deepEqual(await codesOf(world(), { ...order, reduceOnly: true }), [], 'it opens nothing')
    await capBtc(world(), 2_500)
  })
}

/** The warnings of the order that rests: in three reads of REST, in the snapshot of its account's channel, and in the frame of its placement. */
async function restingWarnings({ fixture, trader }: PreviewedTrader): Promise<readonly (readonly string[])[]> {
  await fixture.closeLedgers(1 + VENUE_CACHE_MS / 1_000)
  await fixture.catchUp()
  await fixture.indexer.observe()
  interface Row { readonly orderId: number; readonly warnings?: readonly { readonly code: string; readonly message: string }[] }
  const read = async <Body>(path: string): Promise<Body> => (await call<Body>(fixture.gateway.app, path, { key: trader.key })).body
  const [open] = (await read<{ orders: readonly Row[] }>('/v1/account/me/orders/open')).orders
  const [past] = (await read<{ orders: readonly Row[] }>('/v1/account/me/orders/history')).orders
  const one = await read<Row>(`/v1/orders/${open?.orderId}`)
  assert.equal(past?.orderId, open?.orderId)
  const channel = `account.orders.${trader.address}`
  const client = await fixture.connect()
  const { keyId, secret } = trader.key
  client.send({ op: 'login', keyId, secret })
  client.send({ op: 'subscribe', channels: [channel], snapshot: true })
  const snapshot = await client.frame((frame) => frame.channel === channel && frame['snapshot'] === true)
  const replaying = await fixture.connect()
  replaying.send({ op: 'login', keyId, secret })
  replaying.send({ op: 'subscribe', channels: [channel], since: 1 })
  const placement = await replaying.frame((frame) => (frame['data'] as { kind?: string } | undefined)?.kind === 'order')
  for (const each of [client, replaying]) await each.close()
  const pushed = [(snapshot['data'] as { orders: readonly Row[] }).orders[0], (placement['data'] as { row: Row }).row]
  return [open, past, one, ...pushed].map((row) => (row?.warnings ?? []).map(({ code, message }) => {
    assert.match(message, /^[A-Z].{30,}\.$/)
    return code
  }))
}

/** Limits each side to this share of the pool. The gateway reads limits every five minutes. */
async function capBtc({ fixture }: PreviewedTrader, bps: number): Promise<void> {
  await fixture.control('local_admin', { contract: 'vault', function: 'set_asset_cap', args: [{ type: 'symbol', value: 'BTC' }, { type: 'u32', value: bps }] })
  await fixture.closeLedgers(2)
  await fixture.restartGateway()
}

function positionWarnings(world: () => PreviewedTrader): void {
  const SOL = { ...OPEN, asset: 'SOL' } as const

  test('near_liquidation: a position that is opened or left less than 5 % from its liquidation price', async () => {
    assert.deepEqual(await codesOf(world(), { ...SOL, leverage: 10 }), [])
    if (world().generation === '1') return
    await world().apply({ ...SOL, leverage: 8 })
    const positionId = await lastPositionId(world().fixture, world().trader.address)
    const { price } = await world().price('SOL')
    assert.deepEqual(await codesOf(world(), { op: 'add_collateral', positionId, amount: String(ONE) }), [])
    await world().fixture.control('local_setPrice', { asset: 'SOL', price: String((price * 92n) / 100n) })
    assert.deepEqual(await codesOf(world(), { op: 'add_collateral', positionId, amount: String(ONE) }), ['near_liquidation'])
    await world().fixture.control('local_setPrice', { asset: 'SOL', price: String(price) })
    await world().fixture.closeLedgers(2)
    await world().apply({ op: 'close_position', positionId })
  })

  test('price_stale: a close at a price that is older than the exchange accepts for opens', async () => {
    await world().apply(SOL)
    const positionId = await lastPositionId(world().fixture, world().trader.address)
    const close = { op: 'close_position', positionId } as const
    assert.deepEqual(await codesOf(world(), close), [])
    await world().fixture.control('local_actors', { publisher: false })
    await world().fixture.control('local_advance', { seconds: 90 })
    assert.deepEqual(await codesOf(world(), close), ['price_stale'])
    await world().fixture.control('local_actors', { publisher: true })
    await world().fixture.closeLedgers(5)
    assert.deepEqual(await codesOf(world(), close), [])
  })

  test('funding_due: an open or a close an hour after funding was last applied', async () => {
    const { fixture } = world()
    // The first application only starts the clock.
    await fixture.control('local_advance', { seconds: 3_700 })
    await fixture.closeLedgers(30)
    assert.deepEqual(await codesOf(world(), SOL), [])
    await fixture.control('local_actors', { keeper: false })
    await fixture.control('local_advance', { seconds: 3_700 })
    await fixture.closeLedgers(5)
    assert.deepEqual(await codesOf(world(), SOL), ['funding_due'])
    assert.deepEqual(await codesOf(world(), { ...LIMIT, asset: 'SOL', triggerPrice: '1', triggerCondition: 'Below' }), [], 'it opens nothing now')
  })
}

function clientIds(world: () => PreviewedTrader): void {
  async function post(body: object, path = '/v1/orders/prepare') {
    const { fixture, trader } = world()
    return await call(fixture.gateway.app, path, { method: 'POST', body, key: trader.key })
  }

  test('a client id is returned; without one it is null; an invalid one is 400 with the field', async () => {
    await world().fixture.closeLedgers(1)
    assert.equal((await post(OPEN)).body['clientId'], null)
    for (const clientId of ['a', 'A-Z_0.9:x', 'x'.repeat(64)]) assert.equal((await post({ ...OPEN, clientId })).body['clientId'], clientId)
    for (const clientId of ['', 'x'.repeat(65), 'a b', 'ü', 7, null]) {
      const { status, body } = await post({ ...OPEN, clientId })
      assert.equal(status, 400)
      assert.match(String(body['message']), /^body\/clientId /)
    }
    assert.equal((await post({ op: 'deposit_cross_margin', amount: '1', clientId: 'action' }, '/v1/actions/prepare')).body['clientId'], 'action')
  })

  test('an id that was only prepared is free; a submitted one is 409 with its transaction', async () => {
    const { fixture, trader } = world()
    const first = await post({ ...OPEN, clientId: 'once' })
    await fixture.closeLedgers(2)
    const second = await post({ ...OPEN, clientId: 'once' })
    assert.deepEqual([first.status, second.status], [200, 200])
    const prepared = second.body as unknown as PreparedTransaction
    const submitted = await trader.submit(sign(prepared, trader.wallet, fixture.network.networkPassphrase))
    assert.equal(submitted.status, 200, submitted.text)
    const { status, body } = await post({ ...OPEN, clientId: 'once' })
    assert.deepEqual([status, body['error'], body['hash']], [409, 'client_id_in_use', prepared.hash])
    const other = await createTrader(fixture, 'another owner')
    assert.equal((await other.prepare({ ...OPEN, clientId: 'once' })).status, 200)
  })
}
