// After an hour of leaders, depositors, traders and a keeper: each vault is what the log says when it is added up another way, and what the factory says.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TraderVault } from '../../src/resources/trader-vault.ts'
import { followPages } from '../support/pages.ts'
import type { Row } from '../support/pages.ts'
import { viewVault } from '../support/vault-view.ts'
import { createWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

const LEDGERS = 360
const LEDGER_SEC = 10

let world: World
let events: readonly Row[]
let vaults: readonly TraderVault[]

before(async () => {
  world = await createWorld({ traders: 3, seed: 'histories of vaults' })
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    await world.cheat('local_advance', { seconds: LEDGER_SEC })
    await world.closeLedgers(1)
  }
  await world.settle()
  for (let seen = 1; seen > 0;) seen = await world.indexer.observe()
  events = (await followPages(world, '/v1/events?limit=500', 'events')).flat().toReversed()
  vaults = (await followPages(world, '/v1/vaults?limit=200', 'vaults')).flat() as unknown as readonly TraderVault[]
})
after(() => world[Symbol.asyncDispose]())

const payloadOf = (event: Row): Record<string, string | number> => event['payload'] as Record<string, string | number>

/** What happened to one vault, by walking through the whole log. */
function addUp(id: number): Record<string, unknown> {
  const { market, vaultFactory } = world.network.contracts
  const own = events.filter((event) => event['contractId'] === vaultFactory && payloadOf(event)['vaultId'] === id)
  const orders = new Set(own.filter(({ topic }) => topic === 'leader_limit').map((event) => String(payloadOf(event)['orderId'])))
  const fills = new Set(events.filter(({ topic }) => topic === 'order_executed').filter((event) => orders.has(String(payloadOf(event)['orderId'])))
    .map(({ txHash }) => txHash))
  const filled = events.filter(({ topic, txHash }) => topic === 'position_opened' && fills.has(txHash))
  const opened = new Set([...own.filter(({ topic }) => topic === 'leader_open'), ...filled].map((event) => String(payloadOf(event)['positionId'])))
  const ended = events.filter((event) => event['contractId'] === market && ['position_closed', 'position_liquidated'].includes(String(event['topic']))
    && opened.has(String(payloadOf(event)['positionId'])))
  return {
    depositorCount: new Set(own.filter(({ topic }) => topic === 'deposit').map((event) => payloadOf(event)['depositor'])).size,
    tradeCount: opened.size,
    openPositions: opened.size - ended.length,
    closedTradePnl: String(ended.reduce((sum, event) => sum + BigInt(payloadOf(event)['pnl'] ?? 0), 0n)),
  }
}

test('much has happened: deposits, withdrawals, trades of leaders', () => {
  assert.ok(vaults.length >= 2)
  for (const topic of ['vault_created', 'deposit', 'withdraw', 'leader_open', 'leader_close', 'code_created', 'referrer_set']) {
    assert.ok(events.some((event) => event['topic'] === topic), `no ${topic}`)
  }
  assert.ok(vaults.some(({ tradeCount }) => tradeCount >= 3))
})

test('each vault is what the log adds up to', () => {
  for (const vault of vaults) {
    const { depositorCount, tradeCount, openPositions, closedTradePnl } = vault
    assert.deepEqual({ depositorCount, tradeCount, openPositions, closedTradePnl }, addUp(vault.id), `vault ${vault.id}`)
  }
})

test('each vault is what the factory says', async () => {
  for (const vault of vaults) {
    const told = await viewVault(world, vault.id)
    const { totalUsdc, circulatingShares, leaderShares, hwmNav, realizedPnl, paused } = vault
    assert.deepEqual({ totalUsdc, circulatingShares, leaderShares, hwmNav, realizedPnl, paused }, {
      totalUsdc: String(told['total_usdc']), circulatingShares: String(told['circulating_shares']), leaderShares: String(told['leader_shares']),
      hwmNav: String(told['hwm_nav']), realizedPnl: String(told['realized_pnl']), paused: told['paused'],
    }, `vault ${vault.id}`)
  }
})

test('shares are those of the deposits and withdrawals, and so are the lists', async () => {
  for (const { id, circulatingShares } of vaults) {
    const read = async (list: string): Promise<readonly Row[]> => (await followPages(world, `/v1/vaults/${id}/${list}`, list)).flat()
    const [deposits, withdraws] = [await read('deposits'), await read('withdraws')]
    const sum = (rows: readonly Row[]): bigint => rows.reduce((total, row) => total + BigInt(String(row['shares'])), 0n)
    assert.equal(String(sum(deposits) - sum(withdraws)), circulatingShares, `vault ${id}`)
  }
})
