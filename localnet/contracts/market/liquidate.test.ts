import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, u64, type Val } from '../host.ts'
import { toNative } from '../test-host.ts'
import {
  ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, KEEPER, MARKET, type TestExchange, topicsOf,
  UNAUTHORIZED,
} from '../test-exchange.ts'
import { KEYS } from './storage.ts'

const args = (id: bigint): Val[] => [address(KEEPER), u64(id)]
const liquidate = (exchange: TestExchange, id: bigint): string => exchange.tryInvoke('liquidate', args(id))

test('the keeper earns 5 % of what remains, the vault the rest, the trader nothing', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 45_500n * E7)
  const result = exchange.invokeOk('liquidate', args(id))
  // Collateral 99.5, loss 90: 9.5 remain, 0.475 for the keeper, 99.025 for the vault.
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

test('the margin rule: equity equal to 1 % of the size is healthy, one unit less is not', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  // Collateral 99.5, maintenance 10: the loss may be 89.5, which is a price of 45,525; one unit of loss more needs 50 units of price.
  exchange.setPrice('BTC', 45_525n * E7)
  assert.equal(liquidate(exchange, id), contractError(50))
  exchange.setPrice('BTC', 45_525n * E7 - 49n)
  assert.equal(liquidate(exchange, id), contractError(50))
  exchange.setPrice('BTC', 45_525n * E7 - 50n)
  assert.equal(liquidate(exchange, id), 'ok')
})

test('the price rule: the stored liquidation price counts inclusively, even when funding keeps equity high', () => {
  for (const direction of [0, 1]) {
    const exchange = createTestExchange()
    const id = exchange.open(ALICE, { direction })
    exchange.open(BOB, { direction: 1 - direction, collateral: 2000n * E7 })
    // 0.0095 % an hour to the smaller side: 200 hours are worth 19 USDC to the position.
    exchange.advance(200n * 3600n)
    exchange.invokeOk('apply_funding', [])
    const [healthy, crossed] = direction === 0 ? [45_500n * E7 + 1n, 45_500n * E7] : [54_500n * E7 - 1n, 54_500n * E7]
    exchange.setPrice('BTC', healthy)
    assert.equal(liquidate(exchange, id), contractError(50))
    exchange.setPrice('BTC', crossed)
    assert.equal(liquidate(exchange, id), 'ok')
  }
})

test('a bankrupt position pays no reward, and the vault takes all that was left of it', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 40_000n * E7)
  const result = exchange.invokeOk('liquidate', args(id))
  assert.deepEqual(eventsOf(result)[0], ['loss_received', [995_000_000n]])
  assert.equal(toNative(result.value), 0n)
})

test('a reward above the collateral falls back to a tenth of it', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.open(BOB, { direction: 1, collateral: 10_000n * E7 })
  exchange.advance(876_000n * 3600n)
  exchange.invokeOk('apply_funding', [])
  exchange.setPrice('BTC', 45_500n * E7)
  const result = exchange.invokeOk('liquidate', args(id))
  assert.equal(toNative(result.value), 99_500_000n)
  assert.deepEqual(eventsOf(result)[0], ['loss_received', [895_500_000n]])
})

test('liquidate fails in the documented order, and works while paused', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'liquidate', args(1n), []), contractError(1))
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  const crossId = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('liquidate', args(9n), [ALICE]), UNAUTHORIZED)
  assert.equal(liquidate(exchange, 9n), contractError(20))
  assert.equal(liquidate(exchange, crossId), contractError(50))
  assert.equal(liquidate(exchange, id), contractError(31))
  exchange.setPrice('BTC', 50_000n * E7)
  assert.equal(liquidate(exchange, id), contractError(50))
  exchange.setPrice('BTC', 40_000n * E7, 3600n)
  exchange.invokeOk('pause', [])
  assert.equal(liquidate(exchange, id), 'ok', 'a stale price will do')
})

test('a liquidation leaves the volume as it was', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  const before = exchange.stored(KEYS.traderVolume(ALICE))
  exchange.setPrice('BTC', 40_000n * E7)
  exchange.invokeOk('liquidate', args(id))
  assert.deepEqual(exchange.stored(KEYS.traderVolume(ALICE)), before)
})

test('what is attached to a position is cancelled with it', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.invokeOk('set_stop_loss', [address(ALICE), u64(id), { type: 'i128', value: 48_000n * E7 }, { type: 'u32', value: 100 }])
  exchange.setPrice('BTC', 40_000n * E7)
  const result = exchange.invokeOk('liquidate', args(id))
  assert.deepEqual(topicsOf(result), ['loss_received', 'exposure_synced BTC', 'order_cancelled', 'position_liquidated'])
  assert.deepEqual(eventsOf(result)[2], ['order_cancelled', [1n, 'pos_closed']])
})
