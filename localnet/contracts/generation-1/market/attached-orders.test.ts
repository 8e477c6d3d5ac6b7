import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../../shared/host.ts'
import { address, i128, u32, u64 } from '../../shared/host.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import {
  ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, KEEPER, MARKET, type TestExchange, topicsOf,
  UNAUTHORIZED,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { KEYS } from '../../shared/market/storage.ts'

const stopLossArgs = (id: bigint, trigger: bigint, slippage = 500): Val[] => [address(ALICE), u64(id), i128(trigger), u32(slippage)]
const takeProfitArgs = (id: bigint, trigger: bigint, limit = 0n, slippage = 500): Val[] => [...stopLossArgs(id, trigger, slippage), i128(limit)]
const trailingStopArgs = (id: bigint, percent: number, slippage = 500): Val[] => [address(ALICE), u64(id), u32(percent), u32(slippage)]

function withPosition(direction = 0): TestExchange {
  const exchange = createTestExchange()
  exchange.open(ALICE, { direction })
  return exchange
}

test('a stop-loss and a take-profit are linked to their position and emit events', () => {
  const exchange = withPosition()
  const stopped = exchange.invokeOk('set_stop_loss', stopLossArgs(1n, 48_000n * E7))
  assert.deepEqual(eventsOf(stopped), [['order_placed', [1n, ALICE, 48_000n * E7]]])
  assert.deepEqual(toNative(stopped.value), {
    asset: 'BTC', collateral: 0n, created_at: exchange.host.ledger.timestampSec, direction: 0, has_position: true, id: 1n, leverage: 10,
    limit_price: 0n, order_type: 1, position_id: 1n, slippage_tolerance_bps: 500, status: 0, stop_limit_phase: 0, time_in_force: 0,
    trader: ALICE, trailing_percent_bps: 0, trigger_condition: 1, trigger_price: 48_000n * E7,
  })
  const taken = exchange.invokeOk('set_take_profit', takeProfitArgs(1n, 52_000n * E7, 51_500n * E7))
  assert.deepEqual(eventsOf(taken), [['order_placed', [2n, ALICE, 52_000n * E7]]])
  const profit = exchange.order(2n)
  assert.deepEqual([profit['order_type'], profit['trigger_condition'], profit['limit_price']], [2, 0, 51_500n * E7])
  assert.deepEqual([exchange.stored(KEYS.positionStopLoss(1n)), exchange.stored(KEYS.positionTakeProfit(1n))], [1n, 2n])
  assert.deepEqual(toNative(exchange.invokeOk('get_all_order_ids', []).value), [1n, 2n])
})

test('a trailing stop stores the current price as its peak and emits no event', () => {
  const exchange = withPosition()
  const result = exchange.invokeOk('place_trailing_stop', trailingStopArgs(1n, 200))
  assert.deepEqual(topicsOf(result), [])
  const placed = toNative(result.value) as Record<string, unknown>
  assert.deepEqual([placed['trigger_price'], placed['trailing_percent_bps'], placed['trigger_condition']], [0n, 200, 1])
  assert.deepEqual([exchange.stored(KEYS.trailingStopPeak(1n)), exchange.stored(KEYS.positionTrailingStop(1n))], [50_000n * E7, 1n])
})

test('attaching checks its errors in the documented order', () => {
  for (const [name, args] of [
    ['set_stop_loss', stopLossArgs(9n, 0n, 0)], ['set_take_profit', takeProfitArgs(9n, 0n, 0n, 0)], ['place_trailing_stop', trailingStopArgs(9n, 0, 0)],
  ] as const) {
    assert.equal(createUninitializedHost().tryInvoke(MARKET, name, args, []), contractError(1), name)
    const exchange = withPosition()
    const crossId = exchange.open(ALICE, {}, 'open_position_cross')
    exchange.invokeOk('pause', [])
    assert.equal(exchange.tryInvoke(name, args, []), contractError(4), name)
    exchange.invokeOk('unpause', [])
    assert.equal(exchange.tryInvoke(name, args, [BOB]), UNAUTHORIZED, name)
    const build = (id: bigint, trader: string, slippage: number): Val[] => {
      const common = [address(trader), u64(id)]
      if (name === 'place_trailing_stop') return [...common, u32(200), u32(slippage)]
      return name === 'set_stop_loss' ? [...common, i128(0n), u32(slippage)] : [...common, i128(0n), u32(slippage), i128(1n)]
    }
    for (const slippage of [0, 10_001]) assert.equal(exchange.tryInvoke(name, build(9n, ALICE, slippage)), contractError(66), name)
    assert.equal(exchange.tryInvoke(name, build(9n, ALICE, 1)), contractError(20), name)
    assert.equal(exchange.tryInvoke(name, build(crossId, BOB, 1)), contractError(24), name)
    assert.equal(exchange.tryInvoke(name, build(crossId, ALICE, 1)), contractError(80), name)
  }
})

test('a position has one order of each type (67), and the trigger must be on the correct side of the entry price (65)', () => {
  for (const direction of [0, 1]) {
    const exchange = withPosition(direction)
    const [below, above] = direction === 0 ? [48_000n * E7, 52_000n * E7] : [52_000n * E7, 48_000n * E7]
    for (const trigger of [0n, -1n, 50_000n * E7, above]) {
      assert.equal(exchange.tryInvoke('set_stop_loss', stopLossArgs(1n, trigger)), contractError(65), `stop ${trigger}`)
    }
    for (const trigger of [0n, -1n, 50_000n * E7, below]) {
      assert.equal(exchange.tryInvoke('set_take_profit', takeProfitArgs(1n, trigger)), contractError(65), `take ${trigger}`)
    }
    for (const limit of [50_000n * E7, above]) {
      exchange.invokeOk('set_take_profit', takeProfitArgs(1n, above, limit))
      exchange.invokeOk('cancel_order', [address(ALICE), u64(exchange.stored(KEYS.positionTakeProfit(1n)) as bigint)])
    }
    for (const limit of [47_999n * E7, 52_001n * E7, below]) {
      assert.equal(exchange.tryInvoke('set_take_profit', takeProfitArgs(1n, above, limit)), contractError(5), `limit ${limit}`)
    }
    exchange.invokeOk('set_take_profit', takeProfitArgs(1n, above))
    exchange.invokeOk('set_stop_loss', stopLossArgs(1n, below))
    exchange.invokeOk('place_trailing_stop', trailingStopArgs(1n, 5000))
    assert.equal(exchange.tryInvoke('set_stop_loss', stopLossArgs(1n, 0n)), contractError(67), 'checked before the side of the trigger')
    assert.equal(exchange.tryInvoke('set_take_profit', takeProfitArgs(1n, 0n)), contractError(67))
    assert.equal(exchange.tryInvoke('place_trailing_stop', trailingStopArgs(1n, 100)), contractError(67))
  }
})

test('a trailing stop checks its percentage first and reads a strict price last', () => {
  const exchange = withPosition()
  for (const percent of [0, 5001]) assert.equal(exchange.tryInvoke('place_trailing_stop', trailingStopArgs(9n, percent, 0)), contractError(69))
  exchange.setPrice('BTC', 50_000n * E7, 61n)
  assert.equal(exchange.tryInvoke('place_trailing_stop', trailingStopArgs(1n, 100)), contractError(30))
  exchange.setPrice('BTC', 60_000n * E7)
  assert.equal(exchange.tryInvoke('place_trailing_stop', trailingStopArgs(1n, 100)), contractError(81))
})

test('a stop-loss closes the position, cancels the other attached orders and emits order_executed', () => {
  const exchange = withPosition()
  exchange.invokeOk('set_stop_loss', stopLossArgs(1n, 48_000n * E7))
  exchange.invokeOk('set_take_profit', takeProfitArgs(1n, 52_000n * E7))
  exchange.invokeOk('place_trailing_stop', trailingStopArgs(1n, 5000))
  assert.equal(exchange.tryExecuteOrder(1n), contractError(62))
  exchange.setPrice('BTC', 47_900n * E7, 7200n)
  const result = exchange.executeOrder(1n)
  // Loss 42 of 99.5; the keeper gets 0.5 + 0.05 % of 1000 = 1.
  assert.deepEqual(eventsOf(result), [
    ['pnl_settled', [-42n * E7]],
    ['loss_received', [42n * E7]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['order_cancelled', [2n, 'pos_closed']],
    ['order_cancelled', [3n, 'pos_closed']],
    ['position_closed', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 47_900n * E7, -42n * E7]],
    ['order_executed', [1n, E7]],
  ])
  assert.deepEqual([exchange.usdc(KEEPER), exchange.usdc(ALICE)], [1_000_001n * E7, 999_900n * E7 + 565_000_000n])
  assert.deepEqual([1n, 2n, 3n].map((id) => exchange.order(id)['status']), [1, 2, 2])
  assert.deepEqual(toNative(exchange.invokeOk('get_all_order_ids', []).value), [])
  assert.deepEqual([exchange.stored(KEYS.positionStopLoss(1n)), exchange.stored(KEYS.trailingStopPeak(3n))], [null, null])
})

test('closing a position cancels stop-loss, take-profit and trailing stop in this order', () => {
  const exchange = withPosition()
  exchange.invokeOk('place_trailing_stop', trailingStopArgs(1n, 5000))
  exchange.invokeOk('set_take_profit', takeProfitArgs(1n, 52_000n * E7))
  exchange.invokeOk('set_stop_loss', stopLossArgs(1n, 48_000n * E7))
  const events = eventsOf(exchange.close(ALICE, 1n))
  assert.deepEqual(events.map(([topic]) => topic), [
    'pnl_settled', 'exposure_synced BTC', 'order_cancelled', 'order_cancelled', 'order_cancelled', 'position_closed',
  ])
  assert.deepEqual(events.slice(2, 5).map(([, data]) => (data as unknown[])[0]), [3n, 2n, 1n])
  assert.equal(exchange.tryExecuteOrder(1n), contractError(61))
})

test('the keeper is paid from the remaining collateral; return value and event carry the nominal fee', () => {
  const exchange = withPosition()
  exchange.invokeOk('set_stop_loss', stopLossArgs(1n, 45_100n * E7))
  exchange.setPrice('BTC', 45_050n * E7)
  const result = exchange.executeOrder(1n)
  // Loss 99 of 99.5: 0.5 is left for the keeper, whose nominal fee is 1.
  assert.equal(toNative(result.value), E7)
  assert.deepEqual(eventsOf(result).at(-1), ['order_executed', [1n, E7]])
  assert.deepEqual([exchange.usdc(KEEPER), exchange.usdc(ALICE)], [1_000_000n * E7 + 5_000_000n, 999_900n * E7])
})

test('a price gap beyond the slippage tolerance cancels the stop and keeps the position', () => {
  const exchange = withPosition()
  exchange.invokeOk('set_stop_loss', stopLossArgs(1n, 48_000n * E7, 100))
  exchange.setPrice('BTC', 47_000n * E7)
  const result = exchange.executeOrder(1n)
  assert.deepEqual(eventsOf(result), [['order_cancelled', [1n, 'slippage']]])
  assert.deepEqual([exchange.order(1n)['status'], exchange.stored(KEYS.positionStopLoss(1n))], [3, null])
  assert.equal(exchange.position(1n)['id'], 1n)
  assert.equal(exchange.tryInvoke('set_stop_loss', stopLossArgs(1n, 46_000n * E7)), 'ok', 'another stop-loss can be set')
})

test('a take-profit with a limit triggers at the limit and measures slippage from it', () => {
  const exchange = withPosition()
  exchange.invokeOk('set_take_profit', takeProfitArgs(1n, 52_000n * E7, 51_000n * E7, 100))
  exchange.setPrice('BTC', 50_999n * E7)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(62))
  exchange.setPrice('BTC', 51_000n * E7)
  assert.deepEqual(topicsOf(exchange.executeOrder(1n)), ['pnl_settled', 'exposure_synced BTC', 'position_closed', 'order_executed'])
})

test('a short\'s stop-loss triggers above and its take-profit below', () => {
  const stopped = withPosition(1)
  stopped.invokeOk('set_stop_loss', stopLossArgs(1n, 52_000n * E7))
  stopped.setPrice('BTC', 52_000n * E7)
  assert.equal(stopped.tryExecuteOrder(1n), 'ok')
  const taken = withPosition(1)
  taken.invokeOk('set_take_profit', takeProfitArgs(1n, 48_000n * E7))
  taken.setPrice('BTC', 48_000n * E7)
  assert.equal(taken.tryExecuteOrder(1n), 'ok')
})

test('the peak moves only in the trader\'s favour, and the trailing stop follows it', () => {
  for (const direction of [0, 1]) {
    const exchange = withPosition(direction)
    exchange.invokeOk('place_trailing_stop', trailingStopArgs(1n, 100, 1000))
    const favourable = direction === 0 ? 50_400n * E7 : 49_600n * E7
    const peak = (): unknown => toNative(exchange.invokeOk('update_trailing_peak', [u64(1n)]).value)
    assert.equal(peak(), false)
    exchange.setPrice('BTC', favourable)
    const moved = exchange.invokeOk('update_trailing_peak', [u64(1n)])
    assert.deepEqual([toNative(moved.value), topicsOf(moved), exchange.stored(KEYS.trailingStopPeak(1n))], [true, [], favourable])
    exchange.setPrice('BTC', 50_000n * E7)
    assert.equal(peak(), false)
    assert.equal(exchange.stored(KEYS.trailingStopPeak(1n)), favourable)
    // 1 % off the peak: 49,896 for the long, 50,096 for the short.
    exchange.setPrice('BTC', direction === 0 ? 49_896n * E7 + 1n : 50_096n * E7 - 1n)
    assert.equal(exchange.tryExecuteOrder(1n), contractError(62))
    exchange.setPrice('BTC', direction === 0 ? 49_896n * E7 : 50_096n * E7)
    assert.equal(exchange.tryExecuteOrder(1n), 'ok')
  }
})

test('update_trailing_peak ignores other and finished orders and fails with 60 for an unknown one', () => {
  const exchange = withPosition()
  exchange.invokeOk('set_stop_loss', stopLossArgs(1n, 48_000n * E7))
  exchange.invokeOk('place_trailing_stop', trailingStopArgs(1n, 100))
  exchange.invokeOk('cancel_order', [address(ALICE), u64(2n)])
  exchange.setPrice('BTC', 0n)
  for (const id of [1n, 2n]) assert.equal(toNative(exchange.invokeOk('update_trailing_peak', [u64(id)]).value), false)
  assert.equal(exchange.tryInvoke('update_trailing_peak', [u64(9n)]), contractError(60))
  exchange.setPrice('BTC', 50_000n * E7)
  exchange.invokeOk('place_trailing_stop', trailingStopArgs(1n, 100))
  exchange.setPrice('BTC', 60_000n * E7)
  assert.equal(exchange.tryInvoke('update_trailing_peak', [u64(3n)]), contractError(81), 'the price read is strict')
})
