import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../../shared/host.ts'
import { address, i128, symbol, u32, u64 } from '../../shared/host.ts'
import { toNative } from '../../../test/contracts/test-host.ts'
import {
  ADMIN, ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, MARKET, openArgs, type OpenOptions,
  type TestExchange, TRAP, UNAUTHORIZED, USDC, VAULT,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { DEFAULT_MARKET_CONFIG } from '../../shared/market/defaults.ts'
import { KEYS } from '../../shared/market/storage.ts'
import { MARKET_CONFIG } from '../../shared/market/types.ts'

const tryOpen = (exchange: TestExchange, options?: OpenOptions): string => exchange.tryInvoke('open_position', openArgs(ALICE, options))

test('an open takes the collateral, stores the position and emits exposure, fee and position in this order', () => {
  const exchange = createTestExchange()
  const result = exchange.invokeOk('open_position', openArgs(ALICE))
  // 100 USDC at 10x: size 1000, taker fee 0.05 % of the size = 0.5.
  assert.deepEqual(eventsOf(result), [
    ['exposure_synced BTC', [0n, 0n, 0n]],
    ['loss_received', [5_000_000n]],
    ['position_opened', [1n, ALICE, 'BTC', 0, 1000n * E7, 50_000n * E7]],
  ])
  assert.deepEqual(toNative(result.value), {
    asset: 'BTC', collateral: 995_000_000n, direction: 0, entry_cumulative_funding: 0n, entry_price: 50_000n * E7, id: 1n, leverage: 10,
    liquidation_price: 45_500n * E7, margin_mode: 0, size: 1000n * E7, timestamp: exchange.host.ledger.timestampSec, trader: ALICE,
  })
  assert.deepEqual(exchange.position(1n), toNative(result.value))
  assert.equal(exchange.usdc(ALICE), 999_900n * E7)
  assert.equal(exchange.usdc(MARKET), 995_000_000n)
  assert.equal(exchange.vaultView('get_reserved_payout'), 1000n * E7)
})

test('the trader signs one authorization tree: the market call and the transfer below it', () => {
  const exchange = createTestExchange()
  const { auth } = exchange.invokeOk('open_position', openArgs(ALICE))
  assert.deepEqual(auth, [
    { address: ALICE, contract: MARKET, functionName: 'open_position', depth: 0 },
    { address: ALICE, contract: USDC, functionName: 'transfer', depth: 1 },
  ])
})

test('an open stores its data under the documented keys', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.open(BOB, { direction: 1, collateral: 50n * E7, leverage: 3 })
  const stored = (key: Val): unknown => exchange.stored(key)
  assert.deepEqual(stored(KEYS.allPositions), [1n, 2n])
  assert.deepEqual([stored(KEYS.traderPositions(ALICE)), stored(KEYS.traderPositions(BOB))], [[1n], [2n]])
  // Units: size / price = 1000 / 50000 = 0.02 and 150 / 50000 = 0.003.
  assert.deepEqual(stored(KEYS.assetExposure('BTC')), [200_000n, 1000n * E7, 30_000n, 150n * E7])
  assert.deepEqual([stored(KEYS.totalLongSize), stored(KEYS.totalShortSize)], [1000n * E7, 150n * E7])
  assert.deepEqual(stored(KEYS.lastGoodPrice('BTC')), [50_000n * E7, exchange.host.ledger.timestampSec])
  assert.equal(stored(KEYS.positionCounter), 2n)
})

test('the liquidation price follows from leverage and maintenance margin, truncated', () => {
  const exchange = createTestExchange()
  const liquidation = (options: OpenOptions): unknown => exchange.position(exchange.open(ALICE, options))['liquidation_price']
  assert.equal(liquidation({ leverage: 10 }), 45_500n * E7)
  assert.equal(liquidation({ leverage: 10, direction: 1 }), 54_500n * E7)
  // a = 3_333_333 - 100_000; 50,000 x 0.3233333 = 16,166.665.
  assert.equal(liquidation({ leverage: 3 }), 338_333_350_000n)
  assert.equal(liquidation({ leverage: 3, direction: 1 }), 661_666_650_000n)
  assert.equal(liquidation({ leverage: 1 }), 500n * E7)
})

test('open checks its errors in the documented order, capacity before price', () => {
  assert.equal(createUninitializedHost().tryInvoke(MARKET, 'open_position', openArgs(ALICE, { collateral: 0n }), []), contractError(1))

  const exchange = createTestExchange(0n)
  exchange.setPrice('BTC', 0n)
  exchange.invokeOk('pause', [])
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE, { collateral: 0n, leverage: 0 }), []), contractError(4))
  exchange.invokeOk('unpause', [])
  assert.equal(exchange.tryInvoke('open_position', openArgs(ALICE, { collateral: 0n, leverage: 0 }), [BOB]), UNAUTHORIZED)
  assert.equal(tryOpen(exchange, { collateral: 10n * E7 - 1n, leverage: 0 }), contractError(22))
  assert.equal(tryOpen(exchange, { collateral: 20_000n * E7, leverage: 0 }), contractError(21))
  assert.equal(tryOpen(exchange, { collateral: 20_000n * E7, leverage: 11 }), contractError(21))
  assert.equal(tryOpen(exchange, { collateral: 2n ** 125n, leverage: 10 }), TRAP)
  assert.equal(tryOpen(exchange, { collateral: 100_000n * E7 + 1n, leverage: 1 }), contractError(23))
  assert.equal(tryOpen(exchange, { collateral: 100_000n * E7, leverage: 1 }), contractError(82), 'checked before the price')
  assert.equal(tryOpen(exchange, { asset: 'PEPE' }), contractError(82), 'checked before the asset')
})

test('after capacity, open checks the price (31, 32, 30, 81) and then the token transfer', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.setPrice('BTC', 60_000n * E7, 61n)
  assert.equal(tryOpen(exchange, { asset: 'PEPE' }), contractError(31))
  assert.equal(tryOpen(exchange, { asset: 'SOL' }), contractError(32))
  assert.equal(tryOpen(exchange), contractError(30))
  exchange.setPrice('BTC', -1n, 61n)
  assert.equal(tryOpen(exchange), contractError(31))
  exchange.setPrice('BTC', 60_000n * E7)
  assert.equal(tryOpen(exchange), contractError(81))
  exchange.setPrice('BTC', 50_000n * E7)
  exchange.host.invokeOk(USDC, 'transfer', [address(ALICE), address(BOB), i128(999_850n * E7)], [ALICE])
  assert.equal(tryOpen(exchange), contractError(10), 'not enough USDC')
  assert.equal(exchange.tryInvoke('open_position', openArgs('GSTRANGER'), ['GSTRANGER']), contractError(13), 'no trustline')
})

test('a fee as high as the collateral fails with 22, before the token transfer', () => {
  // At 2000x the fee of 0.05 % of the size is the whole collateral.
  const config = MARKET_CONFIG.toVal({ ...DEFAULT_MARKET_CONFIG, max_leverage: 2000 })
  const exchange = createTestExchange(undefined, config)
  assert.equal(exchange.tryInvoke('open_position', openArgs('GSTRANGER', { collateral: 10n * E7, leverage: 2000 }), ['GSTRANGER']), contractError(22))
  assert.equal(tryOpen(exchange, { collateral: 11n * E7, leverage: 1999 }), 'ok')
})

test('the 25 % cap is inclusive and applies per side and asset', () => {
  // 10,000 deposited make an AUM of 10,030: 25 % is 2507.5.
  const exchange = createTestExchange(10_000n * E7)
  assert.equal(tryOpen(exchange, { collateral: 2_507_500_001n, leverage: 10 }), contractError(82))
  assert.equal(tryOpen(exchange, { collateral: 2_507_500_000n, leverage: 10 }), 'ok')
  assert.equal(tryOpen(exchange, { collateral: 10n * E7, leverage: 1 }), contractError(82))
  assert.equal(tryOpen(exchange, { collateral: 10n * E7, leverage: 1, direction: 1 }), 'ok')
  assert.equal(tryOpen(exchange, { collateral: 10n * E7, leverage: 1, asset: 'ETH' }), 'ok')
})

test('reservations are limited to 70 % of AUM and to the vault\'s USDC balance', () => {
  const exchange = createTestExchange(10_000n * E7)
  const size = (amount: bigint, asset: string, direction: number): OpenOptions => ({
    collateral: amount * E7, leverage: 1, asset, direction,
  })
  for (const [asset, direction] of [['BTC', 0], ['BTC', 1]] as const) assert.equal(tryOpen(exchange, size(2500n, asset, direction)), 'ok')
  assert.equal(tryOpen(exchange, size(2024n, 'ETH', 0)), contractError(82), '7024 is above 70 % of 10,032.5')
  assert.equal(tryOpen(exchange, size(2022n, 'ETH', 0)), 'ok')
  exchange.host.invokeOk(VAULT, 'set_reserve_cap', [u32(10_000)], [ADMIN])
  exchange.host.invokeOk(VAULT, 'set_asset_cap', [symbol('ETH'), u32(10_000)], [ADMIN])
  assert.equal(tryOpen(exchange, size(2990n, 'ETH', 1)), contractError(40), '10,012 is within AUM but above the balance of 10,003.5')
  assert.equal(tryOpen(exchange, size(2980n, 'ETH', 1)), 'ok')
})

test('an invalid direction fails to decode', () => {
  const exchange = createTestExchange()
  assert.equal(tryOpen(exchange, { direction: 2 }), 'Error(WasmVm, InvalidAction)')
})

test('the treasury receives its share of the fee, the vault the rest', () => {
  const exchange = createTestExchange()
  exchange.invokeOk('set_fee_split', [address('CTREASURY'), u32(2000)])
  const result = exchange.invokeOk('open_position', openArgs(ALICE))
  assert.deepEqual(eventsOf(result)[1], ['loss_received', [4_000_000n]])
  assert.equal(exchange.usdc('CTREASURY'), 1_000_000n)
})

test('position ids are dense from 1 and never reused', () => {
  const exchange = createTestExchange()
  const first = exchange.open(ALICE)
  exchange.close(ALICE, first)
  assert.deepEqual([first, exchange.open(ALICE), exchange.open(BOB)], [1n, 2n, 3n])
  assert.equal(exchange.host.invokeOk(MARKET, 'get_position', [u64(1n)]).value.type, 'void')
})
