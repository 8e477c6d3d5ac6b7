import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, u32, u64 } from '../../shared/host.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import {
  ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, MARKET, topicsOf, UNAUTHORIZED, VAULT,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { KEYS } from '../../shared/market/storage.ts'

test('a winning close pays collateral and profit and emits pnl_settled, exposure_synced and position_closed', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 51_000n * E7)
  const result = exchange.close(ALICE, id)
  assert.deepEqual(eventsOf(result), [
    ['pnl_settled', [20n * E7]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['position_closed', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 51_000n * E7, 20n * E7]],
  ])
  assert.equal(toNative(result.value), 20n * E7)
  assert.equal(exchange.usdc(ALICE), 1_000_000n * E7 + 195_000_000n)
  assert.equal(exchange.usdc(MARKET), 0n)
  assert.equal(exchange.vaultView('get_reserved_payout'), 0n)
  assert.deepEqual([exchange.stored(KEYS.allPositions), exchange.stored(KEYS.traderPositions(ALICE))], [[], []])
  assert.deepEqual(exchange.stored(KEYS.assetExposure('BTC')), [0n, 0n, 0n, 0n])
})

test('a losing close sends the loss to the vault and returns the rest', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, { direction: 1 })
  exchange.setPrice('BTC', 51_000n * E7)
  const result = exchange.close(ALICE, id)
  assert.deepEqual(topicsOf(result), ['pnl_settled', 'loss_received', 'exposure_synced BTC', 'position_closed'])
  assert.deepEqual(eventsOf(result)[1], ['loss_received', [20n * E7]])
  assert.equal(exchange.usdc(ALICE), 1_000_000n * E7 - 205_000_000n)
})

test('a loss above the collateral takes only the collateral; the event carries the whole price PnL', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 40_000n * E7)
  const result = exchange.close(ALICE, id)
  assert.deepEqual(eventsOf(result), [
    ['pnl_settled', [-200n * E7]],
    ['loss_received', [995_000_000n]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['position_closed', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 40_000n * E7, -200n * E7]],
  ])
  assert.equal(exchange.usdc(ALICE), 999_900n * E7)
})

test('a profit above the vault\'s balance is paid in part, and payout_shortfall is emitted first', () => {
  const exchange = createTestExchange(4_000n * E7)
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 300_000n * E7)
  const result = exchange.close(ALICE, id)
  // Profit 5000; the vault has the deposit of 4000 and the fee of 0.5.
  assert.deepEqual(eventsOf(result).slice(0, 2), [
    ['payout_shortfall', [5000n * E7, 40_005_000_000n, 9_995_000_000n]],
    ['pnl_settled', [5000n * E7]],
  ])
  assert.equal(topicsOf(result).length, 4)
  assert.equal(toNative(result.value), 5000n * E7)
  assert.equal(exchange.usdc(ALICE), 1_000_000n * E7 + 40_000_000_000n, 'the payout includes the fee paid at opening')
  assert.equal(exchange.vaultView('get_shortfall'), 9_995_000_000n)
})

test('PnL truncates toward zero for profits and losses', () => {
  const exchange = createTestExchange()
  const pnlAt = (price: bigint, direction: number): unknown => {
    exchange.setPrice('BTC', 30n * E7)
    const id = exchange.open(ALICE, { collateral: 10n * E7, leverage: 1, direction })
    exchange.setPrice('BTC', price)
    const pnl = toNative(exchange.close(ALICE, id).value)
    exchange.advance(601n)
    return pnl
  }
  exchange.advance(601n)
  // 10 USDC from a price of 30: a step of one unit is worth a third of a unit.
  assert.deepEqual([pnlAt(30n * E7 + 1n, 0), pnlAt(30n * E7 - 1n, 0), pnlAt(30n * E7 + 1n, 1), pnlAt(30n * E7 - 1n, 1)], [0n, 0n, 0n, 0n])
  assert.deepEqual([pnlAt(30n * E7 + 4n, 0), pnlAt(30n * E7 - 4n, 0)], [1n, -1n])
})

test('close checks its errors in the documented order', () => {
  const args = (id: bigint, trader = ALICE) => [address(trader), u64(id)]
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'close_position', args(9n), []), contractError(1))
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  const crossId = exchange.open(ALICE, {}, 'open_position_cross')
  exchange.setPrice('BTC', 0n)
  exchange.invokeOk('pause', [])
  assert.equal(exchange.tryInvoke('close_position', args(9n), []), contractError(4))
  exchange.invokeOk('unpause', [])
  assert.equal(exchange.tryInvoke('close_position', args(9n), [BOB]), UNAUTHORIZED)
  assert.equal(exchange.tryInvoke('close_position', args(9n)), contractError(20))
  assert.equal(exchange.tryInvoke('close_position', args(id, BOB)), contractError(24))
  assert.equal(exchange.tryInvoke('close_position', args(crossId)), contractError(5))
  assert.equal(exchange.tryInvoke('close_position', args(id)), contractError(31))
})

test('a close accepts a price of any age and any deviation', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 70_000n * E7, 86_400n)
  assert.equal(exchange.tryInvoke('close_position', [address(ALICE), u64(id)]), 'ok')
})

test('the vault\'s total falls by paid profits and rises by received losses', () => {
  const exchange = createTestExchange(100_000n * E7)
  const before = exchange.vaultView('get_total_usdc') as bigint
  const winner = exchange.open(ALICE)
  const loser = exchange.open(BOB, { direction: 1 })
  exchange.setPrice('BTC', 51_000n * E7)
  exchange.close(ALICE, winner)
  exchange.close(BOB, loser)
  assert.equal(exchange.vaultView('get_total_usdc'), before + E7, 'profit and loss cancel; two fees of 0.5 stay')
  assert.equal(exchange.vaultView('get_usdc_balance'), exchange.vaultView('get_total_usdc'))
})

test('a close values the remaining open interest at the exit price', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.open(BOB, { collateral: 200n * E7 })
  exchange.setPrice('BTC', 51_000n * E7)
  const result = exchange.close(ALICE, id)
  // The remaining 2000 gained 2 %: 40.
  assert.deepEqual(eventsOf(result)[1], ['exposure_synced BTC', [40n * E7, 40n * E7, 1000n * E7]])
  assert.equal(exchange.vaultView('get_reserved_payout'), 2000n * E7)
})

test('a profit is paid from the buffer first', () => {
  const exchange = createTestExchange()
  exchange.host.invokeOk(VAULT, 'seed_buffer', [address(BOB), i128(15n * E7)], ['GADMIN', BOB])
  const id = exchange.open(ALICE)
  const before = exchange.vaultView('get_total_usdc') as bigint
  exchange.setPrice('BTC', 51_000n * E7)
  exchange.close(ALICE, id)
  assert.equal(exchange.vaultView('get_total_usdc'), before - 5n * E7)
})

test('the fee split does not apply to closes: losses go to the vault in full', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.invokeOk('set_fee_split', [address('CTREASURY'), u32(5000)])
  exchange.setPrice('BTC', 49_000n * E7)
  assert.deepEqual(eventsOf(exchange.close(ALICE, id))[1], ['loss_received', [20n * E7]])
  assert.equal(exchange.usdc('CTREASURY'), 0n)
})
