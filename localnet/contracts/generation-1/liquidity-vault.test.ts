import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../shared/host.ts'
import { address, i128, symbol, u32 } from '../shared/host.ts'
import { liquidityVaultContract } from './liquidity-vault.ts'
import { createTestHost, type TestHost, toNative, toNativeEvent } from '../../test/contracts/test-host.ts'
import { assetContract } from '../shared/token.ts'
import {
  ADMIN, ALICE, BOB, contractError, E7, ISSUER, LP, LP_ASSET, MARKET, TRAP, UNAUTHORIZED, USDC, USDC_ASSET, VAULT,
} from '../../test/contracts/generation-1/test-exchange.ts'

const ALL_SIGNERS = [ISSUER, ADMIN, ALICE, BOB, MARKET]

function createUninitializedVault(): TestHost {
  return createTestHost({
    [VAULT]: liquidityVaultContract(),
    [USDC]: assetContract(USDC_ASSET),
    [LP]: assetContract(LP_ASSET),
  })
}

const initializeArgs = (depositFee = 30, withdrawFee = 30): Val[] => [
  address(ADMIN), address(USDC), address(LP), address(MARKET), u32(depositFee), u32(withdrawFee),
]

function createVault(): TestHost {
  const host = createUninitializedVault()
  host.invokeOk(VAULT, 'initialize', initializeArgs(), [ADMIN])
  host.invokeOk(LP, 'mint', [address(VAULT), i128(1_000_000n * E7)], [ISSUER])
  for (const account of [ALICE, BOB]) {
    host.fund(account, USDC_ASSET, 10_000n * E7)
    host.fund(account, LP_ASSET, 0n)
  }
  return host
}

function tryVault(host: TestHost, name: string, args: readonly Val[] = [], signers = ALL_SIGNERS): string {
  return host.tryInvoke(VAULT, name, args, signers)
}

const view = (host: TestHost, name: string, ...args: Val[]): unknown => toNative(host.invokeOk(VAULT, name, args).value)
const deposit = (host: TestHost, depositor: string, amount: bigint): string => tryVault(host, 'deposit', [address(depositor), i128(amount)])

function vaultEvents(host: TestHost, name: string, args: readonly Val[]): unknown[] {
  const { events } = host.invokeOk(VAULT, name, args, ALL_SIGNERS)
  return events.filter((event) => event.contract === VAULT).map((event) => toNativeEvent(event).slice(1))
}

function approveLp(host: TestHost, owner: string, amount: bigint): void {
  host.invokeOk(LP, 'approve', [address(owner), address(VAULT), i128(amount), u32(10_000)], [owner])
}

test('the first deposit mints LP tokens 1 to 1 net of the fee, and AUM counts the fee twice', () => {
  const host = createVault()
  // 1000 USDC: fee 0.30 % = 3; minted 997; AUM 1000 + 3; price floor(1003 / 997) at 7 decimals.
  assert.deepEqual(vaultEvents(host, 'deposit', [address(ALICE), i128(1000n * E7)]), [
    [['deposit'], [ALICE, 1000n * E7, 997n * E7, 3n * E7]],
  ])
  assert.deepEqual(view(host, 'get_pool_info'), {
    aum: 1003n * E7, total_fees: 3n * E7, total_glp: 997n * E7, total_usdc: 1000n * E7, unrealized_pnl: 0n,
  })
  assert.equal(view(host, 'get_noe_price'), 10_060_180n)
  assert.equal(view(host, 'get_noe_balance', address(ALICE)), 997n * E7)
  assert.equal(view(host, 'get_deposited', address(ALICE)), 1000n * E7)
})

test('a later deposit buys at the LP price, and a withdrawal pays its share of AUM net of the fee', () => {
  const host = createVault()
  deposit(host, ALICE, 1000n * E7)
  // 100 USDC less 0.3: floor(997_000_000 x 9_970_000_000 / 10_030_000_000) = 991_035_892.
  assert.deepEqual(vaultEvents(host, 'deposit', [address(BOB), i128(100n * E7)]), [[['deposit'], [BOB, 100n * E7, 991_035_892n, 3_000_000n]]])
  // AUM 1103.3, circulating 1096.1035892: 100 LP are gross 1_006_565_447, fee floor(0.3 %) = 3_019_696, net 1_003_545_751.
  approveLp(host, ALICE, 100n * E7)
  assert.deepEqual(vaultEvents(host, 'withdraw', [address(ALICE), i128(100n * E7)]), [
    [['withdraw'], [ALICE, 100n * E7, 1_003_545_751n, 3_019_696n]],
  ])
  assert.equal(view(host, 'get_total_usdc'), 1100n * E7 - 1_006_565_447n)
  assert.equal(view(host, 'get_total_noe'), 997n * E7 + 991_035_892n - 100n * E7)
  assert.equal(view(host, 'get_usdc_balance'), 1100n * E7 - 1_003_545_751n)
})

test('deposit checks its errors in the documented order', () => {
  const host = createVault()
  assert.equal(tryVault(createUninitializedVault(), 'deposit', [address(ALICE), i128(0n)], []), contractError(1))
  host.invokeOk(VAULT, 'pause', [], [ADMIN])
  assert.equal(tryVault(host, 'deposit', [address(ALICE), i128(0n)], []), contractError(4))
  host.invokeOk(VAULT, 'unpause', [], [ADMIN])
  assert.equal(tryVault(host, 'deposit', [address(ALICE), i128(0n)], []), contractError(41))
  assert.equal(tryVault(host, 'deposit', [address(ALICE), i128(E7)], [BOB]), UNAUTHORIZED)
  host.invokeOk(VAULT, 'set_deposit_cap', [i128(100n * E7)], [ADMIN])
  assert.equal(deposit(host, ALICE, 100n * E7), 'ok')
  assert.equal(deposit(host, ALICE, 1n), contractError(43), 'the cap is cumulative and checked before the minted amount')
  assert.equal(deposit(host, BOB, 100n * E7), 'ok', 'the cap is per account')
  host.invokeOk(VAULT, 'set_deposit_cap', [i128(0n)], [ADMIN])
  assert.equal(deposit(host, ALICE, 1n), contractError(41), 'one unit buys no LP token at a price above 1')
  assert.equal(deposit(host, ALICE, 2_000_000n * E7), contractError(40), 'more LP tokens than the vault holds')
  assert.equal(deposit(host, ALICE, 2n ** 100n), contractError(6), 'the minted amount overflows')
  assert.equal(deposit(host, ALICE, 2n ** 126n), TRAP, 'the fee overflows')
  assert.equal(deposit(host, ALICE, 20_000n * E7), contractError(10), 'error of the token: not enough USDC')
  host.fund('GCAROL', USDC_ASSET, 100n * E7)
  assert.equal(tryVault(host, 'deposit', [address('GCAROL'), i128(E7)], ['GCAROL']), contractError(13), 'no trustline for the LP token')
})

test('withdraw checks its errors in the documented order', () => {
  const host = createVault()
  const withdraw = (withdrawer: string, amount: bigint): string => tryVault(host, 'withdraw', [address(withdrawer), i128(amount)])
  assert.equal(tryVault(createUninitializedVault(), 'withdraw', [address(ALICE), i128(0n)], []), contractError(1))
  host.invokeOk(VAULT, 'pause', [], [ADMIN])
  assert.equal(tryVault(host, 'withdraw', [address(ALICE), i128(0n)], []), contractError(4))
  host.invokeOk(VAULT, 'unpause', [], [ADMIN])
  assert.equal(tryVault(host, 'withdraw', [address(ALICE), i128(0n)], []), contractError(41))
  assert.equal(tryVault(host, 'withdraw', [address(ALICE), i128(E7)], [BOB]), UNAUTHORIZED)
  host.invokeOk(LP, 'mint', [address(BOB), i128(E7)], [ISSUER])
  assert.equal(withdraw(BOB, E7 + 1n), contractError(42))
  assert.equal(withdraw(BOB, E7), contractError(7), 'no LP tokens in circulation')
  deposit(host, ALICE, 1000n * E7)
  assert.equal(withdraw(ALICE, 997n * E7), contractError(9), 'error of the token: no allowance')
  approveLp(host, ALICE, 997n * E7)
  host.invokeOk(VAULT, 'reserve_for_position', [symbol('BTC'), i128(200n * E7), i128(200n * E7)], [MARKET])
  assert.equal(withdraw(ALICE, 900n * E7), contractError(40), 'the rest would not cover the reserved payouts')
  host.invokeOk(VAULT, 'sync_exposure', [symbol('BTC'), i128(-500n * E7), i128(200n * E7)], [MARKET])
  assert.equal(withdraw(ALICE, 997n * E7), contractError(40), 'more than the USDC balance')
  host.invokeOk(VAULT, 'sync_exposure', [symbol('BTC'), i128(2000n * E7), i128(0n)], [MARKET])
  assert.equal(withdraw(ALICE, 100n * E7), contractError(41), 'AUM is at least zero, so the payout is zero')
})

test('a reservation is limited to 70 % of AUM, 25 % per side and the USDC balance', () => {
  const host = createVault()
  deposit(host, ALICE, 1000n * E7)
  const reserve = (amount: bigint, sideAfter: bigint): string =>
    tryVault(host, 'reserve_for_position', [symbol('BTC'), i128(amount), i128(sideAfter)])
  // AUM 1003: 70 % is 702.1, 25 % is 250.75.
  const aggregateCap = 7_021_000_000n
  const sideCap = 2_507_500_000n
  assert.equal(reserve(0n, 0n), contractError(41))
  assert.equal(reserve(aggregateCap + 1n, 0n), contractError(82))
  assert.equal(reserve(1n, sideCap + 1n), contractError(82))
  assert.equal(reserve(aggregateCap, sideCap), 'ok')
  assert.equal(reserve(1n, 1n), contractError(82), 'the aggregate cap is used up')
  assert.equal(view(host, 'get_reserved_payout'), aggregateCap)
  host.invokeOk(VAULT, 'set_reserve_cap', [u32(10_000)], [ADMIN])
  host.invokeOk(VAULT, 'set_asset_cap', [symbol('BTC'), u32(10_000)], [ADMIN])
  assert.equal(reserve(1000n * E7 - aggregateCap, 0n), 'ok')
  assert.equal(reserve(1n, 0n), contractError(40), 'within AUM, which counts the fee twice, but above the balance')
})

test('settling a profit pays up to the balance, records the shortfall and emits it before pnl_settled', () => {
  const host = createVault()
  deposit(host, ALICE, 100n * E7)
  assert.deepEqual(vaultEvents(host, 'settle_pnl', [i128(30n * E7)]), [[['pnl_settled'], [30n * E7]]])
  assert.equal(view(host, 'get_total_usdc'), 70n * E7)
  assert.deepEqual(vaultEvents(host, 'settle_pnl', [i128(-5n * E7)]), [[['pnl_settled'], [-5n * E7]]])
  assert.equal(view(host, 'get_total_usdc'), 70n * E7, 'a loss is credited by receive_loss')
  const result = host.invokeOk(VAULT, 'settle_pnl', [i128(100n * E7)], [MARKET])
  assert.equal(toNative(result.value), 70n * E7)
  assert.deepEqual(result.events.map((event) => toNativeEvent(event)[1][0]), ['transfer', 'payout_shortfall', 'pnl_settled'])
  assert.deepEqual(toNativeEvent(result.events[1] ?? assert.fail())[2], [100n * E7, 70n * E7, 30n * E7])
  assert.deepEqual([view(host, 'get_total_usdc'), view(host, 'get_shortfall')], [0n, 30n * E7])
  assert.deepEqual(vaultEvents(host, 'settle_pnl', [i128(1n)]), [[['payout_shortfall'], [1n, 0n, 1n]], [['pnl_settled'], [1n]]])
})

test('profits are paid from the buffer before the pool', () => {
  const host = createVault()
  deposit(host, ALICE, 100n * E7)
  assert.deepEqual(vaultEvents(host, 'seed_buffer', [address(BOB), i128(20n * E7)]), [[['buffer_seeded'], [20n * E7]]])
  assert.equal(view(host, 'get_total_usdc'), 100n * E7, 'the buffer is not part of the pool')
  vaultEvents(host, 'settle_pnl', [i128(15n * E7)])
  assert.equal(view(host, 'get_total_usdc'), 100n * E7)
  vaultEvents(host, 'settle_pnl', [i128(15n * E7)])
  assert.equal(view(host, 'get_total_usdc'), 90n * E7)
  assert.deepEqual(vaultEvents(host, 'credit_buffer', [i128(E7)]), [[['buffer_funded'], [E7]]])
  for (const name of ['seed_buffer', 'credit_buffer']) {
    assert.equal(tryVault(host, name, name === 'seed_buffer' ? [address(BOB), i128(0n)] : [i128(0n)]), contractError(41))
  }
})

test('sync_exposure replaces the asset\'s PnL in the total and releases reservations, but not below zero', () => {
  const host = createVault()
  deposit(host, ALICE, 1000n * E7)
  host.invokeOk(VAULT, 'reserve_for_position', [symbol('BTC'), i128(100n), i128(100n)], [MARKET])
  const sync = (asset: string, pnl: bigint, release: bigint): unknown[] =>
    vaultEvents(host, 'sync_exposure', [symbol(asset), i128(pnl), i128(release)])
  assert.deepEqual(sync('BTC', 50n, 0n), [[['exposure_synced', 'BTC'], [50n, 50n, 0n]]])
  assert.deepEqual(sync('ETH', -20n, 30n), [[['exposure_synced', 'ETH'], [-20n, 30n, 30n]]])
  assert.deepEqual(sync('BTC', 10n, 1_000n), [[['exposure_synced', 'BTC'], [10n, -10n, 1_000n]]])
  assert.deepEqual([view(host, 'get_reserved_payout'), view(host, 'get_asset_unrealized_pnl', symbol('ETH'))], [0n, -20n])
  assert.equal(view(host, 'get_aum'), 1003n * E7 + 10n)
})

test('only the market can call the settlement entry points', () => {
  const host = createVault()
  for (const [name, args] of [
    ['settle_pnl', [i128(1n)]], ['receive_loss', [i128(1n)]], ['credit_buffer', [i128(1n)]],
    ['sync_exposure', [symbol('BTC'), i128(1n), i128(0n)]], ['reserve_for_position', [symbol('BTC'), i128(1n), i128(1n)]],
  ] as const) {
    assert.equal(tryVault(host, name, args, [ADMIN, ALICE]), UNAUTHORIZED, name)
    assert.equal(tryVault(createUninitializedVault(), name, args), contractError(1), name)
  }
  assert.equal(tryVault(host, 'receive_loss', [i128(0n)]), contractError(41))
  assert.deepEqual(vaultEvents(host, 'receive_loss', [i128(7n)]), [[['loss_received'], [7n]]])
  assert.equal(view(host, 'get_total_usdc'), 7n)
})

test('admin entry points require the admin, validate parameters and emit events', () => {
  const host = createVault()
  const rows: [string, Val[], unknown[]][] = [
    ['set_market_contract', [address('CNEW')], [[['market_updated'], [MARKET, 'CNEW']]]],
    ['set_deposit_fee', [u32(1000)], [[['deposit_fee_updated'], [1000]]]],
    ['set_withdraw_fee', [u32(0)], [[['withdraw_fee_updated'], [0]]]],
    ['set_reserve_cap', [u32(1)], []],
    ['set_asset_cap', [symbol('BTC'), u32(10_000)], []],
    ['set_deposit_cap', [i128(5n)], [[['deposit_cap_set'], [5n]]]],
    ['pause', [], [[['paused'], null]]],
    ['unpause', [], [[['unpaused'], null]]],
  ]
  for (const [name, args, events] of rows) {
    assert.equal(tryVault(host, name, args, [ALICE, MARKET]), UNAUTHORIZED, name)
    assert.equal(tryVault(createUninitializedVault(), name, args), contractError(1), name)
    assert.deepEqual(vaultEvents(host, name, args), events, name)
  }
  for (const [name, args] of [
    ['set_deposit_fee', [u32(1001)]], ['set_withdraw_fee', [u32(1001)]], ['set_reserve_cap', [u32(0)]], ['set_reserve_cap', [u32(10_001)]],
    ['set_asset_cap', [symbol('BTC'), u32(0)]], ['emergency_withdraw', [i128(1n), address(BOB)]],
  ] as const) {
    assert.equal(tryVault(host, name, args), contractError(5), name)
  }
  assert.equal(tryVault(host, 'set_deposit_cap', [i128(-1n)]), contractError(41))
  assert.deepEqual([view(host, 'get_deposit_fee'), view(host, 'get_withdraw_fee'), view(host, 'get_deposit_cap')], [1000, 0, 5n])
  assert.equal(tryVault(host, 'upgrade', [{ type: 'bytes', value: new Uint8Array(32) }]), 'Error(Storage, MissingValue)')
})

test('set_admin requires the authorization of both admins', () => {
  const host = createVault()
  assert.equal(tryVault(host, 'set_admin', [address(ALICE)], [ADMIN]), UNAUTHORIZED)
  assert.equal(tryVault(host, 'set_admin', [address(ALICE)], [ALICE]), UNAUTHORIZED)
  assert.deepEqual(vaultEvents(host, 'set_admin', [address(ALICE)]), [[['admin_updated'], [ADMIN, ALICE]]])
  assert.equal(view(host, 'get_admin'), ALICE)
})

test('emergency_withdraw works only while paused and up to the balance', () => {
  const host = createVault()
  deposit(host, ALICE, 100n * E7)
  host.invokeOk(VAULT, 'pause', [], [ADMIN])
  assert.equal(tryVault(host, 'emergency_withdraw', [i128(0n), address(BOB)]), contractError(41))
  assert.equal(tryVault(host, 'emergency_withdraw', [i128(100n * E7 + 1n), address(BOB)]), contractError(40))
  assert.deepEqual(vaultEvents(host, 'emergency_withdraw', [i128(40n * E7), address(BOB)]), [[['emergency_withdraw'], [40n * E7, BOB]]])
  assert.deepEqual([view(host, 'get_usdc_balance'), view(host, 'get_total_usdc'), view(host, 'is_paused')], [60n * E7, 100n * E7, true])
})

test('initialize works once, by the admin, with fees up to 1000 bps', () => {
  const host = createUninitializedVault()
  assert.equal(tryVault(host, 'initialize', initializeArgs(), [ALICE]), UNAUTHORIZED)
  assert.equal(tryVault(host, 'initialize', initializeArgs(1001, 30)), contractError(5))
  assert.equal(tryVault(host, 'initialize', initializeArgs(30, 1001)), contractError(5))
  assert.deepEqual(vaultEvents(host, 'initialize', initializeArgs(1000, 1000)), [[['initialized'], [ADMIN, MARKET, USDC, LP]]])
  assert.equal(tryVault(host, 'initialize', initializeArgs()), contractError(2))
  assert.deepEqual(
    ['get_noe_token', 'get_usdc_token', 'get_market_contract', 'get_admin', 'is_paused'].map((name) => view(host, name)),
    [LP, USDC, MARKET, ADMIN, false],
  )
})

test('the views of an uninitialized vault answer with defaults, except those that need its contracts or its pool', () => {
  const { entryPoints } = liquidityVaultContract()
  const names = Object.keys(entryPoints).filter((name) => name.startsWith('get_') || name === 'is_paused')
  const results = names.map((name) => {
    const [input] = entryPoints[name]?.inputs ?? []
    const args = input === undefined ? [] : [input[1] === 'symbol' ? symbol('BTC') : address(ALICE)]
    return [name, tryVault(createUninitializedVault(), name, args)]
  })
  const failing = results.filter(([, result]) => result !== 'ok')
  assert.deepEqual([names.length, failing.filter(([, result]) => result === contractError(1)).map(([name]) => name)], [
    19, ['get_pool_info', 'get_noe_price', 'get_aum', 'get_usdc_balance', 'get_noe_token', 'get_usdc_token', 'get_market_contract', 'get_admin'],
  ])
  assert.deepEqual(failing.filter(([, result]) => result !== contractError(1)), [['get_noe_balance', TRAP]])
  const host = createUninitializedVault()
  assert.deepEqual([view(host, 'get_deposit_fee'), view(host, 'get_withdraw_fee'), view(host, 'get_total_usdc')], [30, 30, 0n])
})

test('seed_buffer checks the admin\'s authorization, the amount and the payer\'s authorization in this order', () => {
  const host = createVault()
  const seed = (amount: bigint, signers: string[]): string => tryVault(host, 'seed_buffer', [address(ALICE), i128(amount)], signers)
  assert.deepEqual([seed(0n, [ALICE]), seed(0n, [ADMIN]), seed(1n, [ADMIN])], [UNAUTHORIZED, contractError(41), UNAUTHORIZED])
})
