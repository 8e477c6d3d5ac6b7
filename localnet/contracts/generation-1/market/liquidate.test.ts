import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, u64, type Val } from '../../shared/host.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import {
  ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, KEEPER, MARKET, type TestExchange, topicsOf,
  UNAUTHORIZED,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { KEYS } from '../../shared/market/storage.ts'

const liquidateArgs = (id: bigint): Val[] => [address(KEEPER), u64(id)]
const tryLiquidate = (exchange: TestExchange, id: bigint): string => exchange.tryInvoke('liquidate', liquidateArgs(id))

test('a liquidation pays 5 % of the equity to the keeper, the rest to the vault, nothing to the trader', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 45_500n * E7)
  const result = exchange.invokeOk('liquidate', liquidateArgs(id))
  // Collateral 99.5, loss 90: equity 9.5, of which 0.475 for the keeper; 99.025 for the vault.
  assert.deepEqual(eventsOf(result), [
    ['loss_received', [990_250_000n]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['position_liquidated', [1n, ALICE, 'BTC', 0, 1000n * E7, 4_750_000n, 45_500n * E7]],
  ])
  assert.equal(toNative(result.value), 4_750_000n)
  assert.deepEqual([exchange.usdc(KEEPER), exchange.usdc(ALICE)], [1_000_000n * E7 + 4_750_000n, 999_900n * E7])
  assert.deepEqual([exchange.usdc(MARKET), exchange.stored(KEYS.allPositions)], [0n, []])
  assert.equal(exchange.vaultView('get_reserved_payout'), 0n)
})

test('a position is liquidatable when its equity is below 1 % of its size', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  // Collateral 99.5 and maintenance 10 allow a loss of 89.5, at a price of 45,525. One more unit of loss takes 50 units of price.
  exchange.setPrice('BTC', 45_525n * E7)
  assert.equal(tryLiquidate(exchange, id), contractError(50))
  exchange.setPrice('BTC', 45_525n * E7 - 49n)
  assert.equal(tryLiquidate(exchange, id), contractError(50))
  exchange.setPrice('BTC', 45_525n * E7 - 50n)
  assert.equal(tryLiquidate(exchange, id), 'ok')
})

test('a position is liquidatable at its liquidation price even if funding keeps its equity high', () => {
  for (const direction of [0, 1]) {
    const exchange = createTestExchange()
    const id = exchange.open(ALICE, { direction })
    exchange.open(BOB, { direction: 1 - direction, collateral: 2000n * E7 })
    // 0.0095 % per hour to the smaller side: the position receives 19 USDC in 200 hours.
    exchange.advance(200n * 3600n)
    exchange.invokeOk('apply_funding', [])
    const [healthyPrice, liquidationPrice] = direction === 0 ? [45_500n * E7 + 1n, 45_500n * E7] : [54_500n * E7 - 1n, 54_500n * E7]
    exchange.setPrice('BTC', healthyPrice)
    assert.equal(tryLiquidate(exchange, id), contractError(50))
    exchange.setPrice('BTC', liquidationPrice)
    assert.equal(tryLiquidate(exchange, id), 'ok')
  }
})

test('a position with negative equity pays no reward, and the vault takes its collateral', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 40_000n * E7)
  const result = exchange.invokeOk('liquidate', liquidateArgs(id))
  assert.deepEqual(eventsOf(result)[0], ['loss_received', [995_000_000n]])
  assert.equal(toNative(result.value), 0n)
})

test('a reward above the collateral is reduced to a tenth of the collateral', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.open(BOB, { direction: 1, collateral: 10_000n * E7 })
  exchange.advance(876_000n * 3600n)
  exchange.invokeOk('apply_funding', [])
  exchange.setPrice('BTC', 45_500n * E7)
  const result = exchange.invokeOk('liquidate', liquidateArgs(id))
  assert.equal(toNative(result.value), 99_500_000n)
  assert.deepEqual(eventsOf(result)[0], ['loss_received', [895_500_000n]])
})

test('liquidate checks its errors in the documented order and works while paused', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'liquidate', liquidateArgs(1n), []), contractError(1))
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  const crossId = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('liquidate', liquidateArgs(9n), [ALICE]), UNAUTHORIZED)
  assert.equal(tryLiquidate(exchange, 9n), contractError(20))
  assert.equal(tryLiquidate(exchange, crossId), contractError(50))
  assert.equal(tryLiquidate(exchange, id), contractError(31))
  exchange.setPrice('BTC', 50_000n * E7)
  assert.equal(tryLiquidate(exchange, id), contractError(50))
  exchange.setPrice('BTC', 40_000n * E7, 3600n)
  exchange.invokeOk('pause', [])
  assert.equal(tryLiquidate(exchange, id), 'ok', 'a stale price is accepted')
})

test('a liquidation does not count towards the volume', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  const before = exchange.stored(KEYS.traderVolume(ALICE))
  exchange.setPrice('BTC', 40_000n * E7)
  exchange.invokeOk('liquidate', liquidateArgs(id))
  assert.deepEqual(exchange.stored(KEYS.traderVolume(ALICE)), before)
})

test('a liquidation cancels the attached orders', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.invokeOk('set_stop_loss', [address(ALICE), u64(id), { type: 'i128', value: 48_000n * E7 }, { type: 'u32', value: 100 }])
  exchange.setPrice('BTC', 40_000n * E7)
  const result = exchange.invokeOk('liquidate', liquidateArgs(id))
  assert.deepEqual(topicsOf(result), ['loss_received', 'exposure_synced BTC', 'order_cancelled', 'position_liquidated'])
  assert.deepEqual(eventsOf(result)[2], ['order_cancelled', [1n, 'pos_closed']])
})
