import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../../shared/host.ts'
import { address, i128, symbol, u32, u64 } from '../../shared/host.ts'
import {
  ADMIN, ALICE, BOB, contractError, E7, LP, MARKET, PROVIDER, TRAP, UNAUTHORIZED, USDC, VAULT,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { sampleArg } from '../../../test/contracts/test-host.ts'
import { GENERATION_2_BUILDS } from '../build.ts'
import { SHARED_ERRORS } from '../errors.ts'
import { liquidityVaultContract } from './liquidity-vault.ts'
import { createTestVault, createUninitializedVault, depositArgs, initializeArgs } from '../../../test/contracts/generation-2/test-vault.ts'

const SETTERS: readonly (readonly [name: string, args: readonly Val[], event: readonly [topic: string, data: unknown], since: '2.0' | '2.1'])[] = [
  ['set_market_contract', [address('CNEW')], ['market_updated', [MARKET, 'CNEW']], '2.0'],
  ['set_deposit_fee', [u32(1000)], ['deposit_fee_updated', [1000]], '2.0'],
  ['set_withdraw_fee', [u32(0)], ['withdraw_fee_updated', [0]], '2.0'],
  ['set_deposit_cap', [i128(5n)], ['deposit_cap_set', [5n]], '2.0'],
  ['set_aum_cap', [i128(6n)], ['aum_cap_set', [6n]], '2.1'],
  ['set_reserve_cap', [u32(1)], ['reserve_cap_set', [1]], '2.1'],
  ['set_buffer_target', [u32(10_000)], ['buffer_target_set', [10_000]], '2.1'],
  ['set_shortfall_inflow_bps', [u32(0)], ['shortfall_bps_set', [0]], '2.1'],
  ['set_withdraw_cooldown', [u64(86_400n)], ['withdraw_cooldown_set', [86_400n]], '2.1'],
  ['set_asset_cap', [symbol('BTC'), u32(10_000)], ['asset_cap_set', ['BTC', 10_000]], '2.1'],
  ['set_skew_cap', [symbol('BTC'), u32(1)], ['skew_cap_set', ['BTC', 1]], '2.1'],
  ['set_asset_cap_abs', [symbol('BTC'), i128(0n)], ['asset_cap_abs_set', ['BTC', 0n]], '2.1'],
  ['pause', [], ['paused', null], '2.0'],
  ['unpause', [], ['unpaused', null], '2.0'],
]

test('setters require the admin and emit their events', () => {
  const vault = createTestVault()
  for (const [name, args, [topic, data]] of SETTERS) {
    assert.equal(createUninitializedVault().tryInvoke(VAULT, name, args, [ADMIN]), contractError(1), name)
    assert.equal(vault.try(name, args, [ALICE]), UNAUTHORIZED, name)
    assert.deepEqual(vault.events(name, ...args), [[[topic], data]], name)
  }
})

test('build 2.0 emits only the setter events of generation 1', () => {
  const vault = createTestVault('2.0')
  for (const [name, args, [topic, data], since] of SETTERS) {
    if (name === 'set_aum_cap') continue
    assert.deepEqual(vault.events(name, ...args), since === '2.0' ? [[[topic], data]] : [], name)
  }
})

test('setters fail with 5 for values out of range', () => {
  const vault = createTestVault()
  for (const [name, args] of [
    ['set_deposit_fee', [u32(1001)]], ['set_withdraw_fee', [u32(1001)]], ['set_reserve_cap', [u32(0)]], ['set_reserve_cap', [u32(10_001)]],
    ['set_buffer_target', [u32(10_001)]], ['set_shortfall_inflow_bps', [u32(10_001)]], ['set_withdraw_cooldown', [u64(86_401n)]],
    ['set_asset_cap', [symbol('BTC'), u32(0)]], ['set_skew_cap', [symbol('BTC'), u32(10_001)]], ['set_asset_cap_abs', [symbol('BTC'), i128(-1n)]],
  ] as const) {
    assert.equal(vault.try(name, args), contractError(5), name)
  }
})

test('a negative deposit cap or AUM cap fails with 41', () => {
  const vault = createTestVault()
  for (const name of ['set_deposit_cap', 'set_aum_cap']) assert.equal(vault.try(name, [i128(-1n)]), contractError(41), name)
})

test('the defaults are those of the live vault', () => {
  const vault = createTestVault()
  const names = ['get_reserve_cap', 'get_buffer_target_bps', 'get_withdraw_cooldown', 'get_deposit_cap', 'get_aum_cap']
  assert.deepEqual(names.map((name) => vault.call(name)), [7000, 1000, 1800n, 0n, 0n])
  assert.equal(vault.call('get_asset_cap', symbol('BTC')), 2500)
  assert.deepEqual(vault.call('get_asset_caps', symbol('BTC')), [2500, 0n, 1500, 0n])
})

test('a recovery pays one fixed address, after two days, while the vault is paused', () => {
  const vault = createTestVault('2.3', [0, 0])
  vault.call('deposit', ...depositArgs(PROVIDER, 100n * E7))
  assert.deepEqual([vault.call('get_recovery_address'), vault.call('get_recovery_proposal')], [null, null])
  assert.equal(vault.try('propose_recovery', [i128(0n)]), contractError(5), 'the vault is not paused')
  vault.call('pause')
  assert.equal(vault.try('propose_recovery', [i128(0n)]), contractError(41), 'the amount before the address')
  assert.equal(vault.try('propose_recovery', [i128(1n)]), contractError(1), 'no address')
  assert.deepEqual(vault.events('init_recovery', address(BOB)), [[['recovery_init'], [BOB]]])
  assert.equal(vault.try('init_recovery', [address(ALICE)]), contractError(2), 'the address is fixed')
  assert.equal(vault.try('execute_recovery'), contractError(5), 'no proposal')
  const executeAfter = vault.host.ledger.timestampSec + 172_800n
  assert.deepEqual(vault.events('propose_recovery', i128(40n * E7)), [[['recovery_proposed'], [40n * E7, executeAfter]]])
  assert.deepEqual([vault.call('get_recovery_address'), vault.call('get_recovery_proposal')], [BOB, [40n * E7, executeAfter]])
  vault.advance(172_799n)
  assert.equal(vault.try('execute_recovery'), contractError(5))
  vault.advance(1n)
  const before = vault.usdc(BOB)
  assert.deepEqual(vault.events('execute_recovery'), [[['recovery_executed'], [40n * E7, BOB]]])
  assert.equal(vault.usdc(BOB) - before, 40n * E7)
  assert.deepEqual([vault.call('get_total_usdc'), vault.call('get_usdc_balance'), vault.call('get_recovery_proposal')], [100n * E7, 60n * E7, null])
})

test('the end of a pause ends a recovery', () => {
  const vault = createTestVault()
  vault.call('init_recovery', address(BOB))
  vault.call('pause')
  vault.call('propose_recovery', i128(E7))
  vault.advance(172_800n)
  vault.call('unpause')
  assert.equal(vault.try('execute_recovery'), contractError(5), 'the vault is not paused')
  vault.call('pause')
  assert.equal(vault.call('get_recovery_proposal'), null)
  assert.equal(vault.try('execute_recovery'), contractError(5), 'the proposal is gone')
})

test('a recovery can be cancelled, and only the admin can start, execute or cancel one', () => {
  const vault = createTestVault()
  vault.call('init_recovery', address(BOB))
  vault.call('pause')
  vault.call('propose_recovery', i128(E7))
  for (const [name, args] of [
    ['init_recovery', [address(BOB)]], ['propose_recovery', [i128(1n)]], ['execute_recovery', []], ['cancel_recovery', []],
  ] as const) {
    assert.equal(vault.try(name, args, [ALICE, BOB]), UNAUTHORIZED, name)
  }
  assert.deepEqual(vault.events('cancel_recovery'), [[['recovery_cancelled'], null]])
  assert.equal(vault.try('cancel_recovery'), 'ok', 'without a proposal too')
})

test('set_admin requires the authorization of both admins, and seed_buffer that of admin and payer', () => {
  const vault = createTestVault()
  assert.equal(vault.try('seed_buffer', [address(BOB), i128(0n)], []), UNAUTHORIZED)
  assert.equal(vault.try('seed_buffer', [address(BOB), i128(0n)], [ADMIN]), contractError(41), 'between the two authorizations')
  assert.equal(vault.try('seed_buffer', [address(BOB), i128(1n)], [BOB]), UNAUTHORIZED)
  assert.equal(vault.try('seed_buffer', [address(BOB), i128(1n)], [ADMIN]), UNAUTHORIZED)
  for (const signers of [[ADMIN], [ALICE]]) assert.equal(vault.try('set_admin', [address(ALICE)], signers), UNAUTHORIZED)
  assert.deepEqual(vault.events('set_admin', address(ALICE)), [[['admin_updated'], [ADMIN, ALICE]]])
  assert.equal(vault.call('get_admin'), ALICE)
})

test('initialize works once, by the admin, with fees up to 1000 bps', () => {
  const host = createUninitializedVault()
  assert.equal(host.tryInvoke(VAULT, 'initialize', initializeArgs(), [ALICE]), UNAUTHORIZED)
  assert.equal(host.tryInvoke(VAULT, 'initialize', initializeArgs(1001, 30), [ADMIN]), contractError(5))
  assert.equal(host.tryInvoke(VAULT, 'initialize', initializeArgs(30, 1001), [ADMIN]), contractError(5))
  const vault = createTestVault()
  assert.equal(vault.try('initialize', initializeArgs()), contractError(2))
  const views = ['get_noe_token', 'get_usdc_token', 'get_market_contract', 'get_admin', 'is_paused']
  assert.deepEqual(views.map((name) => vault.call(name)), [LP, USDC, MARKET, ADMIN, false])
})

/** Views of an uninitialized vault that have no default. */
const WITHOUT_DEFAULT: Readonly<Record<string, string>> = {
  get_pool_info: contractError(1), get_noe_price: contractError(1), get_aum: contractError(1), get_usdc_balance: contractError(1),
  get_noe_token: contractError(1), get_usdc_token: contractError(1), get_market_contract: contractError(1), get_admin: contractError(1),
  get_noe_balance: TRAP,
}

test('the views of an uninitialized vault answer with defaults, except those that need its contracts or its pool', () => {
  const { entryPoints } = liquidityVaultContract('2.3')
  const views = Object.entries(entryPoints).filter(([name]) => name.startsWith('get_') || name === 'is_paused')
  assert.equal(views.length, 35)
  for (const [name, { inputs }] of views) {
    const result = createUninitializedVault().tryInvoke(VAULT, name, inputs.map(([, type]) => sampleArg(type)))
    assert.equal(result, WITHOUT_DEFAULT[name] ?? 'ok', name)
  }
  const fee = createUninitializedVault().invokeOk(VAULT, 'get_deposit_fee', []).value
  assert.deepEqual(fee, u32(30), 'the default fee is 0.3 %')
})

test('the builds differ in deposit, withdraw, the AUM cap and receive_loss_for only', () => {
  const interfaces = GENERATION_2_BUILDS.map((build) => {
    const { entryPoints } = liquidityVaultContract(build)
    return [
      entryPoints['deposit']?.inputs.length, entryPoints['withdraw']?.inputs.length, 'set_aum_cap' in entryPoints,
      'get_aum_cap' in entryPoints, 'receive_loss_for' in entryPoints, 'emergency_withdraw' in entryPoints,
    ]
  })
  assert.deepEqual(interfaces, [
    [2, 2, false, false, false, false],
    [3, 3, true, true, false, false],
    [3, 3, true, true, false, false],
    [3, 3, true, true, true, false],
  ])
})

test('the published error enum has 50 names and ends at 93', () => {
  const codes = Object.keys(SHARED_ERRORS).map(Number)
  assert.deepEqual([codes.length, Math.max(...codes)], [50, 93])
  for (const removed of [51, 63, 68]) assert.ok(!codes.includes(removed), String(removed))
})
