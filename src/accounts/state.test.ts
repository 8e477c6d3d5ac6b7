import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredAssetRisk, StoredConfig, StoredPosition } from '../chain/views/market-entries.ts'
import type { AccountState } from '../resources/account-state.ts'
import type { AccountEntries, AssetEntries } from './entries.ts'
import { buildState } from './state.ts'
import type { Quote } from './state.ts'

const ONE = 10_000_000n
const PRICE = 100_000n * ONE
const EPOCH_SEC = 1_000
const NOW_SEC = 2_000

const CONFIG: StoredConfig = {
  base_funding_rate_bps: 1, base_maker_fee_bps: 2, base_taker_fee_bps: 5, keeper_fee_base: 0n, keeper_fee_deci_bps: 10, liquidation_penalty_bps: undefined,
  lenient_clamp_bps: 300,
  maintenance_margin_bps: 100, max_leverage: 10, max_oracle_deviation_bps: 100,
  max_position_size: 100_000n * ONE, max_price_staleness: 60, min_collateral: 10n * ONE, trading_fee_bps: 10,
}
const RISK: StoredAssetRisk = {
  funding_clamp_bps: 5, im_bps: 400, max_funding_velocity_bps: 120, max_leverage: 10, max_position_size: 100_000n * ONE, mm_bps: 200, skew_scale: ONE,
}
const QUOTE: Quote = { price: PRICE, timestampSec: NOW_SEC }
const ASSET: AssetEntries = { cumulativeFunding: 0n, risk: RISK, lastGoodPrice: null }

/** Number 1 is a cross position, number 0 an isolated one. */
const position = (id: 0 | 1, openedSec = EPOCH_SEC): StoredPosition => ({
  asset: 'BTC', collateral: 100n * ONE, direction: 0, entry_cumulative_funding: 0n, entry_price: PRICE, id, leverage: 10, liquidation_price: 0n,
  margin_mode: id, size: 1_000n * ONE, timestamp: openedSec, trader: 'G',
})

/** A cross position and an isolated one, opened at this time, as the account's state. */
function stateOf({ openedSec = EPOCH_SEC, asset = ASSET, closeSec = NOW_SEC, quote = QUOTE, ...overrides }: Partial<AccountEntries> & {
  readonly openedSec?: number
  readonly asset?: AssetEntries
  readonly closeSec?: number | null
  readonly quote?: Quote | null
}): AccountState {
  const entries: AccountEntries = {
    ledger: 1, generation: '2.3', positions: [position(1, openedSec), position(0, openedSec)], orders: [], peaks: new Map(), crossPool: 0n,
    assets: new Map([['BTC', asset]]),
    riskEpochSec: EPOCH_SEC, volume: 0n, feeTiers: [], config: CONFIG, paused: false, xlm: 0n, usdc: 0n, lp: 0n, ...overrides,
  }
  return buildState('G', { entries, closeSec, quotes: new Map(quote === null ? [] : [['BTC', quote]]) })
}

test('a position has the maintenance margin of its asset if it was opened since assets have one', () => {
  const maintenance = (overrides: Parameters<typeof stateOf>[0]): unknown => {
    const { cross, positions } = stateOf(overrides)
    return [cross.maintenanceMargin, positions?.[1]?.liquidationPrice]
  }
  // The first prices at which 20 USDC, or 10 USDC, are not left.
  const [ofAsset, ofConfig] = [[String(20n * ONE), '919999999900'], [String(10n * ONE), '909999999900']]
  assert.deepEqual(maintenance({ openedSec: EPOCH_SEC }), ofAsset)
  assert.deepEqual(maintenance({ openedSec: EPOCH_SEC - 1 }), ofConfig)
  assert.deepEqual(maintenance({ riskEpochSec: null }), ofConfig)
  assert.deepEqual(maintenance({ asset: { ...ASSET, risk: null } }), ofConfig)
  assert.deepEqual(maintenance({ asset: { ...ASSET, risk: undefined } }), [null, null])
  assert.deepEqual(maintenance({ riskEpochSec: undefined }), [null, null])
})

test('an old price prevents a withdrawal from the cross account from generation 2 on', () => {
  const withdrawable = (generation: '1' | '2.3'): string | null =>
    stateOf({ generation, crossPool: 50n * ONE, quote: { price: PRICE, timestampSec: NOW_SEC - 86_400 } }).cross.withdrawable
  assert.deepEqual([withdrawable('1'), withdrawable('2.3')], [String(50n * ONE), '0'])
})

test('isolated positions take no part in the cross account', () => {
  const figures = (positions: readonly StoredPosition[]): unknown => {
    const { equity, usedMargin, maintenanceMargin, withdrawable } = stateOf({ positions, crossPool: 50n * ONE }).cross
    return [equity, usedMargin, maintenanceMargin, withdrawable]
  }
  assert.deepEqual(figures([position(0)]), [String(50n * ONE), '0', '0', String(50n * ONE)])
  assert.deepEqual(figures([position(1)]), [String(150n * ONE), String(100n * ONE), String(20n * ONE), String(50n * ONE)])
})

test('what depends on an unknown entry is null, with its reason', () => {
  const { cross, positions, unknown } = stateOf({ asset: { ...ASSET, cumulativeFunding: undefined } })
  assert.deepEqual([positions?.[1]?.accruedFunding, positions?.[1]?.closeValue, positions?.[1]?.liquidationPrice], [null, null, null])
  assert.deepEqual([cross.equity, cross.withdrawable, cross.liquidatable, cross.usedMargin], [null, null, null, String(100n * ONE)])
  assert.ok(unknown.some(({ part, reason }) => part === '/positions/1/accruedFunding' && reason === 'entry_unreadable'))
})

test('a bounded close is unknown while the age of the last good price is', () => {
  const closeValue = (lastGood: bigint, closeSec: number | null, timeSec = NOW_SEC): unknown =>
    stateOf({ asset: { ...ASSET, lastGoodPrice: { amount: lastGood, timeSec } }, closeSec }).positions?.[1]?.closeValue
  assert.equal(closeValue(PRICE, null), String(100n * ONE), 'the price is within the bounds')
  assert.equal(closeValue(2n * PRICE, null), null)
  assert.equal(closeValue(2n * PRICE, NOW_SEC), String(1_040n * ONE), '3 % below twice the price')
  assert.equal(closeValue(2n * PRICE, NOW_SEC, NOW_SEC - 600), String(1_040n * ONE))
  assert.equal(closeValue(2n * PRICE, NOW_SEC, NOW_SEC - 601), String(100n * ONE), 'too old to limit the price')
})

test('nothing can be withdrawn next to a position whose price is too old', () => {
  const withdrawable = (closeSec: number): unknown => stateOf({ crossPool: 50n * ONE, closeSec }).cross.withdrawable
  assert.deepEqual([withdrawable(NOW_SEC + 60), withdrawable(NOW_SEC + 61)], [String(50n * ONE), '0'])
})

test('a price may be 60 s in the future for a withdrawal, whatever the maximum age is', () => {
  const config = { ...CONFIG, max_price_staleness: 300 }
  const withdrawable = (closeSec: number): unknown => stateOf({ crossPool: 50n * ONE, closeSec, config }).cross.withdrawable
  assert.deepEqual([withdrawable(NOW_SEC - 60), withdrawable(NOW_SEC - 61), withdrawable(NOW_SEC + 300)], [String(50n * ONE), '0', String(50n * ONE)])
})

test('a cross account is liquidated at a fresh price, and at an old one near the last good price', () => {
  // The equity is 20 USDC at 92 % of the entry price.
  const asset = { ...ASSET, lastGoodPrice: { amount: PRICE, timeSec: NOW_SEC } }
  const liquidatable = (bps: bigint, timestampSec: number): unknown =>
    stateOf({ asset, quote: { price: (PRICE * bps) / 10_000n, timestampSec } }).cross.liquidatable
  assert.deepEqual([liquidatable(9_200n, NOW_SEC), liquidatable(9_199n, NOW_SEC), liquidatable(9_199n, NOW_SEC - 61)], [false, true, false])
})

test('an account whose entries can be read has every figure', () => {
  const asset = { ...ASSET, cumulativeFunding: 100_000n, lastGoodPrice: null }
  const quote = { price: 101_000n * ONE, timestampSec: 1_950 }
  const { positions, cross, fees, limits, balances, unknown } = stateOf({ asset, quote, xlm: 1n, usdc: 2n, lp: 3n })
  const common = {
    asset: 'BTC', direction: 0, size: String(1_000n * ONE), collateral: String(100n * ONE), leverage: 10, entryPrice: String(PRICE), openedAt: EPOCH_SEC,
    price: String(101_000n * ONE), priceTimestamp: 1_950, unrealizedPnl: String(10n * ONE), accruedFunding: String(10n * ONE), closeValue: String(100n * ONE),
  }
  assert.deepEqual(positions, [
    { ...common, positionId: 1, marginMode: 'cross', liquidationPrice: null },
    { ...common, positionId: 0, marginMode: 'isolated', liquidationPrice: '929999999900' },
  ])
  assert.deepEqual(cross, {
    pool: '0', equity: String(100n * ONE), usedMargin: String(100n * ONE), maintenanceMargin: String(20n * ONE), freeMargin: '0', withdrawable: '0',
    liquidatable: false,
  })
  assert.deepEqual(fees, { volume: '0', tier: null, makerRate: '10000', takerRate: '10000', nextTierVolume: null })
  assert.deepEqual(limits, {
    minCollateral: String(10n * ONE), maxPositionSize: null, maxLeverage: null, maxPriceAgeSec: 60, maxPriceDeviationBps: 100, tradingPaused: false,
  })
  assert.deepEqual(balances, { xlm: '1', usdc: '2', lp: '3' })
  assert.deepEqual(unknown.map(({ part, reason }) => `${part} ${reason}`), [
    '/positions/0/liquidationPrice cross_margin', '/limits/maxPositionSize per_asset', '/limits/maxLeverage per_asset',
  ])
  const { limits: shared, unknown: reasons } = stateOf({ riskEpochSec: null })
  assert.deepEqual([shared.maxPositionSize, shared.maxLeverage, reasons.length], [String(100_000n * ONE), 10, 1])
})

test('every unreadable entry is null, and named with its reason', () => {
  const reasonsOf = (...args: Parameters<typeof stateOf>): string[] => stateOf(...args).unknown.map(({ part, reason }) => `${part} ${reason}`)
  const unreadable = { positions: undefined, orders: undefined, crossPool: undefined, volume: undefined, config: undefined }
  const { positions, orders, cross, fees, limits } = stateOf(unreadable)
  assert.deepEqual([positions, orders, cross.pool, cross.usedMargin, fees.volume, limits.minCollateral], [null, null, null, null, null, null])
  const own = ['/positions/0/liquidationPrice cross_margin']
  const perAsset = ['/limits/maxPositionSize per_asset', '/limits/maxLeverage per_asset']
  assert.deepEqual(
    reasonsOf({ positions: undefined, orders: undefined, crossPool: undefined, volume: undefined, closeSec: null }),
    [
      '/ledgerCloseTs not_told', '/positions entry_unreadable', '/orders entry_unreadable', '/cross/pool entry_unreadable', '/fees/volume entry_unreadable',
      '/fees/tier entry_unreadable', ...perAsset,
    ],
  )
  assert.deepEqual(reasonsOf({ positions: [], feeTiers: undefined }), ['/fees/tier entry_unreadable', ...perAsset])
  assert.deepEqual(reasonsOf({ positions: [], riskEpochSec: undefined }), ['/limits/maxPositionSize entry_unreadable', '/limits/maxLeverage entry_unreadable'])
  assert.deepEqual(reasonsOf({ positions: [], config: undefined }), ['/fees/tier entry_unreadable', '/limits entry_unreadable', ...perAsset])
  assert.deepEqual(reasonsOf({ positions: [], xlm: null, usdc: null, lp: undefined }), [
    '/balances/xlm no_account', '/balances/usdc no_account', '/balances/lp token_unreadable', ...perAsset,
  ])
  assert.deepEqual(reasonsOf({ positions: [], xlm: undefined, usdc: null }), ['/balances/xlm entry_unreadable', '/balances/usdc no_trustline', ...perAsset])
  assert.deepEqual(reasonsOf({ quote: { reason: 'price_of_another_ledger' } }), [
    '/positions/0/price price_of_another_ledger', ...own, '/positions/1/price price_of_another_ledger', ...perAsset,
  ])
  assert.deepEqual(reasonsOf({ quote: null }), ['/positions/0/price price_unreadable', ...own, '/positions/1/price price_unreadable', ...perAsset])
  assert.equal(stateOf({ quote: null }).cross.equity, null)
  assert.deepEqual(reasonsOf({ positions: [], config: undefined, feeTiers: undefined, volume: undefined }).slice(0, 2), [
    '/fees/volume entry_unreadable', '/fees/tier entry_unreadable',
  ])
  assert.deepEqual(reasonsOf({ asset: { ...ASSET, lastGoodPrice: undefined } }), [
    '/positions/0/closeValue entry_unreadable', ...own, '/positions/1/closeValue entry_unreadable', ...perAsset,
  ])
  assert.deepEqual(reasonsOf({ asset: { ...ASSET, risk: undefined } }), [...own, '/positions/1/liquidationPrice entry_unreadable', ...perAsset])
})

test('generation 1 accepts prices of any age, and settles at the present one', () => {
  const old = { generation: '1', asset: { ...ASSET, lastGoodPrice: { amount: 2n * PRICE, timeSec: NOW_SEC } }, crossPool: 90n * ONE } as const
  const { positions, cross } = stateOf({ ...old, closeSec: NOW_SEC + 1_000 })
  assert.deepEqual([positions?.[1]?.closeValue, cross.withdrawable], [String(100n * ONE), String(90n * ONE)])
  const unknownTime = stateOf({ closeSec: null })
  assert.deepEqual([unknownTime.cross.withdrawable, unknownTime.cross.liquidatable], [null, null])
  assert.equal(stateOf({ ...old, closeSec: null }).cross.liquidatable, false)
})
