// GET /v1/account/me/events, /me/orders, /me/positions and /v1/account/volume, for somebody who trades in every way there is.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createHoldingsReader } from '../../localnet/actors/stored-entries.ts'
import { address, u64 } from '../../localnet/contracts/host.ts'
import { contractDataKey } from '../../src/chain/ledger-keys.ts'
import { readVolume } from '../../src/chain/market-entries.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import { bearer } from '../support/keys.ts'
import { nextPage } from '../support/pages.ts'
import { createPerson, doAtOnce } from '../support/people.ts'
import type { Person } from '../support/people.ts'
import { createTrader, lastOrderId, lastPositionId, ONE } from '../support/trading.ts'
import type { Trader } from '../support/trading.ts'
import { createWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

const PRICE = 100_000n * ONE
const at = (percent: bigint): string => String((PRICE * percent) / 100n)
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 10, direction: 'Long' } as const
const TRIGGER = { triggerCondition: 'Below', slippageToleranceBps: 500 } as const

let world: World
let trader: Trader
let other: Trader
let keeper: Person

before(async () => {
  world = await createWorld({ traders: 0, seed: 'account feeds' })
  await world.cheat('local_actors', { keeper: false })
  await world.closeLedgers(3)
  trader = await createTrader(world, 'is told')
  other = await createTrader(world, 'is somebody else')
  keeper = await createPerson(world, 'keeps')
  await live()
  await world.settle()
})
after(() => world[Symbol.asyncDispose]())

const get = (path: string, who: Trader = trader, headers: Readonly<Record<string, string>> = {}) =>
  world.get<{ events: EventRow[]; positions: OpenPosition[] }>(path, { authorization: bearer(who.key), ...headers })

/** The market forgets the last price that it saw after ten minutes, so that one may leap. */
async function priceAt(percent: bigint): Promise<void> {
  await world.cheat('local_advance', { seconds: 700 })
  await world.cheat('local_setPrice', { asset: 'BTC', price: at(percent) })
}

const asKeeper = (functionName: string, id: number): Promise<void> =>
  doAtOnce(world, [{ person: keeper, functionName, args: [address(keeper.address), u64(BigInt(id))] }])

/** Ids are dense: the order behind this one was placed after it. */
async function ordersBehind(): Promise<number> {
  return (await lastOrderId(world, trader.address)) + 1
}

/** All ten operations, and everything that a keeper does to orders and positions. */
async function live(): Promise<void> {
  await priceAt(100n)
  await other.trade({ op: 'open_position', ...TERMS })
  await trader.trade({ op: 'open_position_cross', ...TERMS })
  await trader.trade({ op: 'close_position_cross', positionId: await lastPositionId(world, trader.address) })
  await trader.trade({ op: 'place_limit_order', ...TERMS, ...TRIGGER, triggerPrice: at(50n) })
  await trader.trade({ op: 'cancel_order', orderId: await lastOrderId(world, trader.address) })
  // Nothing tells of the stop-limit order behind this limit order; it is filled in two steps.
  await trader.trade({ op: 'place_limit_order', ...TERMS, ...TRIGGER, triggerPrice: at(60n) })
  const stopLimit = await ordersBehind()
  await trader.trade({ op: 'place_stop_limit_order', ...TERMS, ...TRIGGER, triggerPrice: at(100n), limitPrice: at(101n) })
  await asKeeper('execute_order', stopLimit)
  await asKeeper('execute_order', stopLimit)
  const filled = await lastPositionId(world, trader.address)
  await trader.trade({ op: 'set_stop_loss', positionId: filled, triggerPrice: at(95n), slippageToleranceBps: 100 })
  await trader.trade({ op: 'set_take_profit', positionId: filled, triggerPrice: at(110n), slippageToleranceBps: 100 })
  // The trail is followed to its end; the two others end with the position.
  const trailing = await ordersBehind()
  await trader.trade({ op: 'place_trailing_stop', positionId: filled, trailingPercentBps: 200, slippageToleranceBps: 500 })
  await priceAt(97n)
  await asKeeper('execute_order', trailing)
  await priceAt(100n)
  await trader.trade({ op: 'open_position', ...TERMS })
  await trader.trade({ op: 'close_position', positionId: await lastPositionId(world, trader.address) })
  await trader.trade({ op: 'open_position', ...TERMS })
  const lost = await lastPositionId(world, trader.address)
  await priceAt(90n)
  await asKeeper('liquidate', lost)
  await priceAt(100n)
  await trader.trade({ op: 'open_position', ...TERMS, direction: 'Short' })
}

const HISTORY = [
  'position_opened', 'position_closed', 'order_placed', 'order_cancelled', 'order_placed', 'position_opened', 'order_executed', 'order_placed',
  'order_placed', 'order_cancelled', 'order_cancelled', 'position_closed', 'order_executed', 'position_opened', 'position_closed', 'position_opened',
  'position_liquidated', 'position_opened',
]
/** Whose these were, no event tells. */
const UNTOLD = [6, 12]

const topics = (events: readonly EventRow[]): readonly string[] => events.map(({ topic }) => topic)

test('before the ledger was asked whose they are, fills of stop-limit orders and trailing stops belong to nobody', async () => {
  const { body } = await get('/v1/account/me/events')
  assert.deepEqual(topics(body.events).toReversed(), HISTORY.filter((_, place) => !UNTOLD.includes(place)))
})

test('everything that happened to the caller is told, newest first, each at its own place, and nothing of anybody else', async () => {
  await world.indexer.observe()
  const { status, body, headers } = await get('/v1/account/me/events')
  assert.equal(status, 200)
  assert.deepEqual(topics(body.events).toReversed(), HISTORY)
  const ids = body.events.map(({ eventId }) => eventId)
  assert.deepEqual(ids, ids.toSorted().toReversed())
  assert.equal(headers['x-ledger'], String(world.network.chain.history.latest().sequence))
  assert.ok(Number(headers['x-seq']) >= HISTORY.length)
  assert.equal(headers['cache-control'], 'private, no-cache')
  assert.deepEqual(topics((await get('/v1/account/me/events', other)).body.events), ['position_opened'])
  const anyone = await world.get<{ events: EventRow[] }>('/v1/events?limit=500')
  for (const row of body.events) assert.deepEqual(row, anyone.body.events.find(({ eventId }) => eventId === row.eventId))
})

test('an unchanged feed is 304', async () => {
  const { headers } = await get('/v1/account/me/events')
  const again = await get('/v1/account/me/events', trader, { 'if-none-match': headers['etag'] ?? '' })
  assert.deepEqual([again.status, again.text], [304, ''])
})

test('me/orders are the order events of the feed, me/events of one topic those of that topic', async () => {
  assert.deepEqual(topics((await get('/v1/account/me/orders')).body.events).toReversed(), HISTORY.filter((topic) => topic.startsWith('order_')))
  for (const topic of ['order_executed', 'position_liquidated', 'funding_applied']) {
    const { body } = await get(`/v1/account/me/events?topic=${topic}`)
    assert.deepEqual(topics(body.events), HISTORY.filter((one) => one === topic), topic)
  }
})

for (const list of ['events', 'orders'] as const) {
  test(`me/${list} goes on behind the last row without losing or repeating one`, async () => {
    const whole = (await get(`/v1/account/me/${list}`)).body.events.map(({ eventId }) => eventId)
    const found: string[] = []
    let next: string | undefined = `/v1/account/me/${list}?limit=3`
    for (let pages = 0; next !== undefined && pages < 20; pages++) {
      const { body, headers } = await get(next)
      assert.ok(body.events.length <= 3)
      found.push(...body.events.map(({ eventId }) => eventId))
      next = nextPage(headers['link'])
    }
    assert.deepEqual(found, whole)
  })

  test(`me/${list} before a time is strictly older than it`, async () => {
    const { events } = (await get(`/v1/account/me/${list}`)).body
    const border = events[4]?.ledgerCloseTs ?? 0
    const { body } = await get(`/v1/account/me/${list}?before_ts=${border}`)
    assert.deepEqual(body.events, events.filter(({ ledgerCloseTs }) => ledgerCloseTs < border))
    assert.ok(body.events.length > 0)
  })

  test(`me/${list} refuses what it does not take, after who is asking`, async () => {
    for (const query of ['limit=0', 'limit=501', 'limit=x', 'limit=1.5', 'before_ts=-1', 'before_ts=soon', 'cursor=nonsense', 'limit=1&limit=2']) {
      const answer = await get(`/v1/account/me/${list}?${query}`)
      assert.deepEqual([answer.status, (answer.body as unknown as { code: string }).code], [400, 'FST_ERR_VALIDATION'], query)
      assert.equal((await world.get(`/v1/account/me/${list}?${query}`)).status, 401, query)
    }
    const [first] = (await world.get<{ events: EventRow[] }>('/v1/events?limit=1')).headers['link']?.match(/cursor=[^>]+/) ?? []
    assert.equal((await get(`/v1/account/me/${list}?${first}`)).status, 400, 'another list\'s cursor')
  })
}

test('me/positions are the open ones and what happened to all of them, as of one state of the index', async () => {
  const { status, body, headers } = await get('/v1/account/me/positions')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['positions', 'events'])
  assert.deepEqual(body.positions.map(({ trader: owner, direction }) => [owner, direction]), [[trader.address, 1]])
  const { positions } = await createHoldingsReader(keeper.client, world.network.contracts.market, trader.address).read()
  assert.deepEqual(body.positions.map(({ positionId }) => BigInt(positionId)), positions.map(({ id }) => id))
  assert.deepEqual(topics(body.events).toReversed(), HISTORY.filter((topic) => topic.startsWith('position_')))
  assert.equal(headers['link'], undefined)
  assert.equal((await world.get('/v1/account/me/positions')).status, 401)
})

test('volume14d is what the market itself has recorded', async () => {
  for (const { address: account } of [trader, other]) {
    const key = contractDataKey(world.network.contracts.market, {
      type: 'vec', value: [{ type: 'symbol', value: 'TraderVolume' }, { type: 'address', value: account }],
    })
    const recorded = readVolume((await keeper.client.readEntries([key])).get(key) ?? '')
    const { status, body, headers } = await world.get(`/v1/account/volume?address=${account}`)
    assert.deepEqual([status, body], [200, { address: account, volume14d: String(recorded) }])
    assert.ok(headers['x-seq'])
  }
})

test('volume of somebody who never traded is 0, of a contract too; an address has 56 characters', async () => {
  const { vaultFactory } = world.network.contracts
  for (const account of [keeper.address, vaultFactory]) {
    assert.deepEqual((await world.get(`/v1/account/volume?address=${account}`)).body, { address: account, volume14d: '0' })
  }
  for (const query of ['', '?address=', `?address=${'G'.repeat(55)}`, `?address=${'G'.repeat(57)}`]) {
    assert.equal((await world.get(`/v1/account/volume${query}`)).status, 400, query)
  }
})

test('volume leaves after fourteen days, to the second', async () => {
  const { closeTimeSec } = world.network.chain.history.latest()
  assert.equal((await world.get(`/v1/account/volume?address=${trader.address}`)).body['volume14d'] === '0', false)
  world.clock.advance((closeTimeSec + 14 * 86_400) * 1000 - world.clock.nowMs())
  assert.deepEqual((await world.get(`/v1/account/volume?address=${trader.address}`)).body['volume14d'], '0')
})
