import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, symbol, u64 } from '../../shared/host.ts'
import {
  ADMIN, ALICE, BOB, contractError, E7, ISSUER, LP, LP_ASSET, UNAUTHORIZED, USDC_ASSET, VAULT,
} from '../../../test/contracts/generation-1/test-exchange.ts'
import { createTestVault, createUninitializedVault, depositArgs, reserveArgs } from '../../../test/contracts/generation-2/test-vault.ts'

test('a deposit is credited net of its fee, so AUM counts the fee once', () => {
  const vault = createTestVault()
  assert.deepEqual(vault.events('deposit', ...depositArgs(ALICE, 1000n * E7)), [[['deposit'], [ALICE, 1000n * E7, 997n * E7, 3n * E7]]])
  assert.deepEqual(vault.call('get_pool_info'), {
    aum: 1000n * E7, total_fees: 3n * E7, total_glp: 997n * E7, total_usdc: 997n * E7, unrealized_pnl: 0n,
  })
  assert.equal(vault.call('get_noe_price'), 10_030_090n)
  assert.deepEqual([vault.call('get_deposited', address(ALICE)), vault.call('get_noe_balance', address(ALICE))], [1000n * E7, 997n * E7])
  assert.equal(vault.call('get_last_deposit_ts', address(ALICE)), vault.host.ledger.timestampSec)
  assert.equal(vault.call('get_last_deposit_ts', address(BOB)), 0n)
})

test('a later deposit buys at the LP price, and a withdrawal pays its share of AUM net of the fee', () => {
  const vault = createTestVault()
  vault.call('deposit', ...depositArgs(ALICE, 1000n * E7))
  // 99.7 net: floor(997_000_000 x 9_970_000_000 / 10_000_000_000) = 994_009_000.
  assert.equal(vault.call('deposit', ...depositArgs(BOB, 100n * E7)), 994_009_000n)
  vault.advance(1800n)
  vault.approveLp(ALICE, 100n * E7)
  // AUM 1100 and 1096.4009 LP: 100 LP are gross 1_003_282_649, fee floor(0.3 %) = 3_009_847, net 1_000_272_802.
  assert.deepEqual(vault.events('withdraw', ...depositArgs(ALICE, 100n * E7)), [
    [['withdraw'], [ALICE, 100n * E7, 1_000_272_802n, 3_009_847n]],
  ])
  assert.equal(vault.call('get_total_usdc'), 997n * E7 + 997_000_000n - 1_003_282_649n)
  assert.equal(vault.call('get_usdc_balance'), 1100n * E7 - 1_000_272_802n)
})

test('deposit checks its errors in the documented order', () => {
  const vault = createTestVault()
  const deposit = (account: string, amount: bigint, minimum = 0n): string => vault.try('deposit', depositArgs(account, amount, minimum))
  assert.equal(createUninitializedVault().tryInvoke(VAULT, 'deposit', depositArgs(ALICE, 0n)), contractError(1))
  vault.call('pause')
  assert.equal(vault.try('deposit', depositArgs(ALICE, 0n), []), contractError(4))
  vault.call('unpause')
  assert.equal(vault.try('deposit', depositArgs(ALICE, 0n), []), contractError(41))
  assert.equal(vault.try('deposit', depositArgs(ALICE, E7, -1n), []), contractError(41))
  assert.equal(vault.try('deposit', depositArgs(ALICE, E7), [BOB]), UNAUTHORIZED)
  vault.call('set_deposit_cap', i128(100n * E7))
  vault.call('set_aum_cap', i128(1994n * E7 / 10n))
  assert.equal(deposit(ALICE, 100n * E7, 100n * E7), contractError(66), 'fewer LP tokens than the minimum')
  assert.equal(deposit(ALICE, 100n * E7, 997n * E7 / 10n), 'ok', 'exactly the minimum')
  assert.equal(deposit(ALICE, 1n), contractError(43), 'the cap per account is cumulative')
  assert.equal(deposit(BOB, 100n * E7), 'ok', 'the AUM cap is reached exactly')
  vault.call('set_deposit_cap', i128(0n))
  assert.equal(deposit(BOB, 1n, 2n), contractError(43), 'the AUM cap comes before the minted amount')
  vault.call('set_aum_cap', i128(0n))
  assert.equal(deposit(ALICE, 1n, 2n), contractError(41), 'one unit buys no LP token at a price above 1')
  assert.equal(deposit(ALICE, 99_000_000n * E7 * 2n, 10n ** 17n), contractError(66), 'the minimum comes before the LP stock')
  assert.equal(deposit(ALICE, 200_000_000n * E7), contractError(40), 'more LP tokens than the vault holds')
  assert.equal(deposit(ALICE, 99_999_950n * E7), contractError(10), 'error of the token: not enough USDC')
  vault.host.fund('GCAROL', USDC_ASSET, 100n * E7)
  assert.equal(vault.try('deposit', depositArgs('GCAROL', E7), ['GCAROL']), contractError(13), 'no trustline for the LP token')
})

test('a deposit fails with 40 while the pool has LP tokens but no AUM', () => {
  const vault = createTestVault()
  vault.call('deposit', ...depositArgs(ALICE, 1000n * E7))
  vault.call('sync_exposure', symbol('BTC'), i128(2000n * E7), i128(0n))
  assert.equal(vault.call('get_aum'), 0n)
  assert.equal(vault.try('deposit', depositArgs(BOB, E7)), contractError(40))
})

test('withdraw checks its errors in the documented order', () => {
  const vault = createTestVault()
  const withdraw = (account: string, amount: bigint, minimum = 0n): string => vault.try('withdraw', depositArgs(account, amount, minimum))
  assert.equal(createUninitializedVault().tryInvoke(VAULT, 'withdraw', depositArgs(ALICE, 0n)), contractError(1))
  assert.equal(vault.try('withdraw', depositArgs(ALICE, 0n), []), contractError(41))
  assert.equal(vault.try('withdraw', depositArgs(ALICE, E7, -1n), []), contractError(41))
  assert.equal(vault.try('withdraw', depositArgs(ALICE, E7), [BOB]), UNAUTHORIZED)
  vault.host.invokeOk(LP, 'mint', [address(BOB), i128(E7)], [ISSUER])
  assert.equal(withdraw(BOB, E7 + 1n), contractError(42))
  assert.equal(withdraw(BOB, E7), contractError(7), 'no LP tokens in circulation, and no cooldown without a deposit')
  vault.call('deposit', ...depositArgs(ALICE, 1000n * E7))
  vault.advance(1799n)
  assert.equal(withdraw(ALICE, 2000n * E7), contractError(93), 'the cooldown comes before the balance')
  vault.advance(1n)
  assert.equal(withdraw(ALICE, 2000n * E7), contractError(42))
  // 997 LP are worth 1000: gross 1000, fee 3, net 997.
  assert.equal(withdraw(ALICE, 997n * E7, 997n * E7 + 1n), contractError(66))
  assert.equal(withdraw(ALICE, 997n * E7, 997n * E7), contractError(9), 'error of the token: no allowance')
  vault.approveLp(ALICE, 997n * E7)
  vault.call('reserve_for_position', ...reserveArgs(200n * E7, 200n * E7))
  assert.equal(withdraw(ALICE, 900n * E7, 10_000n * E7), contractError(66), 'the minimum comes before the liquidity')
  assert.equal(withdraw(ALICE, 900n * E7), contractError(40), 'the rest would not cover the reserved payouts')
  vault.call('sync_exposure', symbol('BTC'), i128(-500n * E7), i128(200n * E7))
  assert.equal(withdraw(ALICE, 997n * E7), contractError(40), 'more than the USDC balance')
  vault.call('sync_exposure', symbol('BTC'), i128(2000n * E7), i128(0n))
  assert.equal(withdraw(ALICE, 100n * E7), contractError(41), 'AUM is at least zero, so the payout is zero')
})

test('a pause stops deposits but not withdrawals', () => {
  const vault = createTestVault()
  vault.call('deposit', ...depositArgs(ALICE, 1000n * E7))
  vault.call('set_withdraw_cooldown', u64(0n))
  vault.approveLp(ALICE, 997n * E7)
  vault.call('pause')
  assert.equal(vault.try('withdraw', depositArgs(ALICE, 997n * E7)), 'ok')
  assert.deepEqual([vault.call('get_total_noe'), vault.call('get_aum')], [0n, 3n * E7])
})

test('a withdrawal leaves the shortfall reserve in the vault', () => {
  const vault = createTestVault('2.3', [0, 0])
  vault.call('deposit', ...depositArgs(ALICE, 100n * E7))
  vault.call('settle_pnl', address(BOB), i128(300n * E7))
  vault.call('seed_buffer', address(BOB), i128(100n * E7))
  assert.deepEqual([vault.call('get_shortfall_reserve'), vault.call('get_buffer_balance')], [50n * E7, 50n * E7])
  vault.receiveLoss(100n * E7)
  vault.call('set_withdraw_cooldown', u64(0n))
  vault.approveLp(ALICE, 100n * E7)
  vault.call('sync_exposure', symbol('BTC'), i128(-60n * E7), i128(0n))
  // AUM 160; the vault holds 200, of which 50 are set aside.
  assert.equal(vault.try('withdraw', depositArgs(ALICE, 100n * E7)), contractError(40))
  assert.equal(vault.try('withdraw', depositArgs(ALICE, 93n * E7)), 'ok')
})

test('before build 2.1, deposit and withdraw take two arguments and no AUM cap exists', () => {
  const vault = createTestVault('2.0')
  assert.equal(vault.call('deposit', address(ALICE), i128(1000n * E7)), 997n * E7)
  assert.equal(vault.try('deposit', depositArgs(ALICE, E7)), 'Error(WasmVm, UnexpectedSize)')
  assert.equal(vault.try('set_aum_cap', [i128(1n)], [ADMIN]), 'Error(WasmVm, MissingValue)')
  assert.deepEqual(vault.events('set_deposit_cap', i128(5n)), [[['deposit_cap_set'], [5n]]])
  vault.host.fund(BOB, LP_ASSET, 0n)
  vault.advance(1800n)
  vault.approveLp(ALICE, E7)
  assert.equal(vault.try('withdraw', [address(ALICE), i128(E7)]), 'ok')
})
