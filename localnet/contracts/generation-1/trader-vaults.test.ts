import assert from 'node:assert/strict'
import { test } from 'node:test'
import { address, type ContractCode, i128, symbol, text, u32, u64, VOID } from '../shared/host.ts'
import { createTestHost, toNative } from '../../test/contracts/test-host.ts'
import {
  ADMIN, ALICE, BOB, contractError, createUninitializedHost, E7, FACTORY, KEEPER, MARKET, UNAUTHORIZED, USDC,
} from '../../test/contracts/generation-1/test-exchange.ts'
import {
  amountArgs, createTestVaults, createVaultArgs, eventRowsOf, leaderIdArgs, leaderLimitArgs, leaderOpenArgs, pauseArgs, type TestVaults,
} from '../../test/contracts/generation-1/test-vaults.ts'
import { feesOwed, navOf, sharesFor, usdcFor } from '../shared/trader-vaults/shares.ts'
import { requireVault, type Vault, writeVault } from '../shared/trader-vaults/vaults.ts'
import { traderVaultsContract } from '../shared/trader-vaults.ts'
import { entryPoint } from '../shared/values.ts'

/** Vault 0, led by ALICE, with 10,000 USDC of hers. */
function createFundedVault(): TestVaults {
  const vaults = createTestVaults()
  vaults.callFactory('create_vault', createVaultArgs(ALICE, 'north'))
  vaults.callFactory('deposit', amountArgs(ALICE, 0, 10_000n * E7))
  return vaults
}

test('a new vault is empty, with a high-water mark of 1 and a profit share of 10 %', () => {
  const vaults = createTestVaults()
  const created = vaults.invokeFactory('create_vault', createVaultArgs(ALICE, 'Norð'))
  assert.equal(toNative(created.value), 0)
  assert.deepEqual(eventRowsOf(created), [[FACTORY, 'vault_created', 0, [ALICE, 'Norð']]])
  assert.equal(vaults.callFactory('create_vault', createVaultArgs(ALICE, 'south')), 1)
  const now = vaults.host.ledger.timestampSec
  const empty = {
    total_usdc: 0n, circulating_shares: 0n, leader_shares: 0n, hwm_nav: E7, realized_pnl: 0n, profit_share_bps: 1000, paused: false, created_at: now,
  }
  assert.deepEqual(vaults.vault(0), { ...empty, id: 0, leader: ALICE, name: 'Norð' })
  assert.deepEqual(vaults.callFactory('get_vault', [u32(1)]), { ...empty, id: 1, leader: ALICE, name: 'south' })
  assert.deepEqual([vaults.callFactory('get_vault_ids', []), vaults.callFactory('vault_count', [])], [[0, 1], 2])
  assert.deepEqual(['get_admin', 'get_market', 'get_usdc'].map((view) => vaults.callFactory(view, [])), [ADMIN, MARKET, USDC])
})

test('create_vault requires the leader\'s authorization and a name of 1 to 64 bytes (4)', () => {
  const vaults = createTestVaults()
  assert.equal(vaults.tryFactory('create_vault', createVaultArgs(ALICE, '')), contractError(4))
  assert.equal(vaults.tryFactory('create_vault', createVaultArgs(ALICE, 'ä'.repeat(33))), contractError(4), 'bytes, not characters')
  assert.equal(vaults.tryFactory('create_vault', createVaultArgs(ALICE, ''), [BOB]), UNAUTHORIZED)
  assert.equal(vaults.tryFactory('create_vault', createVaultArgs(ALICE, 'ä'.repeat(32))), 'ok')
})

test('every call before initialize fails with 2; initialize works once (1), by the admin', () => {
  const host = createUninitializedHost()
  const attempt = (name: string, args: Parameters<typeof host.invoke>[2], signers = [ALICE]): string => {
    return host.tryInvoke(FACTORY, name, args, signers)
  }
  for (const [name, args] of Object.entries({
    create_vault: createVaultArgs(ALICE, ''), deposit: amountArgs(ALICE, 0, 0n), withdraw: amountArgs(ALICE, 0, 0n),
    leader_open_position: leaderOpenArgs(ALICE, 0),
    leader_close_position: leaderIdArgs(ALICE, 0, 1n), leader_place_limit_order: leaderLimitArgs(ALICE, 0, E7),
    leader_cancel_order: leaderIdArgs(ALICE, 0, 1n),
    claim_leader_fees: [u32(0)], set_paused: pauseArgs(0, true), admin_pause: pauseArgs(0, true),
  })) assert.equal(attempt(name, args, []), contractError(2), name)
  const setUp = [address(ADMIN), address(MARKET), address(USDC)]
  assert.equal(attempt('initialize', setUp), UNAUTHORIZED)
  const result = host.invokeOk(FACTORY, 'initialize', setUp, [ADMIN])
  assert.deepEqual(eventRowsOf(result), [[FACTORY, 'initialized', [ADMIN, MARKET, USDC]]])
  assert.equal(attempt('initialize', setUp, [ADMIN]), contractError(1))
})

test('deposits buy shares at NAV, the first 1 to 1', () => {
  const vaults = createFundedVault()
  assert.deepEqual([vaults.vault(0).circulating_shares, vaults.vault(0).leader_shares, vaults.vault(0).total_usdc], Array(3).fill(10_000n * E7))
  // A transfer to the factory raises the NAV to 1.5 at the next resync.
  vaults.host.invokeOk(USDC, 'transfer', [address(KEEPER), address(FACTORY), i128(5_000n * E7)], [KEEPER])
  vaults.callFactory('leader_close_position', leaderIdArgs(ALICE, 0, vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, 0)) as bigint))
  const before = vaults.vault(0)
  const bought = vaults.invokeFactory('deposit', amountArgs(BOB, 0, 3_000n * E7 + 1n))
  const expected = ((3_000n * E7 + 1n) * before.circulating_shares) / before.total_usdc
  assert.equal(toNative(bought.value), expected)
  assert.deepEqual(eventRowsOf(bought), [[FACTORY, 'deposit', 0, [BOB, 3_000n * E7 + 1n, expected]]])
  assert.equal(vaults.shares(0, BOB), expected)
  assert.deepEqual(vaults.vault(0), {
    ...before, total_usdc: before.total_usdc + 3_000n * E7 + 1n, circulating_shares: before.circulating_shares + expected,
  }, 'the leader\'s shares are unchanged')
})

test('deposit checks authorization, 8, 5, 12, 13, 8 for no shares, the token\'s errors and 11 in this order', () => {
  const vaults = createFundedVault()
  const attempt = (depositor: string, id: number, amount: bigint, signers?: string[]): string =>
    vaults.tryFactory('deposit', amountArgs(depositor, id, amount), signers)
  assert.equal(attempt(BOB, 9, 0n, [ALICE]), UNAUTHORIZED)
  for (const amount of [0n, -1n]) assert.equal(attempt(BOB, 9, amount), contractError(8))
  vaults.callFactory('admin_pause', pauseArgs(0, true))
  assert.equal(attempt(BOB, 9, 1n), contractError(5))
  assert.equal(attempt(BOB, 0, 2n ** 120n), contractError(12))
  vaults.callFactory('admin_pause', pauseArgs(0, false))
  assert.equal(attempt(BOB, 0, 2n ** 120n), contractError(13))
  assert.equal(attempt(BOB, 0, 1_000_000n * E7 + 1n), contractError(10), 'error of the token, before the leader minimum')
  assert.equal(attempt(BOB, 0, 190_000n * E7 + 1n), contractError(11))
  assert.equal(attempt(BOB, 0, 190_000n * E7), 'ok', 'the leader holds exactly 5 %')
  vaults.callFactory('create_vault', createVaultArgs(BOB, 'empty'))
  assert.equal(attempt(ALICE, 1, E7), contractError(11), 'the leader must deposit first')
  // The resync gives the vault's one share the factory's whole balance, so a deposit of 1 buys no share.
  vaults.callFactory('deposit', amountArgs(BOB, 1, 1n))
  const orderId = vaults.callFactory('leader_place_limit_order', leaderLimitArgs(ALICE, 0, E7)) as bigint
  vaults.callFactory('leader_cancel_order', leaderIdArgs(BOB, 1, orderId))
  assert.equal(attempt(BOB, 1, 1n), contractError(8))
})

test('a withdrawal pays the value of the shares and must keep the leader minimum', () => {
  const vaults = createFundedVault()
  vaults.callFactory('deposit', amountArgs(BOB, 0, 5_000n * E7))
  const attempt = (depositor: string, id: number, shares: bigint, signers?: string[]): string =>
    vaults.tryFactory('withdraw', amountArgs(depositor, id, shares), signers)
  assert.equal(attempt(BOB, 9, 0n, [ALICE]), UNAUTHORIZED)
  assert.equal(attempt(BOB, 9, 0n), contractError(8))
  vaults.callFactory('set_paused', pauseArgs(0, true))
  assert.equal(attempt(BOB, 9, 1n), contractError(5))
  assert.equal(attempt(BOB, 0, 5_001n * E7), contractError(12))
  vaults.callFactory('set_paused', pauseArgs(0, false))
  assert.equal(attempt(BOB, 0, 5_000n * E7 + 1n), contractError(9))
  assert.equal(attempt(KEEPER, 0, 1n), contractError(9), 'an account without shares')
  assert.equal(attempt(ALICE, 0, 9_800n * E7), contractError(11))

  const before = vaults.usdc(BOB)
  const result = vaults.invokeFactory('withdraw', amountArgs(BOB, 0, 2_000n * E7))
  assert.equal(toNative(result.value), 2_000n * E7)
  assert.deepEqual(eventRowsOf(result), [[FACTORY, 'withdraw', 0, [BOB, 2_000n * E7, 2_000n * E7]]])
  assert.equal(vaults.usdc(BOB), before + 2_000n * E7)
  assert.equal(vaults.shares(0, BOB), 3_000n * E7)
  vaults.callFactory('withdraw', amountArgs(BOB, 0, 3_000n * E7))
  vaults.callFactory('withdraw', amountArgs(ALICE, 0, 10_000n * E7))
  const { circulating_shares, leader_shares, total_usdc } = vaults.vault(0)
  assert.deepEqual([circulating_shares, leader_shares, total_usdc], [0n, 0n, 0n], 'all holders can withdraw everything')
  assert.equal(attempt(BOB, 0, 1n), contractError(9))
})

test('shares of a vault without free USDC pay nothing', () => {
  const vaults = createFundedVault()
  vaults.callFactory('deposit', amountArgs(BOB, 0, 10_000n * E7))
  vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, 0, { collateral: 20_000n * E7, leverage: 1 }))
  assert.equal(vaults.vault(0).total_usdc, 0n)
  assert.equal(vaults.callFactory('withdraw', amountArgs(BOB, 0, E7)), 0n)
  assert.equal(vaults.shares(0, BOB), 9_999n * E7)
  assert.equal(vaults.callFactory('deposit', amountArgs(BOB, 0, E7)), E7, '1 to 1 again, although shares exist')
})

test('leader_open_position opens for the factory with one signature and reduces the vault\'s total', () => {
  const vaults = createFundedVault()
  const opened = vaults.host.invokeOk(FACTORY, 'leader_open_position', leaderOpenArgs(ALICE, 0), [ALICE])
  const id = toNative(opened.value) as bigint
  assert.deepEqual(opened.auth.map(({ address: signer, functionName, depth }) => [signer, functionName, depth]), [[ALICE, 'leader_open_position', 0]])
  assert.deepEqual(eventRowsOf(opened).slice(-2), [
    [MARKET, 'position_opened', [id, FACTORY, 'BTC', 0, 1_000n * E7, 50_000n * E7]], [FACTORY, 'leader_open', 0, [ALICE, id, 100n * E7]],
  ])
  assert.equal(vaults.position(id)['trader'], FACTORY)
  assert.equal(vaults.vault(0).total_usdc, 9_900n * E7)
  vaults.setPrice('BTC', 50_400n * E7)
  const closed = vaults.invokeFactory('leader_close_position', leaderIdArgs(ALICE, 0, id))
  assert.deepEqual(eventRowsOf(closed).slice(-2).map(([contract, topic, ...rest]) => [contract, topic, rest]), [
    [MARKET, 'position_closed', [[id, FACTORY, 'BTC', 0, 1_000n * E7, 50_000n * E7, 50_400n * E7, 8n * E7]]],
    [FACTORY, 'leader_close', [0, [ALICE, id]]],
  ])
  assert.deepEqual([closed.value, vaults.vault(0).total_usdc], [VOID, 10_007_5000000n], 'the collateral minus the fee of 0.5, plus the profit')
})

test('a leader\'s limit order belongs to the factory and can be filled or cancelled', () => {
  const vaults = createFundedVault()
  const args = leaderLimitArgs(ALICE, 0, 49_900n * E7, { leverage: 5, direction: 1 })
  const placed = vaults.host.invokeOk(FACTORY, 'leader_place_limit_order', args, [ALICE])
  assert.deepEqual(eventRowsOf(placed), [[MARKET, 'order_placed', [1n, FACTORY, 49_900n * E7]], [FACTORY, 'leader_limit', 0, [ALICE, 1n]]])
  const order = toNative(vaults.invokeOk('get_order', [u64(1n)]).value) as Record<string, unknown>
  assert.deepEqual(
    ['trader', 'asset', 'collateral', 'leverage', 'direction', 'trigger_price', 'trigger_condition', 'slippage_tolerance_bps', 'time_in_force']
      .map((name) => order[name]),
    [FACTORY, 'BTC', 100n * E7, 5, 1, 49_900n * E7, 1, 100, 0],
  )
  assert.equal(vaults.vault(0).total_usdc, 9_900n * E7)
  const cancelled = vaults.invokeFactory('leader_cancel_order', leaderIdArgs(ALICE, 0, 1n))
  assert.deepEqual(eventRowsOf(cancelled), [[MARKET, 'order_cancelled', [1n, 'user']], [FACTORY, 'leader_cancel', 0, [ALICE, 1n]]])
  assert.equal(vaults.vault(0).total_usdc, 10_000n * E7)
  vaults.callFactory('leader_place_limit_order', leaderLimitArgs(ALICE, 0, 49_900n * E7))
  vaults.setPrice('BTC', 49_900n * E7)
  vaults.invokeOk('execute_order', [address(KEEPER), u64(2n)])
  assert.equal(vaults.position(1n)['trader'], FACTORY)
})

test('leader calls check authorization, 5, 6, 12, then 8, 10, 3 or the market\'s errors in this order', () => {
  const vaults = createFundedVault()
  const calls = {
    leader_open_position: (leader: string, id: number) => leaderOpenArgs(leader, id, { collateral: 0n }),
    leader_close_position: (leader: string, id: number) => leaderIdArgs(leader, id, 77n),
    leader_place_limit_order: (leader: string, id: number) => leaderLimitArgs(leader, id, E7, { collateral: 0n }),
    leader_cancel_order: (leader: string, id: number) => leaderIdArgs(leader, id, 77n),
  }
  const nextErrors = { leader_open_position: 8, leader_close_position: 20, leader_place_limit_order: 8, leader_cancel_order: 60 }
  vaults.callFactory('admin_pause', pauseArgs(0, true))
  for (const [name, argsOf] of Object.entries(calls)) {
    assert.equal(vaults.tryFactory(name, argsOf(BOB, 9), [ALICE]), UNAUTHORIZED, name)
    assert.equal(vaults.tryFactory(name, argsOf(BOB, 9)), contractError(5), name)
    assert.equal(vaults.tryFactory(name, argsOf(BOB, 0)), contractError(6), name)
    assert.equal(vaults.tryFactory(name, argsOf(ALICE, 0)), contractError(12), name)
  }
  vaults.callFactory('admin_pause', pauseArgs(0, false))
  for (const [name, argsOf] of Object.entries(calls)) {
    assert.equal(vaults.tryFactory(name, argsOf(ALICE, 0)), contractError(nextErrors[name as keyof typeof nextErrors]), name)
  }
  for (const [name, argsWith] of [
    ['leader_open_position', (terms: object) => leaderOpenArgs(ALICE, 0, terms)],
    ['leader_place_limit_order', (terms: object) => leaderLimitArgs(ALICE, 0, E7, terms)],
  ] as const) {
    assert.equal(vaults.tryFactory(name, argsWith({ collateral: -1n, direction: 2 })), contractError(8), name)
    assert.equal(vaults.tryFactory(name, argsWith({ collateral: 10_000n * E7 + 1n, direction: 2 })), contractError(10), name)
    assert.equal(vaults.tryFactory(name, argsWith({ collateral: 1n, direction: 2 })), contractError(3), name)
    assert.equal(vaults.tryFactory(name, argsWith({ collateral: 1n })), contractError(22), `${name}: the market's minimum`)
  }
  assert.deepEqual(vaults.vault(0).total_usdc, 10_000n * E7, 'failed calls change nothing')
})

test('a leader below the minimum cannot open a position', () => {
  const vaults = createFundedVault()
  // No call leads to this state, so a test entry point writes it.
  const stored = vaults.vault(0)
  const patchedFactory: ContractCode = {
    ...traderVaultsContract(),
    entryPoints: {
      ...traderVaultsContract().entryPoints,
      clear_leader_shares: entryPoint({}, 'void', (env) => {
        writeVault(env, { ...requireVault(env, 0), leader_shares: 0n })
        return VOID
      }),
    },
  }
  const market: ContractCode = {
    name: 'market', entryPoints: { open_position: entryPoint({ a: 'address', b: 'symbol', c: 'i128', d: 'u32', e: 'u32' }, 'val', () => openedPosition) },
  }
  const openedPosition = { type: 'map', value: [[symbol('id'), u64(1n)]] } as const
  const token: ContractCode = {
    name: 'token',
    entryPoints: {
      balance: entryPoint({ id: 'address' }, 'i128', () => i128(stored.total_usdc)),
      transfer: entryPoint({ from: 'address', to: 'address', amount: 'i128' }, 'void', () => VOID),
    },
  }
  const host = createTestHost({ [FACTORY]: patchedFactory, [MARKET]: market, [USDC]: token })
  host.invokeOk(FACTORY, 'initialize', [address(ADMIN), address(MARKET), address(USDC)], [ADMIN])
  host.invokeOk(FACTORY, 'create_vault', [address(ALICE), text('x')], [ALICE])
  host.invokeOk(FACTORY, 'deposit', amountArgs(ALICE, 0, E7), [ALICE])
  host.invokeOk(FACTORY, 'leader_open_position', leaderOpenArgs(ALICE, 0, { collateral: E7 }), [ALICE])
  host.invokeOk(FACTORY, 'clear_leader_shares', [])
  assert.equal(host.tryInvoke(FACTORY, 'leader_open_position', leaderOpenArgs(ALICE, 0, { collateral: E7 }), [ALICE]), contractError(11))
})

test('a leader can close another vault\'s position and receives its USDC, as deployed', () => {
  const vaults = createFundedVault()
  vaults.callFactory('create_vault', createVaultArgs(BOB, 'south'))
  vaults.callFactory('deposit', amountArgs(BOB, 1, 2_000n * E7))
  const id = vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, 0)) as bigint
  assert.equal(vaults.vault(0).total_usdc, 11_900n * E7, 'the other vault\'s deposit is counted in this one')
  const closed = vaults.host.invokeOk(FACTORY, 'leader_close_position', leaderIdArgs(BOB, 1, id), [BOB])
  assert.deepEqual(eventRowsOf(closed).at(-1), [FACTORY, 'leader_close', 1, [BOB, id]])
  assert.deepEqual([vaults.vault(0).total_usdc, vaults.vault(1).total_usdc], [11_900n * E7, 11_999_5000000n])
  // Both vaults count the same USDC, so the last withdrawal exceeds the factory's balance.
  vaults.callFactory('withdraw', amountArgs(BOB, 1, 2_000n * E7))
  assert.equal(vaults.tryFactory('withdraw', amountArgs(ALICE, 0, 10_000n * E7)), contractError(10), 'error of the token')
})

test('claim_leader_fees pays 10 % of the gain above the high-water mark once, also while paused', () => {
  const vaults = createFundedVault()
  assert.equal(vaults.tryFactory('claim_leader_fees', [u32(9)]), contractError(5))
  assert.equal(vaults.tryFactory('claim_leader_fees', [u32(0)], [BOB]), UNAUTHORIZED)
  assert.equal(vaults.tryFactory('claim_leader_fees', [u32(0)]), contractError(15))
  const id = vaults.callFactory('leader_open_position', leaderOpenArgs(ALICE, 0)) as bigint
  assert.equal(vaults.tryFactory('claim_leader_fees', [u32(0)]), contractError(15), 'the collateral of open positions does not count')
  vaults.setPrice('BTC', 50_400n * E7)
  vaults.callFactory('leader_close_position', leaderIdArgs(ALICE, 0, id))
  vaults.callFactory('set_paused', pauseArgs(0, true))
  const before = vaults.usdc(ALICE)
  const result = vaults.invokeFactory('claim_leader_fees', [u32(0)])
  // A gain of 7.5 on 10,000: 7,500 units of NAV above the mark, 10 % of them for 10,000 shares.
  assert.equal(toNative(result.value), 7_500_000n)
  assert.deepEqual(eventRowsOf(result), [[FACTORY, 'fees_claimed', 0, [ALICE, 7_500_000n, 10_006_750n]]])
  assert.equal(vaults.usdc(ALICE) - before, 7_500_000n)
  const { total_usdc, realized_pnl, hwm_nav } = vaults.vault(0)
  assert.deepEqual([total_usdc, realized_pnl, hwm_nav], [10_006_7500000n, 7_500_000n, 10_006_750n])
  assert.equal(vaults.tryFactory('claim_leader_fees', [u32(0)]), contractError(15))
})

test('leader and admin set the same pause flag and emit different events', () => {
  const vaults = createFundedVault()
  assert.equal(vaults.tryFactory('set_paused', pauseArgs(9, true)), contractError(5))
  assert.equal(vaults.tryFactory('admin_pause', pauseArgs(9, true)), contractError(5))
  assert.equal(vaults.tryFactory('set_paused', pauseArgs(0, true), [ADMIN]), UNAUTHORIZED)
  assert.equal(vaults.tryFactory('admin_pause', pauseArgs(0, true), [ALICE]), UNAUTHORIZED)
  for (const [name, paused, topic] of [
    ['set_paused', true, 'paused'], ['admin_pause', false, 'admin_unpaused'], ['admin_pause', true, 'admin_paused'], ['set_paused', false, 'unpaused'],
  ] as const) {
    const result = vaults.invokeFactory(name, pauseArgs(0, paused))
    assert.deepEqual(eventRowsOf(result), [[FACTORY, topic, 0, null]])
    assert.equal(vaults.vault(0).paused, paused)
  }
})

test('negative totals, which no call produces, fail with 14', () => {
  const vault = { total_usdc: -1n, circulating_shares: 1n, leader_shares: 1n, hwm_nav: 0n, profit_share_bps: 1000 } as Vault
  const negativeShares = { total_usdc: 1n, circulating_shares: -1n }
  for (const wrong of [() => navOf(vault), () => sharesFor(vault, 1n), () => feesOwed(vault), () => sharesFor(negativeShares, 1n)]) {
    assert.throws(wrong, { message: contractError(14) })
  }
  assert.equal(navOf({ ...vault, circulating_shares: 0n }), E7)
  assert.equal(usdcFor(vault, 1n), 0n)
})
