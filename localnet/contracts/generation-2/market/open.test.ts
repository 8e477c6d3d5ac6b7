import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, symbol, u32 } from '../../shared/host.ts'
import { KEYS } from '../../shared/market/storage.ts'
import { ALICE, BOB, contractError, E7, eventsOf, MARKET, topicsOf, UNAUTHORIZED, VAULT } from '../../../test/contracts/generation-1/test-exchange.ts'
import {
  createTestExchange, createUninitializedHost, openArgs, type OpenOptions, type TestExchange,
} from '../../../test/contracts/generation-2/test-exchange.ts'
import { ADDED_KEYS } from './storage.ts'

const tryOpen = (exchange: TestExchange, options: OpenOptions = {}): string => exchange.tryInvoke('open_position', openArgs(ALICE, options))

test('an open reports exposure, routes the protocol fee, pays the liquidity providers and emits the position', () => {
  const exchange = createTestExchange()
  const result = exchange.invokeOk('open_position', openArgs(ALICE))
  // The fee is 0.5 USDC: 20 % to the protocol, whose buffer is empty, the rest to the liquidity providers.
  assert.deepEqual(eventsOf(result), [
    ['exposure_synced BTC', [0n, 0n, 0n]],
    ['protocol_fee_routed', [1_000_000n, 1_000_000n, 0n]],
    ['loss_received', [4_000_000n]],
    ['position_opened', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7]],
  ])
  assert.deepEqual([exchange.usdc(ALICE), exchange.usdc(MARKET)], [999_900n * E7, 995_000_000n])
})

test('the liquidation price uses the maintenance margin of the asset', () => {
  const priceOf = (options: OpenOptions): unknown => {
    const exchange = createTestExchange()
    exchange.setPrice('BTC', 100_000n * E7)
    return exchange.position(exchange.open(ALICE, options))['liquidation_price']
  }
  assert.equal(priceOf({ leverage: 10 }), 92_000n * E7)
  assert.equal(priceOf({ leverage: 3 }), 686_666_700_000n)
  assert.equal(priceOf({ direction: 1 }), 108_000n * E7)
})

test('an open checks its errors in the documented order', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'open_position', openArgs(ALICE), []), contractError(1))
  const exchange = createTestExchange({ liquidity: 1000n * E7 })
  const tooSmall = { collateral: 10n * E7 - 1n, leverage: 11, bound: -1n }
  exchange.setPrice('BTC', 50_000n * E7, 3600n)
  exchange.invokeOk('pause', [u32(1)])
  exchange.invokeOk('set_asset_halt', [symbol('BTC'), { type: 'bool', value: true }])
  const expectNext = (code: number, options: OpenOptions): void => assert.equal(tryOpen(exchange, options), contractError(code))
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE), []), contractError(4))
  exchange.invokeOk('unpause', [])
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE), []), contractError(92))
  exchange.invokeOk('set_asset_halt', [symbol('BTC'), { type: 'bool', value: false }])
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE), [BOB]), UNAUTHORIZED)
  expectNext(22, tooSmall)
  expectNext(88, { ...tooSmall, collateral: 10n * E7, asset: 'PAXG' })
  expectNext(88, { ...tooSmall, collateral: 10n * E7, asset: 'NOSUCH' })
  expectNext(21, { ...tooSmall, collateral: 10n * E7 })
  expectNext(23, { collateral: 10_001n * E7, bound: -1n })
  expectNext(82, { collateral: 1000n * E7, bound: -1n })
  expectNext(89, { collateral: 16n * E7, bound: -1n })
  expectNext(30, { collateral: 10n * E7, bound: -1n })
  exchange.setPrice('BTC', 0n)
  expectNext(31, { collateral: 10n * E7, bound: -1n })
  exchange.setPrice('BTC', 50_000n * E7)
  expectNext(5, { collateral: 10n * E7, bound: -1n })
  expectNext(87, { collateral: 10n * E7, bound: 1n })
  assert.equal(tryOpen(exchange, { collateral: 10n * E7 }), 'ok')
  exchange.setPrice('BTC', 51_000n * E7)
  expectNext(81, { collateral: 10n * E7, leverage: 1, bound: -1n })
})

test('an asset\'s ladder limits leverage and size; before any ladder exists the configuration does', () => {
  const exchange = createTestExchange()
  exchange.setPrice('PUMP', 50_000n)
  assert.equal(tryOpen(exchange, { asset: 'PUMP', leverage: 6 }), contractError(21))
  assert.equal(tryOpen(exchange, { asset: 'PUMP', leverage: 5, collateral: 5001n * E7 }), contractError(23))
  assert.equal(tryOpen(exchange, { asset: 'PUMP', leverage: 5, collateral: 5000n * E7 }), 'ok')
  // An initial margin of 33.33 % allows three times the collateral at most, whatever the maximum leverage says.
  exchange.setRisk('ETH', { im_bps: 3333, mm_bps: 1666, close_out_bps: 1111, max_leverage: 3 })
  assert.equal(tryOpen(exchange, { asset: 'ETH', leverage: 4 }), contractError(21))
  const unconfigured = createTestExchange({ configured: false })
  assert.equal(tryOpen(unconfigured, { leverage: 11 }), contractError(21))
  assert.equal(tryOpen(unconfigured), 'ok')
  assert.equal(unconfigured.position(1n)['liquidation_price'], 45_500n * E7, 'with the configuration\'s margin of 1 %')
})

test('an acceptable price limits the entry, and an equal price passes', () => {
  const exchange = createTestExchange()
  const price = 50_000n * E7
  assert.equal(tryOpen(exchange, { bound: price - 1n }), contractError(87))
  assert.equal(tryOpen(exchange, { bound: price }), 'ok')
  assert.equal(exchange.tryInvoke('open_position', openArgs(BOB, { direction: 1, bound: price + 1n })), contractError(87))
  assert.equal(exchange.tryInvoke('open_position', openArgs(BOB, { direction: 1, bound: price })), 'ok')
})

test('an open first closes the opposite positions and continues with the rest', () => {
  const exchange = createTestExchange()
  const short = exchange.open(ALICE, { collateral: 300n * E7, direction: 1 })
  const before = exchange.usdc(ALICE)
  const result = exchange.invokeOk('open_position', openArgs(ALICE, { collateral: 1000n * E7, leverage: 5 }))
  assert.deepEqual(topicsOf(result), [
    'exposure_synced BTC', 'position_closed', 'exposure_synced BTC', 'protocol_fee_routed', 'loss_received', 'position_opened',
  ])
  assert.deepEqual(eventsOf(result)[1], ['position_closed', [short, ALICE, 'BTC', 1, 3000n * E7, 50_000n * E7, 50_000n * E7, 0n]])
  assert.deepEqual(eventsOf(result).at(-1), ['position_opened', [2n, ALICE, 'BTC', 0, 2000n * E7, 50_000n * E7]])
  const { size, collateral, leverage } = exchange.position(2n)
  assert.deepEqual([size, collateral, leverage], [2000n * E7, 399n * E7, 5], 'collateral 400 less the fee of 1')
  // The short's collateral of 298.5 comes back, and 400 leave the wallet.
  assert.equal(exchange.usdc(ALICE), before + 2_985_000_000n - 400n * E7)
  assert.equal(exchange.vaultView('get_reserved_payout'), 2000n * E7)
})

test('an open that nets to nothing, to too little, or against more than four positions fails with 91', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, { collateral: 300n * E7, direction: 1 })
  assert.equal(tryOpen(exchange, { collateral: 300n * E7 }), contractError(91))
  // Of 304 at 10x, 40 of size remain: collateral 4.
  assert.equal(tryOpen(exchange, { collateral: 304n * E7 }), contractError(91))
  assert.equal(tryOpen(exchange, { collateral: 310n * E7 }), 'ok')
  const many = createTestExchange()
  for (let count = 0; count < 5; count++) many.open(ALICE, { collateral: 10n * E7, direction: 1 })
  assert.equal(tryOpen(many, { collateral: 300n * E7 }), contractError(91))
  many.close(ALICE, 5n)
  assert.equal(tryOpen(many, { collateral: 300n * E7 }), 'ok')
})

test('netting ignores positions of the other margin mode, of other assets and of other traders', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, { direction: 1 }, 'open_position_cross')
  exchange.open(ALICE, { direction: 1, asset: 'ETH' })
  exchange.open(BOB, { direction: 1 })
  exchange.open(ALICE, { collateral: 300n * E7 })
  assert.deepEqual(exchange.view('get_trader_position_ids', address(ALICE)), [1n, 2n, 4n])
})

test('a failed bound undoes the netting', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE, { direction: 1 })
  const before = exchange.host.fingerprint()
  assert.equal(tryOpen(exchange, { collateral: 300n * E7, bound: 1n }), contractError(87))
  assert.equal(exchange.host.fingerprint(), before)
})

test('while an asset is deleveraged its opens fail with 82 before any other limit', () => {
  const exchange = createTestExchange({ liquidity: 10_000n * E7 })
  exchange.open(ALICE)
  exchange.movePrice('BTC', 5_000_000n * E7)
  exchange.close(ALICE, 1n)
  assert.equal(exchange.view('is_adl_active', symbol('BTC')), true)
  assert.equal(tryOpen(exchange, { collateral: 1n }), contractError(82))
  assert.equal(tryOpen(exchange, { collateral: 1n, asset: 'ETH' }), contractError(22))
})

test('a trader has at most 32 positions, the first build has no such limit', () => {
  for (const build of ['2.0', '2.1', '2.3'] as const) {
    const exchange = createTestExchange({ build })
    for (let count = 0; count < 32; count++) exchange.open(ALICE, { collateral: 10n * E7, leverage: 1 })
    assert.equal(tryOpen(exchange, { collateral: 10n * E7, leverage: 1 }), build === '2.0' ? 'ok' : contractError(82), build)
  }
})

test('build 2.3 counts open positions where earlier builds list their ids', () => {
  const listing = createTestExchange({ build: '2.2' })
  listing.open(ALICE)
  listing.open(BOB)
  listing.close(ALICE, 1n)
  assert.deepEqual([listing.view('get_all_position_ids'), listing.stored(ADDED_KEYS.openPositionCount)], [[2n], null])
  assert.equal(listing.tryInvoke('get_trader_position_ids', [address(BOB)]), 'Error(WasmVm, MissingValue)')
  const counting = createTestExchange()
  counting.open(ALICE)
  counting.open(BOB)
  counting.close(ALICE, 1n)
  assert.deepEqual([counting.stored(KEYS.allPositions), counting.stored(ADDED_KEYS.openPositionCount)], [null, 1])
  assert.equal(counting.tryInvoke('get_all_position_ids', []), 'Error(WasmVm, MissingValue)')
  assert.deepEqual(counting.view('get_trader_position_ids', address(BOB)), [2n])
})

test('the vault refuses an open that widens the skew above its cap', () => {
  const exchange = createTestExchange({ liquidity: 10_000n * E7 })
  exchange.host.invokeOk(VAULT, 'set_skew_cap', [symbol('BTC'), u32(1000)], ['GADMIN'])
  exchange.open(ALICE)
  assert.equal(tryOpen(exchange), contractError(89))
  assert.equal(exchange.tryInvoke('open_position', openArgs(BOB, { direction: 1, collateral: 150n * E7 })), 'ok', 'narrows from 1000 to 500')
  assert.equal(exchange.tryInvoke('deposit_cross_margin', [address(BOB), i128(1n)]), 'ok')
})
