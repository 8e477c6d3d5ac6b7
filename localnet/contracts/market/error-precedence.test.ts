// Which refusal wins when several rules are broken at once, where the tests of the calls themselves do not say.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../host.ts'
import { address, i128, symbol, u32, u64 } from '../host.ts'
import {
  ADMIN, ALICE, BOB, contractError, createTestExchange, E7, eventsOf, KEEPER, limitOrderArgs, type LimitOrderOptions, openArgs,
  stopLimitOrderArgs, UNAUTHORIZED, VAULT,
} from '../test-exchange.ts'
import { DEFAULT_MARKET_CONFIG } from './defaults.ts'
import { MARKET_CONFIG } from './types.ts'

const STRANGER = 'GNOBODY'

/** A long that 50,000 or less fills. */
const limitArgs = (options: LimitOrderOptions): Val[] => limitOrderArgs({ trigger: 50_000n * E7, ...options })
const stopLimitArgs = (options: LimitOrderOptions): Val[] =>
  stopLimitOrderArgs({ trigger: 50_000n * E7, limit: 50_000n * E7, above: false, ...options })

const own = (id: bigint, ...rest: readonly Val[]): Val[] => [address(ALICE), u64(id), ...rest]

test('orders and cross calls ask for agreement before they look at anything', () => {
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 0n)
  const calls: [string, Val[]][] = [
    ['place_limit_order', limitArgs({ collateral: 0n })], ['place_stop_limit_order', stopLimitArgs({ collateral: 0n })],
    ['set_stop_loss', own(9n, i128(0n), u32(0))], ['set_take_profit', own(9n, i128(0n), u32(0), i128(1n))],
    ['place_trailing_stop', own(9n, u32(0), u32(0))], ['cancel_order', own(9n)], ['execute_order', own(9n)],
    ['open_position_cross', openArgs(ALICE, { collateral: 0n })], ['close_position_cross', own(9n)],
    ['deposit_cross_margin', [address(ALICE), i128(0n)]], ['withdraw_cross_margin', [address(ALICE), i128(0n)]],
    ['liquidate', own(9n)], ['liquidate_cross_account', [address(ALICE), address(BOB)]],
  ]
  for (const [name, args] of calls) assert.equal(exchange.tryInvoke(name, args, [BOB]), UNAUTHORIZED, name)
})

test('funding, marks and peaks need nobody\'s agreement', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.invokeOk('place_trailing_stop', own(1n, u32(100), u32(100)))
  assert.equal(exchange.tryInvoke('update_trailing_peak', [u64(1n)], []), 'ok')
  assert.equal(exchange.tryInvoke('sync_asset_pnl', [symbol('BTC')], []), 'ok')
  exchange.advance(3_600n)
  assert.equal(exchange.tryInvoke('apply_funding', [], []), 'ok')
})

test('post-only is judged before the wallet is touched, immediate-or-cancel after', () => {
  const exchange = createTestExchange()
  const place = (options: LimitOrderOptions): string => exchange.tryInvoke('place_limit_order', limitArgs(options), [ALICE, STRANGER])
  assert.equal(place({ trader: STRANGER, timeInForce: 2 }), contractError(70))
  exchange.setPrice('BTC', 50_000n * E7, 61n)
  assert.equal(place({ trader: STRANGER, timeInForce: 2 }), contractError(30))
  assert.equal(place({ trader: STRANGER, timeInForce: 1 }), contractError(13))
  assert.equal(place({ timeInForce: 1 }), contractError(30), 'the price is read strictly')
  exchange.setPrice('BTC', 0n)
  assert.equal(place({ timeInForce: 1 }), contractError(31))
  assert.equal(place({ timeInForce: 0 }), 'ok', 'an order that rests reads no price')
  assert.equal(exchange.tryInvoke('place_stop_limit_order', stopLimitArgs({ timeInForce: 2 })), 'ok', 'nor does a stop-limit')
})

test('a stop-limit\'s limits come before the wallet', () => {
  const exchange = createTestExchange()
  const place = (options: LimitOrderOptions): string => exchange.tryInvoke('place_stop_limit_order', stopLimitArgs({ trader: STRANGER, ...options }), [STRANGER])
  assert.equal(place({ collateral: 100_001n * E7, leverage: 1 }), contractError(23))
  assert.equal(place({}), contractError(13))
})

test('stop-loss and take-profit read no price; the side of the trigger comes before the place of the limit', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('set_stop_loss', own(1n, i128(49_000n * E7), u32(100))), 'ok')
  assert.equal(exchange.tryInvoke('set_take_profit', own(1n, i128(49_000n * E7), u32(100), i128(1n))), contractError(65))
  assert.equal(exchange.tryInvoke('set_take_profit', own(1n, i128(51_000n * E7), u32(100), i128(1n))), contractError(5))
  assert.equal(exchange.tryInvoke('set_take_profit', own(1n, i128(51_000n * E7), u32(100), i128(-1n))), 'ok', 'a limit below zero is none')
})

test('a trailing stop reads its price last', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  const cross = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.invokeOk('place_trailing_stop', own(1n, u32(100), u32(100)))
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('place_trailing_stop', own(9n, u32(0), u32(0))), contractError(69))
  assert.equal(exchange.tryInvoke('place_trailing_stop', own(9n, u32(1), u32(0))), contractError(66))
  assert.equal(exchange.tryInvoke('place_trailing_stop', own(cross, u32(1), u32(1))), contractError(80))
  assert.equal(exchange.tryInvoke('place_trailing_stop', own(1n, u32(1), u32(1))), contractError(67))
  exchange.invokeOk('cancel_order', own(1n))
  assert.equal(exchange.tryInvoke('place_trailing_stop', own(1n, u32(1), u32(1))), contractError(31))
})

test('an order\'s own state comes before the price, the price before the trigger', () => {
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
    assert.equal(exchange.tryExecuteOrder(id), contractError(30), 'both phases of a stop-limit read strictly')
    exchange.setPrice('BTC', 50_600n * E7)
    assert.equal(exchange.tryExecuteOrder(id), contractError(81))
    exchange.setPrice('BTC', 50_000n * E7)
    assert.equal(exchange.tryExecuteOrder(id), contractError(62))
  }
})

test('a fill past the slippage is cancelled before the vault is asked', () => {
  const exchange = createTestExchange(100n * E7)
  exchange.invokeOk('place_limit_order', limitArgs({ trigger: 50_600n * E7 }))
  assert.deepEqual(eventsOf(exchange.invokeOk('execute_order', [address(KEEPER), u64(1n)])), [['order_cancelled', [1n, 'slippage']]])
})

test('a fill: capacity, then the vault\'s balance, then what the fees leave; each leaves the order pending', () => {
  const config = MARKET_CONFIG.toVal({ ...DEFAULT_MARKET_CONFIG, min_collateral: 1n })
  const exchange = createTestExchange(10_000n * E7, config)
  const cap = (bps: number): void => void exchange.host.invokeOk(VAULT, 'set_asset_cap', [symbol('BTC'), u32(bps)], [ADMIN])
  exchange.invokeOk('place_limit_order', limitArgs({ collateral: 5_000_000n }))
  exchange.invokeOk('place_limit_order', limitArgs({ collateral: 1_001n * E7 }))
  cap(1)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(82), 'although its fees would eat it')
  cap(2_500)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(22), 'the keeper alone would take 0.5025')
  assert.equal(exchange.tryExecuteOrder(2n), contractError(82))
  cap(10_000)
  exchange.host.invokeOk(VAULT, 'set_reserve_cap', [u32(10_000)], [ADMIN])
  assert.equal(exchange.tryExecuteOrder(2n), contractError(40), '10,010 is within the AUM of 10,030, above the balance of 10,000')
  for (const id of [1n, 2n]) assert.equal(exchange.tryInvoke('cancel_order', own(id)), 'ok')
})

test('reduce-only ends what hangs on the position that it closes', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.invokeOk('set_stop_loss', own(1n, i128(49_000n * E7), u32(100)))
  exchange.invokeOk('place_limit_order', limitArgs({ direction: 1, above: true, timeInForce: 0x100 }))
  assert.deepEqual(eventsOf(exchange.invokeOk('execute_order', [address(KEEPER), u64(2n)])).slice(2), [
    ['order_cancelled', [1n, 'pos_closed']],
    ['position_closed', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 50_000n * E7, 0n]],
    ['order_executed', [2n, E7]],
  ])
})

test('cross: margin comes before capacity, the kind of position before the price', () => {
  const exchange = createTestExchange(10_000n * E7)
  const isolated = exchange.open(ALICE)
  const cross = exchange.open(ALICE, {}, 'open_position_cross')
  // A loss of 90 leaves 9.5 of equity, below the maintenance of 10.
  exchange.setPrice('BTC', 45_500n * E7)
  const open = (collateral: bigint): string => exchange.tryInvoke('open_position_cross', openArgs(ALICE, { collateral, asset: 'ETH' }))
  assert.equal(open(500n * E7), contractError(77))
  exchange.setPrice('BTC', 50_000n * E7)
  assert.equal(open(500n * E7), contractError(82))
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('close_position_cross', own(isolated)), contractError(5))
  assert.equal(exchange.tryInvoke('close_position', own(cross)), contractError(5))
})

test('cross: a withdrawal beyond the pool is told before the margin', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, {}, 'open_position_cross')
  exchange.setPrice('BTC', 40_000n * E7)
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', [address(ALICE), i128(1n)]), contractError(76))
})
