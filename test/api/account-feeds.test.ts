// GET /v1/account/me/events, /me/orders, /me/positions and /v1/account/volume, for a trader who uses every operation.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createHoldingsReader } from '../../localnet/actors/stored-entries.ts'
import { address, u64 } from '../../localnet/contracts/shared/host.ts'
import { contractDataKey } from '../../src/chain/codec/ledger-keys.ts'
import { readVolume } from '../../src/chain/views/market-entries.ts'
import { OPEN_POSITIONS_OF_TRADER_MAX_ROWS } from '../../src/limits.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { OpenPosition } from '../../src/resources/open-position.ts'
import { bearer } from '../support/keys.ts'
import { nextPage } from '../support/pagination.ts'
import { applyInOneLedger, createChainTrader, createTrader, lastOrderId, lastPositionId, ONE } from '../support/traders.ts'
import type { ChainTrader, Trader } from '../support/traders.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const PRICE = 100_000n * ONE
const at = (percent: bigint): string => String((PRICE * percent) / 100n)
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 10, direction: 'Long' } as const
const TRIGGER = { triggerCondition: 'Below', slippageToleranceBps: 500 } as const

let fixture: GatewayFixture
let trader: Trader
let other: Trader
let keeper: ChainTrader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'account feeds' })
  await fixture.control('local_actors', { keeper: false })
  await fixture.closeLedgers(3)
  trader = await createTrader(fixture, 'owner')
  other = await createTrader(fixture, 'other')
  keeper = await createChainTrader(fixture, 'keeper')
  await tradeEverything()
  await fixture.catchUp()
})
after(() => fixture[Symbol.asyncDispose]())

const get = (path: string, caller: Trader = trader, headers: Readonly<Record<string, string>> = {}) =>
  fixture.get<{ events: EventRow[]; positions: OpenPosition[]; nextCursor: string | null }>(path, { authorization: bearer(caller.key), ...headers })

/** The market limits how far a price may move from the last one for ten minutes; waiting longer allows any price. */
async function priceAt(percent: bigint): Promise<void> {
  await fixture.control('local_advance', { seconds: 700 })
  await fixture.control('local_setPrice', { asset: 'BTC', price: at(percent) })
}

const asKeeper = (functionName: string, id: number): Promise<void> =>
  applyInOneLedger(fixture, [{ trader: keeper, functionName, args: [address(keeper.address), u64(BigInt(id))] }])

/** The id that the trader's next order gets: ids are consecutive. */
async function nextOrderId(): Promise<number> {
  return (await lastOrderId(fixture, trader.address)) + 1
}

/** All ten operations, and everything a keeper does with orders and positions. */
async function tradeEverything(): Promise<void> {
  await priceAt(100n)
  await other.trade({ op: 'open_position', ...TERMS })
  await trader.trade({ op: 'open_position_cross', ...TERMS })
  await trader.trade({ op: 'close_position_cross', positionId: await lastPositionId(fixture, trader.address) })
  await trader.trade({ op: 'place_limit_order', ...TERMS, ...TRIGGER, triggerPrice: at(50n) })
  await trader.trade({ op: 'cancel_order', orderId: await lastOrderId(fixture, trader.address) })
  // Placing the stop-limit order emits no event; two executions fill it.
  await trader.trade({ op: 'place_limit_order', ...TERMS, ...TRIGGER, triggerPrice: at(60n) })
  const stopLimit = await nextOrderId()
  await trader.trade({ op: 'place_stop_limit_order', ...TERMS, ...TRIGGER, triggerPrice: at(100n), limitPrice: at(101n) })
  await asKeeper('execute_order', stopLimit)
  await asKeeper('execute_order', stopLimit)
  const filled = await lastPositionId(fixture, trader.address)
  await trader.trade({ op: 'set_stop_loss', positionId: filled, triggerPrice: at(95n), slippageToleranceBps: 100 })
  await trader.trade({ op: 'set_take_profit', positionId: filled, triggerPrice: at(110n), slippageToleranceBps: 100 })
  // The trailing stop executes; the stop loss and the take profit are cancelled with the position.
  const trailing = await nextOrderId()
  await trader.trade({ op: 'place_trailing_stop', positionId: filled, trailingPercentBps: 200, slippageToleranceBps: 500 })
  await priceAt(97n)
  await asKeeper('execute_order', trailing)
  await priceAt(100n)
  await trader.trade({ op: 'open_position', ...TERMS })
  await trader.trade({ op: 'close_position', positionId: await lastPositionId(fixture, trader.address) })
  await trader.trade({ op: 'open_position', ...TERMS })
  const underwater = await lastPositionId(fixture, trader.address)
  await priceAt(90n)
  await asKeeper('liquidate', underwater)
  await priceAt(100n)
  await trader.trade({ op: 'open_position', ...TERMS, direction: 'Short' })
}

const HISTORY = [
  'position_opened', 'position_closed', 'order_placed', 'order_cancelled', 'order_placed', 'position_opened', 'order_executed', 'order_placed',
  'order_placed', 'order_cancelled', 'order_cancelled', 'position_closed', 'order_executed', 'position_opened', 'position_closed', 'position_opened',
  'position_liquidated', 'position_opened',
]
const topics = (events: readonly EventRow[]): readonly string[] => events.map(({ topic }) => topic)

test('fills of stop-limit orders and trailing stops have their owner at once: their events do not name it, the result of the placement does', async () => {
  const { body } = await get('/v1/account/me/events')
  assert.deepEqual(topics(body.events).toReversed(), HISTORY)
})

test('me/events returns all events of the caller, newest first, and of no other account', async () => {
  await fixture.indexer.observe()
  const { status, body, headers } = await get('/v1/account/me/events')
  assert.equal(status, 200)
  assert.deepEqual(topics(body.events).toReversed(), HISTORY)
  const ids = body.events.map(({ eventId }) => eventId)
  assert.deepEqual(ids, ids.toSorted().toReversed())
  assert.equal(headers['x-ledger'], String(fixture.network.chain.history.latest().sequence))
  assert.ok(Number(headers['x-seq']) >= HISTORY.length)
  assert.equal(headers['cache-control'], 'private, no-cache')
  assert.deepEqual(topics((await get('/v1/account/me/events', other)).body.events), ['position_opened'])
  const everyone = await fixture.get<{ events: EventRow[] }>('/v1/events?limit=500')
  for (const row of body.events) assert.deepEqual(row, everyone.body.events.find(({ eventId }) => eventId === row.eventId))
})

test('responds 304 to an unchanged feed', async () => {
  const { headers } = await get('/v1/account/me/events')
  const second = await get('/v1/account/me/events', trader, { 'if-none-match': headers['etag'] ?? '' })
  assert.deepEqual([second.status, second.text], [304, ''])
})

test('me/orders returns the order events, me/events?topic= the events of that topic', async () => {
  assert.deepEqual(topics((await get('/v1/account/me/orders')).body.events).toReversed(), HISTORY.filter((topic) => topic.startsWith('order_')))
  for (const topic of ['order_executed', 'position_liquidated', 'funding_applied']) {
    const { body } = await get(`/v1/account/me/events?topic=${topic}`)
    assert.deepEqual(topics(body.events), HISTORY.filter((one) => one === topic), topic)
  }
})

for (const list of ['events', 'orders'] as const) {
  test(`me/${list} pages neither lose nor repeat a row`, async () => {
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

  test(`me/${list}?before_ts= returns only older events`, async () => {
    const { events } = (await get(`/v1/account/me/${list}`)).body
    const cutoff = events[4]?.ledgerCloseTs ?? 0
    const { body } = await get(`/v1/account/me/${list}?before_ts=${cutoff}`)
    assert.deepEqual(body.events, events.filter(({ ledgerCloseTs }) => ledgerCloseTs < cutoff))
    assert.ok(body.events.length > 0)
  })

  test(`me/${list} rejects invalid parameters with 400, after authentication`, async () => {
    for (const query of ['limit=0', 'limit=501', 'limit=x', 'limit=1.5', 'before_ts=-1', 'before_ts=soon', 'cursor=nonsense', 'limit=1&limit=2']) {
      const response = await get(`/v1/account/me/${list}?${query}`)
      assert.deepEqual([response.status, (response.body as unknown as { code: string }).code], [400, 'FST_ERR_VALIDATION'], query)
      assert.equal((await fixture.get(`/v1/account/me/${list}?${query}`)).status, 401, query)
    }
    const [first] = (await fixture.get<{ events: EventRow[] }>('/v1/events?limit=1')).headers['link']?.match(/cursor=[^>]+/) ?? []
    assert.equal((await get(`/v1/account/me/${list}?${first}`)).status, 400, 'another list\'s cursor')
  })
}

test('me/positions returns the open positions and all position events from one snapshot of the index', async () => {
  const { status, body, headers } = await get('/v1/account/me/positions')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['positions', 'events', 'hasMore', 'nextCursor'])
  assert.deepEqual(body.positions.map(({ trader: owner, direction }) => [owner, direction]), [[trader.address, 1]])
  const { positions } = await createHoldingsReader(keeper.client, fixture.network.contracts.market, trader.address).read()
  assert.deepEqual(body.positions.map(({ positionId }) => BigInt(positionId)), positions.map(({ id }) => id))
  assert.deepEqual(topics(body.events).toReversed(), HISTORY.filter((topic) => topic.startsWith('position_')))
  assert.equal(headers['link'], undefined)
  assert.equal((await fixture.get('/v1/account/me/positions')).status, 401)
})

test('me/positions continues with nextCursor to the end, and rejects an invalid cursor with 400', async () => {
  const [open] = (await get('/v1/account/me/positions')).body.positions
  const copies = OPEN_POSITIONS_OF_TRADER_MAX_ROWS + 100
  await fixture.store.write.query(
    `insert into idx.positions
     select (jsonb_populate_record(p, jsonb_build_object('position_id', p.position_id + n, 'opened_seq', p.opened_seq + 1000000 + n))).*
     from idx.positions p, generate_series(100001, 100000 + $2::int) n where p.trader = $1 and p.state = 'open'`,
    [trader.address, copies],
  )
  const ids: number[] = []
  const sizes: number[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await get(`/v1/account/me/positions${query}`)
    assert.equal(status, 200)
    assert.ok(body.events.length > 0)
    ids.push(...body.positions.map(({ positionId }) => positionId))
    sizes.push(body.positions.length)
    cursor = body.nextCursor
    assert.ok(sizes.length <= 2, 'two pages')
  } while (cursor !== null)
  await fixture.store.write.query('delete from idx.positions where position_id > 100000')
  assert.deepEqual(sizes, [OPEN_POSITIONS_OF_TRADER_MAX_ROWS, 101])
  assert.deepEqual([new Set(ids).size, ids.at(-1)], [copies + 1, open?.positionId], 'each position once, the oldest one last')
  for (const invalid of ['nonsense', '']) {
    const { status, body } = await get(`/v1/account/me/positions?cursor=${invalid}`)
    assert.deepEqual([status, (body as unknown as { code: string }).code], [400, 'FST_ERR_VALIDATION'], invalid)
  }
})

test('volume14d equals the volume that the market recorded', async () => {
  for (const { address: account } of [trader, other]) {
    const key = contractDataKey(fixture.network.contracts.market, {
      type: 'vec', value: [{ type: 'symbol', value: 'TraderVolume' }, { type: 'address', value: account }],
    })
    const recorded = readVolume((await keeper.client.readEntries([key])).get(key) ?? '')
    const { status, body, headers } = await fixture.get(`/v1/account/volume?address=${account}`)
    assert.deepEqual([status, body], [200, { address: account, volume14d: String(recorded) }])
    assert.ok(headers['x-seq'])
  }
})

test('the volume of an account or contract that never traded is 0; an address has 56 characters', async () => {
  const { vaultFactory } = fixture.network.contracts
  for (const account of [keeper.address, vaultFactory]) {
    assert.deepEqual((await fixture.get(`/v1/account/volume?address=${account}`)).body, { address: account, volume14d: '0' })
  }
  for (const query of ['', '?address=', `?address=${'G'.repeat(55)}`, `?address=${'G'.repeat(57)}`]) {
    assert.equal((await fixture.get(`/v1/account/volume${query}`)).status, 400, query)
  }
})

test('volume expires after fourteen days, to the second', async () => {
  const { closeTimeSec } = fixture.network.chain.history.latest()
  assert.equal((await fixture.get(`/v1/account/volume?address=${trader.address}`)).body['volume14d'] === '0', false)
  fixture.clock.advance((closeTimeSec + 14 * 86_400) * 1000 - fixture.clock.nowMs())
  assert.deepEqual((await fixture.get(`/v1/account/volume?address=${trader.address}`)).body['volume14d'], '0')
})
