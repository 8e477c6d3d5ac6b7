import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, symbol, u32, u64, type Val } from '../../shared/host.ts'
import { KEYS } from '../../shared/market/storage.ts'
import {
  ADMIN, ALICE, BOB, contractError, E7, eventsOf, KEEPER, MARKET, SHIM, topicsOf, UNAUTHORIZED,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { createTestHost, toNative } from '../../../test/contracts/test-host.ts'
import { priceOracleContract } from '../price-oracle.ts'
import {
  closeArgs, contractsOf, createTestExchange, createUninitializedHost, openArgs, type OpenOptions, type TestExchange,
} from '../../../test/contracts/generation-2/test-exchange.ts'
import { ADDED_KEYS } from './storage.ts'

/** An oracle without prices. */
const EMPTY_ORACLE = 'CEMPTY'

const amountArgs = (amount: bigint): Val[] => [address(ALICE), i128(amount)]
const liquidationArgs: Val[] = [address(KEEPER), address(ALICE)]
const pool = (exchange: TestExchange): unknown => exchange.view('get_cross_margin_balance', address(ALICE))
const crossIds = (exchange: TestExchange): unknown => exchange.view('get_cross_margin_positions', address(ALICE))
const tryLiquidate = (exchange: TestExchange): string => exchange.tryInvoke('liquidate_cross_account', liquidationArgs)

/** An exchange on which ALICE deposited this and opened cross longs of 1000 each, by default one of BTC. */
function crossAccount(deposit: bigint, positions: readonly OpenOptions[] = [{}]): TestExchange {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', amountArgs(deposit * E7))
  for (const options of positions) exchange.open(ALICE, options, 'open_position_cross')
  return exchange
}

test('a cross open takes its collateral from the pool and what the pool lacks from the wallet', () => {
  const exchange = crossAccount(30n)
  assert.deepEqual([pool(exchange), exchange.usdc(ALICE), crossIds(exchange)], [0n, 999_900n * E7, [1n]])
  assert.deepEqual([exchange.position(1n)['margin_mode'], exchange.position(1n)['liquidation_price']], [1, 0n])
  assert.equal(exchange.stored(KEYS.allCrossMarginTraders), null)
  const listing = createTestExchange({ build: '2.2' })
  listing.open(ALICE, {}, 'open_position_cross')
  assert.deepEqual(listing.stored(KEYS.allCrossMarginTraders), [ALICE])
  listing.invokeOk('close_position_cross', closeArgs(ALICE, 1n))
  assert.deepEqual(listing.stored(KEYS.allCrossMarginTraders), [])
})

test('another cross position needs equity for its collateral on top of the margin in use', () => {
  // Equity 99.5 and the pool; 100 are in use.
  const exchange = crossAccount(200n)
  assert.equal(exchange.tryInvoke('open_position_cross', openArgs(ALICE, { asset: 'ETH' })), contractError(77))
  exchange.invokeOk('deposit_cross_margin', amountArgs(5_000_000n))
  assert.equal(exchange.tryInvoke('open_position_cross', openArgs(ALICE, { asset: 'ETH' })), 'ok')
})

test('a cross open and a withdrawal need a fresh price of every position', () => {
  const exchange = crossAccount(300n)
  const codes = (name: string, args: readonly Val[]): readonly string[] => [61n, -61n, 60n, -60n].map((ageSec) => {
    exchange.setPrice('BTC', 50_000n * E7, ageSec)
    return exchange.tryInvoke(name, args)
  })
  assert.deepEqual(codes('withdraw_cross_margin', amountArgs(1n)), [contractError(30), contractError(30), 'ok', 'ok'])
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('open_position_cross', openArgs(ALICE, { asset: 'ETH' })), contractError(31))
  // No comparison with the last good price.
  exchange.setPrice('BTC', 55_000n * E7)
  assert.equal(exchange.tryInvoke('open_position_cross', openArgs(ALICE, { asset: 'ETH' })), 'ok')
})

test('a withdrawal may leave exactly the margin in use', () => {
  const exchange = crossAccount(200n)
  exchange.movePrice('BTC', 48_000n * E7)
  // Equity 100 + 99.5 - 40 = 159.5, of which 100 are in use.
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(101n * E7)), contractError(76))
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(595_000_001n)), contractError(77))
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(595_000_000n)), 'ok')
})

test('a cross loss is limited by pool and collateral; the rest is bad debt of the account', () => {
  const exchange = crossAccount(150n)
  exchange.open(BOB)
  exchange.movePrice('BTC', 40_000n * E7)
  const held = exchange.usdc(MARKET)
  // Loss 200 of 50 + 99.5. The buffer has the protocol's share of two opening fees.
  assert.deepEqual(eventsOf(exchange.invokeOk('close_position_cross', closeArgs(ALICE, 1n))), [
    ['loss_received', [1_495_000_000n]],
    ['exposure_synced BTC', [-200n * E7, -200n * E7, 1000n * E7]],
    ['buffer_drawn', [505_000_000n, 2_000_000n]],
    ['bad_debt_recorded', [ALICE, 'CROSS', 505_000_000n, 2_000_000n, 503_000_000n]],
    ['position_closed', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 40_000n * E7, -200n * E7]],
  ])
  assert.deepEqual([pool(exchange), held - exchange.usdc(MARKET)], [0n, 1_495_000_000n])
})

test('a cross profit goes to the pool, and an open nets against opposite cross positions', () => {
  const exchange = crossAccount(400n)
  exchange.movePrice('BTC', 51_000n * E7)
  const result = exchange.invokeOk('open_position_cross', openArgs(ALICE, { collateral: 300n * E7, direction: 1 }))
  assert.deepEqual(topicsOf(result).slice(0, 3), ['pnl_settled', 'exposure_synced BTC', 'position_closed'])
  // 300 + 99.5 + 20, less the 200 of the rest.
  assert.deepEqual([pool(exchange), crossIds(exchange), exchange.position(2n)['size']], [2_195_000_000n, [2n], 2000n * E7])
})

test('close_position_cross checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'close_position_cross', closeArgs(ALICE, 1n), []), contractError(1))
  const exchange = crossAccount(100n)
  const isolated = exchange.open(ALICE)
  exchange.invokeOk('pause', [u32(2)])
  assert.equal(exchange.tryInvoke('close_position_cross', closeArgs(ALICE, 9n), []), contractError(90))
  exchange.invokeOk('pause', [u32(1)])
  assert.equal(exchange.tryInvoke('close_position_cross', closeArgs(ALICE, 9n), [BOB]), UNAUTHORIZED)
  assert.equal(exchange.tryInvoke('close_position_cross', closeArgs(ALICE, 9n)), contractError(20))
  assert.equal(exchange.tryInvoke('close_position_cross', closeArgs(BOB, 1n)), contractError(24))
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('close_position_cross', closeArgs(ALICE, isolated)), contractError(5))
  assert.equal(exchange.tryInvoke('close_position_cross', closeArgs(ALICE, 1n, -1n)), contractError(31))
  exchange.setPrice('BTC', 50_000n * E7)
  assert.equal(exchange.tryInvoke('close_position_cross', closeArgs(ALICE, 1n, -1n)), contractError(5))
  assert.equal(exchange.tryInvoke('close_position_cross', closeArgs(ALICE, 1n, 60_000n * E7)), contractError(87))
  assert.equal(exchange.tryInvoke('close_position_cross', closeArgs(ALICE, 1n)), 'ok')
})

/** Three longs of 1000 with 10 in the pool, each at a loss of 85: equity 53.5, maintenance 60. */
function stagedAccount(): TestExchange {
  const exchange = crossAccount(310n, [{}, {}, {}])
  exchange.movePrice('BTC', 45_750n * E7)
  return exchange
}

test('a cross account is liquidated in stages until its equity is 150 % of the maintenance margin', () => {
  const exchange = stagedAccount()
  const result = exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  const leg = (id: bigint, unrealized: bigint): unknown[] => [
    ['loss_received', [85n * E7]],
    ['exposure_synced BTC', [unrealized, unrealized, 1000n * E7]],
    ['buffer_funded', [5n * E7, 0n]],
    ['position_liquidated', [id, ALICE, 'BTC', 0, 1000n * E7, 5n * E7, 45_750n * E7]],
  ]
  // After the first leg the equity is 43.5 of a target of 60, after the second 33.5 of 30.
  assert.deepEqual(eventsOf(result), [...leg(1n, -170n * E7), ...leg(2n, -85n * E7), ['cross_liq', [ALICE, -170n * E7, 10n * E7]]])
  assert.equal(toNative(result.value), 10n * E7)
  assert.deepEqual([pool(exchange), crossIds(exchange)], [19n * E7, [3n]], 'the account survives')
  assert.equal(exchange.stored(ADDED_KEYS.crossPartialLiqTs(ALICE)), exchange.host.ledger.timestampSec)
  assert.equal(tryLiquidate(exchange), contractError(78))
})

test('the next stage of an account waits 30 s', () => {
  const exchange = stagedAccount()
  exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  // A loss of 99 leaves 19.5 of a maintenance margin of 20.
  for (let record = 0; record < 4; record++) {
    exchange.advance(1n)
    exchange.setPrice('BTC', 45_050n * E7)
  }
  assert.equal(tryLiquidate(exchange), contractError(83))
  exchange.advance(26n)
  assert.equal(tryLiquidate(exchange), 'ok')
})

test('far below the maintenance margin everything is closed, and the rest stays in the pool', () => {
  const exchange = crossAccount(110n)
  exchange.movePrice('BTC', 45_150n * E7)
  // Equity 12.5 is below two thirds of 20.
  assert.deepEqual(eventsOf(exchange.invokeOk('liquidate_cross_account', liquidationArgs)), [
    ['loss_received', [97n * E7]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['buffer_funded', [5n * E7, 0n]],
    ['position_liquidated', [1n, ALICE, 'BTC', 0, 1000n * E7, 5n * E7, 45_150n * E7]],
    ['liq_refund', [ALICE, 0n, 25_000_000n, 10n * E7]],
    ['cross_liq', [ALICE, -97n * E7, 5n * E7]],
  ])
  assert.deepEqual([pool(exchange), crossIds(exchange), exchange.usdc(MARKET)], [25_000_000n, [], 25_000_000n])
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(25_000_000n)), 'ok')
})

test('a bankrupt account pays no penalty, and its debt is recorded once', () => {
  const exchange = crossAccount(311n, [{}, {}, { asset: 'ETH' }])
  exchange.seedBuffer(20n * E7)
  exchange.movePrice('ETH', 2_000n * E7)
  exchange.movePrice('BTC', 40_000n * E7)
  const result = exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  // Losses of 200 each. The first can take the pool of 11 and its collateral of 99.5, the second only its own: debts of 89.5 and 100.5. The collateral of
  // the third comes too late and stays in the market. The buffer has the 20 and the protocol's 0.3.
  assert.deepEqual(eventsOf(result).filter(([topic]) => topic !== 'position_liquidated' && !topic.startsWith('exposure_synced')), [
    ['loss_received', [1_105_000_000n]],
    ['loss_received', [995_000_000n]],
    ['buffer_drawn', [190n * E7, 203_000_000n]],
    ['bad_debt_recorded', [ALICE, 'CROSS', 190n * E7, 203_000_000n, 1_697_000_000n]],
    ['liq_refund', [ALICE, 0n, 0n, 0n]],
    ['bounty_paid', [KEEPER, 5n * E7, 0n]],
    ['cross_liq', [ALICE, -400n * E7, 0n]],
  ])
  assert.deepEqual([pool(exchange), crossIds(exchange), exchange.usdc(MARKET)], [0n, [], 995_000_000n])
  const legs = eventsOf(result).filter(([topic]) => topic === 'position_liquidated').map(([, data]) => (data as unknown[])[0])
  assert.deepEqual(legs, [1n, 2n, 3n], 'the largest loss first')
})

test('the profit of one leg stays in the pool and pays no loss of an earlier one', () => {
  const exchange = crossAccount(211n, [{}, { asset: 'ETH', direction: 1 }])
  exchange.movePrice('ETH', 1_600n * E7)
  exchange.movePrice('BTC', 30_100n * E7)
  // A loss of 398 with 11 + 99.5 to take it from, then a profit of 200: equity 12, below two thirds of 40.
  const result = exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  assert.deepEqual(eventsOf(result).filter(([topic]) => ['loss_received', 'bad_debt_recorded', 'liq_refund'].includes(topic)), [
    ['loss_received', [1_105_000_000n]],
    ['bad_debt_recorded', [ALICE, 'CROSS', 2_875_000_000n, 50_000_000n, 2_825_000_000n]],
    ['liq_refund', [ALICE, 0n, 2n * E7, 10n * E7]],
  ])
  assert.deepEqual([pool(exchange), exchange.usdc(MARKET)], [2n * E7, 2_895_000_000n], 'what the loss did not take stays in the market')
})

test('a liquidation reads every price once before it judges, so that a fresh price is not clamped to earlier ones', () => {
  const exchange = crossAccount(100n)
  exchange.advance(60n)
  // 8 % below the last good price: clamped to 3 % the account would be healthy.
  for (let record = 0; record < 4; record++) {
    exchange.advance(1n)
    exchange.setPrice('BTC', 45_900n * E7)
  }
  const result = exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  assert.deepEqual(eventsOf(result).find(([topic]) => topic === 'position_liquidated')?.[1], [1n, ALICE, 'BTC', 0, 1000n * E7, 5n * E7, 45_900n * E7])
})

test('a stale price stays clamped to the last good one in a liquidation', () => {
  const exchange = crossAccount(100n)
  exchange.advance(60n)
  exchange.setPrice('BTC', 40_000n * E7, 61n)
  assert.equal(tryLiquidate(exchange), contractError(78), '3 % below the last good price the account is healthy')
})

test('a price that the shim cannot read fails a liquidation with the shim\'s error', () => {
  const exchange = createTestExchange({}, createTestHost({ ...contractsOf('2.3'), [EMPTY_ORACLE]: priceOracleContract() }))
  exchange.open(ALICE, {}, 'open_position_cross')
  exchange.host.invokeOk(EMPTY_ORACLE, 'initialize', [address(ADMIN)], [ADMIN])
  exchange.host.invokeOk(SHIM, 'set_backend', [u32(0), address(EMPTY_ORACLE), u32(7)], [ADMIN])
  assert.equal(tryLiquidate(exchange), contractError(32))
})

test('a liquidation that leaves positions starts the cooldown, one that leaves none ends it', () => {
  const exchange = stagedAccount()
  exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  assert.equal(exchange.stored(ADDED_KEYS.crossPartialLiqTs(ALICE)), exchange.host.ledger.timestampSec)
  exchange.movePrice('BTC', 40_000n * E7)
  const topics = topicsOf(exchange.invokeOk('liquidate_cross_account', liquidationArgs))
  assert.equal(topics.includes('liq_refund'), true)
  assert.equal(exchange.stored(ADDED_KEYS.crossPartialLiqTs(ALICE)), null)
})

test('the id of a cross position that was closed as an isolated one keeps the account listed: cooldown instead of a refund', () => {
  const exchange = crossAccount(310n, [{}, { asset: 'ETH' }])
  exchange.close(ALICE, 2n)
  assert.deepEqual(crossIds(exchange), [1n, 2n])
  exchange.movePrice('BTC', 20_000n * E7)
  const result = exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  assert.deepEqual(topicsOf(result).filter((topic) => topic === 'liq_refund' || topic === 'cross_liq'), ['cross_liq'])
  assert.deepEqual(crossIds(exchange), [2n])
  assert.equal(exchange.stored(ADDED_KEYS.crossPartialLiqTs(ALICE)), exchange.host.ledger.timestampSec)
})

test('the target of a staged liquidation is rounded down', () => {
  // Sizes of 1000.000005: a maintenance margin of 20.0000001, 140 % of which is 28.00000014.
  const survivors = (deposit: bigint): unknown => {
    const exchange = createTestExchange({ config: { cross_liq_restore_target_bps: 14_000 } })
    exchange.invokeOk('deposit_cross_margin', amountArgs(deposit))
    for (let opened = 0; opened < 2; opened++) exchange.open(ALICE, { collateral: 1_000_000_005n }, 'open_position_cross')
    exchange.movePrice('BTC', 45_750n * E7)
    exchange.invokeOk('liquidate_cross_account', liquidationArgs)
    return crossIds(exchange)
  }
  assert.deepEqual([survivors(2_090_000_009n), survivors(2_090_000_008n)], [[2n], []], 'equities of 28.0000001 and 28')
})

test('netting cross positions in an open adds nothing to the volume', () => {
  const exchange = crossAccount(400n)
  const volume = (): unknown => exchange.view('get_trader_volume', address(ALICE))
  assert.equal(volume(), 1000n * E7)
  exchange.invokeOk('open_position_cross', openArgs(ALICE, { collateral: 300n * E7, direction: 1 }))
  assert.equal(volume(), 3000n * E7, 'the 2000 that were opened, not the 1000 that were closed')
  const isolated = createTestExchange()
  isolated.open(ALICE)
  isolated.invokeOk('open_position', openArgs(ALICE, { collateral: 300n * E7, direction: 1 }))
  assert.equal(isolated.view('get_trader_volume', address(ALICE)), 4000n * E7, 'isolated ones count')
})

test('a cross liquidation checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'liquidate_cross_account', liquidationArgs, []), contractError(1))
  const exchange = createTestExchange()
  exchange.invokeOk('pause', [u32(2)])
  assert.equal(exchange.tryInvoke('liquidate_cross_account', liquidationArgs, []), contractError(90))
  exchange.invokeOk('pause', [u32(1)])
  assert.equal(exchange.tryInvoke('liquidate_cross_account', liquidationArgs, [ALICE]), UNAUTHORIZED)
  assert.equal(tryLiquidate(exchange), contractError(78), 'no positions')
  const unreadable = crossAccount(100n)
  unreadable.setPrice('BTC', 0n)
  assert.equal(tryLiquidate(unreadable), contractError(78), 'a price that cannot be read')
  const account = crossAccount(100n)
  account.advance(700n)
  account.setPrice('BTC', 45_900n * E7)
  assert.equal(tryLiquidate(account), contractError(86))
  account.setPrice('BTC', 40_000n * E7)
  assert.equal(tryLiquidate(account), 'ok', 'bankrupt, whatever the average')
  assert.equal(account.view('is_adl_active', symbol('BTC')), false)
  assert.equal(account.view('get_closed_proceeds', u64(1n)), 0n)
})
