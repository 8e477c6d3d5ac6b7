// Worked by hand from the specification's rules for margin, liquidation and fees.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredConfig, StoredPosition } from '../chain/views/market-entries.ts'
import { closeValue, crossMarginTotals, crossRequirements, feeRates, fundingOwed, liquidationPrice, poolAfter, settlementPrice } from './margin-math.ts'
import type { CrossLeg } from './margin-math.ts'

const ONE = 10_000_000n
const LONG = 0
const SHORT = 1

const CONFIG: StoredConfig = {
  base_funding_rate_bps: 1, base_maker_fee_bps: 2, base_taker_fee_bps: 5, liquidation_penalty_bps: undefined,
  lenient_clamp_bps: 300, maintenance_margin_bps: 100, max_leverage: 10,
  max_oracle_deviation_bps: 100, max_position_size: 100_000n * ONE, max_price_staleness: 60, min_collateral: 10n * ONE, trading_fee_bps: 10,
  keeper_fee_base: undefined, keeper_fee_deci_bps: undefined,
}

function position(overrides: Partial<StoredPosition> = {}): StoredPosition {
  return {
    asset: 'BTC', collateral: 100n * ONE, direction: LONG, entry_cumulative_funding: 0n, entry_price: 50_000n * ONE, id: 1, leverage: 10,
    liquidation_price: 0n, margin_mode: 0, size: 1_000n * ONE, timestamp: 0, trader: 'G', ...overrides,
  }
}

test('a long owes what funding has grown since its open, and a short receives it', () => {
  const owed = (direction: number, cumulative: bigint): bigint =>
    fundingOwed({ direction, size: 1_000n * ONE, entry_cumulative_funding: 4_000n }, cumulative)
  assert.deepEqual([owed(LONG, 10_000n), owed(SHORT, 10_000n), owed(LONG, 4_000n), owed(LONG, 1_000n)], [6_000_000n, -6_000_000n, 0n, -3_000_000n])
})

test('a close settles within 3 % of the last good price, at both bounds and beyond them', () => {
  const settle = (price: bigint, ageSec: number | null = 0, amount = 100n * ONE): bigint | undefined =>
    settlementPrice(price, { amount, timeSec: 1_000 }, CONFIG, ageSec === null ? null : 1_000 + ageSec)
  assert.equal(settle(103n * ONE), 103n * ONE)
  assert.equal(settle(103n * ONE + 1n), 103n * ONE)
  assert.equal(settle(97n * ONE), 97n * ONE)
  assert.equal(settle(97n * ONE - 1n), 97n * ONE)
  // Ten times the maximum age of 60 s.
  assert.equal(settle(110n * ONE, 600), 103n * ONE)
  assert.equal(settle(110n * ONE, 601), 110n * ONE)
  assert.equal(settle(110n * ONE, null), undefined)
  assert.equal(settle(103n * ONE, null), 103n * ONE, 'the age does not matter within the bounds')
  assert.equal(settle(110n * ONE, 0, 0n), 110n * ONE)
  assert.equal(settlementPrice(5n, null, CONFIG, 0), 5n)
  assert.equal(settlementPrice(5n, { amount: 5n, timeSec: 0 }, { ...CONFIG, lenient_clamp_bps: undefined }, 0), undefined)
  assert.equal(settlementPrice(110n * ONE, { amount: 100n * ONE, timeSec: 0 }, { ...CONFIG, lenient_clamp_bps: 0 }, 0), 110n * ONE, '0 is no limit')
})

test('before build 2.2 a loss and the funding each take no more than the collateral, and from then on only their sum is limited', () => {
  const isolated = { collateral: 100n, margin_mode: 0 }
  const values = (pnl: bigint, funding: bigint): readonly bigint[] =>
    [
      closeValue(isolated, { pnl, funding }, '2.1'), closeValue(isolated, { pnl, funding }, '2.2'),
      closeValue({ ...isolated, margin_mode: 1 }, { pnl, funding }, '1'),
    ]
  assert.deepEqual(values(30n, 10n), [120n, 120n, 120n])
  assert.deepEqual(values(-30n, -10n), [80n, 80n, 80n])
  assert.deepEqual(values(-130n, -10n), [10n, 0n, 0n], 'funding that is received separately')
  assert.deepEqual(values(50n, 120n), [50n, 30n, 30n], 'profit that is paid separately')
  assert.deepEqual(values(-70n, 40n), [0n, 0n, 0n])
  assert.deepEqual(values(-60n, 40n), [0n, 0n, 0n])
  assert.deepEqual(values(-60n, 39n), [1n, 1n, 1n])
})

test('the cross pool and the collateral limit what closing a cross position takes, before build 2.2 without the funding that is received', () => {
  const pools = (pool: bigint, pnl: bigint, funding: bigint): readonly bigint[] =>
    (['2.1', '2.2'] as const).map((generation) => poolAfter(pool, { position: { collateral: 100n }, pnl, funding }, generation))
  assert.deepEqual(pools(50n, 30n, 10n), [170n, 170n])
  assert.deepEqual(pools(50n, -130n, 10n), [10n, 10n], 'more than the collateral')
  assert.deepEqual(pools(50n, -200n, 10n), [0n, 0n], 'more than there is')
  assert.deepEqual(pools(50n, -200n, -60n), [60n, 10n], 'funding that is received')
  assert.deepEqual(pools(-120n, -5n, 0n), [-20n, -20n], 'a pool that owes')
})

test('an isolated position can be liquidated at the first price at which its margin is below the maintenance margin', () => {
  const priceOf = (overrides: Partial<StoredPosition>, funding = 0n, maintenanceBps = 100): bigint | null =>
    liquidationPrice(position(overrides), funding, maintenanceBps)
  // 90 USDC of loss leave the maintenance margin of 10 USDC: 9 % of 50,000.
  assert.equal(priceOf({}), 45_500n * ONE - 50n)
  assert.equal(priceOf({ direction: SHORT, liquidation_price: 90_000n * ONE }), 54_500n * ONE + 50n)
  // 10 USDC of funding come first.
  assert.equal(priceOf({}, 10n * ONE), 46_000n * ONE - 50n)
  assert.equal(priceOf({}, 0n, 200), 46_000n * ONE - 50n)
  // The stored price applies when the position reaches it first.
  assert.equal(priceOf({ liquidation_price: 46_000n * ONE }), 46_000n * ONE)
  assert.equal(priceOf({ direction: SHORT, liquidation_price: 54_000n * ONE }), 54_000n * ONE)
  assert.equal(priceOf({ collateral: 1_010n * ONE }), null, 'a loss of the whole size leaves the maintenance margin')
  assert.equal(priceOf({ direction: SHORT, liquidation_price: -5n }), 1n)
})

test('a position past its margin is liquidated at every price up to the one that restores it', () => {
  // 105 USDC of funding leave 5 USDC less than nothing: a profit of less than 15 USDC, 1.5 % of 50,000, is too little.
  const funding = 105n * ONE
  assert.equal(liquidationPrice(position(), funding, 100), 50_750n * ONE - 1n)
  assert.equal(liquidationPrice(position({ direction: SHORT, liquidation_price: 90_000n * ONE }), funding, 100), 49_250n * ONE + 1n)
  assert.equal(liquidationPrice(position({ collateral: 10n * ONE }), 0n, 100), 50_000n * ONE - 50n)
  assert.equal(liquidationPrice(position({ collateral: 10n * ONE }), 1n, 100), 50_000n * ONE + 49n, 'a profit of less than one stroop')
})

test('a cross account is liquidated when its equity is below the sum of the maintenance margins', () => {
  const leg = (pnl: bigint, overrides: Partial<CrossLeg> = {}): CrossLeg =>
    ({ position: position({ margin_mode: 1 }), pnl, settledPnl: pnl, funding: 3n * ONE, isPriceFresh: true, ...overrides })
  const margins = crossRequirements([leg(0n), leg(0n)].map(({ position: open }) => ({ position: open, maintenanceBps: 200 })))
  assert.deepEqual(margins, { maintenance: 40n * ONE, used: 200n * ONE })
  const totals = (pnl: bigint, settledPnl: bigint = pnl): unknown => crossMarginTotals(10n * ONE, [leg(pnl, { settledPnl }), leg(0n)], margins, '2.0')
  const [equity, withdrawable] = [304n * ONE, 10n * ONE]
  assert.deepEqual(totals(100n * ONE), { equity, withdrawable, freeMargin: 104n * ONE, liquidatable: false })
  assert.deepEqual(totals(-164n * ONE), { equity: 40n * ONE, withdrawable: 0n, freeMargin: -160n * ONE, liquidatable: false })
  assert.deepEqual(totals(-164n * ONE - 1n), { equity: 40n * ONE - 1n, withdrawable: 0n, freeMargin: -160n * ONE - 1n, liquidatable: true })
  assert.deepEqual(totals(100n * ONE, -165n * ONE), { equity, withdrawable, freeMargin: 104n * ONE, liquidatable: true })
})

test('what can be withdrawn from a cross account leaves its margin, and is never more than the pool', () => {
  const leg: CrossLeg = { position: position({ margin_mode: 1 }), pnl: 0n, settledPnl: 0n, funding: 0n, isPriceFresh: true }
  const margins = { maintenance: 10n * ONE, used: 98n * ONE }
  const withdrawable = (pool: bigint, legs: readonly CrossLeg[], generation: '1' | '2.0'): bigint =>
    crossMarginTotals(pool, legs, margins, generation).withdrawable
  assert.equal(withdrawable(5n, [], '2.0'), 5n)
  assert.equal(withdrawable(ONE, [leg], '2.0'), ONE)
  assert.equal(withdrawable(ONE, [{ ...leg, pnl: -2n * ONE }], '2.0'), ONE)
  assert.equal(withdrawable(ONE, [{ ...leg, pnl: -2n * ONE - 1n }], '2.0'), ONE - 1n)
  assert.equal(withdrawable(ONE, [{ ...leg, isPriceFresh: false }], '2.0'), 0n)
  assert.equal(withdrawable(ONE, [leg, { ...leg, isPriceFresh: false }], '2.0'), 0n)
  // Generation 1 requires more than the maintenance margin.
  assert.equal(withdrawable(ONE, [{ ...leg, pnl: -91n * ONE }], '1'), 0n)
  assert.equal(withdrawable(ONE, [{ ...leg, pnl: -91n * ONE + 2n }], '1'), 1n)
})

test('the fees are those of the last tier that begins at or below the volume', () => {
  const tiers = [{ min_volume: 100n, maker_fee_bps: 20, taker_fee_bps: 50 }, { min_volume: 200n, maker_fee_bps: 10, taker_fee_bps: 40 }]
  assert.deepEqual(feeRates(99n, tiers, CONFIG), { tier: null, makerRate: 200n, takerRate: 500n, nextTierVolume: 100n })
  assert.deepEqual(feeRates(100n, tiers, CONFIG), { tier: 0, makerRate: 2_000n, takerRate: 5_000n, nextTierVolume: 200n })
  assert.deepEqual(feeRates(199n, tiers, CONFIG), { tier: 0, makerRate: 2_000n, takerRate: 5_000n, nextTierVolume: 200n })
  assert.deepEqual(feeRates(200n, tiers, CONFIG), { tier: 1, makerRate: 1_000n, takerRate: 4_000n, nextTierVolume: null })
  assert.deepEqual(feeRates(0n, [], CONFIG), { tier: null, makerRate: 10_000n, takerRate: 10_000n, nextTierVolume: null })
})
