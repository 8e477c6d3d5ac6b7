import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../../shared/host.ts'
import { address, i128, u64 } from '../../shared/host.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import {
  ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, KEEPER, MARKET, openArgs, type OpenOptions,
  type TestExchange, topicsOf, UNAUTHORIZED,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { KEYS } from '../../shared/market/storage.ts'

const pool = (exchange: TestExchange): unknown => toNative(exchange.invokeOk('get_cross_margin_balance', [address(ALICE)]).value)
const crossIds = (exchange: TestExchange): unknown => toNative(exchange.invokeOk('get_cross_margin_positions', [address(ALICE)]).value)
const openCross = (exchange: TestExchange, options: OpenOptions = {}): bigint => exchange.open(ALICE, options, 'open_position_cross')
const tryOpen = (exchange: TestExchange, options: OpenOptions = {}): string => exchange.tryInvoke('open_position_cross', openArgs(ALICE, options))
const amountArgs = (amount: bigint): Val[] => [address(ALICE), i128(amount)]
const positionArgs = (id: bigint, trader = ALICE): Val[] => [address(trader), u64(id)]
const liquidationArgs: Val[] = [address(KEEPER), address(ALICE)]

test('a cross open tops up the pool from the wallet, takes the collateral from it and emits the usual events', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', amountArgs(30n * E7))
  const result = exchange.invokeOk('open_position_cross', openArgs(ALICE))
  assert.deepEqual(topicsOf(result), ['exposure_synced BTC', 'loss_received', 'position_opened'])
  assert.deepEqual([exchange.position(1n)['margin_mode'], exchange.position(1n)['liquidation_price']], [1, 0n])
  assert.deepEqual([exchange.position(1n)['collateral'], pool(exchange), exchange.usdc(ALICE)], [995_000_000n, 0n, 999_900n * E7])
  assert.deepEqual([crossIds(exchange), exchange.stored(KEYS.allCrossMarginTraders)], [[1n], [ALICE]])
})

test('an open covered by the pool takes nothing from the wallet', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', amountArgs(300n * E7))
  openCross(exchange)
  assert.deepEqual([pool(exchange), exchange.usdc(ALICE)], [200n * E7, 999_700n * E7])
})

test('cross calls check their errors in the documented order', () => {
  for (const [name, args] of [
    ['open_position_cross', openArgs(ALICE, { collateral: 0n })], ['close_position_cross', positionArgs(9n)], ['deposit_cross_margin', amountArgs(0n)],
    ['withdraw_cross_margin', amountArgs(0n)],
  ] as const) {
    assert.equal(createUninitializedHost().tryInvoke(MARKET, name, args, []), contractError(1), name)
    const exchange = createTestExchange()
    exchange.invokeOk('pause', [])
    assert.equal(exchange.tryInvoke(name, args, []), contractError(4), name)
    exchange.invokeOk('unpause', [])
    assert.equal(exchange.tryInvoke(name, args, [BOB]), UNAUTHORIZED, name)
  }
  const exchange = createTestExchange()
  assert.equal(exchange.tryInvoke('deposit_cross_margin', amountArgs(0n)), contractError(41))
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(-1n)), contractError(41))
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(1n)), contractError(76))
  const isolated = exchange.open(ALICE)
  const cross = openCross(exchange)
  assert.equal(exchange.tryInvoke('close_position_cross', positionArgs(9n)), contractError(20))
  assert.equal(exchange.tryInvoke('close_position_cross', positionArgs(isolated, BOB)), contractError(24))
  assert.equal(exchange.tryInvoke('close_position_cross', positionArgs(isolated)), contractError(5))
  exchange.setPrice('BTC', 0n)
  assert.equal(exchange.tryInvoke('close_position_cross', positionArgs(cross)), contractError(31))
})

test('a cross open checks limits, wallet, margin, capacity and price in this order', () => {
  const exchange = createTestExchange(10_000n * E7)
  exchange.setPrice('BTC', 50_000n * E7, 3600n)
  assert.equal(tryOpen(exchange, { collateral: 1n }), contractError(22))
  assert.equal(tryOpen(exchange, { leverage: 11 }), contractError(21))
  assert.equal(tryOpen(exchange, { collateral: 20_000n * E7 }), contractError(23))
  assert.equal(exchange.tryInvoke('open_position_cross', openArgs('GSTRANGER', { collateral: 300n * E7 }), ['GSTRANGER']), contractError(13))
  assert.equal(tryOpen(exchange, { collateral: 300n * E7 }), contractError(82))
  assert.equal(tryOpen(exchange), contractError(30))
})

test('another cross position needs equity for its collateral on top of the maintenance margin', () => {
  const exchange = createTestExchange()
  openCross(exchange)
  // Equity is 99.5 + the 100 just paid in; required are maintenance 10 + 100. So the loss can be at most 89.5.
  exchange.setPrice('BTC', 45_525n * E7 - 50n)
  assert.equal(tryOpen(exchange, { asset: 'ETH' }), contractError(77))
  exchange.setPrice('BTC', 45_525n * E7)
  assert.equal(tryOpen(exchange, { asset: 'ETH' }), 'ok')
})

test('a withdrawal must leave equity above maintenance', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', amountArgs(200n * E7))
  openCross(exchange)
  assert.equal(pool(exchange), 100n * E7)
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(100n * E7 + 1n)), contractError(76))
  // Equity 199.5 less a loss of 95 is 104.5; maintenance 10, so up to 94.4999999 may leave.
  exchange.setPrice('BTC', 45_250n * E7)
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(945_000_000n)), contractError(77))
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(944_999_999n)), 'ok')
  assert.equal(exchange.usdc(ALICE), 999_800n * E7 + 944_999_999n)
})

test('a price of zero counts as 0 in margin checks', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', amountArgs(3_000n * E7))
  openCross(exchange)
  exchange.setPrice('BTC', 0n)
  // At a price of 0 the long loses its whole size of 1000: 2900 + 99.5 - 1000 - 1989.5 is the maintenance of 10.
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(19_895_000_000n)), contractError(77))
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(19_894_999_999n)), 'ok')
})

test('a cross close settles to the pool', () => {
  const exchange = createTestExchange()
  const id = openCross(exchange)
  exchange.setPrice('BTC', 51_000n * E7)
  const result = exchange.invokeOk('close_position_cross', positionArgs(id))
  assert.deepEqual(eventsOf(result), [
    ['pnl_settled', [20n * E7]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['position_closed', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7, 51_000n * E7, 20n * E7]],
  ])
  assert.equal(toNative(result.value), 20n * E7)
  assert.deepEqual([pool(exchange), exchange.usdc(MARKET), crossIds(exchange)], [1_195_000_000n, 1_195_000_000n, []])
  assert.deepEqual(exchange.stored(KEYS.allCrossMarginTraders), [])
  assert.equal(exchange.tryInvoke('withdraw_cross_margin', amountArgs(1_195_000_000n)), 'ok')
})

test('a losing cross close pays loss and funding to the vault and the rest to the pool', () => {
  const exchange = createTestExchange()
  const id = openCross(exchange)
  exchange.advance(3600n)
  exchange.invokeOk('apply_funding', [])
  exchange.setPrice('BTC', 49_000n * E7)
  const result = exchange.invokeOk('close_position_cross', positionArgs(id))
  // Loss 20, funding 0.1 for one hour of 1000.
  assert.deepEqual(eventsOf(result)[1], ['loss_received', [201_000_000n]])
  assert.equal(pool(exchange), 995_000_000n - 201_000_000n)
})

test('a cross loss above the collateral is taken from the market\'s pooled USDC, up to its balance', () => {
  const exchange = createTestExchange()
  const id = openCross(exchange)
  exchange.setPrice('BTC', 40_000n * E7)
  const before = exchange.host.fingerprint()
  assert.deepEqual(eventsOf(exchange.invokeOk('close_position_cross', positionArgs(id)))[1], ['loss_received', [995_000_000n]], 'the whole balance')
  assert.notEqual(exchange.host.fingerprint(), before)
  assert.equal(pool(exchange), 0n)

  const shared = createTestExchange()
  const cross = openCross(shared)
  shared.open(BOB)
  shared.setPrice('BTC', 40_000n * E7)
  const taken = eventsOf(shared.invokeOk('close_position_cross', positionArgs(cross)))[1]
  assert.deepEqual(taken, ['loss_received', [1_990_000_000n]], 'including the collateral of another trader')
})

test('a cross close with negative proceeds takes nothing from the idle pool; the deficit is not recorded', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', amountArgs(150n * E7))
  const id = openCross(exchange)
  exchange.setPrice('BTC', 40_000n * E7)
  // A loss of 200 against a collateral of 99.5; the market holds 149.5, including the idle 50.
  assert.deepEqual(eventsOf(exchange.invokeOk('close_position_cross', positionArgs(id)))[1], ['loss_received', [1_495_000_000n]])
  assert.equal(pool(exchange), 50n * E7)
})

test('a short that is owed funding receives it in addition to its profit', () => {
  const exchange = createTestExchange()
  exchange.open(BOB)
  exchange.open(BOB)
  const id = openCross(exchange, { direction: 1 })
  exchange.advance(3600n)
  exchange.invokeOk('apply_funding', [])
  exchange.setPrice('BTC', 49_000n * E7)
  assert.equal(pool(exchange), 0n)
  exchange.invokeOk('close_position_cross', positionArgs(id))
  // Longs of 2000 against shorts of 1000: half of one basis point an hour of 1000.
  assert.equal(pool(exchange), 995_000_000n + 20n * E7 + 500_000n)
})

test('liquidating a healthy account or one without cross positions fails with 78', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'liquidate_cross_account', liquidationArgs, []), contractError(1))
  const exchange = createTestExchange()
  assert.equal(exchange.tryInvoke('liquidate_cross_account', liquidationArgs, [ALICE]), UNAUTHORIZED)
  assert.equal(exchange.tryInvoke('liquidate_cross_account', liquidationArgs), contractError(78))
  exchange.open(ALICE)
  assert.equal(exchange.tryInvoke('liquidate_cross_account', liquidationArgs), contractError(78))
  openCross(exchange)
  exchange.setPrice('BTC', 45_525n * E7)
  assert.equal(exchange.tryInvoke('liquidate_cross_account', liquidationArgs), contractError(78), 'equity equal to maintenance')
  exchange.setPrice('BTC', 45_525n * E7 - 50n)
  exchange.invokeOk('pause', [])
  assert.equal(exchange.tryInvoke('liquidate_cross_account', liquidationArgs), 'ok')
})

test('a liquidation closes the whole account and emits one event for it, none per position', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', amountArgs(260n * E7))
  openCross(exchange)
  openCross(exchange, { asset: 'ETH', direction: 1 })
  assert.equal(pool(exchange), 60n * E7)
  exchange.setPrice('BTC', 37_500n * E7)
  exchange.setPrice('ETH', 1_995n * E7)
  const result = exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  // PnL -250 and +2.5; equity 60 + 199 - 247.5 = 11.5, below maintenance 20. The market held 259 and received 2.5; it pays the loss of 250 to
  // the vault, 5 % of 11.5 = 0.575 to the keeper (less than a tenth of the pool), and the remaining equity of 10.925 to the vault.
  assert.deepEqual(eventsOf(result), [
    ['pnl_settled', [-250n * E7]],
    ['exposure_synced BTC', [0n, 0n, 1000n * E7]],
    ['pnl_settled', [25_000_000n]],
    ['exposure_synced ETH', [0n, 0n, 1000n * E7]],
    ['loss_received', [250n * E7]],
    ['loss_received', [109_250_000n]],
    ['cross_liq', [ALICE, -2_475_000_000n, 5_750_000n]],
  ])
  assert.equal(toNative(result.value), 5_750_000n)
  assert.deepEqual([exchange.usdc(KEEPER), exchange.usdc(MARKET), pool(exchange)], [1_000_000n * E7 + 5_750_000n, 0n, 0n])
  assert.deepEqual([crossIds(exchange), exchange.stored(KEYS.allPositions), exchange.stored(KEYS.allCrossMarginTraders)], [[], [], []])
  assert.deepEqual(exchange.stored(KEYS.traderPositions(ALICE)), [])
})

test('with an empty pool the keeper\'s reward is 0', () => {
  const exchange = createTestExchange()
  openCross(exchange)
  exchange.setPrice('BTC', 45_500n * E7)
  const result = exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  // Loss 90 of 99.5; the remaining 9.5 stay in the market, unassigned.
  assert.deepEqual(eventsOf(result).slice(2), [['loss_received', [90n * E7]], ['cross_liq', [ALICE, -90n * E7, 0n]]])
  assert.equal(exchange.usdc(MARKET), 95_000_000n)
})

test('the keeper\'s reward is at most a tenth of the idle pool', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('deposit_cross_margin', amountArgs(102n * E7))
  openCross(exchange)
  exchange.setPrice('BTC', 45_400n * E7)
  // Equity 2 + 99.5 - 92 = 9.5, of which 5 % would be 0.475; a tenth of the idle 2 is 0.2.
  const result = exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  assert.deepEqual(eventsOf(result).at(-1), ['cross_liq', [ALICE, -92n * E7, 2_000_000n]])
})

test('cross trades count towards the volume, a cross liquidation does not', () => {
  const exchange = createTestExchange()
  const total = (): bigint =>
    (exchange.stored(KEYS.traderVolume(ALICE)) as { daily_volumes: bigint[] }).daily_volumes.reduce((sum, slot) => sum + slot, 0n)
  exchange.invokeOk('close_position_cross', positionArgs(openCross(exchange)))
  assert.equal(total(), 2000n * E7)
  openCross(exchange)
  exchange.setPrice('BTC', 40_000n * E7)
  exchange.invokeOk('liquidate_cross_account', liquidationArgs)
  assert.equal(total(), 3000n * E7)
})
