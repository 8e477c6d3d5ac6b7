// The error of a call in which several checks fail, where the tests of the calls do not cover it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../../shared/host.ts'
import { address, i128, symbol, u32, u64 } from '../../shared/host.ts'
import {
  ADMIN, ALICE, BOB, contractError, createTestExchange, E7, eventsOf, KEEPER, limitOrderArgs, type LimitOrderOptions, openArgs,
  stopLimitOrderArgs, UNAUTHORIZED, VAULT,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { DEFAULT_MARKET_CONFIG } from '../../shared/market/defaults.ts'
import { MARKET_CONFIG } from '../../shared/market/types.ts'

const STRANGER = 'GSTRANGER'

/** A long limit order that triggers at 50,000 or below. */
const limitArgs = (options: LimitOrderOptions): Val[] => limitOrderArgs({ trigger: 50_000n * E7, ...options })
const stopLimitArgs = (options: LimitOrderOptions): Val[] =>
  stopLimitOrderArgs({ trigger: 50_000n * E7, limit: 50_000n * E7, above: false, ...options })

const ownArgs = (id: bigint, ...rest: readonly Val[]): Val[] => [address(ALICE), u64(id), ...rest]

test('orders and cross calls check authorization first', () => {
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 0n)
  const calls: [string, Val[]][] = [
    ['place_limit_order', limitArgs({ collateral: 0n })], ['place_stop_limit_order', stopLimitArgs({ collateral: 0n })],
    ['set_stop_loss', ownArgs(9n, i128(0n), u32(0))], ['set_take_profit', ownArgs(9n, i128(0n), u32(0), i128(1n))],
    ['place_trailing_stop', ownArgs(9n, u32(0), u32(0))], ['cancel_order', ownArgs(9n)], ['execute_order', ownArgs(9n)],
    ['open_position_cross', openArgs(ALICE, { collateral: 0n })], ['close_position_cross', ownArgs(9n)],
    ['deposit_cross_margin', [address(ALICE), i128(0n)]], ['withdraw_cross_margin', [address(ALICE), i128(0n)]],
    ['liquidate', ownArgs(9n)], ['liquidate_cross_account', [address(ALICE), address(BOB)]],
  ]
  for (const [name, args] of calls) assert.equal(exchange.tryInvoke(name, args, [BOB]), UNAUTHORIZED, name)
})

test('apply_funding, sync_asset_pnl and update_trailing_peak need no authorization', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.invokeOk('place_trailing_stop', ownArgs(1n, u32(100), u32(100)))
  assert.equal(exchange.tryInvoke('update_trailing_peak', [u64(1n)], []), 'ok')
  assert.equal(exchange.tryInvoke('sync_asset_pnl', [symbol('BTC')], []), 'ok')
  exchange.advance(3_600n)
  assert.equal(exchange.tryInvoke('apply_funding', [], []), 'ok')
})

test('post-only is checked before the token transfer, immediate-or-cancel after it', () => {
  const exchange = createTestExchange()
  const place = (options: LimitOrderOptions): string => exchange.tryInvoke('place_limit_order', limitArgs(options), [ALICE, STRANGER])
  assert.equal(place({ trader: STRANGER, timeInForce: 2 }), contractError(70))
  exchange.setPrice('BTC', 50_000n * E7, 61n)
  assert.equal(place({ trader: STRANGER, timeInForce: 2 }), contractError(30))
  assert.equal(place({ trader: STRANGER, timeInForce: 1 }), contractError(13))
  assert.equal(place({ timeInForce: 1 }), contractError(30), 'the price read is strict')
  exchange.setPrice('BTC', 0n)
  assert.equal(place({ timeInForce: 1 }), contractError(31))
  assert.equal(place({ timeInForce: 0 }), 'ok', 'a good-till-cancelled order reads no price')
  assert.equal(exchange.tryInvoke('place_stop_limit_order', stopLimitArgs({ timeInForce: 2 })), 'ok', 'a stop-limit reads no price')
})

test('a stop-limit checks its limits before the token transfer', () => {
  const exchange = createTestExchange()
  const place = (options: LimitOrderOptions): string =>
    exchange.tryInvoke('place_stop_limit_order', stopLimitArgs({ trader: STRANGER, ...options }), [STRANGER])
  assert.equal(place({ collateral: 100_001n * E7, leverage: 1 }), contractError(23))
  assert.equal(place({}), contractError(13))
})

test('stop-loss and take-profit read no price and check the trigger before the limit', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('set_stop_loss', ownArgs(1n, i128(49_000n * E7), u32(100))), 'ok')
  assert.equal(exchange.tryInvoke('set_take_profit', ownArgs(1n, i128(49_000n * E7), u32(100), i128(1n))), contractError(65))
  assert.equal(exchange.tryInvoke('set_take_profit', ownArgs(1n, i128(51_000n * E7), u32(100), i128(1n))), contractError(5))
  assert.equal(exchange.tryInvoke('set_take_profit', ownArgs(1n, i128(51_000n * E7), u32(100), i128(-1n))), 'ok', 'a negative limit means no limit')
})

test('a trailing stop reads the price last', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  const cross = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.invokeOk('place_trailing_stop', ownArgs(1n, u32(100), u32(100)))
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('place_trailing_stop', ownArgs(9n, u32(0), u32(0))), contractError(69))
  assert.equal(exchange.tryInvoke('place_trailing_stop', ownArgs(9n, u32(1), u32(0))), contractError(66))
  assert.equal(exchange.tryInvoke('place_trailing_stop', ownArgs(cross, u32(1), u32(1))), contractError(80))
  assert.equal(exchange.tryInvoke('place_trailing_stop', ownArgs(1n, u32(1), u32(1))), contractError(67))
  exchange.invokeOk('cancel_order', ownArgs(1n))
  assert.equal(exchange.tryInvoke('place_trailing_stop', ownArgs(1n, u32(1), u32(1))), contractError(31))
})

test('execute_order checks the order\'s status, then the price, then the trigger', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitArgs({}))
  exchange.invokeOk('place_limit_order', limitArgs({ trigger: 40_000n * E7 }))
  exchange.invokeOk('place_stop_limit_order', stopLimitArgs({ trigger: 40_000n * E7 }))
  assert.equal(exchange.tryExecuteOrder(1n), 'ok')
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(61))
  assert.equal(exchange.tryExecuteOrder(9n), contractError(60))
  for (const id of [2n, 3n]) {
    exchange.setPrice('BTC', 0n)
    assert.equal(exchange.tryExecuteOrder(id), contractError(31))
    exchange.setPrice('BTC', 50_000n * E7, 61n)
    assert.equal(exchange.tryExecuteOrder(id), contractError(30), 'both phases of a stop-limit read the price strictly')
    exchange.setPrice('BTC', 50_600n * E7)
    assert.equal(exchange.tryExecuteOrder(id), contractError(81))
    exchange.setPrice('BTC', 50_000n * E7)
    assert.equal(exchange.tryExecuteOrder(id), contractError(62))
  }
})

test('slippage is checked before the vault\'s capacity', () => {
  const exchange = createTestExchange(100n * E7)
  exchange.invokeOk('place_limit_order', limitArgs({ trigger: 50_600n * E7 }))
  assert.deepEqual(eventsOf(exchange.invokeOk('execute_order', [address(KEEPER), u64(1n)])), [['order_cancelled', [1n, 'slippage']]])
})

test('a fill checks capacity, the vault\'s balance and the fees in this order; the order stays pending', () => {
  const config = MARKET_CONFIG.toVal({ ...DEFAULT_MARKET_CONFIG, min_collateral: 1n })
  const exchange = createTestExchange(10_000n * E7, config)
  const setAssetCap = (bps: number): void => void exchange.host.invokeOk(VAULT, 'set_asset_cap', [symbol('BTC'), u32(bps)], [ADMIN])
  exchange.invokeOk('place_limit_order', limitArgs({ collateral: 5_000_000n }))
  exchange.invokeOk('place_limit_order', limitArgs({ collateral: 1_001n * E7 }))
  setAssetCap(1)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(82), 'checked before the fees')
  setAssetCap(2_500)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(22), 'the keeper\'s fee of 0.5025 exceeds the collateral')
  assert.equal(exchange.tryExecuteOrder(2n), contractError(82))
  setAssetCap(10_000)
  exchange.host.invokeOk(VAULT, 'set_reserve_cap', [u32(10_000)], [ADMIN])
  assert.equal(exchange.tryExecuteOrder(2n), contractError(40), '10,010 is within the AUM of 10,030, above the balance of 10,000')
  for (const id of [1n, 2n]) assert.equal(exchange.tryInvoke('cancel_order', ownArgs(id)), 'ok')
})

test('reduce-only cancels the orders attached to the position that it closes', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.invokeOk('set_stop_loss', ownArgs(1n, i128(49_000n * E7), u32(100)))
  exchange.invokeOk('place_limit_order', limitArgs({ direction: 1, above: true, timeInForce: 0x100 }))
  assert.deepEqual(eventsOf(exchange.invokeOk('execute_order', [address(KEEPER), u64(2n)])).slice(2), [
    ['order_cancelled', [1n, 'pos_closed']],
    ['position_closed', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 50_000n * E7, 0n]],
    ['order_executed', [2n, E7]],
  ])
})

test('cross calls check margin before capacity and the margin mode before the price', () => {
  const exchange = createTestExchange(10_000n * E7)
  const isolated = exchange.open(ALICE)
  const cross = exchange.open(ALICE, {}, 'open_position_cross')
  // A loss of 90 leaves 9.5 of equity, below the maintenance of 10.
  exchange.setPrice('BTC', 45_500n * E7)
  const tryOpenCross = (collateral: bigint): string => exchange.tryInvoke('open_position_cross', openArgs(ALICE, { collateral, asset: 'ETH' }))
  assert.equal(tryOpenCross(500n * E7), contractError(77))
  exchange.setPrice('BTC', 50_000n * E7)
  assert.equal(tryOpenCross(500n * E7), contractError(82))
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('close_position_cross', ownArgs(isolated)), contractError(5))
  assert.equal(exchange.tryInvoke('close_position', ownArgs(cross)), contractError(5))
})

test('withdraw_cross_margin checks the pool before the margin', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, {}, 'open_position_cross')
  exchange.setPrice('BTC', 40_000n * E7)
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', [address(ALICE), i128(1n)]), contractError(76))
})
