import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, i128, symbol, u32 } from '../../shared/host.ts'
import { ADMIN, ALICE, BOB, contractError, E7, MARKET, PROVIDER, UNAUTHORIZED, USDC, VAULT } from '../../../test/contracts/generation-1/test-exchange.ts'
import { toNativeEvent } from '../../../test/contracts/test-host.ts'
import { createTestVault, createUninitializedVault, depositArgs, reserveArgs, type TestVault } from '../../../test/contracts/generation-2/test-vault.ts'

/** A vault with `liquidity` and no LP fees. */
function createFundedVault(liquidity: bigint): TestVault {
  const vault = createTestVault('2.3', [0, 0])
  vault.call('deposit', ...depositArgs(PROVIDER, liquidity))
  return vault
}

/** The state of the live vault on 2026-08-27, produced by real calls. */
function createLiveVault(): TestVault {
  const vault = createTestVault('2.3', [1000, 30])
  vault.call('deposit', ...depositArgs(PROVIDER, 1_141_590_000_000n))
  // The LP price becomes 1, so that the second deposit mints its own amount.
  vault.call('sync_exposure', symbol('BTC'), i128(114_159_000_000n), i128(0n))
  vault.call('set_deposit_fee', u32(0))
  vault.call('deposit', ...depositArgs(PROVIDER, 28_347_010_610_714n))
  vault.receiveLoss(13_238_087_802_936n)
  vault.call('sync_exposure', symbol('BTC'), i128(316_863_694_341n), i128(0n))
  vault.call('reserve_for_position', ...reserveArgs(9_278_414_157_885n, 0n))
  return vault
}

test('AUM and LP price of the live vault on 2026-08-27', () => {
  const vault = createLiveVault()
  assert.deepEqual(vault.call('get_pool_info'), {
    aum: 42_409_824_719_309n, total_fees: 114_159_000_000n, total_glp: 29_374_441_610_714n, total_usdc: 42_612_529_413_650n,
    unrealized_pnl: 316_863_694_341n,
  })
  assert.equal(vault.call('get_noe_price'), 14_437_661n)
  assert.deepEqual([vault.call('get_usdc_balance'), vault.call('get_reserved_payout')], [42_726_688_413_650n, 9_278_414_157_885n])
})

test('the caps of the live vault on 2026-08-27: reserve, side and imbalance', () => {
  const vault = createLiveVault()
  const reserve = (amount: bigint, sideAfter: bigint, skewBefore = 0n, skewAfter = 0n): string =>
    vault.try('reserve_for_position', reserveArgs(amount, sideAfter, skewBefore, skewAfter))
  const [left, sideCap, skewCap] = [20_408_463_145_631n, 10_602_456_179_827n, 6_361_473_707_896n]
  assert.equal(reserve(left + 1n, 0n), contractError(82))
  assert.equal(reserve(1n, sideCap + 1n), contractError(82))
  assert.equal(reserve(1n, sideCap, 0n, skewCap + 1n), contractError(89))
  assert.equal(reserve(1n, sideCap, -skewCap - 2n, skewCap + 1n), 'ok', 'an imbalance above the cap may shrink')
  assert.equal(reserve(1n, sideCap, skewCap + 1n, -skewCap - 1n), 'ok', 'and may change sides without growing')
  assert.equal(reserve(left - 2n, sideCap, 0n, -skewCap), 'ok', 'all caps are inclusive')
  assert.equal(vault.call('get_reserved_payout'), 29_686_877_303_516n)
  assert.deepEqual(vault.call('get_asset_caps', symbol('BTC')), [2500, 0n, 1500, sideCap])
})

test('reserve_for_position checks 41, authorization, 82 for the total, 82 for the side, 89 and 40 in this order', () => {
  const vault = createFundedVault(1000n * E7)
  const reserve = (...args: readonly [bigint, bigint, bigint?, bigint?]): string => vault.try('reserve_for_position', reserveArgs(...args))
  assert.equal(vault.try('reserve_for_position', reserveArgs(0n, 0n), []), contractError(41))
  assert.equal(vault.try('reserve_for_position', reserveArgs(1n, 0n), [ADMIN]), UNAUTHORIZED)
  const tooMuch = [701n * E7, 251n * E7, 0n, 151n * E7] as const
  assert.equal(reserve(...tooMuch), contractError(82))
  assert.equal(reserve(1n, 251n * E7, 0n, 151n * E7), contractError(82))
  assert.equal(reserve(1n, 250n * E7, 0n, 151n * E7), contractError(89))
  // AUM 3000 with a balance of 1000.
  vault.call('sync_exposure', symbol('BTC'), i128(-2000n * E7), i128(0n))
  assert.equal(reserve(1001n * E7, 0n, 0n, 451n * E7), contractError(89))
  assert.equal(reserve(1001n * E7, 0n), contractError(40))
  assert.equal(reserve(1000n * E7, 0n), 'ok')
})

test('the absolute cap of an asset applies when it is lower than its share of AUM', () => {
  const vault = createFundedVault(1000n * E7)
  assert.deepEqual(vault.events('set_asset_cap_abs', symbol('PUMP'), i128(100n * E7)), [[['asset_cap_abs_set'], ['PUMP', 100n * E7]]])
  assert.deepEqual(vault.call('get_asset_caps', symbol('PUMP')), [2500, 100n * E7, 1500, 100n * E7])
  assert.equal(vault.try('reserve_for_position', reserveArgs(1n, 100n * E7 + 1n, 0n, 0n, 'PUMP')), contractError(82))
  assert.equal(vault.try('reserve_for_position', reserveArgs(1n, 100n * E7, 0n, 0n, 'PUMP')), 'ok')
  vault.call('set_asset_cap_abs', symbol('PUMP'), i128(300n * E7))
  assert.equal(vault.try('reserve_for_position', reserveArgs(1n, 250n * E7 + 1n, 0n, 0n, 'PUMP')), contractError(82))
})

test('a profit is paid from the buffer, then the pool; the rest becomes the trader\'s claim', () => {
  const vault = createFundedVault(100n * E7)
  assert.deepEqual(vault.events('seed_buffer', address(BOB), i128(20n * E7)), [[['buffer_seeded'], [20n * E7, 0n]]])
  assert.deepEqual(vault.events('settle_pnl', address(ALICE), i128(30n * E7)), [[['pnl_settled'], [30n * E7]]])
  assert.deepEqual([vault.call('get_buffer_balance'), vault.call('get_total_usdc')], [0n, 90n * E7])
  const result = vault.host.invokeOk(VAULT, 'settle_pnl', [address(ALICE), i128(100n * E7)], [MARKET])
  assert.deepEqual(result.events.map((event) => toNativeEvent(event).slice(1)), [
    [['transfer', VAULT, MARKET, `USDC:GISSUER`], 90n * E7],
    [['payout_shortfall'], [ALICE, 100n * E7, 90n * E7, 10n * E7]],
    [['pnl_settled'], [100n * E7]],
  ])
  assert.deepEqual(
    [vault.call('get_shortfall'), vault.call('get_cum_shortfall'), vault.call('get_shortfall_owed', address(ALICE)), vault.call('get_total_usdc')],
    [10n * E7, 10n * E7, 10n * E7, 0n],
  )
  assert.deepEqual(vault.events('settle_pnl', address(ALICE), i128(-5n * E7)), [[['pnl_settled'], [-5n * E7]]])
  assert.equal(vault.call('get_total_usdc'), 0n, 'a loss is credited by receive_loss')
})

test('half of what reaches the buffer is set aside for claims until it covers them, and claims are paid from it first', () => {
  const vault = createFundedVault(100n * E7)
  vault.call('settle_pnl', address(ALICE), i128(130n * E7))
  vault.call('settle_pnl', address(BOB), i128(10n * E7))
  assert.equal(vault.call('get_shortfall'), 40n * E7)
  vault.host.invokeOk(USDC, 'transfer', [address(MARKET), address(VAULT), i128(100n * E7)], [MARKET])
  assert.deepEqual(vault.events('fund_buffer', i128(20n * E7)), [[['buffer_funded'], [20n * E7, 10n * E7]]])
  assert.deepEqual(vault.events('fund_buffer', i128(80n * E7)), [[['buffer_funded'], [80n * E7, 30n * E7]]], 'no more than the claims')
  assert.deepEqual([vault.call('get_shortfall_reserve'), vault.call('get_buffer_balance')], [40n * E7, 60n * E7])
  vault.call('pause')
  const before = vault.usdc(ALICE)
  assert.deepEqual(vault.events('claim_shortfall', address(ALICE)), [[['shortfall_repaid'], [ALICE, 30n * E7, 0n]]])
  assert.equal(vault.usdc(ALICE) - before, 30n * E7)
  assert.deepEqual([vault.call('get_shortfall_reserve'), vault.call('get_buffer_balance')], [10n * E7, 60n * E7])
  assert.deepEqual([vault.call('get_shortfall'), vault.call('get_cum_shortfall_repaid')], [10n * E7, 30n * E7])
  assert.equal(vault.call('claim_shortfall', address(ALICE)), 0n, 'nothing is owed')
  assert.equal(vault.try('claim_shortfall', [address(BOB)], [ALICE]), UNAUTHORIZED)
  assert.equal(createUninitializedVault().tryInvoke(VAULT, 'claim_shortfall', [address(BOB)]), contractError(1))
})

test('a claim takes from the buffer what the reserve lacks and stays open for the rest', () => {
  const vault = createFundedVault(100n * E7)
  vault.call('settle_pnl', address(ALICE), i128(150n * E7))
  vault.call('seed_buffer', address(BOB), i128(30n * E7))
  assert.deepEqual(vault.events('claim_shortfall', address(ALICE)), [[['shortfall_repaid'], [ALICE, 30n * E7, 20n * E7]]])
  assert.deepEqual([vault.call('get_shortfall_reserve'), vault.call('get_buffer_balance'), vault.call('get_usdc_balance')], [0n, 0n, 0n])
  assert.equal(vault.call('claim_shortfall', address(ALICE)), 0n)
  assert.equal(vault.call('get_shortfall_owed', address(ALICE)), 20n * E7)
})

test('the shortfall reserve does not pay profits', () => {
  const vault = createFundedVault(100n * E7)
  vault.call('settle_pnl', address(ALICE), i128(200n * E7))
  vault.call('seed_buffer', address(BOB), i128(100n * E7))
  assert.equal(vault.call('settle_pnl', address(BOB), i128(100n * E7)), 50n * E7)
  assert.deepEqual([vault.call('get_usdc_balance'), vault.call('get_shortfall_reserve')], [50n * E7, 50n * E7])
})

test('receive_loss and receive_loss_for fail with 42 unless the USDC arrived, from build 2.1 on', () => {
  const vault = createFundedVault(100n * E7)
  assert.equal(vault.try('receive_loss', [i128(0n)], []), contractError(41))
  assert.equal(vault.try('receive_loss', [i128(1n)], [ADMIN]), UNAUTHORIZED)
  assert.equal(vault.try('receive_loss', [i128(1n)]), contractError(42))
  assert.equal(vault.try('receive_loss_for', [address(ALICE), i128(1n)]), contractError(42))
  vault.host.invokeOk(USDC, 'transfer', [address(MARKET), address(VAULT), i128(7n)], [MARKET])
  assert.deepEqual(vault.events('receive_loss_for', address(ALICE), i128(7n)), [[['loss_received'], [7n]]])
  assert.equal(vault.call('get_total_usdc'), 100n * E7 + 7n)
  assert.equal(createTestVault('2.0').try('receive_loss', [i128(1n)]), 'ok')
  assert.equal(createTestVault('2.2').try('receive_loss_for', [address(ALICE), i128(1n)]), 'Error(WasmVm, MissingValue)')
})

test('bad debt is covered from the buffer without a transfer, and the pool absorbs the rest', () => {
  const vault = createFundedVault(100n * E7)
  vault.call('seed_buffer', address(BOB), i128(5n * E7))
  assert.deepEqual(vault.events('draw_buffer', i128(3n * E7)), [[['buffer_drawn'], [3n * E7, 3n * E7]]])
  assert.deepEqual(vault.events('draw_buffer', i128(3n * E7)), [[['buffer_drawn'], [3n * E7, 2n * E7]]])
  assert.deepEqual([vault.call('get_buffer_balance'), vault.call('get_total_usdc'), vault.call('get_usdc_balance')], [0n, 105n * E7, 105n * E7])
  assert.deepEqual([vault.call('get_cum_bad_debt_covered'), vault.call('get_cum_bad_debt_lp_absorbed')], [5n * E7, E7])
})

test('a bounty is at most the buffer, and 0 if the buffer is empty; a keeper without a trustline makes it fail', () => {
  const vault = createFundedVault(100n * E7)
  vault.call('seed_buffer', address(BOB), i128(8n * E7))
  assert.deepEqual(vault.events('pay_bounty', address(ALICE), i128(5n * E7)), [[['bounty_paid'], [ALICE, 5n * E7, 5n * E7]]])
  assert.deepEqual(vault.events('pay_bounty', address(ALICE), i128(5n * E7)), [[['bounty_paid'], [ALICE, 5n * E7, 3n * E7]]])
  assert.deepEqual(vault.events('pay_bounty', address(ALICE), i128(5n * E7)), [[['bounty_paid'], [ALICE, 5n * E7, 0n]]])
  vault.call('seed_buffer', address(BOB), i128(8n * E7))
  assert.equal(vault.try('pay_bounty', [address('GNOTRUSTLINE'), i128(E7)]), contractError(13))
  assert.deepEqual(vault.events('pay_bounty', address('GNOTRUSTLINE'), i128(0n)), [], 'nothing is missing: no event')
  assert.equal(vault.try('pay_from_buffer', [address(BOB), i128(0n)]), contractError(41))
  assert.deepEqual(vault.events('pay_from_buffer', address(BOB), i128(9n * E7)), [[['buffer_paid'], [BOB, 9n * E7, 8n * E7]]])
})

test('a protocol fee fills the buffer to 10 % of the reserved payout and then goes to the treasury', () => {
  const vault = createFundedVault(1000n * E7)
  vault.call('reserve_for_position', ...reserveArgs(100n * E7, 0n))
  vault.host.invokeOk(USDC, 'transfer', [address(MARKET), address(VAULT), i128(30n * E7)], [MARKET])
  const route = (amount: bigint): unknown => vault.events('route_protocol_fee', i128(amount), address(BOB))
  assert.deepEqual(route(6n * E7), [[['protocol_fee_routed'], [6n * E7, 6n * E7, 0n]]])
  const before = vault.usdc(BOB)
  assert.deepEqual(route(6n * E7), [[['protocol_fee_routed'], [6n * E7, 4n * E7, 2n * E7]]])
  assert.deepEqual(route(6n * E7), [[['protocol_fee_routed'], [6n * E7, 0n, 6n * E7]]])
  assert.deepEqual([vault.call('get_buffer_balance'), vault.usdc(BOB) - before], [10n * E7, 8n * E7])
})

test('build 2.3 keeps a protocol fee that the treasury cannot receive, earlier builds fail', () => {
  for (const build of ['2.2', '2.3'] as const) {
    const vault = createTestVault(build)
    vault.host.invokeOk(USDC, 'transfer', [address(MARKET), address(VAULT), i128(E7)], [MARKET])
    const args = [i128(E7), address('GNOTRUSTLINE')]
    if (build === '2.2') {
      assert.equal(vault.try('route_protocol_fee', args), contractError(13))
    } else {
      assert.deepEqual(vault.events('route_protocol_fee', ...args), [
        [['treasury_unreachable'], ['GNOTRUSTLINE', E7]], [['protocol_fee_routed'], [E7, E7, 0n]],
      ])
      assert.deepEqual([vault.call('get_buffer_balance'), vault.call('get_usdc_balance')], [E7, E7])
    }
  }
})

test('build 2.3 transfers a protocol fee of 0 to the treasury too, earlier builds do not', () => {
  for (const [build, transfers] of [['2.2', 0], ['2.3', 1]] as const) {
    const vault = createTestVault(build, [0, 0])
    vault.call('deposit', ...depositArgs(PROVIDER, 1000n * E7))
    vault.call('reserve_for_position', ...reserveArgs(100n * E7, 0n))
    vault.host.invokeOk(USDC, 'transfer', [address(MARKET), address(VAULT), i128(E7)], [MARKET])
    const { events } = vault.host.invokeOk(VAULT, 'route_protocol_fee', [i128(E7), address(BOB)], [MARKET])
    assert.equal(events.filter(({ contract }) => contract === USDC).length, transfers, build)
    assert.deepEqual(vault.events('route_protocol_fee', i128(0n), address(BOB)), [], 'without a fee nothing happens')
  }
})

test('fund_buffer and route_protocol_fee fail with 42 unless the USDC has arrived, from build 2.1 on', () => {
  const funded = createFundedVault(100n * E7)
  for (const [name, args] of [['fund_buffer', [i128(1n)]], ['route_protocol_fee', [i128(1n), address('GNOTRUSTLINE')]]] as const) {
    assert.equal(funded.try(name, args), contractError(42), name)
  }
  assert.equal(createTestVault('2.0').try('fund_buffer', [i128(1n)]), 'ok')
})

test('the market authorizes fund_buffer and draw_buffer before they check the amount', () => {
  const vault = createFundedVault(100n * E7)
  for (const name of ['fund_buffer', 'draw_buffer']) {
    assert.equal(vault.try(name, [i128(0n)], [ADMIN]), UNAUTHORIZED, name)
    assert.equal(vault.try(name, [i128(0n)]), contractError(41), name)
  }
})

test('sync_exposure replaces the asset\'s PnL in the total and releases reservations, but not below zero', () => {
  const vault = createFundedVault(1000n * E7)
  vault.call('reserve_for_position', ...reserveArgs(100n, 100n))
  const sync = (asset: string, pnl: bigint, release: bigint): unknown => vault.events('sync_exposure', symbol(asset), i128(pnl), i128(release))
  assert.deepEqual(sync('BTC', 50n, 0n), [[['exposure_synced', 'BTC'], [50n, 50n, 0n]]])
  assert.deepEqual(sync('ETH', -20n, 30n), [[['exposure_synced', 'ETH'], [-20n, 30n, 30n]]])
  assert.deepEqual(sync('BTC', 10n, 1_000n), [[['exposure_synced', 'BTC'], [10n, -10n, 1_000n]]])
  assert.deepEqual([vault.call('get_reserved_payout'), vault.call('get_asset_unrealized_pnl', symbol('ETH'))], [0n, -20n])
})

test('only the market can call the settlement entry points', () => {
  const vault = createFundedVault(1000n * E7)
  for (const [name, args] of [
    ['settle_pnl', [address(ALICE), i128(1n)]], ['receive_loss', [i128(1n)]], ['receive_loss_for', [address(ALICE), i128(1n)]],
    ['sync_exposure', [symbol('BTC'), i128(1n), i128(0n)]], ['reserve_for_position', reserveArgs(1n, 1n)], ['fund_buffer', [i128(1n)]],
    ['draw_buffer', [i128(1n)]], ['pay_from_buffer', [address(ALICE), i128(1n)]], ['pay_bounty', [address(ALICE), i128(1n)]],
    ['route_protocol_fee', [i128(1n), address(ALICE)]],
  ] as const) {
    assert.equal(vault.try(name, args, [ADMIN, ALICE]), UNAUTHORIZED, name)
    assert.equal(createUninitializedVault().tryInvoke(VAULT, name, args, [MARKET]), contractError(1), name)
  }
})
