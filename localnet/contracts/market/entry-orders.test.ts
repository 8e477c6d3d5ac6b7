import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../host.ts'
import { address, bool, i128, symbol, u32, u64 } from '../host.ts'
import { toNative } from '../test-host.ts'
import {
  ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, KEEPER, MARKET, type TestExchange, topicsOf, USDC,
} from '../test-exchange.ts'
import { KEYS } from './storage.ts'

interface Terms {
  trader?: string
  asset?: string
  direction?: number
  collateral?: bigint
  leverage?: number
  trigger?: bigint
  limit?: bigint
  above?: boolean
  slippage?: number
  tif?: number
}

/** A long limit buy at 49,000: 100 USDC at 10x, 1 % tolerance. */
function limitArgs(terms: Terms = {}): Val[] {
  return [
    address(terms.trader ?? ALICE), symbol(terms.asset ?? 'BTC'), u32(terms.direction ?? 0), i128(terms.collateral ?? 100n * E7),
    u32(terms.leverage ?? 10), i128(terms.trigger ?? 49_000n * E7), bool(terms.above ?? false), u32(terms.slippage ?? 100),
    u32(terms.tif ?? 0),
  ]
}

/** A long stop-limit: arms at 51,000, buys at 50,800 or above, by the same flag. */
function stopLimitArgs(terms: Terms = {}): Val[] {
  const args = limitArgs({ trigger: 51_000n * E7, above: true, ...terms })
  return [...args.slice(0, 6), i128(terms.limit ?? 50_800n * E7), ...args.slice(6)]
}

const limit = (exchange: TestExchange, terms?: Terms): string => exchange.tryInvoke('place_limit_order', limitArgs(terms))
const execute = (exchange: TestExchange, id = 1n) => exchange.invokeOk('execute_order', [address(KEEPER), u64(id)])
const tryExecute = (exchange: TestExchange, id = 1n): string => exchange.tryInvoke('execute_order', [address(KEEPER), u64(id)])
const order = (exchange: TestExchange, id = 1n) => toNative(exchange.invokeOk('get_order', [u64(id)]).value) as Record<string, unknown>
const pending = (exchange: TestExchange): unknown => toNative(exchange.invokeOk('get_all_order_ids', []).value)

test('a limit order takes its collateral, waits, and tells its trigger', () => {
  const exchange = createTestExchange()
  const done = exchange.invokeOk('place_limit_order', limitArgs())
  assert.deepEqual(eventsOf(done), [['order_placed', [1n, ALICE, 49_000n * E7]]])
  assert.deepEqual(toNative(done.value), {
    asset: 'BTC', collateral: 100n * E7, created_at: exchange.host.ledger.timestampSec, direction: 0, has_position: false, id: 1n,
    leverage: 10, limit_price: 0n, order_type: 0, position_id: 0n, slippage_tolerance_bps: 100, status: 0, stop_limit_phase: 0,
    time_in_force: 0, trader: ALICE, trailing_percent_bps: 0, trigger_condition: 1, trigger_price: 49_000n * E7,
  })
  assert.deepEqual([exchange.usdc(MARKET), exchange.vaultView('get_reserved_payout')], [100n * E7, 0n])
  assert.deepEqual([pending(exchange), exchange.stored(KEYS.traderOrders(ALICE))], [[1n], [1n]])
})

test('a limit fill opens at the price, at the maker fee, and pays the keeper out of the collateral', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitArgs())
  exchange.setPrice('BTC', 48_800n * E7)
  const done = execute(exchange)
  // Size 1000: maker 0.02 % = 0.2; keeper 0.5 + 0.05 % = 1.0; net 98.8. Units floor(1000 / 48,800) are worth 1600 too little.
  assert.deepEqual(eventsOf(done), [
    ['exposure_synced BTC', [-1600n, -1600n, 0n]],
    ['loss_received', [2_000_000n]],
    ['position_opened', [1n, ALICE, 'BTC', 0, 1000n * E7, 48_800n * E7]],
    ['order_executed', [1n, E7]],
  ])
  assert.equal(toNative(done.value), E7)
  assert.equal(exchange.usdc(KEEPER), 1_000_001n * E7)
  assert.equal(exchange.position(1n)['collateral'], 988_000_000n)
  assert.equal(exchange.position(1n)['liquidation_price'], 44_408n * E7)
  assert.deepEqual([order(exchange)['status'], pending(exchange)], [1, []])
  assert.equal(tryExecute(exchange), contractError(61))
})

test('placing fails in the documented order', () => {
  const bare = createUninitializedHost().invoke(MARKET, 'place_limit_order', limitArgs({ collateral: 0n }), [])
  assert.equal(bare.ok ? 'ok' : bare.error, contractError(1))
  const exchange = createTestExchange()
  exchange.setPrice('BTC', 0n)
  const all = { collateral: 0n, leverage: 0, trigger: 0n, slippage: 0, tif: 3 }
  exchange.invokeOk('pause', [])
  assert.equal(exchange.tryInvoke('place_limit_order', limitArgs(all), []), contractError(4))
  exchange.invokeOk('unpause', [])
  assert.equal(exchange.tryInvoke('place_limit_order', limitArgs(all), [BOB]), 'Error(Auth, InvalidAction)')
  const rows: [Terms, number][] = [
    [{ ...all }, 22],
    [{ ...all, collateral: 100_001n * E7 }, 21],
    [{ ...all, collateral: 100_001n * E7, leverage: 1 }, 65],
    [{ ...all, collateral: 100_001n * E7, leverage: 1, trigger: E7 }, 66],
    [{ ...all, collateral: 100_001n * E7, leverage: 1, trigger: E7, slippage: 10_001 }, 66],
    [{ ...all, collateral: 100_001n * E7, leverage: 1, trigger: E7, slippage: 10_000 }, 5],
    [{ collateral: 100_001n * E7, leverage: 1, tif: 2 }, 23],
    [{ tif: 2 }, 31],
    [{ trader: 'GNOBODY' }, 13],
  ]
  for (const [terms, code] of rows) {
    assert.equal(exchange.tryInvoke('place_limit_order', limitArgs(terms), [ALICE, 'GNOBODY']), contractError(code), JSON.stringify(code))
  }
  for (const [terms, code] of rows.slice(0, 7)) {
    const args = stopLimitArgs({ ...terms, trigger: terms.trigger ?? E7 })
    assert.equal(exchange.tryInvoke('place_stop_limit_order', args), contractError(code), `stop ${code}`)
  }
  assert.equal(exchange.tryInvoke('place_stop_limit_order', stopLimitArgs({ limit: 0n, slippage: 0 })), contractError(65))
})

test('post-only refuses what would fill at once, and reads the price strictly', () => {
  const exchange = createTestExchange()
  assert.equal(limit(exchange, { tif: 2 }), 'ok')
  assert.equal(limit(exchange, { tif: 2, trigger: 50_000n * E7 }), contractError(70))
  exchange.setPrice('BTC', 50_000n * E7, 61n)
  assert.equal(limit(exchange, { tif: 2 }), contractError(30))
  exchange.setPrice('BTC', 60_000n * E7)
  assert.equal(limit(exchange, { tif: 2 }), contractError(81))
})

test('immediate-or-cancel: untriggered it is refunded and never listed, triggered it rests', () => {
  const exchange = createTestExchange()
  const done = exchange.invokeOk('place_limit_order', limitArgs({ tif: 1 }))
  assert.deepEqual(eventsOf(done), [['order_cancelled', [1n, 'ioc_not_filled']]])
  assert.deepEqual([(toNative(done.value) as { status: number }).status, pending(exchange), exchange.usdc(ALICE)], [2, [], 1_000_000n * E7])
  const resting = exchange.invokeOk('place_limit_order', limitArgs({ tif: 1, trigger: 50_000n * E7 }))
  assert.deepEqual(topicsOf(resting), ['order_placed'])
  assert.deepEqual(pending(exchange), [2n])
})

test('higher bits of time in force are ignored, the low byte decides', () => {
  const exchange = createTestExchange()
  assert.equal(limit(exchange, { tif: 0x10_200 }), 'ok')
  assert.equal(limit(exchange, { tif: 0x203 }), contractError(5))
})

test('an order is executed only when triggered, and only by who signs', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitArgs())
  assert.equal(exchange.tryInvoke('execute_order', [address(KEEPER), u64(1n)], [ALICE]), 'Error(Auth, InvalidAction)')
  assert.equal(tryExecute(exchange, 9n), contractError(60))
  exchange.setPrice('BTC', 0n)
  assert.equal(tryExecute(exchange), contractError(31))
  exchange.setPrice('BTC', 49_000n * E7 + 1n)
  assert.equal(tryExecute(exchange), contractError(62))
  exchange.setPrice('BTC', 49_000n * E7, 61n)
  assert.equal(tryExecute(exchange), contractError(30), 'an entry reads strictly')
  exchange.invokeOk('pause', [])
  exchange.setPrice('BTC', 49_000n * E7)
  assert.equal(tryExecute(exchange), 'ok', 'keepers work while paused')
})

test('a fill beyond the tolerance refunds and cancels, with its own status', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitArgs())
  // 1 % below 49,000 is 48,510: still within; one more basis point is not.
  exchange.setPrice('BTC', 48_505n * E7)
  const done = execute(exchange)
  assert.deepEqual(eventsOf(done), [['order_cancelled', [1n, 'slippage']]])
  assert.equal(toNative(done.value), 0n)
  assert.deepEqual([order(exchange)['status'], pending(exchange), exchange.usdc(ALICE)], [3, [], 1_000_000n * E7])
})

test('a fill that the vault cannot back, or that its fees would eat, fails and leaves the order pending', () => {
  const thin = createTestExchange(100n * E7)
  thin.invokeOk('place_limit_order', limitArgs())
  thin.setPrice('BTC', 49_000n * E7)
  assert.equal(tryExecute(thin), contractError(82))
  assert.deepEqual(pending(thin), [1n])
})

test('a stop-limit says nothing when placed or armed, and fills against its limit', () => {
  const exchange = createTestExchange()
  const placed = exchange.invokeOk('place_stop_limit_order', stopLimitArgs())
  assert.deepEqual(topicsOf(placed), [])
  assert.equal(tryExecute(exchange), contractError(62))
  exchange.setPrice('BTC', 51_100n * E7)
  const armed = execute(exchange)
  assert.deepEqual([topicsOf(armed), toNative(armed.value), order(exchange)['stop_limit_phase'], pending(exchange)], [[], 0n, 1, [1n]])
  const filled = execute(exchange)
  assert.deepEqual(topicsOf(filled), ['exposure_synced BTC', 'loss_received', 'position_opened', 'order_executed'])
  assert.equal(exchange.position(1n)['entry_price'], 51_100n * E7)
})

test('a stop-limit past its tolerance in the first phase is cancelled', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_stop_limit_order', stopLimitArgs())
  exchange.setPrice('BTC', 51_520n * E7)
  assert.deepEqual(eventsOf(execute(exchange)), [['order_cancelled', [1n, 'slippage']]])
  assert.equal(exchange.usdc(ALICE), 1_000_000n * E7)
})

test('immediate-or-cancel and post-only mean nothing to a stop-limit', () => {
  const exchange = createTestExchange()
  for (const tif of [1, 2]) assert.equal(exchange.tryInvoke('place_stop_limit_order', stopLimitArgs({ tif, trigger: 50_000n * E7 })), 'ok')
})

test('the owner cancels and is refunded, also while paused', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitArgs())
  exchange.invokeOk('place_stop_limit_order', stopLimitArgs())
  const cancel = (id: bigint, trader = ALICE, signers?: string[]): string =>
    exchange.tryInvoke('cancel_order', [address(trader), u64(id)], signers)
  assert.equal(cancel(1n, ALICE, [BOB]), 'Error(Auth, InvalidAction)')
  assert.equal(cancel(9n), contractError(60))
  assert.equal(cancel(1n, BOB), contractError(64))
  exchange.invokeOk('pause', [])
  const done = exchange.invokeOk('cancel_order', [address(ALICE), u64(1n)])
  assert.deepEqual(eventsOf(done), [['order_cancelled', [1n, 'user']]])
  assert.equal(cancel(1n), contractError(61))
  assert.equal(cancel(1n, BOB), contractError(64), 'whose it is comes before what became of it')
  assert.equal(cancel(2n), 'ok')
  assert.deepEqual([pending(exchange), exchange.usdc(ALICE), order(exchange)['status']], [[], 1_000_000n * E7, 2])
})

test('reduce-only closes the largest opposite position that fits, the first of equals', () => {
  const exchange = createTestExchange()
  for (const collateral of [30n, 50n, 50n, 90n]) exchange.open(ALICE, { collateral: collateral * E7 })
  exchange.open(ALICE, { collateral: 60n * E7, asset: 'ETH' })
  exchange.open(ALICE, { collateral: 60n * E7, direction: 1 })
  exchange.open(ALICE, { collateral: 60n * E7 }, 'open_position_cross')
  exchange.open(BOB, { collateral: 60n * E7 })
  exchange.invokeOk('place_limit_order', limitArgs({ direction: 1, collateral: 50n * E7, tif: 0x100, trigger: 50_000n * E7 }))
  const before = exchange.usdc(ALICE)
  const done = execute(exchange)
  assert.deepEqual(topicsOf(done), ['pnl_settled', 'exposure_synced BTC', 'position_closed', 'order_executed'])
  assert.deepEqual(eventsOf(done)[2], ['position_closed', [2n, ALICE, 'BTC', 0, 500n * E7, 50_000n * E7, 50_000n * E7, 0n]])
  // The order's collateral comes back; the close pays 49.75 less the keeper's 0.5 + 0.05 % of the order's 500.
  assert.equal(toNative(done.value), 7_500_000n)
  assert.equal(exchange.usdc(ALICE) - before, 50n * E7 + 497_500_000n - 7_500_000n)
  assert.equal(order(exchange)['status'], 1)
})

test('reduce-only without a target is cancelled and refunded: one event, nothing executed', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, { collateral: 90n * E7 })
  exchange.invokeOk('place_limit_order', limitArgs({ direction: 1, collateral: 70n * E7, tif: 0x100, trigger: 50_000n * E7 }))
  exchange.setPrice('BTC', 50_000n * E7, 3600n)
  const done = execute(exchange)
  assert.deepEqual(eventsOf(done), [['order_cancelled', [1n, 'reduce_only_no_position']]], 'and a stale price is good enough')
  assert.deepEqual([toNative(done.value), order(exchange)['status'], pending(exchange)], [0n, 2, []])
})

test('a fill needs no token of the trader: the collateral has been waiting', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('place_limit_order', limitArgs())
  exchange.host.invokeOk(USDC, 'transfer', [address(ALICE), address(BOB), i128(exchange.usdc(ALICE))], [ALICE])
  exchange.setPrice('BTC', 49_000n * E7)
  assert.equal(tryExecute(exchange), 'ok')
})
