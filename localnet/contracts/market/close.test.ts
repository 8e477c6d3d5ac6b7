import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, u32, u64 } from '../host.ts'
import { toNative } from '../test-host.ts'
import {
  ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, MARKET, topicsOf, UNAUTHORIZED, VAULT,
} from '../test-exchange.ts'
import { KEYS } from './storage.ts'

test('a winning close pays collateral and profit, and says settled, exposure, closed', () => {
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

test('a loss beyond the collateral takes the collateral alone; the event still tells the whole price PnL', () => {
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

test('a profit that the vault cannot pay is paid in part, and the shortfall is told first', () => {
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
  assert.equal(exchange.usdc(ALICE), 1_000_000n * E7 + 40_000_000_000n, 'the fee that was paid comes back within the payout')
  assert.equal(exchange.vaultView('get_shortfall'), 9_995_000_000n)
})

test('pnl truncates toward zero on both sides', () => {
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

test('close fails in the documented order', () => {
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

test('a close takes a price of any age, and does not mind a jump', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.setPrice('BTC', 70_000n * E7, 86_400n)
  assert.equal(exchange.tryInvoke('close_position', [address(ALICE), u64(id)]), 'ok')
})

test('the pool shrinks by what it paid and grows by what it received', () => {
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

test('open interest that stays open is marked at the exit price of the one that closed', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.open(BOB, { collateral: 200n * E7 })
  exchange.setPrice('BTC', 51_000n * E7)
  const result = exchange.close(ALICE, id)
  // 2000 at 2 % up: the vault owes 40 to the position that is left.
  assert.deepEqual(eventsOf(result)[1], ['exposure_synced BTC', [40n * E7, 40n * E7, 1000n * E7]])
  assert.equal(exchange.vaultView('get_reserved_payout'), 2000n * E7)
})

test('a winner is paid from the buffer first', () => {
  const exchange = createTestExchange()
  exchange.host.invokeOk(VAULT, 'seed_buffer', [address(BOB), i128(15n * E7)], ['GADMIN', BOB])
  const id = exchange.open(ALICE)
  const before = exchange.vaultView('get_total_usdc') as bigint
  exchange.setPrice('BTC', 51_000n * E7)
  exchange.close(ALICE, id)
  assert.equal(exchange.vaultView('get_total_usdc'), before - 5n * E7)
})

test('the fee split does not touch closes: losses go to the vault whole', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.invokeOk('set_fee_split', [address('CTREASURY'), u32(5000)])
  exchange.setPrice('BTC', 49_000n * E7)
  assert.deepEqual(eventsOf(exchange.close(ALICE, id))[1], ['loss_received', [20n * E7]])
  assert.equal(exchange.usdc('CTREASURY'), 0n)
})
