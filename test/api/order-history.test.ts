// The life of orders on contracts of both generations: every type with every end, as the market reports and stores them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { address, u64 } from '../../localnet/contracts/shared/host.ts'
import type { OperationRequest } from '../../src/exchange/operations.ts'
import type { Order } from '../../src/resources/order.ts'
import type { TransactionRow } from '../../src/resources/transaction.ts'
import { rebuild } from '../../src/indexer/repair/rebuild.ts'
import { dumpProjections } from '../index/tables.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'
import { bearer } from '../support/keys.ts'
import type { ApiResponse } from '../support/keys.ts'
import { applyInOneLedger, createChainTrader, createTrader, lastPositionId, ONE } from '../support/traders.ts'
import type { ChainTrader, Trader } from '../support/traders.ts'
import { withoutMessage } from '../support/without-message.ts'

const PRICE = 100_000n * ONE
const percent = (share: number): string => String((PRICE * BigInt(Math.round(share * 100))) / 10_000n)
const TERMS = { asset: 'BTC', collateral: String(100n * ONE), leverage: 5, direction: 'Long' } as const
const SIZE = 500n * ONE
const ENTRY = { ...TERMS, triggerPrice: percent(99), triggerCondition: 'Below', slippageToleranceBps: 100 } as const

type Generation = '1' | '2'

interface Case {
  readonly name: string
  /** By default both. */
  readonly only?: Generation
  /** The position that is open when the order is placed; null: none. */
  readonly position: 'Long' | 'Short' | null
  readonly place: (positionId: number) => OperationRequest
  /** Prices in percent at which a keeper executes the order, one after the other; `user` cancels, `close` closes the position. */
  readonly steps: readonly (number | 'user' | 'close')[]
  readonly reason: string
  /** Effect of the execution; undefined: nothing. */
  readonly execution?: 'opens' | 'closes' | 'reduces'
  readonly details: Partial<Order>
}

const limit = (changes: object = {}) => (): OperationRequest => ({ op: 'place_limit_order', ...ENTRY, ...changes })
const stopLimit = (): OperationRequest => ({ op: 'place_stop_limit_order', ...ENTRY, limitPrice: percent(99) })
const stopLoss = (positionId: number): OperationRequest => ({ op: 'set_stop_loss', positionId, triggerPrice: percent(99), slippageToleranceBps: 100 })
const takeProfit = (limitPrice?: string) => (positionId: number): OperationRequest => ({
  op: 'set_take_profit', positionId, triggerPrice: percent(101), slippageToleranceBps: 100, ...(limitPrice === undefined ? {} : { limitPrice }),
})
const trailingStop = (positionId: number): OperationRequest => ({ op: 'place_trailing_stop', positionId, trailingPercentBps: 100, slippageToleranceBps: 100 })

const LIMIT = { orderType: 'limit', positionId: null, collateral: TERMS.collateral, size: String(SIZE), triggerPrice: percent(99), timeInForce: 'gtc' } as const
const STOP_LIMIT = { ...LIMIT, orderType: 'stop_limit', limitPrice: percent(99) } as const
const STOP_LOSS = { orderType: 'stop_loss', collateral: null, size: null, triggerPrice: percent(99), triggerCondition: 'Below' } as const
const TAKE_PROFIT = { orderType: 'take_profit', collateral: null, triggerPrice: percent(101), triggerCondition: 'Above' } as const
const TRAILING = { orderType: 'trailing_stop', triggerPrice: null, trailingPercentBps: 100, peakPrice: String(PRICE) } as const

const CASES: readonly Case[] = [
  { name: 'a limit order that fills', position: null, place: limit(), steps: [99], reason: 'executed', execution: 'opens', details: LIMIT },
  { name: 'a limit order that its owner cancels', position: null, place: limit(), steps: ['user'], reason: 'user', details: LIMIT },
  { name: 'a limit order past its tolerance', position: null, place: limit(), steps: [97], reason: 'slippage', details: LIMIT },
  {
    name: 'an immediate-or-cancel order that does not trigger', position: null, place: limit({ timeInForce: 1 }), steps: [], reason: 'ioc_not_filled',
    details: { ...LIMIT, timeInForce: 'ioc' },
  },
  {
    name: 'a post-only order', position: null, place: limit({ timeInForce: 2 }), steps: ['user'], reason: 'user',
    details: { ...LIMIT, timeInForce: 'post_only' },
  },
  {
    name: 'a reduce-only order that closes a position', position: 'Short', place: limit({ reduceOnly: true }), steps: [99], reason: 'executed',
    execution: 'closes', details: { ...LIMIT, reduceOnly: true },
  },
  {
    name: 'a reduce-only order that closes a part of a position', only: '2', position: 'Short', place: limit({ reduceOnly: true, leverage: 2 }), steps: [99],
    reason: 'executed', execution: 'reduces', details: { ...LIMIT, reduceOnly: true, leverage: 2, size: String(200n * ONE) },
  },
  {
    name: 'a reduce-only order without a position', position: null, place: limit({ reduceOnly: true }), steps: [99], reason: 'reduce_only_no_position',
    details: { ...LIMIT, reduceOnly: true },
  },
  {
    name: 'a stop-limit order that fills', position: null, place: stopLimit, steps: [99, 99], reason: 'executed', execution: 'opens',
    details: { ...STOP_LIMIT, stopLimitPhase: 'limit_active' },
  },
  { name: 'a stop-limit order that its owner cancels', position: null, place: stopLimit, steps: ['user'], reason: 'user', details: STOP_LIMIT },
  {
    name: 'a stop-limit order past its tolerance', position: null, place: stopLimit, steps: [99, 97], reason: 'slippage', details: STOP_LIMIT,
  },
  { name: 'a stop-loss that executes', position: 'Long', place: stopLoss, steps: [98.9], reason: 'executed', execution: 'closes', details: STOP_LOSS },
  { name: 'a stop-loss that its owner cancels', position: 'Long', place: stopLoss, steps: ['user'], reason: 'user', details: STOP_LOSS },
  { name: 'a stop-loss past its tolerance', only: '1', position: 'Long', place: stopLoss, steps: [97], reason: 'slippage', details: STOP_LOSS },
  { name: 'a stop-loss of a closed position', position: 'Long', place: stopLoss, steps: ['close'], reason: 'pos_closed', details: STOP_LOSS },
  { name: 'a take-profit that executes', position: 'Long', place: takeProfit(), steps: [101], reason: 'executed', execution: 'closes', details: TAKE_PROFIT },
  {
    name: 'a take-profit with a limit past its tolerance', position: 'Long', place: takeProfit(percent(100.5)), steps: [103], reason: 'slippage',
    details: { ...TAKE_PROFIT, limitPrice: percent(100.5) },
  },
  { name: 'a take-profit of a closed position', position: 'Long', place: takeProfit(), steps: ['close'], reason: 'pos_closed', details: TAKE_PROFIT },
  {
    name: 'a trailing stop that executes', position: 'Long', place: trailingStop, steps: [98.9], reason: 'executed', execution: 'closes',
    details: TRAILING,
  },
  { name: 'a trailing stop that its owner cancels', position: 'Long', place: trailingStop, steps: ['user'], reason: 'user', details: TRAILING },
  {
    name: 'a trailing stop past its tolerance', only: '1', position: 'Long', place: trailingStop, steps: [97], reason: 'slippage',
    details: TRAILING,
  },
  {
    name: 'a trailing stop of a closed position', position: 'Long', place: trailingStop, steps: ['close'], reason: 'pos_closed',
    details: TRAILING,
  },
]

for (const generation of ['1', '2'] as const) {
  let fixture: GatewayFixture
  let trader: Trader
  let keeper: ChainTrader
  let placed = 0

  before(async () => {
    fixture = await createGatewayFixture({ traders: 0, seed: `order history ${generation}`, generation })
    // The tests execute orders themselves.
    await fixture.control('local_actors', { keeper: false })
    await fixture.closeLedgers(3)
    trader = await createTrader(fixture, 'order history')
    keeper = await createChainTrader(fixture, 'keeper')
  })
  after(() => fixture[Symbol.asyncDispose]())

  /** Ages the last price, which limits how far the next one may be away, and publishes a price. */
  async function setPrice(share: number): Promise<void> {
    await fixture.control('local_advance', { seconds: 700 })
    await fixture.control('local_setPrice', { asset: 'BTC', price: percent(share) })
    // Generation 2 triggers on an average.
    await fixture.closeLedgers(generation === '1' ? 3 : 20)
  }

  async function execute(orderId: number): Promise<void> {
    await applyInOneLedger(fixture, [{ trader: keeper, functionName: 'execute_order', args: [address(keeper.address), u64(BigInt(orderId))] }])
  }

  /** Returns the amount that the transaction that ended an order transferred to the keeper. */
  async function paidToKeeper({ ended }: Order): Promise<string> {
    const [row] = await fixture.store.read.query<{ paid: string }>(
      `select sum((payload->>'amount')::numeric)::text as paid from idx.events where tx_hash = $1 and topic = 'transfer' and payload->>'to' = $2`,
      [ended?.txHash ?? '', keeper.address],
    )
    return row?.paid ?? ''
  }

  /** Indexes and reads the entries of new orders. */
  async function index(): Promise<void> {
    await fixture.catchUp()
    // An order without a placement event is found by a search.
    fixture.clock.advance(10_000)
    await fixture.indexer.observe()
    await fixture.indexer.observe()
  }

  async function orderOf(orderId: number): Promise<Order> {
    const { status, body, text } = await fixture.get<Order>(`/v1/orders/${orderId}`)
    assert.equal(status, 200, text)
    return body
  }

  async function history(query: string): Promise<readonly Order[]> {
    const { status, body, text } = await fixture.get<{ orders: Order[] }>(`/v1/account/me/orders/history?${query}`, { authorization: bearer(trader.key) })
    assert.equal(status, 200, text)
    return body.orders
  }

  for (const one of CASES) {
    if (one.only !== undefined && one.only !== generation) continue
    test(`generation ${generation}: ${one.name}`, async () => {
      await setPrice(100)
      let positionId = 0
      if (one.position !== null) {
        await trader.trade({ op: 'open_position', ...TERMS, direction: one.position })
        positionId = await lastPositionId(fixture, trader.address)
      }
      const { hash } = await trader.trade(one.place(positionId))
      const orderId = ++placed
      if (one.steps.length > 0) {
        await index()
        const pending = await orderOf(orderId)
        assert.deepEqual([pending.status, pending.ended, pending.execution, pending.trader], ['pending', null, null, trader.address])
      }
      for (const step of one.steps) {
        if (step === 'user') await trader.trade({ op: 'cancel_order', orderId })
        else if (step === 'close') await trader.trade({ op: 'close_position', positionId })
        else {
          await setPrice(step)
          await execute(orderId)
        }
      }
      await index()
      const order = await orderOf(orderId)
      assert.deepEqual(
        [order.status, order.ended?.reason, order.asset, order.direction, order.slippageToleranceBps],
        [one.reason === 'executed' ? 'executed' : 'cancelled', one.reason, 'BTC', 0, 100],
      )
      for (const [member, value] of Object.entries(one.details)) assert.deepEqual(order[member as keyof Order], value, member)
      if (order.orderType !== 'limit' && order.orderType !== 'stop_limit') assert.equal(order.positionId, positionId)
      assert.deepEqual([order.placed?.txHash, order.placed?.ts], [hash, order.createdAt])
      assert.ok(order.placed?.ledger !== null && order.placed?.seq !== null, 'the place of the placement')
      const { body: placing } = await fixture.get<TransactionRow>(`/v1/tx/${hash}`, { authorization: bearer(trader.key) })
      assert.deepEqual([placing.orderId, placing.outcome?.txHash ?? null], [orderId, order.ended?.txHash ?? null])
      const { execution } = order
      if (execution !== null) assert.deepEqual([execution.keeperReward, BigInt(execution.fee ?? -1) > 0n], [await paidToKeeper(order), execution.pnl === null])
      if (one.execution === undefined) assert.equal(execution, null)
      else if (one.execution === 'opens') {
        assert.deepEqual([execution?.price, execution?.size, execution?.pnl], [percent(one.steps.at(-1) as number), String(SIZE), null])
        assert.equal(execution?.positionId, await lastPositionId(fixture, trader.address))
        await trader.trade({ op: 'close_position', positionId: execution.positionId })
      } else {
        assert.deepEqual([execution?.positionId, execution?.size], [positionId, one.execution === 'reduces' ? order.size : String(SIZE)])
        const isShort = one.position === 'Short'
        const profit = ((BigInt(execution?.price ?? 0) - PRICE) * BigInt(execution?.size ?? 0) * (isShort ? -1n : 1n)) / PRICE
        assert.equal(execution?.pnl, String(profit))
      }
      if (one.position !== null && one.execution !== 'closes' && !one.steps.includes('close')) await trader.trade({ op: 'close_position', positionId })
      assert.deepEqual((await history('limit=1')).map(({ orderId: id }) => id), [orderId])
    })
  }

  if (generation === '1') {
    test('finds the placements of more trailing stops than one reading searches for', async () => {
      await setPrice(100)
      const hashes: string[] = []
      for (let count = 0; count < 10; count++) {
        await trader.trade({ op: 'open_position', ...TERMS })
        hashes.push((await trader.trade(trailingStop(await lastPositionId(fixture, trader.address)))).hash)
      }
      await index()
      await index()
      const orders = await Promise.all(hashes.map(() => orderOf(++placed)))
      assert.deepEqual(orders.map(({ placed: placement }) => placement?.txHash), hashes)
      assert.ok(orders.every(({ placed: placement }) => placement?.ledger !== null))
    })
  }

  test(`generation ${generation}: lists the same rows, filtered and in pages`, async () => {
    await index()
    const all = await history('limit=200')
    assert.deepEqual(all.map(({ orderId }) => orderId), Array.from({ length: placed }, (_, past) => placed - past))
    for (const order of all) assert.deepEqual(await orderOf(order.orderId), order)
    for (const status of ['pending', 'executed', 'cancelled']) {
      const expected = all.filter((order) => order.status === status)
      assert.deepEqual(await history(`status=${status}&limit=200`), expected)
      assert.deepEqual(await history(`status=${status}&asset=btc&limit=200`), expected)
    }
    assert.deepEqual(await history('asset=ETH'), [])
    const key = { authorization: bearer(trader.key) }
    const paged: Order[] = []
    for (let url: string | undefined = '/v1/account/me/orders/history?limit=7'; url !== undefined;) {
      const page: ApiResponse<{ orders: Order[] }> = await fixture.get<{ orders: Order[] }>(url, key)
      paged.push(...page.body.orders)
      url = /<([^>]+)>/.exec(page.headers['link'] ?? '')?.[1]
    }
    assert.deepEqual(paged, all)
  })

  test(`generation ${generation}: a rebuild gives the same orders`, async () => {
    const live = await dumpProjections(fixture.store.read)
    await fixture.indexer[Symbol.asyncDispose]()
    await rebuild(fixture.store, { clock: createSystemClock() })
    assert.deepEqual((await dumpProjections(fixture.store.read))['orders'], live['orders'])
  })

  test(`generation ${generation}: an unknown id is not an order`, async () => {
    const { status, body } = await fixture.get('/v1/orders/9007199254740991')
    assert.deepEqual([status, withoutMessage(body)], [404, { error: 'order_not_found', orderId: 9_007_199_254_740_991 }])
    assert.equal((await fixture.get('/v1/orders/1?deployment=elsewhere')).status, 404)
    for (const id of ['0', '-1', '1.5', 'x', '9007199254740993']) assert.equal((await fixture.get(`/v1/orders/${id}`)).status, 400, id)
  })
}
