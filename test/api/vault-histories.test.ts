// After an hour of trading, each vault must equal an independent sum of the event log and the factory's state.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TraderVault } from '../../src/resources/trader-vault.ts'
import { followPages } from '../support/pagination.ts'
import type { Row } from '../support/pagination.ts'
import { viewVault } from './chain-views.ts'
import { createGatewayFixture } from '../support/gateway-fixture.ts'
import type { GatewayFixture } from '../support/gateway-fixture.ts'

const LEDGERS = 360
const LEDGER_SEC = 10

let fixture: GatewayFixture
let events: readonly Row[]
let vaults: readonly TraderVault[]

before(async () => {
  fixture = await createGatewayFixture({ traders: 3, seed: 'histories of vaults' })
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    await fixture.control('local_advance', { seconds: LEDGER_SEC })
    await fixture.closeLedgers(1)
  }
  await fixture.catchUp()
  for (let observed = 1; observed > 0;) observed = await fixture.indexer.observe()
  events = (await followPages(fixture, '/v1/events?limit=500', 'events')).flat().toReversed()
  vaults = (await followPages(fixture, '/v1/vaults?limit=200', 'vaults')).flat() as unknown as readonly TraderVault[]
})
after(() => fixture[Symbol.asyncDispose]())

const payloadOf = (event: Row): Record<string, string | number> => event['payload'] as Record<string, string | number>

/** One vault's counts, computed from the whole event log. */
function countsFromLog(id: number): Record<string, unknown> {
  const { market, vaultFactory } = fixture.network.contracts
  const own = events.filter((event) => event['contractId'] === vaultFactory && payloadOf(event)['vaultId'] === id)
  const orders = new Set(own.filter(({ topic }) => topic === 'leader_limit').map((event) => String(payloadOf(event)['orderId'])))
  const fills = new Set(events.filter(({ topic }) => topic === 'order_executed').filter((event) => orders.has(String(payloadOf(event)['orderId'])))
    .map(({ txHash }) => txHash))
  const filled = events.filter(({ topic, txHash }) => topic === 'position_opened' && fills.has(txHash))
  const opened = new Set([...own.filter(({ topic }) => topic === 'leader_open'), ...filled].map((event) => String(payloadOf(event)['positionId'])))
  const closed = events.filter((event) => event['contractId'] === market && ['position_closed', 'position_liquidated'].includes(String(event['topic']))
    && opened.has(String(payloadOf(event)['positionId'])))
  return {
    depositorCount: new Set(own.filter(({ topic }) => topic === 'deposit').map((event) => payloadOf(event)['depositor'])).size,
    tradeCount: opened.size,
    openPositions: opened.size - closed.length,
    closedTradePnl: String(closed.reduce((sum, event) => sum + BigInt(payloadOf(event)['pnl'] ?? 0), 0n)),
  }
}

test('the log contains deposits, withdrawals and leader trades', () => {
  assert.ok(vaults.length >= 2)
  for (const topic of ['vault_created', 'deposit', 'withdraw', 'leader_open', 'leader_close', 'code_created', 'referrer_set']) {
    assert.ok(events.some((event) => event['topic'] === topic), `no ${topic}`)
  }
  assert.ok(vaults.some(({ tradeCount }) => tradeCount >= 3))
})

test('each vault matches the event log', () => {
  for (const vault of vaults) {
    const { depositorCount, tradeCount, openPositions, closedTradePnl } = vault
    assert.deepEqual({ depositorCount, tradeCount, openPositions, closedTradePnl }, countsFromLog(vault.id), `vault ${vault.id}`)
  }
})

test('each vault matches the factory\'s state', async () => {
  for (const vault of vaults) {
    const onChain = await viewVault(fixture, vault.id)
    const { totalUsdc, circulatingShares, leaderShares, hwmNav, realizedPnl, paused } = vault
    assert.deepEqual({ totalUsdc, circulatingShares, leaderShares, hwmNav, realizedPnl, paused }, {
      totalUsdc: String(onChain['total_usdc']), circulatingShares: String(onChain['circulating_shares']), leaderShares: String(onChain['leader_shares']),
      hwmNav: String(onChain['hwm_nav']), realizedPnl: String(onChain['realized_pnl']), paused: onChain['paused'],
    }, `vault ${vault.id}`)
  }
})

test('circulating shares equal deposits less withdrawals', async () => {
  for (const { id, circulatingShares } of vaults) {
    const read = async (list: string): Promise<readonly Row[]> => (await followPages(fixture, `/v1/vaults/${id}/${list}`, list)).flat()
    const [deposits, withdraws] = [await read('deposits'), await read('withdraws')]
    const sum = (rows: readonly Row[]): bigint => rows.reduce((total, row) => total + BigInt(String(row['shares'])), 0n)
    assert.equal(String(sum(deposits) - sum(withdraws)), circulatingShares, `vault ${id}`)
  }
})
