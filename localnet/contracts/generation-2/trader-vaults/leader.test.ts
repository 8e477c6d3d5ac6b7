import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Val } from '../../shared/host.ts'
import { address, bool, i128, u32, u64 } from '../../shared/host.ts'
import { ALICE, BOB, contractError, E7, FACTORY, KEEPER, UNAUTHORIZED } from '../../../test/contracts/generation-1/test-exchange.ts'
import { eventRowsOf, leaderIdArgs, leaderOpenArgs } from '../../../test/contracts/generation-1/test-vaults.ts'
import { createTestVaults, limitArgs, minOutArgs, positionArgs, reconcileArgs, type TestVaults } from '../../../test/contracts/generation-2/test-vaults.ts'

const terms = (...values: readonly (bigint | number)[]): Val[] => values.map((value) => (typeof value === 'bigint' ? i128(value) : u32(value)))

const openPosition = (vaults: TestVaults, id: number, collateral = 100n * E7, leverage = 5): bigint =>
  vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, id, { collateral, leverage })) as bigint

const factoryEvents = (vaults: TestVaults, name: string, args: readonly Val[]): unknown =>
  eventRowsOf(vaults.invokeFactory(name, args)).filter(([contract]) => contract === FACTORY).map((row) => row.slice(1))

/** Asserts that the factory holds what all vaults together account for. */
function assertFactoryHolds(vaults: TestVaults, ...ids: readonly number[]): void {
  const accounted = ids.reduce((sum, id) => sum + vaults.vault(id).total_usdc, 0n)
  assert.equal(vaults.usdc(FACTORY), accounted)
}

test('a leader places every kind of order, and cancels those that open positions', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  const position = openPosition(vaults, id)
  assert.deepEqual(factoryEvents(vaults, 'leader_place_limit_order', limitArgs(ALICE, id, 49_000n * E7)), [['leader_limit', id, [ALICE, 1n]]])
  const stopLimit = [...leaderOpenArgs(ALICE, id), i128(51_000n * E7), i128(50_800n * E7), bool(true), u32(100)]
  assert.deepEqual(factoryEvents(vaults, 'leader_place_stop_limit', stopLimit), [['leader_stop_limit', id, [ALICE, 2n]]])
  const attached: readonly (readonly [name: string, topic: string, args: Val[]])[] = [
    ['leader_set_stop_loss', 'leader_sl', terms(48_000n * E7, 100)],
    ['leader_set_take_profit', 'leader_tp', [...terms(55_000n * E7, 100), i128(0n)]],
    ['leader_place_trailing_stop', 'leader_trail', terms(200, 100)],
  ]
  for (const [index, [name, topic, args]] of attached.entries()) {
    const order = BigInt(index + 3)
    assert.deepEqual(factoryEvents(vaults, name, positionArgs(ALICE, id, position, ...args)), [[topic, id, [ALICE, order, position]]])
    assert.equal(vaults.callFactory('get_order_vault', [u64(order)]), null, 'an order of a position belongs to no vault')
    assert.equal(vaults.tryFactory('leader_cancel_order', leaderIdArgs(ALICE, id, order)), contractError(16))
    assert.equal(vaults.tryFactory('reconcile_order', reconcileArgs(id, order)), contractError(16))
  }
  assert.equal(vaults.vault(id).total_usdc, 700n * E7)
  for (const order of [1n, 2n]) {
    assert.equal(vaults.callFactory('get_order_vault', [u64(order)]), id)
    assert.deepEqual(factoryEvents(vaults, 'leader_cancel_order', leaderIdArgs(ALICE, id, order)), [['leader_cancel', id, [ALICE, order]]])
    assert.equal(vaults.callFactory('get_order_vault', [u64(order)]), null)
  }
  assert.equal(vaults.vault(id).total_usdc, 900n * E7)
  assertFactoryHolds(vaults, id)
})

test('a leader can trade only the vault\'s own positions and orders', () => {
  const vaults = createTestVaults()
  const [own, other] = [vaults.createFunded(ALICE, 1000n * E7), vaults.createFunded(BOB, 1000n * E7)]
  const position = openPosition(vaults, own)
  vaults.callFactory('leader_place_limit_order', limitArgs(ALICE, own, 49_000n * E7))
  assert.equal(vaults.callFactory('get_position_vault', [u64(position)]), own)
  for (const [name, args] of [
    ['leader_close_position', leaderIdArgs(BOB, other, position)],
    ['leader_cancel_order', leaderIdArgs(BOB, other, 1n)],
    ['leader_set_stop_loss', positionArgs(BOB, other, position, ...terms(48_000n * E7, 100))],
    ['leader_set_take_profit', positionArgs(BOB, other, position, ...terms(55_000n * E7, 100, 0n))],
    ['leader_place_trailing_stop', positionArgs(BOB, other, position, ...terms(200, 100))],
    ['reconcile_order', reconcileArgs(other, 1n)],
    ['reconcile_position', reconcileArgs(other, position)],
  ] as const) {
    assert.equal(vaults.tryFactory(name, args), contractError(16), name)
  }
})

test('a trade credits its vault with exactly what the factory\'s balance changed', () => {
  const vaults = createTestVaults()
  const [first, second] = [vaults.createFunded(ALICE, 1000n * E7), vaults.createFunded(BOB, 500n * E7)]
  const position = openPosition(vaults, first)
  assert.deepEqual([vaults.vault(first).total_usdc, vaults.vault(second).total_usdc], [900n * E7, 500n * E7])
  vaults.setPrice('BTC', 50_500n * E7)
  assert.deepEqual(factoryEvents(vaults, 'leader_close_position', leaderIdArgs(ALICE, first, position)), [['leader_close', first, [ALICE, position]]])
  // 99.75 of collateral and a gain of 5.
  assert.deepEqual([vaults.vault(first).total_usdc, vaults.vault(second).total_usdc], [10_047_500_000n, 500n * E7])
  assertFactoryHolds(vaults, first, second)
})

test('a vault has at most 16 positions and entry orders; orders of positions take no slot', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  const position = openPosition(vaults, id)
  for (let order = 0; order < 15; order++) {
    vaults.callFactory('leader_place_limit_order', limitArgs(ALICE, id, 49_000n * E7, { collateral: 10n * E7, leverage: 1 }))
  }
  assert.equal(vaults.tryFactory('leader_open_position', leaderOpenArgs(ALICE, id)), contractError(19))
  assert.equal(vaults.tryFactory('leader_place_limit_order', limitArgs(ALICE, id, 49_000n * E7)), contractError(19))
  assert.equal(vaults.tryFactory('leader_open_position', leaderOpenArgs(ALICE, id, { collateral: E7 })), contractError(22), 'after the market\'s errors')
  assert.equal(vaults.tryFactory('leader_set_stop_loss', positionArgs(ALICE, id, position, ...terms(48_000n * E7, 100))), 'ok')
  vaults.callFactory('leader_cancel_order', leaderIdArgs(ALICE, id, 1n))
  assert.equal(vaults.tryFactory('leader_open_position', leaderOpenArgs(ALICE, id, { collateral: 10n * E7 })), 'ok')
})

test('leader calls check 2, authorization, 5, 6, 12, 8, 10 and 3 in this order', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 100n * E7)
  const open = (leader: string, vault: number, options: object = {}): string =>
    vaults.tryFactory('leader_open_position', leaderOpenArgs(leader, vault, options))
  assert.equal(vaults.tryFactory('leader_open_position', leaderOpenArgs(ALICE, 9), [BOB]), UNAUTHORIZED)
  assert.equal(open(ALICE, 9), contractError(5))
  vaults.callFactory('set_paused', [u32(id), bool(true)])
  assert.equal(open(BOB, id), contractError(6))
  assert.equal(open(ALICE, id, { collateral: 0n }), contractError(12))
  vaults.callFactory('set_paused', [u32(id), bool(false)])
  assert.equal(open(ALICE, id, { collateral: 0n, direction: 7 }), contractError(8))
  assert.equal(open(ALICE, id, { collateral: 101n * E7, direction: 7 }), contractError(10))
  assert.equal(open(ALICE, id, { direction: 7 }), contractError(3))
  assert.equal(open(ALICE, id, { collateral: E7 }), contractError(22), 'error of the market')
})

test('an immediate-or-cancel order that does not fill stays bound, and its collateral is credited a second time', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  vaults.callFactory('leader_place_limit_order', limitArgs(ALICE, id, 49_000n * E7, { timeInForce: 1 }))
  assert.equal(vaults.callFactory('get_order_vault', [u64(1n)]), id)
  assert.deepEqual([vaults.vault(id).total_usdc, vaults.usdc(FACTORY)], [1000n * E7, 1000n * E7], 'the market has returned the collateral')
  assert.deepEqual(factoryEvents(vaults, 'reconcile_order', reconcileArgs(id, 1n)), [['order_reconciled', id, [1n, 0n, 100n * E7]]])
  assert.deepEqual([vaults.vault(id).total_usdc, vaults.usdc(FACTORY)], [1100n * E7, 1000n * E7], 'a defect of the deployed factory')
})

test('an executed order that opened no position can never be reconciled', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  vaults.callFactory('leader_place_limit_order', limitArgs(ALICE, id, 50_000n * E7, { direction: 1, timeInForce: 0x100 }))
  vaults.executeOrder(1n)
  assert.equal(vaults.tryFactory('reconcile_order', reconcileArgs(id, 1n)), contractError(3))
  assert.equal(vaults.usdc(FACTORY), 1000n * E7)
  assert.equal(vaults.vault(id).total_usdc, 900n * E7, 'the vault never gets the collateral back')
})

test('an open that would net an opposite position fails: the factory authorizes the full collateral only', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  openPosition(vaults, id)
  const short = leaderOpenArgs(ALICE, id, { collateral: 300n * E7, leverage: 5, direction: 1 })
  // Signed by the leader only: the factory cannot authorize the smaller transfer.
  assert.equal(vaults.tryFactory('leader_open_position', short, [ALICE]), UNAUTHORIZED)
  assert.equal(vaults.vault(id).total_usdc, 900n * E7)
})

test('a position that a keeper closed leaves the vault without a value until it is reconciled', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  const position = openPosition(vaults, id)
  vaults.callFactory('leader_set_stop_loss', positionArgs(ALICE, id, position, ...terms(49_500n * E7, 100)))
  assert.equal(vaults.tryFactory('reconcile_position', reconcileArgs(id, position)), contractError(3), 'still open')
  assert.equal(vaults.tryFactory('reconcile_order', reconcileArgs(id, 1n)), contractError(16), 'not an order of the vault')
  vaults.setPrice('BTC', 49_500n * E7)
  vaults.executeOrder(1n)
  for (const [name, args] of [
    ['get_full_nav', [u32(id)]], ['deposit', minOutArgs(BOB, id, E7)], ['withdraw', minOutArgs(ALICE, id, E7)], ['claim_leader_fees', [u32(id)]],
  ] as const) {
    assert.equal(vaults.tryFactory(name, args), contractError(18), name)
  }
  assert.equal(vaults.tryFactory('leader_close_position', leaderIdArgs(ALICE, id, position)), contractError(20), 'error of the market')
  // 99.75 of collateral, a loss of 5, and the keeper's fee of 0.01 % of 500.
  const proceeds = 99_7500000n - 5n * E7 - 500_000n
  assert.deepEqual(factoryEvents(vaults, 'reconcile_position', reconcileArgs(id, position)), [['position_reconciled', id, [position, proceeds]]])
  assert.equal(vaults.fullNav(id), 900n * E7 + proceeds)
  assertFactoryHolds(vaults, id)
  assert.equal(vaults.tryFactory('reconcile_position', reconcileArgs(id, position)), contractError(16), 'a second time')
  assert.equal(vaults.tryFactory('reconcile_position', reconcileArgs(9, position)), contractError(16), 'an unknown vault owns nothing')
})

test('a liquidated position is reconciled with its refund', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  const position = openPosition(vaults, id, 100n * E7, 10)
  vaults.movePrice('BTC', 45_800n * E7)
  vaults.invokeOk('liquidate', [address(KEEPER), u64(position)])
  const before = vaults.vault(id).total_usdc
  vaults.callFactory('reconcile_position', reconcileArgs(id, position))
  // 99.5 of collateral less a loss of 84 leaves 15.5, of which 10 are the penalty.
  assert.equal(vaults.vault(id).total_usdc - before, 55_000_000n)
  assertFactoryHolds(vaults, id)
})

test('an executed order binds its position, a cancelled one returns its collateral', () => {
  const vaults = createTestVaults()
  const id = vaults.createFunded(ALICE, 1000n * E7)
  vaults.callFactory('leader_place_limit_order', limitArgs(ALICE, id, 49_900n * E7))
  vaults.callFactory('leader_place_limit_order', limitArgs(ALICE, id, 49_900n * E7))
  assert.equal(vaults.tryFactory('reconcile_order', reconcileArgs(id, 1n)), contractError(3), 'still pending')
  vaults.setPrice('BTC', 49_800n * E7)
  vaults.executeOrder(1n)
  assert.deepEqual(factoryEvents(vaults, 'reconcile_order', reconcileArgs(id, 1n)), [['order_reconciled', id, [1n, 1n, 0n]]])
  assert.deepEqual([vaults.callFactory('get_position_vault', [u64(1n)]), vaults.callFactory('get_order_vault', [u64(1n)])], [id, null])
  // Out of the slippage band: the keeper cancels the order.
  vaults.advance(700n)
  vaults.setPrice('BTC', 49_000n * E7)
  vaults.executeOrder(2n)
  assert.equal(vaults.vault(id).total_usdc, 800n * E7)
  assert.deepEqual(factoryEvents(vaults, 'reconcile_order', reconcileArgs(id, 2n)), [['order_reconciled', id, [2n, 0n, 100n * E7]]])
  assert.equal(vaults.vault(id).total_usdc, 900n * E7)
  assertFactoryHolds(vaults, id)
})
