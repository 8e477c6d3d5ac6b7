import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from './host.ts'
import { address, i128, symbol, u32 } from './host.ts'
import { liquidityVaultContract } from './liquidity-vault.ts'
import { createTestHost, type TestHost, toNative, toNativeEvent } from './test-host.ts'
import { assetContract } from './token.ts'
import { UNAUTHORIZED } from './test-exchange.ts'

const ISSUER = 'GISSUER'
const ADMIN = 'GADMIN'
const ALICE = 'GALICE'
const BOB = 'GBOB'
const MARKET = 'CMARKET'
const VAULT = 'CVAULT'
const USDC = 'CUSDC'
const LP = 'CLP'
const EVERYONE = [ISSUER, ADMIN, ALICE, BOB, MARKET]
const P = 10_000_000n

function bare(): TestHost {
  return createTestHost({
    [VAULT]: liquidityVaultContract(),
    [USDC]: assetContract(`USDC:${ISSUER}`),
    [LP]: assetContract(`NOE:${ISSUER}`),
  })
}

const initializeArgs = (depositFee = 30, withdrawFee = 30): Val[] => [
  address(ADMIN), address(USDC), address(LP), address(MARKET), u32(depositFee), u32(withdrawFee),
]

function world(): TestHost {
  const host = bare()
  host.invokeOk(VAULT, 'initialize', initializeArgs(), [ADMIN])
  host.invokeOk(LP, 'mint', [address(VAULT), i128(1_000_000n * P)], [ISSUER])
  for (const account of [ALICE, BOB]) {
    host.fund(account, `USDC:${ISSUER}`, 10_000n * P)
    host.fund(account, `NOE:${ISSUER}`, 0n)
  }
  return host
}

function call(host: TestHost, name: string, args: readonly Val[] = [], signers = EVERYONE): string {
    return host.tryInvoke(VAULT, name, args, signers)
  }

const view = (host: TestHost, name: string, ...args: Val[]): unknown => toNative(host.invokeOk(VAULT, name, args).value)
const deposit = (host: TestHost, who: string, amount: bigint): string => call(host, 'deposit', [address(who), i128(amount)])

function vaultEvents(host: TestHost, name: string, args: readonly Val[]): unknown[] {
  const { events } = host.invokeOk(VAULT, name, args, EVERYONE)
  return events.filter((event) => event.contract === VAULT).map((event) => toNativeEvent(event).slice(1))
}

const error = (code: number): string => `Error(Contract, #${code})`

function approveLp(host: TestHost, who: string, amount: bigint): void {
  host.invokeOk(LP, 'approve', [address(who), address(VAULT), i128(amount), u32(10_000)], [who])
}

test('a first deposit mints 1 to 1 less the fee, which AUM counts twice', () => {
  const host = world()
  // 1000 USDC: fee 0.30 % = 3; minted 997; AUM 1000 + 3; price floor(1003 / 997) at 7 decimals.
  assert.deepEqual(vaultEvents(host, 'deposit', [address(ALICE), i128(1000n * P)]), [
    [['deposit'], [ALICE, 1000n * P, 997n * P, 3n * P]],
  ])
  assert.deepEqual(view(host, 'get_pool_info'), {
    aum: 1003n * P, total_fees: 3n * P, total_glp: 997n * P, total_usdc: 1000n * P, unrealized_pnl: 0n,
  })
  assert.equal(view(host, 'get_noe_price'), 10_060_180n)
  assert.equal(view(host, 'get_noe_balance', address(ALICE)), 997n * P)
  assert.equal(view(host, 'get_deposited', address(ALICE)), 1000n * P)
})

test('a later deposit buys at the pool\'s price, and a withdrawal pays the share of AUM less its fee', () => {
  const host = world()
  deposit(host, ALICE, 1000n * P)
  // 100 USDC less 0.3: floor(997_000_000 x 9_970_000_000 / 10_030_000_000) = 991_035_892.
  assert.deepEqual(vaultEvents(host, 'deposit', [address(BOB), i128(100n * P)]), [[['deposit'], [BOB, 100n * P, 991_035_892n, 3_000_000n]]])
  // AUM 1103.3, circulating 1096.1035892: 100 LP are gross 1_006_565_447, fee floor(0.3 %) = 3_019_696, net 1_003_545_751.
  approveLp(host, ALICE, 100n * P)
  assert.deepEqual(vaultEvents(host, 'withdraw', [address(ALICE), i128(100n * P)]), [
    [['withdraw'], [ALICE, 100n * P, 1_003_545_751n, 3_019_696n]],
  ])
  assert.equal(view(host, 'get_total_usdc'), 1100n * P - 1_006_565_447n)
  assert.equal(view(host, 'get_total_noe'), 997n * P + 991_035_892n - 100n * P)
  assert.equal(view(host, 'get_usdc_balance'), 1100n * P - 1_003_545_751n)
})

test('deposit fails in the documented order', () => {
  const host = world()
  assert.equal(call(bare(), 'deposit', [address(ALICE), i128(0n)], []), error(1))
  host.invokeOk(VAULT, 'pause', [], [ADMIN])
  assert.equal(call(host, 'deposit', [address(ALICE), i128(0n)], []), error(4))
  host.invokeOk(VAULT, 'unpause', [], [ADMIN])
  assert.equal(call(host, 'deposit', [address(ALICE), i128(0n)], []), error(41))
  assert.equal(call(host, 'deposit', [address(ALICE), i128(P)], [BOB]), UNAUTHORIZED)
  host.invokeOk(VAULT, 'set_deposit_cap', [i128(100n * P)], [ADMIN])
  assert.equal(deposit(host, ALICE, 100n * P), 'ok')
  assert.equal(deposit(host, ALICE, 1n), error(43), 'cumulative, and before the amount that mints nothing')
  assert.equal(deposit(host, BOB, 100n * P), 'ok', 'the cap is per account')
  host.invokeOk(VAULT, 'set_deposit_cap', [i128(0n)], [ADMIN])
  assert.equal(deposit(host, ALICE, 1n), error(41), 'one unit buys no LP token above the price of 1')
  assert.equal(deposit(host, ALICE, 2_000_000n * P), error(40), 'more LP tokens than the vault holds')
  assert.equal(deposit(host, ALICE, 2n ** 126n), error(6))
  assert.equal(deposit(host, ALICE, 20_000n * P), error(10), 'the token\'s own code: too little USDC')
  host.fund('GCAROL', `USDC:${ISSUER}`, 100n * P)
  assert.equal(call(host, 'deposit', [address('GCAROL'), i128(P)], ['GCAROL']), error(13), 'no trustline for the LP token')
})

test('withdraw fails in the documented order', () => {
  const host = world()
  const withdraw = (who: string, amount: bigint): string => call(host, 'withdraw', [address(who), i128(amount)])
  assert.equal(call(bare(), 'withdraw', [address(ALICE), i128(0n)], []), error(1))
  host.invokeOk(VAULT, 'pause', [], [ADMIN])
  assert.equal(call(host, 'withdraw', [address(ALICE), i128(0n)], []), error(4))
  host.invokeOk(VAULT, 'unpause', [], [ADMIN])
  assert.equal(call(host, 'withdraw', [address(ALICE), i128(0n)], []), error(41))
  assert.equal(call(host, 'withdraw', [address(ALICE), i128(P)], [BOB]), UNAUTHORIZED)
  host.invokeOk(LP, 'mint', [address(BOB), i128(P)], [ISSUER])
  assert.equal(withdraw(BOB, P + 1n), error(42))
  assert.equal(withdraw(BOB, P), error(7), 'LP tokens exist, none in circulation')
  deposit(host, ALICE, 1000n * P)
  assert.equal(withdraw(ALICE, 997n * P), error(9), 'not approved: the token\'s own code')
  approveLp(host, ALICE, 997n * P)
  host.invokeOk(VAULT, 'reserve_for_position', [symbol('BTC'), i128(200n * P), i128(200n * P)], [MARKET])
  assert.equal(withdraw(ALICE, 900n * P), error(40), 'would undercut the reserved payouts')
  host.invokeOk(VAULT, 'sync_exposure', [symbol('BTC'), i128(-500n * P), i128(200n * P)], [MARKET])
  assert.equal(withdraw(ALICE, 997n * P), error(40), 'more than the physical balance')
  host.invokeOk(VAULT, 'sync_exposure', [symbol('BTC'), i128(2000n * P), i128(0n)], [MARKET])
  assert.equal(withdraw(ALICE, 100n * P), error(41), 'AUM floors at zero, so nothing is paid')
})

test('a reservation is capped at 70 % of AUM, then 25 % per side, then the physical balance', () => {
  const host = world()
  deposit(host, ALICE, 1000n * P)
  const reserve = (amount: bigint, sideAfter: bigint): string =>
    call(host, 'reserve_for_position', [symbol('BTC'), i128(amount), i128(sideAfter)])
  // AUM 1003: 70 % is 702.1, 25 % is 250.75.
  const all = 7_021_000_000n
  const side = 2_507_500_000n
  assert.equal(reserve(0n, 0n), error(41))
  assert.equal(reserve(all + 1n, 0n), error(82))
  assert.equal(reserve(1n, side + 1n), error(82))
  assert.equal(reserve(all, side), 'ok')
  assert.equal(reserve(1n, 1n), error(82), 'the aggregate cap is used up')
  assert.equal(view(host, 'get_reserved_payout'), all)
  host.invokeOk(VAULT, 'set_reserve_cap', [u32(10_000)], [ADMIN])
  host.invokeOk(VAULT, 'set_asset_cap', [symbol('BTC'), u32(10_000)], [ADMIN])
  assert.equal(reserve(1000n * P - all, 0n), 'ok')
  assert.equal(reserve(1n, 0n), error(40), 'within AUM, which counts the fee twice, yet above the balance')
})

test('settling a profit pays what there is, records the rest, and says shortfall before settled', () => {
  const host = world()
  deposit(host, ALICE, 100n * P)
  assert.deepEqual(vaultEvents(host, 'settle_pnl', [i128(30n * P)]), [[['pnl_settled'], [30n * P]]])
  assert.equal(view(host, 'get_total_usdc'), 70n * P)
  assert.deepEqual(vaultEvents(host, 'settle_pnl', [i128(-5n * P)]), [[['pnl_settled'], [-5n * P]]])
  assert.equal(view(host, 'get_total_usdc'), 70n * P, 'a loss is credited when it is received, not here')
  const result = host.invokeOk(VAULT, 'settle_pnl', [i128(100n * P)], [MARKET])
  assert.equal(toNative(result.value), 70n * P)
  assert.deepEqual(result.events.map((event) => toNativeEvent(event)[1][0]), ['transfer', 'payout_shortfall', 'pnl_settled'])
  assert.deepEqual(toNativeEvent(result.events[1] ?? assert.fail())[2], [100n * P, 70n * P, 30n * P])
  assert.deepEqual([view(host, 'get_total_usdc'), view(host, 'get_shortfall')], [0n, 30n * P])
  assert.deepEqual(vaultEvents(host, 'settle_pnl', [i128(1n)]), [[['payout_shortfall'], [1n, 0n, 1n]], [['pnl_settled'], [1n]]])
})

test('the buffer pays before the pool', () => {
  const host = world()
  deposit(host, ALICE, 100n * P)
  assert.deepEqual(vaultEvents(host, 'seed_buffer', [address(BOB), i128(20n * P)]), [[['buffer_seeded'], [20n * P]]])
  assert.equal(view(host, 'get_total_usdc'), 100n * P, 'the buffer is no part of the pool')
  vaultEvents(host, 'settle_pnl', [i128(15n * P)])
  assert.equal(view(host, 'get_total_usdc'), 100n * P)
  vaultEvents(host, 'settle_pnl', [i128(15n * P)])
  assert.equal(view(host, 'get_total_usdc'), 90n * P)
  assert.deepEqual(vaultEvents(host, 'credit_buffer', [i128(P)]), [[['buffer_funded'], [P]]])
  for (const name of ['seed_buffer', 'credit_buffer']) {
    assert.equal(call(host, name, name === 'seed_buffer' ? [address(BOB), i128(0n)] : [i128(0n)]), error(41))
  }
})

test('exposure replaces the asset\'s figure inside the total and releases reservations down to zero, never below', () => {
  const host = world()
  deposit(host, ALICE, 1000n * P)
  host.invokeOk(VAULT, 'reserve_for_position', [symbol('BTC'), i128(100n), i128(100n)], [MARKET])
  const sync = (asset: string, pnl: bigint, release: bigint): unknown[] =>
    vaultEvents(host, 'sync_exposure', [symbol(asset), i128(pnl), i128(release)])
  assert.deepEqual(sync('BTC', 50n, 0n), [[['exposure_synced', 'BTC'], [50n, 50n, 0n]]])
  assert.deepEqual(sync('ETH', -20n, 30n), [[['exposure_synced', 'ETH'], [-20n, 30n, 30n]]])
  assert.deepEqual(sync('BTC', 10n, 1_000n), [[['exposure_synced', 'BTC'], [10n, -10n, 1_000n]]])
  assert.deepEqual([view(host, 'get_reserved_payout'), view(host, 'get_asset_unrealized_pnl', symbol('ETH'))], [0n, -20n])
  assert.equal(view(host, 'get_aum'), 1003n * P + 10n)
})

test('what the market may do, nobody else may', () => {
  const host = world()
  for (const [name, args] of [
    ['settle_pnl', [i128(1n)]], ['receive_loss', [i128(1n)]], ['credit_buffer', [i128(1n)]],
    ['sync_exposure', [symbol('BTC'), i128(1n), i128(0n)]], ['reserve_for_position', [symbol('BTC'), i128(1n), i128(1n)]],
  ] as const) {
    assert.equal(call(host, name, args, [ADMIN, ALICE]), UNAUTHORIZED, name)
    assert.equal(call(bare(), name, args), error(1), name)
  }
  assert.equal(call(host, 'receive_loss', [i128(0n)]), error(41))
  assert.deepEqual(vaultEvents(host, 'receive_loss', [i128(7n)]), [[['loss_received'], [7n]]])
  assert.equal(view(host, 'get_total_usdc'), 7n)
})

test('administration: who signs, what is refused, what is told', () => {
  const host = world()
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
    assert.equal(call(host, name, args, [ALICE, MARKET]), UNAUTHORIZED, name)
    assert.equal(call(bare(), name, args), error(1), name)
    assert.deepEqual(vaultEvents(host, name, args), events, name)
  }
  for (const [name, args] of [
    ['set_deposit_fee', [u32(1001)]], ['set_withdraw_fee', [u32(1001)]], ['set_reserve_cap', [u32(0)]], ['set_reserve_cap', [u32(10_001)]],
    ['set_asset_cap', [symbol('BTC'), u32(0)]], ['set_deposit_cap', [i128(-1n)]], ['emergency_withdraw', [i128(1n), address(BOB)]],
  ] as const) {
    assert.equal(call(host, name, args), error(5), name)
  }
  assert.deepEqual([view(host, 'get_deposit_fee'), view(host, 'get_withdraw_fee'), view(host, 'get_deposit_cap')], [1000, 0, 5n])
  assert.equal(call(host, 'upgrade', [{ type: 'bytes', value: new Uint8Array(32) }]), 'Error(Storage, MissingValue)')
})

test('the admin hands over only with both signatures', () => {
  const host = world()
  assert.equal(call(host, 'set_admin', [address(ALICE)], [ADMIN]), UNAUTHORIZED)
  assert.equal(call(host, 'set_admin', [address(ALICE)], [ALICE]), UNAUTHORIZED)
  assert.deepEqual(vaultEvents(host, 'set_admin', [address(ALICE)]), [[['admin_updated'], [ADMIN, ALICE]]])
  assert.equal(view(host, 'get_admin'), ALICE)
})

test('the emergency exit works only while paused, and only up to the balance', () => {
  const host = world()
  deposit(host, ALICE, 100n * P)
  host.invokeOk(VAULT, 'pause', [], [ADMIN])
  assert.equal(call(host, 'emergency_withdraw', [i128(0n), address(BOB)]), error(41))
  assert.equal(call(host, 'emergency_withdraw', [i128(100n * P + 1n), address(BOB)]), error(40))
  assert.deepEqual(vaultEvents(host, 'emergency_withdraw', [i128(40n * P), address(BOB)]), [[['emergency_withdraw'], [40n * P, BOB]]])
  assert.deepEqual([view(host, 'get_usdc_balance'), view(host, 'get_total_usdc'), view(host, 'is_paused')], [60n * P, 60n * P, true])
})

test('initialising: once, by the admin, with fees up to 1000 bps', () => {
  const host = bare()
  assert.equal(call(host, 'initialize', initializeArgs(), [ALICE]), UNAUTHORIZED)
  assert.equal(call(host, 'initialize', initializeArgs(1001, 30)), error(5))
  assert.equal(call(host, 'initialize', initializeArgs(30, 1001)), error(5))
  assert.deepEqual(vaultEvents(host, 'initialize', initializeArgs(1000, 1000)), [[['initialized'], [ADMIN, MARKET, USDC, LP]]])
  assert.equal(call(host, 'initialize', initializeArgs()), error(2))
  assert.deepEqual(
    ['get_noe_token', 'get_usdc_token', 'get_market_contract', 'get_admin', 'is_paused'].map((name) => view(host, name)),
    [LP, USDC, MARKET, ADMIN, false],
  )
})

test('every view of an uninitialised vault fails with 1', () => {
  const { entryPoints } = liquidityVaultContract()
  const views = Object.keys(entryPoints).filter((name) => name.startsWith('get_') || name === 'is_paused')
  assert.equal(views.length, 19)
  for (const name of views) {
    const [input] = entryPoints[name]?.inputs ?? []
    const args = input === undefined ? [] : [input[1] === 'symbol' ? symbol('BTC') : address(ALICE)]
    assert.equal(call(bare(), name, args), error(1), name)
  }
})
