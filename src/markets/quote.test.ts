// Quotes of an open, worked by hand from the specification's rules for fees, netting and liquidation prices.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredAssetRisk, StoredConfig, StoredPosition } from '../chain/views/market-entries.ts'
import type { AssetSummary, MarketSummary } from '../chain/views/market-summary.ts'
import type { Pool } from '../chain/views/pool-view.ts'
import type { TradeQuote } from '../resources/trade-quote.ts'
import { describeQuote, sizeOpen } from './quote.ts'
import type { QuotedTrader, QuotedVenue, QuoteTerms, SizedOpen } from './quote.ts'

const ONE = 10_000_000n
const PRICE = 50_000n * ONE
const DAY_SEC = 86_400
const LONG = 0
const SHORT = 1

const CONFIG: StoredConfig = {
  base_funding_rate_bps: 1, base_maker_fee_bps: 20, base_taker_fee_bps: 50, liquidation_penalty_bps: undefined,
  lenient_clamp_bps: 300,
    maintenance_margin_bps: 100, max_leverage: 10,
  max_oracle_deviation_bps: 100, max_position_size: 0n, max_price_staleness: 60, min_collateral: 10n * ONE, trading_fee_bps: 10,
  keeper_fee_base: undefined, keeper_fee_deci_bps: undefined,
}
const RISK: StoredAssetRisk = {
  funding_clamp_bps: 5, im_bps: 400, max_funding_velocity_bps: 120, max_leverage: 10, max_position_size: 5_000n * ONE, mm_bps: 200, skew_scale: ONE,
}
const ASSET: AssetSummary = { risk: RISK, funding: { cumulative: 1_000n, rate: 0n, lastSec: 0 }, skewSeconds: undefined, halted: false, adlActive: false }
const POOL: Pool = {
  ledger: 7, aum: 100_000n * ONE, lpPrice: ONE, lpSupply: 0n, totalUsdc: 90n * ONE, totalFees: 0n, usdcBalance: 100_000n * ONE, unrealizedPnl: 0n,
  reservedPayout: 0n, shortfall: 0n, bufferBalance: 10n * ONE, shortfallReserve: 0n, depositFeeBps: 0, withdrawFeeBps: 0, paused: false,
}
const TIERS = [{ min_volume: 0n, maker_fee_bps: 20, taker_fee_bps: 50 }, { min_volume: 1_000n * ONE, maker_fee_bps: 10, taker_fee_bps: 40 }]

interface Overrides {
  readonly market?: Partial<MarketSummary>
  readonly pool?: Partial<Pool>
  readonly generation?: QuotedVenue['generation']
  readonly closeSec?: number | null
  readonly price?: bigint
}

function venueOf({ market = {}, pool = {}, generation = '2.3', closeSec = 100 * DAY_SEC, price = PRICE }: Overrides = {}): QuotedVenue {
  return {
    generation,
    closeSec,
    price: { price, timestampSec: 5, ledger: 7 },
    snapshot: {
      pool: { ...POOL, ...pool },
      caps: { reserveBps: 7_000, hasShortfallReserve: true, assets: new Map([['BTC', { sideBps: 2_500, sideAbsolute: 0n, skewBps: 1_000 }]]) },
      assets: ['BTC'],
      market: {
        ledger: 7, config: CONFIG, paused: false, pauseMode: 0, pausedSinceSec: 0, feeTiers: TIERS, lastPositionId: 41, referral: null, sharedFunding: null,
        totalLong: 0n, totalShort: 0n, openInterest: new Map([['BTC', { long: 4_000n * ONE, short: 1_000n * ONE }]]), hasAssetRisk: true, riskEpochSec: 0,
        assets: new Map([['BTC', ASSET]]), ...market,
      },
    },
  }
}

function position(overrides: Partial<StoredPosition> = {}): StoredPosition {
  return {
    asset: 'BTC', collateral: 40n * ONE, direction: SHORT, entry_cumulative_funding: 0n, entry_price: PRICE, id: 1, leverage: 10, liquidation_price: 0n,
    margin_mode: 0, size: 400n * ONE, timestamp: 0, trader: 'G', ...overrides,
  }
}

const TERMS: QuoteTerms = { asset: 'BTC', direction: LONG, collateral: 100n * ONE, leverage: 10, marginMode: 'isolated' }
const NO_VOLUME = { slots: Array.from({ length: 14 }, () => 0n), lastDay: 100 }

function trader(positions: readonly StoredPosition[], volume: QuotedTrader['volume'] = NO_VOLUME): QuotedTrader {
  return { positions, volume, crossPool: 0n }
}

test('an open without opposite positions has collateral times leverage, and the fee of the first tier without a trader', () => {
  const expected: SizedOpen = { collateral: 100n * ONE, size: 1_000n * ONE, closed: [], grossFee: ONE / 2n }
  assert.deepEqual(sizeOpen(TERMS, venueOf(), null), expected)
  assert.deepEqual(sizeOpen(TERMS, venueOf({ generation: '1' }), trader([position()])), expected, 'generation 1 closes nothing')
  const others = [position({ asset: 'ETH' }), position({ direction: LONG }), position({ margin_mode: 1 })]
  assert.deepEqual(sizeOpen(TERMS, venueOf(), trader(others)), expected, 'another asset, the same direction, a cross position')
  assert.equal(sizeOpen(TERMS, venueOf({ market: { config: null } }), null)?.grossFee, null)
  assert.equal(sizeOpen(TERMS, venueOf({ market: { feeTiers: null } }), null)?.grossFee, null)
})

test('an open closes opposite positions first, and opens the rest with its part of the collateral', () => {
  const closed = [position()]
  assert.deepEqual(sizeOpen(TERMS, venueOf(), trader(closed)), { collateral: 60n * ONE, size: 600n * ONE, closed, grossFee: 3n * ONE / 10n })
  assert.equal(sizeOpen(TERMS, venueOf(), { ...trader([]), positions: undefined }), null)
  assert.equal(sizeOpen(TERMS, venueOf(), { ...trader([]), volume: undefined })?.grossFee, null)
  const netting = (size: bigint): SizedOpen | null => sizeOpen(TERMS, venueOf(), trader([position({ size })]))
  assert.equal(netting(1_000n * ONE), null, 'nothing would be left')
  assert.equal(netting(900n * ONE)?.collateral, 10n * ONE, 'the minimum')
  assert.equal(netting(900n * ONE + 10n), null, 'below the minimum')
  const several = (count: number): SizedOpen | null => sizeOpen(TERMS, venueOf(), trader(Array.from({ length: count }, () => position({ size: ONE }))))
  assert.deepEqual([several(4)?.size, several(5)], [996n * ONE, null])
  assert.equal(sizeOpen(TERMS, venueOf({ market: { config: null } }), trader([position()])), null)
  const withoutMinimum = venueOf({ market: { config: { ...CONFIG, min_collateral: 0n } } })
  assert.equal(sizeOpen(TERMS, withoutMinimum, trader([position({ size: 1_000n * ONE })])), null, 'also without a minimum')
})

test('the fee follows from the volume of 14 days, with what the open closes first', () => {
  const feeAt = (
    slots: Readonly<Record<number, bigint>>, lastDay: number, positions: readonly StoredPosition[], closeSec: number | null = 100 * DAY_SEC,
  ): unknown => {
    const volume = { slots: Array.from({ length: 14 }, (_, index) => slots[index] ?? 0n), lastDay }
    return sizeOpen(TERMS, venueOf({ closeSec }), trader(positions, volume))?.grossFee
  }
  const [first, second] = [3n * ONE / 10n, 24n * ONE / 100n]
  assert.equal(feeAt({ 0: 999n * ONE }, 100, []), ONE / 2n)
  assert.equal(feeAt({ 0: 900n * ONE, 13: 100n * ONE }, 100, []), 4n * ONE / 10n)
  assert.equal(feeAt({ 3: 600n * ONE }, 100, [position()]), second)
  assert.equal(feeAt({ 3: 600n * ONE - 1n }, 100, [position()]), first)
  // Day 100 is slot 2: it is cleared when the last recorded day is 99.
  assert.equal(feeAt({ 2: 600n * ONE }, 99, [position()]), first)
  assert.equal(feeAt({ 2: 600n * ONE }, 100, [position()]), second)
  assert.equal(feeAt({ 1: 600n * ONE }, 99, [position()]), second, 'the last recorded day itself is kept')
  assert.equal(feeAt({ 3: 600n * ONE }, 99, [position()]), second, 'the oldest day is kept')
  assert.equal(feeAt({ 2: 600n * ONE }, 86, [position()]), first, 'after 14 days nothing is left')
  const volume = { slots: Array.from({ length: 14 }, (_, index) => (index === 3 ? 600n * ONE : 0n)), lastDay: 100 }
  const cross = sizeOpen({ ...TERMS, marginMode: 'cross' }, venueOf(), trader([position({ margin_mode: 1 })], volume))
  assert.equal(cross?.grossFee, first, 'closing cross positions adds nothing')
  assert.equal(feeAt({ 3: 600n * ONE }, 86, [position()]), first)
  assert.equal(feeAt({ 3: 600n * ONE }, 87, [position()]), second, 'of day 87, 13 days ago')
  assert.equal(feeAt({ 3: 600n * ONE }, 100, [position()], null), null)
  assert.equal(feeAt({ 3: 1_000n * ONE }, 100, [], null), 4n * ONE / 10n, 'the time does not matter when nothing is closed')
  assert.equal(feeAt({ 3: 600n * ONE }, 99, [position()], 100 * DAY_SEC - 1), second, 'day 99 lasts until its end')
})

function quote(
  overrides: Overrides = {}, terms: Partial<QuoteTerms> = {}, discount: bigint | null = 0n, positions: readonly StoredPosition[] = [],
  pool: bigint | null = null,
): TradeQuote {
  const all = { ...TERMS, ...terms }
  const venue = venueOf(overrides)
  return describeQuote(all, venue, { open: sizeOpen(all, venue, trader(positions)), discount, pool })
}

test('a quote has the next position id, the collateral without the fee, and the price at which the position could be liquidated', () => {
  const { positionId, entryPrice, size, collateral, fee, liquidationPrice, headroom, bindingLimit, pnl, payout } = quote()
  assert.deepEqual({ positionId, entryPrice, size, collateral, fee }, {
    positionId: 42, entryPrice: String(PRICE), size: String(1_000n * ONE), collateral: String(995n * ONE / 10n), fee: String(ONE / 2n),
  })
  // A tenth of the size less 2 % maintenance margin: 8 % of 50,000.
  assert.equal(liquidationPrice, String(46_000n * ONE))
  assert.equal(quote({}, { direction: SHORT }).liquidationPrice, String(54_000n * ONE))
  assert.equal(quote({ market: { hasAssetRisk: false } }).liquidationPrice, String(45_500n * ONE), '1 % of the configuration')
  assert.equal(quote({ market: { assets: new Map([['BTC', { ...ASSET, risk: null }]]) } }).liquidationPrice, null)
  assert.equal(quote({ market: { hasAssetRisk: false } }, { leverage: 1 }).liquidationPrice, String(500n * ONE))
  assert.equal(quote({ market: { hasAssetRisk: false, config: { ...CONFIG, maintenance_margin_bps: 0 } } }, { leverage: 1 }).liquidationPrice, null, 'never')
  // Longs lead by 3,000: 10 % of 100,000 leave 7,000, so the largest position of 5,000 limits.
  assert.deepEqual([headroom, bindingLimit, pnl, payout], [String(5_000n * ONE), 'maxPosition', null, null])
  const unlimited = { market: { assets: new Map([['BTC', { ...ASSET, risk: { ...RISK, max_position_size: 0n } }]]) } }
  assert.deepEqual([quote(unlimited).headroom, quote(unlimited).bindingLimit], [String(7_000n * ONE), 'skew'])
  assert.deepEqual([quote(unlimited, { direction: SHORT }).headroom, quote(unlimited, { direction: SHORT }).bindingLimit], [String(13_000n * ONE), 'skew'])
  assert.equal(quote({ market: { lastPositionId: null } }).positionId, null)
  const unpriced = quote({ price: 0n })
  assert.deepEqual([unpriced.positionId, unpriced.entryPrice, unpriced.size, unpriced.liquidationPrice, unpriced.price], [null, null, null, null, '0'])
})

test('an open that the exchange would refuse has no figures but the price and the headroom', () => {
  const { headroom, bindingLimit, price, priceTimestamp, ledger, ...rest } = quote({}, {}, 0n, Array.from({ length: 5 }, () => position({ size: ONE })))
  assert.deepEqual([headroom, bindingLimit, price, priceTimestamp, ledger], [String(5_000n * ONE), 'maxPosition', String(PRICE), 5, 7])
  assert.deepEqual([...new Set(Object.values(rest))], [null])
  const allFee = quote({ market: { feeTiers: [{ min_volume: 0n, maker_fee_bps: 0, taker_fee_bps: 10_000 }] } })
  assert.deepEqual([allFee.fee, allFee.collateral], [String(100n * ONE), null], 'a fee that takes all of the collateral')
})

test('a referral lowers the fee, to zero at most', () => {
  const fees = (discount: bigint | null): unknown => {
    const { fee, collateral } = quote({}, {}, discount)
    return [fee, collateral]
  }
  assert.deepEqual(fees(ONE / 10n), [String(4n * ONE / 10n), String(996n * ONE / 10n)])
  assert.deepEqual(fees(ONE), ['0', String(100n * ONE)])
  assert.deepEqual(fees(-1n), [String(ONE / 2n), String(995n * ONE / 10n)], 'one below zero is none')
  assert.deepEqual(fees(null), [null, null])
})

test('an open that closes positions reports their result, and no payout when the pool may not pay the profits', () => {
  const price = 40_000n * ONE
  // 20 % of 400 USDC; funding grew by 1,000, which the short receives.
  const funding = 400n * 1_000n
  const results = (pool: Partial<Pool>, market: Partial<MarketSummary> = {}): unknown => {
    const { pnl, payout } = quote({ price, pool, market }, {}, 0n, [position()])
    return [pnl, payout]
  }
  const [pnl, payout] = [String(80n * ONE), String(120n * ONE + funding)]
  const profit = 80n * ONE + funding
  assert.deepEqual(results({}), [pnl, payout])
  assert.deepEqual(results({ usdcBalance: profit }), [pnl, payout])
  assert.deepEqual(results({ usdcBalance: profit - 1n }), [pnl, null])
  assert.deepEqual(results({ usdcBalance: profit, shortfallReserve: 1n }), [pnl, null])
  assert.deepEqual(results({ totalUsdc: profit - 5n, bufferBalance: 5n }), [pnl, payout])
  assert.deepEqual(results({ totalUsdc: profit - 6n, bufferBalance: 5n }), [pnl, null])
  assert.deepEqual(results({ bufferBalance: null }), [pnl, null])
  assert.deepEqual(results({}, { assets: new Map([['BTC', { ...ASSET, funding: null }]]) }), [pnl, null])
  assert.deepEqual(results({}, { assets: new Map([['BTC', { ...ASSET, funding: undefined }]]) }), [pnl, String(120n * ONE)])
  const loss = quote({ price: 55_000n * ONE, pool: { usdcBalance: 0n } }, {}, 0n, [position()])
  assert.deepEqual([loss.pnl, loss.payout], [String(-40n * ONE), String(funding)], 'a loss needs nothing of the pool')
})

test('a cross open has no liquidation price, closes the cross positions in the other direction, and pays their result into the pool', () => {
  const cross = (positions: readonly StoredPosition[], pool: bigint | null, overrides: Overrides = {}): unknown => {
    const { size, collateral, liquidationPrice, pnl, payout } = quote(overrides, { marginMode: 'cross' }, 0n, positions, pool)
    return [size, collateral, liquidationPrice, pnl, payout]
  }
  const plain = [String(1_000n * ONE), String(995n * ONE / 10n), null]
  assert.deepEqual(cross([], 0n), [...plain, null, null])
  assert.deepEqual(cross([position()], 0n), [...plain, null, null], 'an isolated position stays')
  const legs = [position({ margin_mode: 1 })]
  const rest = [String(600n * ONE), String(597n * ONE / 10n), null]
  const free = { market: { assets: new Map([['BTC', { ...ASSET, funding: undefined }]]) } }
  // 400 USDC of a short lose 20 % at 60,000: more than the collateral of 40, so the pool pays, as far as it can.
  const at = (price: bigint): Overrides => ({ ...free, price: price * ONE })
  assert.deepEqual(cross(legs, 0n, at(40_000n)), [...rest, String(80n * ONE), String(120n * ONE)])
  assert.deepEqual(cross(legs, 100n * ONE, at(60_000n)), [...rest, String(-80n * ONE), String(-40n * ONE)])
  assert.deepEqual(cross(legs, 10n * ONE, at(60_000n)), [...rest, String(-80n * ONE), String(-10n * ONE)])
  assert.deepEqual(cross(legs, null, at(60_000n)), [...rest, String(-80n * ONE), null])
})
