import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, u64 } from '../../shared/host.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import {
  ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, KEEPER, limitOrderArgs, type LimitOrderOptions,
  MARKET, stopLimitOrderArgs, type TestExchange, topicsOf, UNAUTHORIZED, USDC,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { KEYS } from '../../shared/market/storage.ts'

const tryLimitOrder = (exchange: TestExchange, options?: LimitOrderOptions): string =>
  exchange.tryInvoke('place_limit_order', limitOrderArgs(options))

test('a limit order takes its collateral, is listed as pending and emits its trigger price', () => {
  const exchange = createTestExchange()
  const result = exchange.invokeOk('place_limit_order', limitOrderArgs())
  assert.deepEqual(eventsOf(result), [['order_placed', [1n, ALICE, 49_000n * E7]]])
  assert.deepEqual(toNative(result.value), {
    asset: 'BTC', collateral: 100n * E7, created_at: exchange.host.ledger.timestampSec, direction: 0, has_position: false, id: 1n,
    leverage: 10, limit_price: 0n, order_type: 0, position_id: 0n, slippage_tolerance_bps: 100, status: 0, stop_limit_phase: 0,
    time_in_force: 0, trader: ALICE, trailing_percent_bps: 0, trigger_condition: 1, trigger_price: 49_000n * E7,
  })
  assert.deepEqual([exchange.usdc(MARKET), exchange.vaultView('get_reserved_payout')], [100n * E7, 0n])
  assert.deepEqual([exchange.pendingOrderIds(), exchange.stored(KEYS.traderOrders(ALICE))], [[1n], [1n]])
})

test('a limit order fills at the current price for the maker fee and pays the keeper from the collateral', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitOrderArgs())
  exchange.setPrice('BTC', 48_800n * E7)
  const result = exchange.executeOrder(1n)
  // Size 1000: maker 0.02 % = 0.2; keeper 0.5 + 0.05 % = 1.0; net 98.8. Units floor(1000 / 48,800) are worth 1600 too little.
  assert.deepEqual(eventsOf(result), [
    ['exposure_synced BTC', [-1600n, -1600n, 0n]],
    ['loss_received', [2_000_000n]],
    ['position_opened', [1n, ALICE, 'BTC', 0, 1000n * E7, 48_800n * E7]],
    ['order_executed', [1n, E7]],
  ])
  assert.equal(toNative(result.value), E7)
  assert.equal(exchange.usdc(KEEPER), 1_000_001n * E7)
  assert.equal(exchange.position(1n)['collateral'], 988_000_000n)
  assert.equal(exchange.position(1n)['liquidation_price'], 44_408n * E7)
  assert.deepEqual([exchange.order(1n)['status'], exchange.pendingOrderIds()], [1, []])
  assert.equal(exchange.tryExecuteOrder(1n), contractError(61))
})

test('placing checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'place_limit_order', limitOrderArgs({ collateral: 0n }), []), contractError(1))
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 0n)
  const allInvalid = { collateral: 0n, leverage: 0, trigger: 0n, slippageBps: 0, timeInForce: 3 }
  exchange.invokeOk('pause', [])
  assert.equal(exchange.tryInvoke('place_limit_order', limitOrderArgs(allInvalid), []), contractError(4))
  exchange.invokeOk('unpause', [])
  assert.equal(exchange.tryInvoke('place_limit_order', limitOrderArgs(allInvalid), [BOB]), UNAUTHORIZED)
  const rows: [LimitOrderOptions, number][] = [
    [{ ...allInvalid }, 22],
    [{ ...allInvalid, collateral: 100_001n * E7 }, 21],
    [{ ...allInvalid, collateral: 100_001n * E7, leverage: 1 }, 65],
    [{ ...allInvalid, collateral: 100_001n * E7, leverage: 1, trigger: E7 }, 66],
    [{ ...allInvalid, collateral: 100_001n * E7, leverage: 1, trigger: E7, slippageBps: 10_001 }, 66],
    [{ ...allInvalid, collateral: 100_001n * E7, leverage: 1, trigger: E7, slippageBps: 10_000 }, 5],
    [{ collateral: 100_001n * E7, leverage: 1, timeInForce: 2 }, 23],
    [{ timeInForce: 2 }, 31],
    [{ trader: 'GSTRANGER' }, 13],
  ]
  for (const [options, code] of rows) {
    assert.equal(exchange.tryInvoke('place_limit_order', limitOrderArgs(options), [ALICE, 'GSTRANGER']), contractError(code), JSON.stringify(code))
  }
  for (const [options, code] of rows.slice(0, 7)) {
    const args = stopLimitOrderArgs({ ...options, trigger: options.trigger ?? E7 })
    assert.equal(exchange.tryInvoke('place_stop_limit_order', args), contractError(code), `stop ${code}`)
  }
  assert.equal(exchange.tryInvoke('place_stop_limit_order', stopLimitOrderArgs({ limit: 0n, slippageBps: 0 })), contractError(65))
})

test('post-only rejects an order that would trigger now and reads the price strictly', () => {
  const exchange = createTestExchange()
  assert.equal(tryLimitOrder(exchange, { timeInForce: 2 }), 'ok')
  assert.equal(tryLimitOrder(exchange, { timeInForce: 2, trigger: 50_000n * E7 }), contractError(70))
  exchange.setPrice('BTC', 50_000n * E7, 61n)
  assert.equal(tryLimitOrder(exchange, { timeInForce: 2 }), contractError(30))
  exchange.setPrice('BTC', 60_000n * E7)
  assert.equal(tryLimitOrder(exchange, { timeInForce: 2 }), contractError(81))
})

test('immediate-or-cancel is refunded if not triggered and rests if triggered', () => {
  const exchange = createTestExchange()
  const result = exchange.invokeOk('place_limit_order', limitOrderArgs({ timeInForce: 1 }))
  assert.deepEqual(eventsOf(result), [['order_cancelled', [1n, 'ioc_not_filled']]])
  assert.equal(exchange.order(1n)['status'], 2)
  assert.deepEqual([exchange.pendingOrderIds(), exchange.usdc(ALICE)], [[], 1_000_000n * E7])
  const resting = exchange.invokeOk('place_limit_order', limitOrderArgs({ timeInForce: 1, trigger: 50_000n * E7 }))
  assert.deepEqual(topicsOf(resting), ['order_placed'])
  assert.deepEqual(exchange.pendingOrderIds(), [2n])
})

test('only the low byte of time in force selects the mode', () => {
  const exchange = createTestExchange()
  assert.equal(tryLimitOrder(exchange, { timeInForce: 0x10_200 }), 'ok')
  assert.equal(tryLimitOrder(exchange, { timeInForce: 0x203 }), contractError(5))
})

test('execute_order requires the keeper\'s authorization and a triggered order', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitOrderArgs())
  assert.equal(exchange.tryInvoke('execute_order', [address(KEEPER), u64(1n)], [ALICE]), UNAUTHORIZED)
  assert.equal(exchange.tryExecuteOrder(9n), contractError(60))
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(31))
  exchange.setPrice('BTC', 49_000n * E7 + 1n)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(62))
  exchange.setPrice('BTC', 49_000n * E7, 61n)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(30), 'an entry order reads the price strictly')
  exchange.invokeOk('pause', [])
  exchange.setPrice('BTC', 49_000n * E7)
  assert.equal(exchange.tryExecuteOrder(1n), 'ok', 'keepers can execute while paused')
})

test('slippage above the tolerance refunds and cancels the order with its own status', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitOrderArgs())
  // 1 % below 49,000 is 48,510. 48,505 is 101 bps below.
  exchange.setPrice('BTC', 48_505n * E7)
  const result = exchange.executeOrder(1n)
  assert.deepEqual(eventsOf(result), [['order_cancelled', [1n, 'slippage']]])
  assert.equal(toNative(result.value), 0n)
  assert.deepEqual([exchange.order(1n)['status'], exchange.pendingOrderIds(), exchange.usdc(ALICE)], [3, [], 1_000_000n * E7])
})

test('a fill that the vault cannot back fails and the order stays pending', () => {
  const exchange = createTestExchange(100n * E7)
  exchange.invokeOk('place_limit_order', limitOrderArgs())
  exchange.setPrice('BTC', 49_000n * E7)
  assert.equal(exchange.tryExecuteOrder(1n), contractError(82))
  assert.deepEqual(exchange.pendingOrderIds(), [1n])
})

test('a stop-limit emits no event when placed or armed, and fills at its limit', () => {
  const exchange = createTestExchange()
  const placed = exchange.invokeOk('place_stop_limit_order', stopLimitOrderArgs())
  assert.deepEqual(topicsOf(placed), [])
  assert.equal(exchange.tryExecuteOrder(1n), contractError(62))
  exchange.setPrice('BTC', 51_100n * E7)
  const armed = exchange.executeOrder(1n)
  assert.deepEqual([topicsOf(armed), toNative(armed.value), exchange.order(1n)['stop_limit_phase'], exchange.pendingOrderIds()], [[], 0n, 1, [1n]])
  const filled = exchange.executeOrder(1n)
  assert.deepEqual(topicsOf(filled), ['exposure_synced BTC', 'loss_received', 'position_opened', 'order_executed'])
  assert.equal(exchange.position(1n)['entry_price'], 51_100n * E7)
})

test('a stop-limit beyond its slippage tolerance is cancelled in the first phase', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_stop_limit_order', stopLimitOrderArgs())
  exchange.setPrice('BTC', 51_520n * E7)
  assert.deepEqual(eventsOf(exchange.executeOrder(1n)), [['order_cancelled', [1n, 'slippage']]])
  assert.equal(exchange.usdc(ALICE), 1_000_000n * E7)
})

test('a stop-limit ignores immediate-or-cancel and post-only', () => {
  const exchange = createTestExchange()
  for (const timeInForce of [1, 2]) {
    const args = stopLimitOrderArgs({ timeInForce, trigger: 50_000n * E7 })
    assert.equal(exchange.tryInvoke('place_stop_limit_order', args), 'ok')
  }
})

test('the owner can cancel an order and is refunded, also while paused', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitOrderArgs())
  exchange.invokeOk('place_stop_limit_order', stopLimitOrderArgs())
  const cancel = (id: bigint, trader = ALICE, signers?: string[]): string =>
    exchange.tryInvoke('cancel_order', [address(trader), u64(id)], signers)
  assert.equal(cancel(1n, ALICE, [BOB]), UNAUTHORIZED)
  assert.equal(cancel(9n), contractError(60))
  assert.equal(cancel(1n, BOB), contractError(64))
  exchange.invokeOk('pause', [])
  const result = exchange.invokeOk('cancel_order', [address(ALICE), u64(1n)])
  assert.deepEqual(eventsOf(result), [['order_cancelled', [1n, 'user']]])
  assert.equal(cancel(1n), contractError(61))
  assert.equal(cancel(1n, BOB), contractError(64), 'the owner is checked before the status')
  assert.equal(cancel(2n), 'ok')
  assert.deepEqual([exchange.pendingOrderIds(), exchange.usdc(ALICE), exchange.order(1n)['status']], [[], 1_000_000n * E7, 2])
})

test('reduce-only closes the largest opposite position not larger than the order, the first of equals', () => {
  const exchange = createTestExchange()
  for (const collateral of [30n, 50n, 50n, 90n]) exchange.open(ALICE, { collateral: collateral * E7 })
  exchange.open(ALICE, { collateral: 60n * E7, asset: 'ETH' })
  exchange.open(ALICE, { collateral: 60n * E7, direction: 1 })
  exchange.open(ALICE, { collateral: 60n * E7 }, 'open_position_cross')
  exchange.open(BOB, { collateral: 60n * E7 })
  exchange.invokeOk('place_limit_order', limitOrderArgs({ direction: 1, collateral: 50n * E7, timeInForce: 0x100, trigger: 50_000n * E7 }))
  const before = exchange.usdc(ALICE)
  const result = exchange.executeOrder(1n)
  assert.deepEqual(topicsOf(result), ['pnl_settled', 'exposure_synced BTC', 'position_closed', 'order_executed'])
  assert.deepEqual(eventsOf(result)[2], ['position_closed', [2n, ALICE, 'BTC', 0, 500n * E7, 50_000n * E7, 50_000n * E7, 0n]])
  // The order's collateral is refunded; the close pays 49.75 minus the keeper's 0.5 + 0.05 % of the order's 500.
  assert.equal(toNative(result.value), 7_500_000n)
  assert.equal(exchange.usdc(ALICE) - before, 50n * E7 + 497_500_000n - 7_500_000n)
  assert.equal(exchange.order(1n)['status'], 1)
})

test('reduce-only without a position to close is cancelled and refunded with one event', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, { collateral: 90n * E7 })
  exchange.invokeOk('place_limit_order', limitOrderArgs({ direction: 1, collateral: 70n * E7, timeInForce: 0x100, trigger: 50_000n * E7 }))
  exchange.setPrice('BTC', 50_000n * E7, 3600n)
  const result = exchange.executeOrder(1n)
  assert.deepEqual(eventsOf(result), [['order_cancelled', [1n, 'reduce_only_no_position']]], 'a stale price is accepted')
  assert.deepEqual([toNative(result.value), exchange.order(1n)['status'], exchange.pendingOrderIds()], [0n, 2, []])
})

test('a fill takes nothing from the trader\'s wallet: the market already holds the collateral', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitOrderArgs())
  exchange.host.invokeOk(USDC, 'transfer', [address(ALICE), address(BOB), i128(exchange.usdc(ALICE))], [ALICE])
  exchange.setPrice('BTC', 49_000n * E7)
  assert.equal(exchange.tryExecuteOrder(1n), 'ok')
})
