import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../host.ts'
import { address, bytes, symbol, u32, u64 } from '../host.ts'
import { plain } from '../test-host.ts'
import {
  ADMIN, ALICE, bareExchange, BOB, contractError, createTestExchange, eventsOf, MARKET, openArgs, P, SHIM, USDC, VAULT,
} from '../test-exchange.ts'
import { DEFAULT_MARKET_CONFIG, defaultMarketConfig } from './defaults.ts'
import { marketContract } from './market.ts'
import { INSTANCE, KEYS } from './storage.ts'

const initializeArgs: Val[] = [address(ADMIN), address(SHIM), address(VAULT), address(USDC), defaultMarketConfig()]

test('initialising: once, by the admin, and what it leaves in storage', () => {
  const host = bareExchange()
  const refused = host.invoke(MARKET, 'initialize', initializeArgs, [ALICE])
  assert.equal(refused.ok ? 'ok' : refused.error, 'Error(Auth, InvalidAction)')
  const done = host.must(MARKET, 'initialize', initializeArgs, [ADMIN])
  assert.deepEqual(eventsOf(done), [['initialized', [ADMIN, VAULT, SHIM]]])
  const again = host.invoke(MARKET, 'initialize', initializeArgs, [ADMIN])
  assert.equal(again.ok ? 'ok' : again.error, contractError(2))
  const instance = (key: Val): unknown => plain(host.entry(MARKET, 'instance', key))
  assert.deepEqual(
    [INSTANCE.admin, INSTANCE.oracle, INSTANCE.vault, INSTANCE.usdc, INSTANCE.initialized, INSTANCE.paused].map(instance),
    [ADMIN, SHIM, VAULT, USDC, true, false],
  )
  assert.deepEqual(instance(INSTANCE.config), DEFAULT_MARKET_CONFIG)
  assert.deepEqual(plain(host.entry(MARKET, 'persistent', KEYS.lastFundingTime)), host.ledger.timestampSec)
  assert.deepEqual((plain(host.entry(MARKET, 'persistent', KEYS.feeTiers)) as unknown[])[1], {
    maker_fee_bps: 15, min_volume: 20_000n * P, taker_fee_bps: 40,
  })
})

test('the admin alone pauses, splits fees and upgrades', () => {
  const exchange = createTestExchange()
  const calls: [string, Val[]][] = [
    ['pause', []], ['unpause', []], ['set_fee_split', [address('CT'), u32(5001)]], ['set_referral', [address('CT')]],
    ['upgrade', [bytes(new Uint8Array(32))]],
  ]
  for (const [name, args] of calls) {
    const bare = bareExchange().invoke(MARKET, name, args, [ADMIN])
    assert.equal(bare.ok ? 'ok' : bare.error, contractError(1), name)
    assert.equal(exchange.try(name, args, [ALICE]), 'Error(Auth, InvalidAction)', name)
  }
  assert.deepEqual(eventsOf(exchange.must('pause', [])), [['paused', null]])
  assert.deepEqual(eventsOf(exchange.must('unpause', [])), [['unpaused', null]])
  assert.equal(exchange.try('set_fee_split', [address('CT'), u32(5001)]), contractError(5))
  assert.equal(exchange.try('set_fee_split', [address('CT'), u32(5000)]), 'ok')
  assert.equal(exchange.try('upgrade', [bytes(new Uint8Array(32))]), 'Error(Storage, MissingValue)')
})

test('paused, traders are refused; keepers, funding, marks and cancellations go on', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.must('set_stop_loss', [address(ALICE), u64(1n), { type: 'i128', value: 48_000n * P }, u32(100)])
  exchange.must('pause', [])
  const blocked = Object.entries(marketContract().entryPoints)
    .filter(([name, entry]) => entry.inputs[0]?.[0] === 'trader' && !name.startsWith('get_') && name !== 'cancel_order')
    .map(([name, entry]) => [name, entry.inputs.map(([, type]) => sample(type))] as const)
  assert.equal(blocked.length, 11)
  for (const [name, args] of blocked) assert.equal(exchange.try(name, args), contractError(4), name)
  assert.equal(exchange.try('sync_asset_pnl', [symbol('BTC')]), 'ok')
  exchange.advance(3600n)
  assert.equal(exchange.try('apply_funding', []), 'ok')
  assert.equal(exchange.try('cancel_order', [address(ALICE), u64(1n)]), 'ok')
  exchange.must('unpause', [])
  exchange.setPrice('BTC', 50_000n * P)
  assert.equal(exchange.try('open_position', openArgs(BOB)), 'ok')
})

test('every entry point of an uninitialised market answers 1, before it asks for anybody\'s agreement', () => {
  for (const [name, entry] of Object.entries(marketContract().entryPoints)) {
    if (name === 'initialize') continue
    const outcome = bareExchange().invoke(MARKET, name, entry.inputs.map(([, type]) => sample(type)), [])
    assert.equal(outcome.ok ? 'ok' : outcome.error, contractError(1), name)
  }
})

test('views of what is not there: void, empty, zero', () => {
  const exchange = createTestExchange()
  const view = (name: string, ...args: Val[]): unknown => plain(exchange.must(name, args).value)
  assert.equal(view('get_position', u64(1n)), null)
  assert.equal(view('get_order', u64(1n)), null)
  assert.deepEqual(view('get_all_position_ids'), [])
  assert.deepEqual(view('get_all_order_ids'), [])
  assert.equal(view('get_cross_margin_balance', address(ALICE)), 0n)
  assert.deepEqual(view('get_cross_margin_positions', address(ALICE)), [])
})

test('position ids are listed in the order of opening', () => {
  const exchange = createTestExchange()
  for (const trader of [ALICE, BOB, ALICE]) exchange.open(trader)
  exchange.close(BOB, 2n)
  exchange.open(BOB)
  assert.deepEqual(plain(exchange.must('get_all_position_ids', []).value), [1n, 3n, 4n])
})

test('marking an asset tells the vault its debt, and refuses a bad price', () => {
  const exchange = createTestExchange()
  exchange.open(ALICE)
  exchange.setPrice('BTC', 49_000n * P)
  const done = exchange.must('sync_asset_pnl', [symbol('BTC')])
  assert.deepEqual(eventsOf(done), [['exposure_synced BTC', [-20n * P, -20n * P, 0n]]])
  assert.equal(plain(done.value), -20n * P)
  assert.equal(exchange.try('sync_asset_pnl', [symbol('PEPE')]), contractError(31))
  assert.equal(exchange.try('sync_asset_pnl', [symbol('SOL')]), contractError(32))
})

function sample(type: unknown): Val {
  if (type === 'address') return address(ALICE)
  if (type === 'symbol') return symbol('BTC')
  if (type === 'u32') return u32(1)
  if (type === 'u64') return u64(1n)
  if (type === 'bool') return { type: 'bool', value: true }
  if (type === 'i128') return { type: 'i128', value: 1n }
  return bytes(new Uint8Array(32))
}
