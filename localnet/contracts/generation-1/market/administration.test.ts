import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../../shared/host.ts'
import { address, bytes, symbol, u32, u64 } from '../../shared/host.ts'
import { sampleArg, toNative } from '../../../test/contracts/test-host.ts'
import {
  ADMIN, ALICE, BOB, contractError, createTestExchange, createUninitializedHost, E7, eventsOf, MARKET, openArgs, SHIM, UNAUTHORIZED, USDC,
  VAULT,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { DEFAULT_MARKET_CONFIG, defaultMarketConfig } from '../../shared/market/defaults.ts'
import { marketContract } from './market.ts'
import { INSTANCE, KEYS } from '../../shared/market/storage.ts'

const initializeArgs: Val[] = [address(ADMIN), address(SHIM), address(VAULT), address(USDC), defaultMarketConfig()]

test('initialize works once, by the admin, and stores the configuration', () => {
  const host = createUninitializedHost()
  assert.equal(host.tryInvoke(MARKET, 'initialize', initializeArgs, [ALICE]), UNAUTHORIZED)
  const result = host.invokeOk(MARKET, 'initialize', initializeArgs, [ADMIN])
  assert.deepEqual(eventsOf(result), [['initialized', [ADMIN, VAULT, SHIM]]])
  assert.equal(host.tryInvoke(MARKET, 'initialize', initializeArgs, [ADMIN]), contractError(2))
  const instance = (key: Val): unknown => toNative(host.readEntry(MARKET, 'instance', key))
  assert.deepEqual(
    [INSTANCE.admin, INSTANCE.oracle, INSTANCE.vault, INSTANCE.usdc, INSTANCE.initialized, INSTANCE.paused].map(instance),
    [ADMIN, SHIM, VAULT, USDC, true, false],
  )
  assert.deepEqual(instance(INSTANCE.config), DEFAULT_MARKET_CONFIG)
  assert.deepEqual(toNative(host.readEntry(MARKET, 'persistent', KEYS.lastFundingTime)), host.ledger.timestampSec)
  assert.deepEqual((toNative(host.readEntry(MARKET, 'persistent', KEYS.feeTiers)) as unknown[])[1], {
    maker_fee_bps: 15, min_volume: 20_000n * E7, taker_fee_bps: 40,
  })
})

test('only the admin can pause, set the fee split and the referral contract, and upgrade', () => {
  const exchange = createTestExchange()
  const calls: [string, Val[]][] = [
    ['pause', []], ['unpause', []], ['set_fee_split', [address('CT'), u32(5001)]], ['set_referral', [address('CT')]],
    ['upgrade', [bytes(new Uint8Array(32))]],
  ]
  for (const [name, args] of calls) {
    assert.equal(createUninitializedHost().tryInvoke(MARKET, name, args, [ADMIN]), contractError(1), name)
    assert.equal(exchange.tryInvoke(name, args, [ALICE]), UNAUTHORIZED, name)
  }
  assert.deepEqual(eventsOf(exchange.invokeOk('pause', [])), [['paused', null]])
  assert.deepEqual(eventsOf(exchange.invokeOk('unpause', [])), [['unpaused', null]])
  assert.equal(exchange.tryInvoke('set_fee_split', [address('CT'), u32(5001)]), contractError(5))
  assert.equal(exchange.tryInvoke('set_fee_split', [address('CT'), u32(5000)]), 'ok')
  assert.equal(exchange.tryInvoke('upgrade', [bytes(new Uint8Array(32))]), 'Error(Storage, MissingValue)')
})

test('while paused, traders\' calls fail except cancel_order; keepers\' calls and funding work', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.invokeOk('set_stop_loss', [address(ALICE), u64(1n), { type: 'i128', value: 48_000n * E7 }, u32(100)])
  exchange.invokeOk('pause', [])
  const blocked = Object.entries(marketContract().entryPoints)
    .filter(([name, entry]) => entry.inputs[0]?.[0] === 'trader' && !name.startsWith('get_') && name !== 'cancel_order')
    .map(([name, entry]) => [name, entry.inputs.map(([, type]) => sampleArg(type))] as const)
  assert.equal(blocked.length, 11)
  for (const [name, args] of blocked) assert.equal(exchange.tryInvoke(name, args), contractError(4), name)
  assert.equal(exchange.tryInvoke('sync_asset_pnl', [symbol('BTC')]), 'ok')
  exchange.advance(3600n)
  assert.equal(exchange.tryInvoke('apply_funding', []), 'ok')
  assert.equal(exchange.tryInvoke('cancel_order', [address(ALICE), u64(1n)]), 'ok')
  exchange.invokeOk('unpause', [])
  exchange.setPrice('BTC', 50_000n * E7)
  assert.equal(exchange.tryInvoke('open_position', openArgs(BOB)), 'ok')
})

test('every entry point of an uninitialized market fails with 1 before it checks authorization, except its views', () => {
  for (const [name, entry] of Object.entries(marketContract().entryPoints)) {
    if (name === 'initialize') continue
    const result = createUninitializedHost().tryInvoke(MARKET, name, entry.inputs.map(([, type]) => sampleArg(type)), [])
    assert.equal(result, name.startsWith('get_') ? 'ok' : contractError(1), name)
  }
})

test('views without data return void, an empty list or zero', () => {
  const exchange = createTestExchange()
  const view = (name: string, ...args: Val[]): unknown => toNative(exchange.invokeOk(name, args).value)
  assert.equal(view('get_position', u64(1n)), null)
  assert.equal(view('get_order', u64(1n)), null)
  assert.deepEqual(view('get_all_position_ids'), [])
  assert.deepEqual(view('get_all_order_ids'), [])
  assert.equal(view('get_cross_margin_balance', address(ALICE)), 0n)
  assert.deepEqual(view('get_cross_margin_positions', address(ALICE)), [])
})

test('position ids are listed in opening order', () => {
  const exchange = createTestExchange()
  for (const trader of [ALICE, BOB, ALICE]) exchange.open(trader)
  exchange.close(BOB, 2n)
  exchange.open(BOB)
  assert.deepEqual(toNative(exchange.invokeOk('get_all_position_ids', []).value), [1n, 3n, 4n])
})

test('sync_asset_pnl reports the unrealized PnL to the vault and rejects an invalid price', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.setPrice('BTC', 49_000n * E7)
  const result = exchange.invokeOk('sync_asset_pnl', [symbol('BTC')])
  assert.deepEqual(eventsOf(result), [['exposure_synced BTC', [-20n * E7, -20n * E7, 0n]]])
  assert.equal(toNative(result.value), -20n * E7)
  assert.equal(exchange.tryInvoke('sync_asset_pnl', [symbol('PEPE')]), contractError(31))
  assert.equal(exchange.tryInvoke('sync_asset_pnl', [symbol('SOL')]), contractError(32))
})
