import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, symbol, u32, u64, type Val } from '../../shared/host.ts'
import {
  ADMIN, ALICE, contractError, E7, eventsOf, KEEPER, limitOrderArgs, MARKET, topicsOf, UNAUTHORIZED, VAULT,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import { createTestExchange, createUninitializedHost, openArgs, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'
import type { MarketConfig } from './types.ts'

const btc = symbol('BTC')
const adlArgs = (id: bigint): Val[] => [address(KEEPER), u64(id)]
const check = (exchange: TestExchange): readonly (readonly [string, unknown])[] => eventsOf(exchange.invokeOk('check_adl_trigger', [btc]))
const active = (exchange: TestExchange): unknown => exchange.view('is_adl_active', btc)

/** Longs of 2000 at 50,000, against a liquidity of 10,000. */
function smallPool(functionName = 'open_position', config: Partial<MarketConfig> = {}): TestExchange {
  const exchange = createTestExchange({ liquidity: 10_000n * E7, config })
  exchange.host.invokeOk(VAULT, 'set_skew_cap', [btc, u32(10_000)], [ADMIN])
  if (functionName === 'open_position_cross') exchange.invokeOk('deposit_cross_margin', [address(ALICE), i128(201n * E7)])
  exchange.open(ALICE, {}, functionName)
  exchange.open(ALICE, {}, functionName)
  return exchange
}

function coverage(exchange: TestExchange): bigint {
  return (exchange.vaultView('get_buffer_balance') as bigint) + (exchange.vaultView('get_total_usdc') as bigint)
}

test('the flag turns on below a coverage of 125 % of the payable profit, and off at 150 %', () => {
  const exchange = smallPool()
  const covered = coverage(exchange)
  assert.equal(covered, 9_971n * E7, 'the liquidity net of its fee, and both opening fees')
  // A profit of 2000 x 4 is covered 1.246 times; one of 2000 x 3.9 1.278 times.
  exchange.movePrice('BTC', 245_000n * E7)
  assert.deepEqual(check(exchange), [])
  exchange.movePrice('BTC', 250_000n * E7)
  assert.deepEqual(check(exchange), [['adl_triggered', ['BTC', 0, 8000n * E7, covered]]])
  assert.equal(active(exchange), true)
  assert.deepEqual(check(exchange), [], 'only a change is emitted')
  // Between the ratios the flag stays: 2000 x 3.4 is covered 1.466 times, 2000 x 3.3 1.511 times.
  exchange.movePrice('BTC', 220_000n * E7)
  assert.deepEqual(check(exchange), [])
  exchange.movePrice('BTC', 215_000n * E7)
  assert.deepEqual(check(exchange), [['adl_cleared', ['BTC', 0, 6600n * E7, covered]]])
  assert.equal(active(exchange), false)
})

test('the flag turns off when nothing is payable', () => {
  const exchange = smallPool()
  exchange.movePrice('BTC', 250_000n * E7)
  check(exchange)
  exchange.movePrice('BTC', 50_000n * E7)
  assert.deepEqual(check(exchange), [['adl_cleared', ['BTC', 0, 0n, coverage(exchange)]]])
})

test('while the flag is on, anyone closes a profitable position, which emits the close and its score', () => {
  const exchange = smallPool()
  exchange.movePrice('BTC', 250_000n * E7)
  check(exchange)
  const before = exchange.usdc(ALICE)
  const result = exchange.invokeOk('adl_close', adlArgs(1n))
  assert.deepEqual(topicsOf(result), ['pnl_settled', 'exposure_synced BTC', 'position_closed', 'adl_executed'])
  // 4000 of 99.5 are 402,010 bps, times a leverage of 10.
  assert.deepEqual(eventsOf(result).at(-1), ['adl_executed', [1n, ALICE, 'BTC', 0, 1000n * E7, 250_000n * E7, 4000n * E7, 4_020_100n]])
  assert.equal(toNative(result.value), 4000n * E7)
  assert.equal(exchange.usdc(ALICE) - before, 995_000_000n + 4000n * E7, 'paid in full')
})

test('a cross position is deleveraged into its pool without volume', () => {
  const exchange = smallPool('open_position_cross')
  exchange.movePrice('BTC', 250_000n * E7)
  check(exchange)
  exchange.invokeOk('adl_close', adlArgs(1n))
  assert.equal(exchange.view('get_cross_margin_balance', address(ALICE)), 1_005_000_000n + 4000n * E7)
  assert.deepEqual(exchange.view('get_cross_margin_positions', address(ALICE)), [2n])
  assert.equal(exchange.view('get_trader_volume', address(ALICE)), 2000n * E7)
})

test('entry orders of a deleveraged asset fill, only opens are refused', () => {
  const exchange = smallPool()
  exchange.movePrice('BTC', 250_000n * E7)
  check(exchange)
  exchange.invokeOk('place_limit_order', limitOrderArgs({ collateral: 20n * E7, trigger: 251_000n * E7 }))
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE, { collateral: 20n * E7 })), contractError(82))
  assert.deepEqual(topicsOf(exchange.executeOrder(1n)).slice(-2), ['position_opened', 'order_executed'])
  assert.equal(active(exchange), true)
})

test('adl_compensation_bps of the size goes to the trader from the buffer, as far as that reaches', () => {
  const exchange = smallPool('open_position', { adl_compensation_bps: 100 })
  exchange.movePrice('BTC', 250_000n * E7)
  check(exchange)
  const buffer = exchange.vaultView('get_buffer_balance') as bigint
  exchange.seedBuffer(4n * E7 + 4_000n * E7 - buffer)
  const before = exchange.usdc(ALICE)
  const result = exchange.invokeOk('adl_close', adlArgs(1n))
  assert.deepEqual(topicsOf(result), ['pnl_settled', 'exposure_synced BTC', 'position_closed', 'buffer_paid', 'adl_executed'])
  assert.deepEqual(eventsOf(result)[3], ['buffer_paid', [ALICE, 10n * E7, 4n * E7]])
  assert.equal(exchange.usdc(ALICE) - before, 995_000_000n + 4000n * E7 + 4n * E7)
})

test('adl_close checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'adl_close', adlArgs(1n), []), contractError(1))
  const exchange = smallPool()
  assert.equal(exchange.tryInvoke('adl_close', adlArgs(9n), [ALICE]), UNAUTHORIZED)
  assert.equal(exchange.tryInvoke('adl_close', adlArgs(9n)), contractError(20))
  assert.equal(exchange.tryInvoke('adl_close', adlArgs(1n)), contractError(84))
  exchange.movePrice('BTC', 250_000n * E7)
  check(exchange)
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('adl_close', adlArgs(1n)), contractError(31))
  exchange.movePrice('BTC', 50_000n * E7)
  assert.equal(exchange.tryInvoke('adl_close', adlArgs(1n)), contractError(85))
  exchange.invokeOk('pause', [u32(2)])
  exchange.movePrice('BTC', 60_000n * E7)
  assert.equal(exchange.tryInvoke('adl_close', adlArgs(1n)), 'ok', 'also in a freeze')
})
