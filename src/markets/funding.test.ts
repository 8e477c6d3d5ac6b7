// Funding and the order of deleveraging, worked by hand from the specification.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredAssetRisk, StoredConfig, StoredPosition } from '../chain/views/market-entries.ts'
import type { AssetSummary, MarketSummary } from '../chain/views/market-summary.ts'
import type { AssetFunding } from '../resources/funding.ts'
import { rankPositions } from './adl.ts'
import { describeFunding } from './funding.ts'

const ONE = 10_000_000n
const NOW_SEC = 100_000

const CONFIG: StoredConfig = {
  base_funding_rate_bps: 10, base_maker_fee_bps: 2, base_taker_fee_bps: 5, liquidation_penalty_bps: undefined,
  lenient_clamp_bps: 300, maintenance_margin_bps: 100, max_leverage: 10,
  max_oracle_deviation_bps: 100, max_position_size: 0n, max_price_staleness: 60, min_collateral: 0n, trading_fee_bps: 10,
  keeper_fee_base: undefined, keeper_fee_deci_bps: undefined,
}
const RISK: StoredAssetRisk = {
  funding_clamp_bps: 50, im_bps: 400, max_funding_velocity_bps: 240, max_leverage: 10, max_position_size: 0n, mm_bps: 200, skew_scale: 1_000n * ONE,
}

function market(overrides: Partial<MarketSummary>): MarketSummary {
  return {
    ledger: 7, config: CONFIG, paused: false, pauseMode: 0, pausedSinceSec: 0, feeTiers: [], lastPositionId: 0, referral: null,
    sharedFunding: { rate: 3n, cumulative: 9n, lastSec: 50_000 }, totalLong: 0n, totalShort: 0n, openInterest: new Map(), hasAssetRisk: false,
    riskEpochSec: null, assets: new Map(), ...overrides,
  }
}

test('generation 1: the larger side pays the base rate times its lead, of the larger side', () => {
  const predicted = (totalLong: bigint | null, totalShort: bigint | null): unknown =>
    describeFunding(market({ totalLong, totalShort }), ['BTC'], NOW_SEC).predictedRate
  assert.equal(predicted(400n, 300n), '2500')
  assert.equal(predicted(300n, 400n), '-2500')
  assert.equal(predicted(400n, 0n), '10000')
  assert.equal(predicted(400n, 400n), '0')
  assert.equal(predicted(0n, 0n), '0')
  assert.deepEqual([predicted(null, 1n), predicted(1n, null)], [null, null])
  const described = describeFunding(market({ totalLong: 4n, totalShort: 3n }), ['BTC'], NOW_SEC)
  assert.deepEqual([described.rate, described.cumulative, described.lastAppliedAt, described.nextTs], ['3', '9', 50_000, 53_600])
  assert.deepEqual(described.assets, [{ asset: 'BTC', rate: '3', cumulative: '9', lastTs: 50_000, nextTs: 53_600, predictedRate: '2500' }])
})

test('generation 2: the rate of an asset moves with its average skew since it was last applied, within its bounds', () => {
  const described = (asset: Partial<AssetSummary>, { long = 0n, short = 0n, nowSec = NOW_SEC } = {}): AssetFunding | undefined => {
    const entries: AssetSummary = {
      risk: RISK, funding: { cumulative: 9n, rate: 100n, lastSec: 99_000 }, skewSeconds: undefined, halted: false, adlActive: false, ...asset,
    }
    const { assets } = describeFunding(
      market({ sharedFunding: null, openInterest: new Map([['BTC', { long, short }]]), assets: new Map([['BTC', entries]]) }), ['BTC'], nowSec,
    )
    return assets[0]
  }
  const of = (...args: Parameters<typeof described>): unknown => described(...args)?.predictedRate
  // 2.4 % a day at a skew of the whole scale are 0.1 % an hour; a skew of 100 of 1,000 moves the rate by 0.01 %.
  const skew = { amount: 360_000n * ONE, timeSec: 102_600 }
  assert.equal(of({ skewSeconds: skew }), '1100', 'as if applied an hour after the last time')
  assert.equal(of({ skewSeconds: { ...skew, timeSec: 99_000, amount: 0n } }, { long: 150n * ONE, short: 50n * ONE }), '1100')
  assert.equal(of({ skewSeconds: { ...skew, timeSec: 99_000, amount: 0n } }, { long: 50n * ONE, short: 150n * ONE }), '-900')
  assert.equal(of({ skewSeconds: { amount: 720_000n * ONE, timeSec: 106_200 } }, { nowSec: 106_200 }), '1100', 'the average of two hours')
  assert.equal(of({ skewSeconds: undefined }, { long: 5n }), '100')
  assert.equal(of({ skewSeconds: { ...skew, amount: 360_000_000n * ONE } }), '50000', 'at most 0.5 %')
  assert.equal(of({ skewSeconds: { ...skew, amount: -360_000_000n * ONE } }), '-50000')
  assert.equal(of({ skewSeconds: skew, risk: { ...RISK, skew_scale: 0n } }), '100')
  const known = { asset: 'BTC', rate: '100', cumulative: '9', lastTs: 99_000 }
  assert.deepEqual(described({ skewSeconds: skew }), { ...known, nextTs: 102_600, predictedRate: '1100' })
  for (const risk of [null, undefined]) assert.deepEqual(described({ risk, skewSeconds: skew }), { ...known, nextTs: null, predictedRate: null }, 'skipped')
  const nothing = { asset: 'BTC', rate: null, cumulative: null, lastTs: null, nextTs: null, predictedRate: null }
  for (const funding of [null, undefined]) assert.deepEqual(described({ funding }), nothing)
  assert.deepEqual(describeFunding(market({ sharedFunding: null }), ['BTC'], NOW_SEC).assets, [nothing])
  assert.deepEqual([of({ skewSeconds: null }), of({ risk: null }), of({ funding: null }), of({ funding: undefined })], [null, null, null, null])
})

test('profitable positions are deleveraged by return times leverage, the older of two first', () => {
  const position = (id: number, overrides: Partial<StoredPosition> = {}): StoredPosition => ({
    asset: 'BTC', collateral: 100n, direction: 0, entry_cumulative_funding: 0n, entry_price: 100n, id, leverage: 2, liquidation_price: 0n, margin_mode: 0,
    size: 200n, timestamp: 0, trader: 'G', ...overrides,
  })
  const ranked = rankPositions([
    position(9), position(3), position(4, { leverage: 3 }), position(5, { entry_price: 110n }), position(6, { direction: 1 }), position(7, { collateral: 0n }),
    position(8, { collateral: 50n }), position(10, { direction: 1, entry_price: 120n }),
  ], 110n)
  assert.deepEqual(ranked.map(({ positionId, score, rank, quintile }) => [positionId, score, rank, quintile]), [
    [8, '8000', 1, 1], [4, '6000', 2, 2], [3, '4000', 3, 3], [9, '4000', 4, 4], [10, '3200', 5, 5],
  ])
})
