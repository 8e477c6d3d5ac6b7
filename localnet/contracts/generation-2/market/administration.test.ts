import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, bytes, symbol, u32, u64, type Val } from '../../shared/host.ts'
import { defaultMarketConfig } from '../../shared/market/defaults.ts'
import { marketContract as marketContractOfGeneration1 } from '../../generation-1/market/market.ts'
import { INSTANCE, KEYS } from '../../shared/market/storage.ts'
import {
  ADMIN, ALICE, BOB, contractError, eventsOf, limitOrderArgs, MARKET, SHIM, UNAUTHORIZED, USDC, VAULT,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { createTestHost, toNative } from '../../../test/contracts/test-host.ts'
import type { Generation2Build } from '../build.ts'
import { createTestExchange, createUninitializedHost, type TestExchange } from '../../../test/contracts/generation-2/test-exchange.ts'
import { ASSET_RISKS, DEFAULT_MARKET_CONFIG } from './defaults.ts'
import { marketContract } from './market.ts'
import { ADDED_KEYS } from './storage.ts'
import { ASSET_RISK, type AssetRisk, MARKET_CONFIG, type MarketConfig } from './types.ts'

const INVALID = contractError(5)
const BTC_RISK = ASSET_RISKS.get('BTC') as AssetRisk

function tryRisk(exchange: TestExchange, change: Partial<AssetRisk>, asset = 'BTC'): string {
  return exchange.tryInvoke('set_asset_risk', [symbol(asset), ASSET_RISK.toVal({ ...BTC_RISK, ...change })])
}

test('initialize stores the configuration and the deployed fee tiers, once', () => {
  const host = createUninitializedHost()
  const args = (config: MarketConfig): Val[] => [address(ADMIN), address(SHIM), address(VAULT), address(USDC), MARKET_CONFIG.toVal(config)]
  assert.equal(host.tryInvoke(MARKET, 'initialize', args(DEFAULT_MARKET_CONFIG), [ALICE]), UNAUTHORIZED)
  assert.equal(host.tryInvoke(MARKET, 'initialize', args({ ...DEFAULT_MARKET_CONFIG, twap_records: 33 }), [ADMIN]), INVALID)
  const result = host.invokeOk(MARKET, 'initialize', args(DEFAULT_MARKET_CONFIG), [ADMIN])
  assert.deepEqual(eventsOf(result), [['initialized', [ADMIN, VAULT, SHIM]]])
  const config = toNative(host.readEntry(MARKET, 'instance', INSTANCE.config)) as object
  assert.deepEqual([Object.keys(config).length, config], [28, DEFAULT_MARKET_CONFIG])
  assert.equal((toNative(host.readEntry(MARKET, 'persistent', KEYS.feeTiers)) as unknown[]).length, 4)
  assert.equal(host.tryInvoke(MARKET, 'initialize', args(DEFAULT_MARKET_CONFIG), []), contractError(2))
})

test('migrate_config refuses each value out of its range with 5', () => {
  const exchange = createTestExchange()
  const tryConfig = (change: Partial<MarketConfig>): string =>
    exchange.tryInvoke('migrate_config', [MARKET_CONFIG.toVal({ ...DEFAULT_MARKET_CONFIG, ...change })])
  const invalid: Partial<MarketConfig>[] = [
    { max_leverage: 0 }, { max_leverage: 101 }, { min_collateral: 0n }, { maintenance_margin_bps: 10_000 }, { liquidation_fee_bps: 10_000 },
    { partial_liq_tranche_bps: 10_000 }, { liquidation_penalty_bps: 10_000 }, { cross_close_out_bps: 10_000 }, { lenient_clamp_bps: 10_000 },
    { insurance_buffer_share_bps: 10_001 }, { penalty_keeper_share_bps: 10_001 }, { cross_liq_restore_target_bps: 10_000 },
    { adl_clear_ratio_bps: 12_499 }, { adl_compensation_bps: 101 }, { min_liq_bounty: -1n }, { keeper_fee_deci_bps: 16 },
    { keeper_fee_base: 500_001n }, { twap_records: 33 },
  ]
  for (const change of invalid) assert.equal(tryConfig(change), INVALID, Object.keys(change)[0])
  assert.equal(tryConfig({ max_leverage: 100, keeper_fee_deci_bps: 15, keeper_fee_base: 500_000n, twap_records: 32 }), 'ok')
})

test('set_asset_risk refuses an unknown symbol and each value out of its range with 5', () => {
  const exchange = createTestExchange()
  assert.equal(tryRisk(exchange, {}, 'NOSUCH'), INVALID)
  const invalid: Partial<AssetRisk>[] = [
    { mm_bps: 201 }, { im_bps: 399, mm_bps: 199, close_out_bps: 1 }, { max_leverage: 0 }, { max_leverage: 26 }, { close_out_bps: 200 },
    { max_position_size: 0n }, { funding_clamp_bps: 1001 }, { skew_scale: -1n },
  ]
  for (const change of invalid) assert.equal(tryRisk(exchange, change), INVALID, Object.keys(change)[0])
  assert.equal(tryRisk(exchange, { max_leverage: 25, funding_clamp_bps: 1000, skew_scale: 0n }), 'ok')
  assert.deepEqual(exchange.view('get_asset_risk', symbol('BTC')), { ...BTC_RISK, max_leverage: 25, funding_clamp_bps: 1000, skew_scale: 0n })
  assert.equal(exchange.view('get_asset_risk', symbol('PAXG')), null)
})

test('the first risk parameters of any asset start the epoch of risk parameters', () => {
  const exchange = createTestExchange({ configured: false })
  assert.equal(exchange.stored(ADDED_KEYS.riskEpochTs), null)
  const start = exchange.host.ledger.timestampSec
  assert.deepEqual(eventsOf(exchange.invokeOk('set_asset_risk', [symbol('BTC'), ASSET_RISK.toVal(BTC_RISK)])), [
    ['asset_risk_set', ['BTC', 10, 400, 200]],
  ])
  exchange.advance(100n)
  exchange.setRisk('ETH', {})
  assert.equal(exchange.stored(ADDED_KEYS.riskEpochTs), start)
})

test('both admins sign a rotation', () => {
  const exchange = createTestExchange()
  assert.equal(exchange.tryInvoke('set_admin', [address(BOB)], [ADMIN]), UNAUTHORIZED)
  assert.equal(exchange.tryInvoke('set_admin', [address(BOB)], [BOB]), UNAUTHORIZED)
  assert.deepEqual(eventsOf(exchange.invokeOk('set_admin', [address(BOB)])), [['admin_rotated', [ADMIN, BOB]]])
  assert.equal(exchange.tryInvoke('pause', [u32(1)], [ADMIN]), UNAUTHORIZED)
  assert.equal(exchange.tryInvoke('pause', [u32(1)], [BOB]), 'ok')
})

const HASH = 'ab'.repeat(32)

/** An exchange of one build, upgraded to another by `upgrade`. */
function upgrade(exchange: TestExchange): void {
  exchange.invokeOk('upgrade', [bytes(Buffer.from(HASH, 'hex'))])
}

function exchangeWithUpload(from: Generation2Build, to: Generation2Build): TestExchange {
  return createTestExchange({ build: from }, createUninitializedHost(from, new Map([[HASH, marketContract(to)]])))
}

test('after an upgrade to 2.3 the admin seeds the counts that replace the lists, once', () => {
  const exchange = exchangeWithUpload('2.2', '2.3')
  const id = exchange.open(ALICE)
  exchange.open(BOB)
  exchange.invokeOk('place_limit_order', limitOrderArgs())
  upgrade(exchange)
  assert.equal(exchange.tryInvoke('seed_open_counts', [u32(2), u32(1)], [ALICE]), UNAUTHORIZED)
  assert.equal(exchange.tryInvoke('seed_open_counts', [u32(2), u32(1)]), 'ok')
  assert.equal(exchange.tryInvoke('seed_open_counts', [u32(2), u32(1)]), contractError(2))
  assert.equal(exchange.tryInvoke('get_all_position_ids', []), 'Error(WasmVm, MissingValue)')
  assert.deepEqual(exchange.view('get_trader_position_ids', address(ALICE)), [id])
  assert.equal(exchange.tryInvoke('cancel_order', [address(ALICE), u64(1n)]), 'ok')
  assert.deepEqual([exchange.stored(ADDED_KEYS.openPositionCount), exchange.stored(ADDED_KEYS.openOrderCount)], [2, 0])
  assert.deepEqual(exchange.stored(KEYS.allPositions), [id, 2n], 'the old list lingers')
})

test('a market whose stored configuration has other fields traps until migrate_config', () => {
  const host = createTestHost({ [MARKET]: marketContractOfGeneration1() }, new Map([[HASH, marketContract('2.3')]]))
  host.invokeOk(MARKET, 'initialize', [address(ADMIN), address(SHIM), address(VAULT), address(USDC), defaultMarketConfig()], [ADMIN])
  host.invokeOk(MARKET, 'upgrade', [bytes(Buffer.from(HASH, 'hex'))], [ADMIN])
  const feeInfo = (): string => host.tryInvoke(MARKET, 'get_trader_fee_info', [address(ALICE)])
  assert.equal(feeInfo(), 'Error(WasmVm, InvalidAction)')
  assert.equal(host.tryInvoke(MARKET, 'get_pause_state', []), 'ok')
  assert.equal(host.tryInvoke(MARKET, 'migrate_config', [MARKET_CONFIG.toVal(DEFAULT_MARKET_CONFIG)], [ADMIN]), 'ok')
  assert.equal(feeInfo(), 'ok')
})
