// The life of a vault: its leader trades through the factory, the keeper executes an order and liquidates a position, depositors deposit and withdraw. The API
// must report the same state as the factory.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { VAULT_CACHE_MS } from '../../src/limits.ts'
import type { TraderVault } from '../../src/resources/trader-vault.ts'
import type { VaultFlow, VaultTrade } from '../../src/resources/vault-activity.ts'
import { address, bool, i128, symbol, text, u32, u64 } from '../../localnet/contracts/shared/host.ts'
import type { Val } from '../../localnet/contracts/shared/host.ts'
import { applyInOneLedger, createChainTrader, ONE } from '../support/traders.ts'
import type { ChainTrader } from '../support/traders.ts'
import { viewVault } from './chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const VAULT = 0

let fixture: GatewayFixture
let leader: ChainTrader
let depositor: ChainTrader

before(async () => {
  fixture = await createGatewayFixture({ traders: 0, seed: 'vault' })
  await setPrice(100_000)
  await fixture.closeLedgers(3)
  leader = await createChainTrader(fixture, 'leader')
  depositor = await createChainTrader(fixture, 'depositor')
})
after(() => fixture[Symbol.asyncDispose]())

const setPrice = (usd: number): Promise<unknown> => fixture.control('local_setPrice', { asset: 'BTC', price: String(BigInt(usd) * ONE) })

const invoke = (trader: ChainTrader, functionName: string, ...args: readonly Val[]): Promise<void> =>
  applyInOneLedger(fixture, [{ trader, contract: fixture.network.contracts.vaultFactory, functionName, args }])

const invokeAsLeader = (functionName: string, ...args: readonly Val[]): Promise<void> =>
  invoke(leader, functionName, address(leader.address), u32(VAULT), ...args)

/** Arguments of a BTC long with 1,000 USDC. */
const longArgs = (leverage: number): readonly Val[] => [symbol('BTC'), i128(1_000n * ONE), u32(leverage), u32(0)]

/** Returns the vault from the API, after asserting that it equals the factory's. */
async function servedVault(): Promise<TraderVault> {
  await fixture.catchUp()
  await fixture.indexer.observe()
  fixture.clock.advance(VAULT_CACHE_MS)
  const [{ body: vault }, onChain] = [await fixture.get<TraderVault>(`/v1/vaults/${VAULT}`), await viewVault(fixture, VAULT)]
  const { totalUsdc, circulatingShares, leaderShares, hwmNav, realizedPnl, profitShareBps, paused, createdAt, name } = vault
  assert.deepEqual(
    { totalUsdc, circulatingShares, leaderShares, hwmNav, realizedPnl, profitShareBps, paused, createdAt, name, leader: vault.leader },
    {
      totalUsdc: String(onChain['total_usdc']), circulatingShares: String(onChain['circulating_shares']), leaderShares: String(onChain['leader_shares']),
      hwmNav: String(onChain['hwm_nav']), realizedPnl: String(onChain['realized_pnl']), profitShareBps: onChain['profit_share_bps'], paused: onChain['paused'],
      createdAt: Number(onChain['created_at']), name: onChain['name'], leader: onChain['leader'],
    },
  )
  return vault
}

const list = async <Row>(path: string, key: string): Promise<readonly Row[]> => {
  const { status, body } = await fixture.get<Record<string, readonly Row[]>>(`/v1/vaults/${VAULT}/${path}`)
  assert.equal(status, 200)
  return body[key] ?? assert.fail(`no ${key}`)
}

const trades = async (): Promise<unknown> =>
  (await list<VaultTrade>('trades', 'trades')).map((trade) => [trade.action, trade.positionId, trade.leader, trade.collateral, trade.pnl])

const flows = async (path: string, key: string): Promise<unknown> =>
  (await list<VaultFlow>(path, key)).map(({ principal, amount, shares }) => [principal, amount, shares])

test('creates a vault with deposits of the leader and a depositor', async () => {
  await invoke(leader, 'create_vault', address(leader.address), text('North ☆'))
  await invokeAsLeader('deposit', i128(20_000n * ONE))
  await invoke(depositor, 'deposit', address(depositor.address), u32(VAULT), i128(10_000n * ONE))
  const vault = await servedVault()
  assert.deepEqual([vault.totalUsdc, vault.leaderShares, vault.depositorCount, vault.tradeCount], [String(30_000n * ONE), String(20_000n * ONE), 2, 0])
  assert.deepEqual(await flows('deposits', 'deposits'), [
    [depositor.address, String(10_000n * ONE), String(10_000n * ONE)], [leader.address, String(20_000n * ONE), String(20_000n * ONE)],
  ])
})

test('lists the leader\'s open and close with the PnL, and reads the vault\'s total from the ledger', async () => {
  await invokeAsLeader('leader_open_position', ...longArgs(10))
  const open = await servedVault()
  assert.deepEqual([open.totalUsdc, open.openPositions, open.tradeCount, open.drawdownBps], [String(29_000n * ONE), 1, 1, 333])
  await setPrice(100_900)
  await invokeAsLeader('leader_close_position', u64(1n))
  const closed = await servedVault()
  // 90 USDC of profit less 5 USDC of fees for opening.
  assert.deepEqual([closed.totalUsdc, closed.openPositions, closed.closedTradePnl], [String(30_085n * ONE), 0, String(90n * ONE)])
  assert.deepEqual(await trades(), [
    ['close', '1', leader.address, '0', String(90n * ONE)], ['open', '1', leader.address, String(1_000n * ONE), null],
  ])
})

test('the leader claims a tenth of the gain', async () => {
  await invoke(leader, 'claim_leader_fees', u32(VAULT))
  const vault = await servedVault()
  const [[principal, owed, shares]] = await flows('fee-claims', 'feeClaims') as [[string, string, undefined]]
  assert.deepEqual([principal, owed, shares, vault.realizedPnl], [leader.address, vault.realizedPnl, undefined, owed])
  // A tenth of 85 USDC, less the rounding of the share price.
  assert.ok(BigInt(owed) <= 85_000_000n && BigInt(owed) > 84_990_000n, owed)
})

test('tracks executed orders and liquidations of the vault although the factory emits no event', async () => {
  await fixture.control('local_advance', { seconds: 700 })
  await fixture.closeLedgers(2)
  await invokeAsLeader('leader_open_position', ...longArgs(10))
  await invokeAsLeader('leader_place_limit_order', ...longArgs(2), i128(100_400n * ONE), bool(false), u32(100))
  assert.equal((await servedVault()).openPositions, 1)
  await setPrice(100_300)
  await fixture.closeLedgers(4)
  const filled = await servedVault()
  assert.deepEqual([filled.openPositions, filled.tradeCount], [2, 3], 'the order opened a position')
  await setPrice(91_000)
  await fixture.closeLedgers(4)
  const liquidated = await servedVault()
  assert.deepEqual([liquidated.openPositions, liquidated.tradeCount, liquidated.totalUsdc], [1, 3, filled.totalUsdc])
  assert.deepEqual((await trades() as readonly unknown[]).slice(0, 3), [
    ['close', '2', leader.address, '0', null], ['open', '3', leader.address, String(1_000n * ONE), null],
    ['open', '2', leader.address, String(1_000n * ONE), null],
  ])
  assert.deepEqual(liquidated.closedTradePnl, String(90n * ONE))
  await invokeAsLeader('leader_close_position', u64(3n))
  const closed = await servedVault()
  assert.deepEqual([closed.openPositions, closed.tradeCount], [0, 3])
  assert.equal((await list<VaultTrade>('trades', 'trades')).length, 6)
})

test('each trade has its market, side, size and price, which the factory\'s events lack', async () => {
  const rows = await list<VaultTrade>('trades', 'trades')
  const parts = rows.map(({ action, positionId, asset, direction, size }) => [action, positionId, asset, direction, size])
  const [tenfold, twofold] = [String(10_000n * ONE), String(2_000n * ONE)]
  assert.deepEqual(parts, [
    ['close', '3', 'BTC', 0, twofold], ['close', '2', 'BTC', 0, tenfold], ['open', '3', 'BTC', 0, twofold], ['open', '2', 'BTC', 0, tenfold],
    ['close', '1', 'BTC', 0, tenfold], ['open', '1', 'BTC', 0, tenfold],
  ])
  const [closed, opened] = rows.slice(4)
  assert.deepEqual([opened?.price, closed?.price], [100_000, 100_900].map((price) => String(BigInt(price) * ONE)))
})

test('a withdrawal pays the shares\' current value, and a paused vault reports paused', async () => {
  await invoke(depositor, 'withdraw', address(depositor.address), u32(VAULT), i128(5_000n * ONE))
  await invoke(leader, 'set_paused', u32(VAULT), bool(true))
  const vault = await servedVault()
  assert.equal(vault.paused, true)
  const [[principal, amount, shares]] = await flows('withdraws', 'withdraws') as [[string, string, string]]
  assert.deepEqual([principal, shares], [depositor.address, String(5_000n * ONE)])
  const worth = (BigInt(vault.totalUsdc) * 5_000n * ONE) / BigInt(vault.circulatingShares)
  assert.ok(BigInt(amount) - worth <= 1n && worth - BigInt(amount) <= 1n, `${amount} for shares that are worth ${worth}`)
  assert.equal(vault.depositorCount, 2, 'depositorCount includes former depositors')
})

test('reconciliation corrected no vault', async () => {
  const { body } = await fixture.get<{ indexer: { vaultCorrections: number } }>('/v1/health')
  assert.equal(body.indexer.vaultCorrections, 0)
})

test('reports a referral code and its referred accounts', async () => {
  const { referral } = fixture.network.contracts
  const referrer = await createChainTrader(fixture, 'referrer')
  await applyInOneLedger(fixture, [{ trader: referrer, contract: referral, functionName: 'create_code', args: [address(referrer.address), text('NORTH')] }])
  await applyInOneLedger(fixture, [{ trader: depositor, contract: referral, functionName: 'set_referrer', args: [address(depositor.address), text('NORTH')] }])
  await fixture.catchUp()
  const zero = { totalVolumeGenerated: '0', totalEarned: '0', claimable: '0' }
  const { body: found } = await fixture.get('/v1/referral/lookup?code=NORTH')
  assert.deepEqual({ ...found, ...zero, referrer: referrer.address, code: 'NORTH', referredCount: 1 }, found)
  assert.equal((await fixture.get('/v1/referral/lookup?code=north')).status, 404)
  const { body: info } = await fixture.get(`/v1/referral/info?address=${referrer.address}`)
  assert.deepEqual(info, { self: found, binding: null })
  const { body: withoutCode } = await fixture.get(`/v1/referral/info?address=${depositor.address}`)
  assert.equal(withoutCode['error'], 'no_code')
})
