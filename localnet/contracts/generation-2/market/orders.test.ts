import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, u32, u64, type Val } from '../../shared/host.ts'
import { KEYS } from '../../shared/market/storage.ts'
import {
  ALICE, BOB, contractError, E7, eventsOf, KEEPER, limitOrderArgs, type LimitOrderOptions, MARKET, stopLimitOrderArgs, topicsOf, UNAUTHORIZED,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import { createTestExchange, createUninitializedHost, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'
import { ADDED_KEYS } from './storage.ts'

const CANCELLED_SLIPPAGE = 3
const EXECUTED = 1
const REDUCE_ONLY = 0x100

const place = (exchange: TestExchange, options?: LimitOrderOptions): unknown => exchange.invokeOk('place_limit_order', limitOrderArgs(options))
const stopLossArgs = (id: bigint, trigger: bigint, slippageBps = 100): Val[] => [address(ALICE), u64(id), i128(trigger), u32(slippageBps)]
const takeProfitArgs = (id: bigint, trigger: bigint, limit = 0n): Val[] => [address(ALICE), u64(id), i128(trigger), u32(100), i128(limit)]
const trailingArgs = (id: bigint): Val[] => [address(ALICE), u64(id), u32(500), u32(100)]

test('a limit order fills for the maker fee and a keeper fee of 0.01 %, and names its position', () => {
  const exchange = createTestExchange()
  place(exchange)
  exchange.setPrice('BTC', 48_800n * E7)
  const result = exchange.executeOrder(1n)
  // Size 1000: maker 0.02 % = 0.2, of which 0.04 to the protocol; keeper 0.1.
  assert.deepEqual(eventsOf(result).slice(1), [
    ['protocol_fee_routed', [400_000n, 400_000n, 0n]],
    ['loss_received', [1_600_000n]],
    ['position_opened', [1n, ALICE, 'BTC', 0, 1000n * E7, 48_800n * E7]],
    ['order_executed', [1n, 1_000_000n]],
  ])
  assert.equal(toNative(result.value), 1_000_000n)
  assert.equal(exchange.usdc(KEEPER), 1_000_000n * E7 + 1_000_000n)
  const { position_id, has_position, status } = exchange.order(1n)
  assert.deepEqual([position_id, has_position, status, exchange.position(1n)['collateral']], [1n, false, EXECUTED, 997_000_000n])
})

test('a stop-limit order and a trailing stop emit their placement', () => {
  const exchange = createTestExchange()
  assert.deepEqual(
    eventsOf(exchange.invokeOk('place_stop_limit_order', stopLimitOrderArgs())), [['order_placed', [1n, ALICE, 51_000n * E7]]],
  )
  const id = exchange.open(ALICE)
  const trailing = exchange.invokeOk('place_trailing_stop', trailingArgs(id))
  assert.deepEqual(eventsOf(trailing), [['order_placed', [2n, ALICE, 50_000n * E7]]], 'the price at placement')
})

test('placing checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'place_limit_order', limitOrderArgs(), []), contractError(1))
  const exchange = createTestExchange()
  exchange.invokeOk('pause', [u32(1)])
  assert.equal(exchange.tryInvoke('place_limit_order', limitOrderArgs({ collateral: 0n }), []), contractError(4))
  exchange.invokeOk('unpause', [])
  assert.equal(exchange.tryInvoke('place_limit_order', limitOrderArgs({ collateral: 0n }), [BOB]), UNAUTHORIZED)
  const invalid = { collateral: 10_001n * E7, leverage: 11, trigger: 0n, slippageBps: 0, timeInForce: 3 }
  const rows: [LimitOrderOptions, number][] = [
    [{ ...invalid, asset: 'PAXG', collateral: 1n }, 22],
    [{ ...invalid, asset: 'PAXG' }, 88],
    [invalid, 21],
    [{ ...invalid, leverage: 10 }, 65],
    [{ ...invalid, leverage: 10, trigger: 1n }, 66],
    [{ ...invalid, leverage: 10, trigger: 1n, slippageBps: 1 }, 5],
    [{ ...invalid, leverage: 10, trigger: 1n, slippageBps: 1, timeInForce: 2 }, 23],
  ]
  for (const [options, code] of rows) assert.equal(exchange.tryInvoke('place_limit_order', limitOrderArgs(options)), contractError(code))
})

test('post-only rejects a crossing order, immediate-or-cancel refunds a resting one', () => {
  const exchange = createTestExchange()
  assert.equal(exchange.tryInvoke('place_limit_order', limitOrderArgs({ trigger: 60_000n * E7, timeInForce: 2 })), contractError(70))
  const result = exchange.invokeOk('place_limit_order', limitOrderArgs({ timeInForce: 1 }))
  assert.deepEqual(eventsOf(result), [['order_cancelled', [1n, 'ioc_not_filled']]])
  assert.deepEqual([exchange.usdc(ALICE), exchange.stored(ADDED_KEYS.openOrderCount)], [1_000_000n * E7, 0])
})

test('build 2.3 counts pending orders where earlier builds list their ids', () => {
  const counting = createTestExchange()
  place(counting)
  place(counting)
  assert.deepEqual([counting.stored(ADDED_KEYS.openOrderCount), counting.stored(ADDED_KEYS.orderCountOf(ALICE))], [2, 2])
  counting.invokeOk('cancel_order', [address(ALICE), u64(1n)])
  assert.deepEqual([counting.stored(ADDED_KEYS.openOrderCount), counting.stored(ADDED_KEYS.orderCountOf(ALICE))], [1, 1])
  assert.deepEqual([counting.stored(KEYS.allOrders), counting.stored(KEYS.traderOrders(ALICE))], [null, null])
  const listing = createTestExchange({ build: '2.2' })
  place(listing)
  assert.deepEqual([listing.view('get_all_order_ids'), listing.stored(ADDED_KEYS.openOrderCount)], [[1n], null])
})

test('a trader has at most 128 pending orders', () => {
  for (const build of ['2.1', '2.3'] as const) {
    const exchange = createTestExchange({ build })
    for (let count = 0; count < 128; count++) place(exchange, { collateral: 10n * E7 })
    assert.equal(exchange.tryInvoke('place_limit_order', limitOrderArgs()), contractError(82), build)
    assert.equal(exchange.tryInvoke('place_limit_order', limitOrderArgs({ trader: BOB })), 'ok')
  }
})

test('the smoothed price triggers a stop-loss, and the order then fills at any price', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.invokeOk('set_stop_loss', stopLossArgs(id, 48_500n * E7, 1))
  exchange.advance(700n)
  exchange.setPrice('BTC', 47_500n * E7)
  // The average of 50,000 and 47,500 is above the trigger.
  assert.equal(exchange.tryExecuteOrder(1n), contractError(62))
  exchange.advance(1n)
  exchange.setPrice('BTC', 47_000n * E7)
  const result = exchange.executeOrder(1n)
  assert.deepEqual(topicsOf(result), ['loss_received', 'exposure_synced BTC', 'position_closed', 'order_executed'])
  assert.deepEqual(eventsOf(result).at(-1), ['order_executed', [1n, 1_000_000n]])
  assert.equal(exchange.order(1n)['status'], EXECUTED)
})

test('without a recent average the spot price triggers', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.invokeOk('set_stop_loss', stopLossArgs(id, 48_500n * E7))
  exchange.advance(301n)
  exchange.setPrice('BTC', 48_500n * E7, 301n)
  assert.equal(exchange.tryExecuteOrder(1n), 'ok')
})

test('a trailing stop fills at any price, a take-profit with a limit only within its tolerance', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.invokeOk('place_trailing_stop', trailingArgs(id))
  exchange.movePrice('BTC', 46_000n * E7)
  assert.deepEqual(topicsOf(exchange.executeOrder(1n)).at(-1), 'order_executed', 'at 3.2 % below the stop')
  exchange.movePrice('BTC', 50_000n * E7)
  const next = exchange.open(ALICE)
  exchange.invokeOk('set_take_profit', takeProfitArgs(next, 52_000n * E7, 51_000n * E7))
  exchange.movePrice('BTC', 52_000n * E7)
  assert.deepEqual(eventsOf(exchange.executeOrder(2n)), [['order_cancelled', [2n, 'slippage']]])
  assert.equal(exchange.order(2n)['status'], CANCELLED_SLIPPAGE)
})

test('a stop-limit order arms at any price and fills within its tolerance', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_stop_limit_order', stopLimitOrderArgs())
  exchange.movePrice('BTC', 53_000n * E7)
  assert.deepEqual(topicsOf(exchange.executeOrder(1n)), [], 'armed at 3.9 % above the trigger')
  assert.deepEqual(topicsOf(exchange.executeOrder(1n)), ['order_cancelled'], 'but not filled at 4.3 % above the limit')
})

test('cross positions accept attached orders, except in the first build', () => {
  const first = createTestExchange({ build: '2.0' })
  const crossId = first.open(ALICE, {}, 'open_position_cross')
  assert.equal(first.tryInvoke('set_stop_loss', stopLossArgs(crossId, 48_000n * E7)), contractError(80))
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.invokeOk('set_stop_loss', stopLossArgs(id, 48_000n * E7))
  exchange.invokeOk('set_take_profit', takeProfitArgs(id, 52_000n * E7))
  exchange.invokeOk('place_trailing_stop', trailingArgs(id))
  exchange.movePrice('BTC', 48_000n * E7)
  const result = exchange.executeOrder(1n)
  assert.deepEqual(topicsOf(result), [
    'loss_received', 'exposure_synced BTC', 'order_cancelled', 'order_cancelled', 'position_closed', 'order_executed',
  ])
  // The loss of 40 and the keeper's 0.1 come out of the 99.5.
  assert.equal(exchange.view('get_cross_margin_balance', address(ALICE)), 594_000_000n)
})

test('a stop-loss of a long and a take-profit of a short accept a trigger of zero or less', () => {
  const exchange = createTestExchange()
  const [long, short] = [exchange.open(ALICE), exchange.open(ALICE, { asset: 'ETH', direction: 1 })]
  const tryAttach = (name: string, args: readonly Val[]): string => exchange.tryInvoke(name, args)
  assert.deepEqual([tryAttach('set_stop_loss', stopLossArgs(long, 0n)), tryAttach('set_take_profit', takeProfitArgs(short, -1n))], ['ok', 'ok'])
  assert.equal(tryAttach('set_take_profit', takeProfitArgs(long, 0n)), contractError(65))
  assert.equal(tryAttach('set_stop_loss', stopLossArgs(short, 0n)), contractError(65))
})

test('a take-profit without a limit waits for the smoothed price, one with a negative limit does not', () => {
  const exchange = createTestExchange()
  for (const limit of [0n, -1n]) exchange.invokeOk('set_take_profit', takeProfitArgs(exchange.open(ALICE), 52_000n * E7, limit))
  exchange.advance(700n)
  exchange.setPrice('BTC', 53_000n * E7)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(62), 'the average is 51,500')
  assert.deepEqual(eventsOf(exchange.executeOrder(2n)).at(-1), ['order_executed', [2n, 1_000_000n]])
})

test('an order that closes a cross position reports loss, exposure, cancelled order and bad debt in this order, and then pays the keeper', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.invokeOk('set_stop_loss', stopLossArgs(id, 48_000n * E7))
  exchange.invokeOk('set_take_profit', takeProfitArgs(id, 60_000n * E7))
  exchange.movePrice('BTC', 44_000n * E7)
  assert.deepEqual(topicsOf(exchange.executeOrder(1n)), [
    'loss_received', 'exposure_synced BTC', 'order_cancelled', 'buffer_drawn', 'bad_debt_recorded', 'position_closed', 'order_executed',
  ])
})

test('a cross close that returns nothing pays the keeper nothing', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', [address(ALICE), i128(200n * E7)])
  const id = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.invokeOk('set_stop_loss', stopLossArgs(id, 48_000n * E7))
  exchange.movePrice('BTC', 44_000n * E7)
  const before = exchange.usdc(KEEPER)
  assert.deepEqual(eventsOf(exchange.executeOrder(1n)).at(-1), ['order_executed', [1n, 1_000_000n]], 'the nominal fee')
  assert.equal(exchange.usdc(KEEPER), before)
  assert.equal(exchange.view('get_cross_margin_balance', address(ALICE)), 795_000_000n, '100 idle less the loss of 20.5 above the collateral')
})

test('an entry order whose asset lost its room is refunded, cancelled, and marked as executed', () => {
  for (const [reason, options] of [
    ['risk_config', { leverage: 10 }], ['risk_config', { collateral: 6000n * E7, leverage: 5 }],
  ] as const) {
    const exchange = createTestExchange()
    place(exchange, options)
    exchange.setRisk('BTC', { im_bps: 2000, mm_bps: 1000, close_out_bps: 666, max_leverage: 5, max_position_size: 25_000n * E7 })
    exchange.setPrice('BTC', 49_000n * E7)
    const result = exchange.executeOrder(1n)
    assert.deepEqual(eventsOf(result), [['order_cancelled', [1n, reason]], ['order_executed', [1n, 0n]]])
    assert.equal(toNative(result.value), 0n)
    assert.deepEqual([exchange.usdc(ALICE), exchange.stored(ADDED_KEYS.openOrderCount)], [1_000_000n * E7, 0])
    assert.equal(exchange.order(1n)['status'], EXECUTED)
    assert.equal(exchange.tryExecuteOrder(1n), contractError(61))
  }
  const unconfigured = createTestExchange({ configured: false })
  place(unconfigured)
  unconfigured.setRisk('ETH', {})
  unconfigured.setPrice('BTC', 49_000n * E7)
  assert.deepEqual(eventsOf(unconfigured.executeOrder(1n))[0], ['order_cancelled', [1n, 'asset_unconfigured']])
})

const reduceOnly = (options: LimitOrderOptions = {}): LimitOrderOptions =>
  ({ direction: 1, trigger: 50_000n * E7, timeInForce: REDUCE_ONLY, ...options })

test('a reduce-only order reduces the largest opposite position by its size', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  const largest = exchange.open(ALICE, { collateral: 200n * E7 })
  place(exchange, reduceOnly())
  const result = exchange.executeOrder(1n)
  assert.deepEqual(eventsOf(result).slice(1), [
    ['position_reduced', [largest, ALICE, 'BTC', 1000n * E7, 1000n * E7, 50_000n * E7, 0n]],
    ['order_executed', [1n, 1_000_000n]],
  ])
  assert.equal(exchange.position(largest)['size'], 1000n * E7)
})

test('a reduce-only order closes a position whose rest would be too small', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, { collateral: 109n * E7 })
  place(exchange, reduceOnly())
  assert.deepEqual(topicsOf(exchange.executeOrder(1n)), ['exposure_synced BTC', 'position_closed', 'order_executed'])
})

test('a reduce-only order closes a cross position only if it covers it', () => {
  const exchange = createTestExchange()
  const cross = exchange.open(ALICE, { collateral: 200n * E7 }, 'open_position_cross')
  place(exchange, reduceOnly())
  assert.deepEqual(eventsOf(exchange.executeOrder(1n)), [['order_cancelled', [1n, 'reduce_only_no_position']], ['order_executed', [1n, 0n]]])
  place(exchange, reduceOnly({ collateral: 200n * E7 }))
  assert.deepEqual(eventsOf(exchange.executeOrder(2n)).at(-2), [
    'position_closed', [cross, ALICE, 'BTC', 0, 2000n * E7, 50_000n * E7, 50_000n * E7, 0n],
  ])
})

test('executing checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'execute_order', [address(KEEPER), u64(1n)], []), contractError(1))
  const exchange = createTestExchange()
  exchange.invokeOk('pause', [u32(1)])
  assert.equal(exchange.tryInvoke('execute_order', [address(KEEPER), u64(1n)], [ALICE]), UNAUTHORIZED)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(60))
  exchange.invokeOk('unpause', [])
  place(exchange)
  exchange.setPrice('BTC', 49_000n * E7, 61n)
  exchange.invokeOk('pause', [u32(1)])
  assert.equal(exchange.tryExecuteOrder(1n), contractError(4))
  exchange.invokeOk('unpause', [])
  assert.equal(exchange.tryExecuteOrder(1n), contractError(30))
  exchange.setPrice('BTC', 50_000n * E7)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(62))
  exchange.setPrice('BTC', 49_000n * E7)
  assert.equal(exchange.tryExecuteOrder(1n), 'ok')
  assert.equal(exchange.tryExecuteOrder(1n), contractError(61))
})
