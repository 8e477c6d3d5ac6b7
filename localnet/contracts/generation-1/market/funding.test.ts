import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, u64 } from '../../shared/host.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import {
  ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, KEEPER, MARKET, type TestExchange, USDC,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { KEYS } from '../../shared/market/storage.ts'

const HOUR = 3600n

function applyFunding(exchange: TestExchange): unknown {
  return eventsOf(exchange.invokeOk('apply_funding', []))
}

test('the first interval starts at initialization, and an interval is a full hour', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'apply_funding', []), contractError(1))
  const exchange = createTestExchange()
  exchange.advance(HOUR - 1n)
  assert.equal(exchange.tryInvoke('apply_funding', []), contractError(55))
  exchange.advance(1n)
  exchange.invokeOk('pause', [])
  assert.deepEqual(applyFunding(exchange), [['funding_applied', [0n, 1n]]], 'works while paused and without authorization')
  assert.equal(exchange.tryInvoke('apply_funding', []), contractError(55))
})

test('full hours count and the fraction is dropped', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.advance(3n * HOUR - 1n)
  assert.deepEqual(applyFunding(exchange), [['funding_applied', [1000n, 2n]]], 'longs only: the full 0.01 %')
  assert.deepEqual(exchange.stored(KEYS.lastFundingTime), exchange.host.ledger.timestampSec)
  assert.deepEqual([exchange.stored(KEYS.currentFundingRate), exchange.stored(KEYS.cumulativeFundingRate)], [1000n, 2000n])
  exchange.advance(HOUR - 1n)
  assert.equal(exchange.tryInvoke('apply_funding', []), contractError(55))
})

test('the rate follows the imbalance across all assets, truncated toward zero', () => {
  const rateOf = (long: bigint, short: bigint): unknown => {
    const exchange = createTestExchange()
    if (long > 0n) exchange.open(ALICE, { collateral: long * E7 })
    if (short > 0n) exchange.open(BOB, { collateral: short * E7, direction: 1, asset: 'ETH' })
    exchange.advance(HOUR)
    exchange.invokeOk('apply_funding', [])
    return exchange.stored(KEYS.currentFundingRate)
  }
  // Two thirds of 0.01 % are 666.66 units.
  assert.equal(rateOf(300n, 100n), 666n)
  assert.equal(rateOf(100n, 300n), -666n)
  assert.equal(rateOf(100n, 100n), 0n)
  assert.equal(rateOf(0n, 100n), -1000n)
})

test('the larger side pays funding to the vault, and the price PnL excludes it', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE, { collateral: 300n * E7 })
  exchange.open(BOB, { direction: 1 })
  exchange.advance(3n * HOUR)
  exchange.invokeOk('apply_funding', [])
  const result = exchange.close(ALICE, id)
  // 3000 x 3 hours x 0.0000666 = 0.5994.
  assert.deepEqual(eventsOf(result).slice(0, 2), [['pnl_settled', [0n]], ['loss_received', [5_994_000n]]])
  assert.equal(toNative(result.value), 0n)
  // Collateral 298.5 less funding.
  assert.equal(exchange.usdc(ALICE), 999_700n * E7 + 2_985_000_000n - 5_994_000n)
})

test('the smaller side is paid from the market\'s pooled USDC', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, { collateral: 300n * E7 })
  const id = exchange.open(BOB, { direction: 1 })
  const held = exchange.usdc(MARKET)
  exchange.advance(3n * HOUR)
  exchange.invokeOk('apply_funding', [])
  exchange.close(BOB, id)
  // 1000 x 3 x 0.0000666 = 0.1998 on top of the collateral of 99.5.
  assert.equal(exchange.usdc(MARKET), held - 995_000_000n - 1_998_000n)
})

test('if the market\'s balance does not cover the funding, the close fails with the token\'s 10', () => {
  const exchange = createTestExchange()
  const long = exchange.open(ALICE, { collateral: 300n * E7 })
  const short = exchange.open(BOB, { direction: 1 })
  exchange.advance(3n * HOUR)
  exchange.invokeOk('apply_funding', [])
  exchange.close(ALICE, long)
  assert.equal(exchange.tryInvoke('close_position', [address(BOB), u64(short)]), contractError(10))
  exchange.host.invokeOk(USDC, 'transfer', [address(KEEPER), address(MARKET), i128(1_998_000n)], [KEEPER])
  assert.equal(exchange.tryInvoke('close_position', [address(BOB), u64(short)]), 'ok')
})

test('funding truncates toward zero whether owed or received', () => {
  const owed = (direction: number): bigint => {
    const exchange = createTestExchange()
    const others = { collateral: 300n * E7, leverage: 1 }
    exchange.open(BOB, { ...others, direction })
    exchange.open(BOB, { collateral: 199n * E7, leverage: 1, direction: 1 - direction })
    const id = exchange.open(ALICE, { collateral: 100_000_001n, leverage: 1, direction })
    const collateral = exchange.position(id)['collateral'] as bigint
    exchange.advance(HOUR)
    exchange.invokeOk('apply_funding', [])
    const before = exchange.usdc(ALICE)
    exchange.close(ALICE, id)
    return collateral - (exchange.usdc(ALICE) - before)
  }
  const credited = (): bigint => {
    const exchange = createTestExchange()
    exchange.open(BOB, { collateral: 300n * E7, leverage: 1, direction: 1 })
    const id = exchange.open(ALICE, { collateral: 100_000_001n, leverage: 1 })
    const collateral = exchange.position(id)['collateral'] as bigint
    exchange.advance(HOUR)
    exchange.invokeOk('apply_funding', [])
    const before = exchange.usdc(ALICE)
    exchange.close(ALICE, id)
    return exchange.usdc(ALICE) - before - collateral
  }
  // Longs 310.0000001 against 199: rate floor(1000 x 111.0000001 / 310.0000001) = 358; 10.0000001 x 358e-7 = 3580.00003 units.
  assert.deepEqual([owed(0), owed(1)], [3580n, 3580n])
  // Shorts 300 against 10.0000001: rate -floor(966.66...) = -966; 9660.00009 units, paid as 9660.
  assert.equal(credited(), 9660n)
})

test('a position pays funding only for the time it was open', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, { collateral: 300n * E7 })
  exchange.advance(5n * HOUR)
  exchange.invokeOk('apply_funding', [])
  exchange.setPrice('BTC', 50_000n * E7)
  const late = exchange.open(BOB)
  assert.equal(exchange.position(late)['entry_cumulative_funding'], 5000n)
  assert.deepEqual(eventsOf(exchange.close(BOB, late)).map(([topic]) => topic), ['pnl_settled', 'exposure_synced BTC', 'position_closed'])
})

test('funding above the collateral takes the whole collateral', () => {
  const exchange = createTestExchange()
  const id = exchange.open(ALICE)
  exchange.advance(20_000n * HOUR)
  exchange.invokeOk('apply_funding', [])
  assert.deepEqual(eventsOf(exchange.close(ALICE, id))[1], ['loss_received', [995_000_000n]])
  assert.equal(exchange.usdc(ALICE), 999_900n * E7)
})
