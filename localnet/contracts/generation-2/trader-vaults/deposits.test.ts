import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, u32, u64, vec } from '../../shared/host.ts'
import { ADMIN, ALICE, BOB, contractError, E7, FACTORY, MARKET, UNAUTHORIZED, USDC } from '../../../test/contracts/generation-1/test-exchange.ts'
import { createVaultArgs, eventRowsOf, leaderOpenArgs, pauseArgs } from '../../../test/contracts/generation-1/test-vaults.ts'
import { createUninitializedHost } from '../../../test/contracts/generation-2/test-exchange.ts'
import { createTestVaults, limitArgs, minOutArgs, positionArgs } from '../../../test/contracts/generation-2/test-vaults.ts'

test('shares are priced at the full value: USDC, equity of positions, collateral of pending orders', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, id, { collateral: 100n * E7, leverage: 5 }))
  vaults.callFactory('leader_place_limit_order', limitArgs(ALICE, id, 49_000n * E7, { collateral: 200n * E7, leverage: 2 }))
  assert.equal(vaults.vault(id).total_usdc, 700n * E7)
  // The opening fee of a 500 USDC position is 0.25.
  assert.equal(vaults.fullNav(id), 9_997_500_000n)
  vaults.setPrice('BTC', 50_500n * E7)
  assert.equal(vaults.fullNav(id), 10_047_500_000n, 'a gain of 5')
  // floor(1000 x 1000 / 1004.75)
  assert.equal(vaults.callFactory('deposit', minOutArgs(BOB, id, 1000n * E7)), 9_952_724_558n)
  assert.equal(vaults.vault(id).total_usdc, 1700n * E7)
})

test('deposit checks its errors in the documented order', () => {
  const vaults = createTestVaults()
  const deposit = (id: number, amount: bigint, minimum = 0n): string => vaults.tryFactory('deposit', minOutArgs(BOB, id, amount, minimum))
  assert.equal(createUninitializedHost().tryInvoke(FACTORY, 'deposit', minOutArgs(BOB, 0, 0n)), contractError(2))
  const id = vaults.createFunded(ALICE, 100n * E7)
  assert.equal(vaults.tryFactory('deposit', minOutArgs(BOB, 9, 0n), [ALICE]), UNAUTHORIZED)
  assert.equal(deposit(9, 0n), contractError(8))
  assert.equal(deposit(9, 1n, -1n), contractError(8))
  assert.equal(deposit(9, 1n), contractError(5))
  const position = vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, id, { collateral: 50n * E7, leverage: 2 })) as bigint
  vaults.callFactory('leader_set_stop_loss', positionArgs(ALICE, id, position, ...stopTerms(49_000n)))
  vaults.setPrice('BTC', 0n)
  vaults.callFactory('set_paused', pauseArgs(id, true))
  assert.equal(deposit(id, 1n), contractError(12), 'the pause comes before the valuation')
  vaults.callFactory('set_paused', pauseArgs(id, false))
  assert.equal(deposit(id, 1n), contractError(18), 'the position has no price')
  vaults.setPrice('BTC', 75_000n * E7)
  assert.equal(deposit(id, 1n, 1n), contractError(8), 'one unit buys no share at a price above 1')
  assert.equal(deposit(id, 100n * E7, 100n * E7), contractError(21))
  assert.equal(vaults.tryFactory('deposit', minOutArgs(BOB, id, 1_000_001n * E7)), contractError(10), 'error of the token')
  assert.equal(deposit(id, 50_000n * E7), contractError(11), 'the leader would hold less than 5 %')
})

test('withdraw checks its errors in the documented order and works while the vault is paused', () => {
  const vaults = createTestVaults()
  const withdraw = (id: number, shares: bigint, minimum = 0n): string => vaults.tryFactory('withdraw', minOutArgs(BOB, id, shares, minimum))
  assert.equal(createUninitializedHost().tryInvoke(FACTORY, 'withdraw', minOutArgs(BOB, 0, 0n)), contractError(2))
  const id = vaults.createFunded(ALICE, 1000n * E7)
  vaults.callFactory('deposit', minOutArgs(BOB, id, 1000n * E7))
  assert.equal(vaults.tryFactory('withdraw', minOutArgs(BOB, 9, 0n), [ALICE]), UNAUTHORIZED)
  assert.equal(withdraw(9, 0n), contractError(8))
  assert.equal(withdraw(9, 1n, -1n), contractError(8))
  assert.equal(withdraw(9, 1n), contractError(5))
  vaults.callFactory('set_paused', pauseArgs(id, true))
  vaults.callFactory('set_paused', pauseArgs(id, false))
  vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, id, { collateral: 1500n * E7, leverage: 1 }))
  vaults.callFactory('set_paused', pauseArgs(id, true))
  vaults.setPrice('BTC', 0n)
  assert.equal(withdraw(id, 1000n * E7 + 1n), contractError(9), 'the shares come before the valuation')
  assert.equal(withdraw(id, 1n), contractError(18))
  vaults.setPrice('BTC', 50_000n * E7)
  // The value is 2000 less the fee of 0.75, so 1000 shares are worth 999.625 and 500 liquid.
  assert.equal(withdraw(id, 1000n * E7, 1000n * E7), contractError(17), 'the liquidity comes before the minimum')
  assert.equal(withdraw(id, 100n * E7, 999_625_001n), contractError(21))
  assert.equal(withdraw(id, 100n * E7, 999_625_000n), 'ok', 'exactly the minimum, while paused')
  assert.equal(vaults.vault(id).total_usdc, 500n * E7 - 999_625_000n)
})

test('a withdrawal of the leader must leave 5 % with the leader', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 100n * E7)
  vaults.callFactory('deposit', minOutArgs(BOB, id, 900n * E7))
  assert.equal(vaults.tryFactory('withdraw', minOutArgs(ALICE, id, 60n * E7)), contractError(11))
  assert.equal(vaults.tryFactory('withdraw', minOutArgs(BOB, id, 900n * E7)), 'ok')
  assert.equal(vaults.tryFactory('withdraw', minOutArgs(ALICE, id, 100n * E7)), 'ok', 'nobody holds shares afterwards')
})

test('the leader claims the profit on the full value, from liquid USDC', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, id, { collateral: 990n * E7, leverage: 2 }))
  assert.equal(vaults.tryFactory('claim_leader_fees', [u32(id)]), contractError(15), 'the fee is a loss')
  vaults.movePrice('BTC', 55_000n * E7)
  // Value: 10 + 990 - 0.99 + 198 = 1197.01; gain 197.01; share 19.701.
  assert.equal(vaults.fullNav(id), 11_970_100_000n)
  assert.equal(vaults.tryFactory('claim_leader_fees', [u32(id)]), contractError(10), 'only 10 are liquid')
  vaults.callFactory('deposit', minOutArgs(BOB, id, 100n * E7))
  const shares = vaults.vault(id).circulating_shares
  // 100 bought 83.5414908 shares. As deployed, one high-water mark counts for all: 10 % of 1297.01 - 1083.5414908, truncated per share.
  assert.equal(shares, 10_835_414_908n)
  const owed = vaults.callFactory('claim_leader_fees', [u32(id)])
  assert.equal(owed, 213_468_509n)
  const { hwm_nav, realized_pnl, total_usdc } = vaults.vault(id)
  assert.equal(hwm_nav, (12_970_100_000n - 213_468_509n) * E7 / shares)
  assert.deepEqual([realized_pnl, total_usdc], [213_468_509n, 110n * E7 - 213_468_509n])
  assert.equal(vaults.tryFactory('claim_leader_fees', [u32(id)]), contractError(15))
  vaults.setPrice('BTC', 0n)
  assert.equal(vaults.tryFactory('claim_leader_fees', [u32(id)]), contractError(18))
})

test('a vault with shares and without value has no share price', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 100n * E7)
  vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, id, { collateral: 100n * E7, leverage: 10 }))
  vaults.movePrice('BTC', 45_000n * E7)
  assert.equal(vaults.fullNav(id), 0n, 'equity is at least zero')
  assert.equal(vaults.tryFactory('deposit', minOutArgs(BOB, id, E7)), contractError(14))
})

test('create_vault fails with 20 for a leader who is not allowed and at the maximum number of vaults', () => {
  const vaults = createTestVaults()
  const create = (leader: string, name = 'x'): string => vaults.tryFactory('create_vault', createVaultArgs(leader, name))
  for (const [name, args] of [['set_leader_allowlist', [vec(address(ALICE))]], ['set_max_vaults', [u32(1)]]] as const) {
    assert.equal(vaults.tryFactory(name, args, [ALICE]), UNAUTHORIZED, name)
    assert.equal(createUninitializedHost().tryInvoke(FACTORY, name, args, [ADMIN]), contractError(2), name)
  }
  assert.deepEqual(eventRowsOf(vaults.invokeFactory('set_leader_allowlist', [vec(address(ALICE))])), [[FACTORY, 'allowlist_set', [[ALICE]]]])
  assert.equal(create(BOB, ''), contractError(4), 'the name comes before the restriction')
  assert.equal(create(BOB), contractError(20))
  assert.equal(create(ALICE, ''), contractError(4))
  assert.equal(create(ALICE), 'ok')
  assert.deepEqual(eventRowsOf(vaults.invokeFactory('set_max_vaults', [u32(1)])), [[FACTORY, 'max_vaults_set', [1]]])
  assert.equal(create(ALICE), contractError(20))
  vaults.callFactory('set_max_vaults', [u32(0)])
  vaults.callFactory('set_leader_allowlist', [vec()])
  assert.equal(create(BOB), 'ok', 'an empty list allows everyone, 0 means no maximum')
})

test('set_admin requires both admins and emits admin_rotated', () => {
  const vaults = createTestVaults()
  for (const signers of [[ADMIN], [ALICE]]) assert.equal(vaults.tryFactory('set_admin', [address(ALICE)], signers), UNAUTHORIZED)
  assert.deepEqual(eventRowsOf(vaults.invokeFactory('set_admin', [address(ALICE)])), [[FACTORY, 'admin_rotated', [ADMIN, ALICE]]])
  assert.equal(vaults.callFactory('get_admin', []), ALICE)
})

test('before build 2.1, deposit and withdraw take three arguments and the admin is fixed', () => {
  const vaults = createTestVaults('2.0')
  const id = vaults.callFactory('create_vault', createVaultArgs(ALICE, 'old')) as number
  assert.equal(vaults.callFactory('deposit', minOutArgs(ALICE, id, 100n * E7).slice(0, 3)), 100n * E7)
  assert.equal(vaults.callFactory('withdraw', minOutArgs(ALICE, id, 40n * E7).slice(0, 3)), 40n * E7)
  assert.equal(vaults.tryFactory('deposit', minOutArgs(ALICE, id, E7)), 'Error(WasmVm, UnexpectedSize)')
  assert.equal(vaults.tryFactory('set_admin', [address(ALICE)]), 'Error(WasmVm, MissingValue)')
})

test('the views name the market, the token, the version and the owner of an id', () => {
  const vaults = createTestVaults()
  assert.deepEqual(['get_market', 'get_usdc', 'version'].map((name) => vaults.callFactory(name, [])), [MARKET, USDC, 'vault_factory_v0'])
  assert.deepEqual([vaults.callFactory('get_position_vault', [u64(1n)]), vaults.callFactory('get_order_vault', [u64(1n)])], [null, null])
  assert.equal(vaults.tryFactory('get_full_nav', [u32(0)]), contractError(5))
})

const stopTerms = (trigger: bigint) => [{ type: 'i128', value: trigger * E7 }, u32(100)] as const
