// Trader vaults: how factory and market events change them, for any page boundaries, and how factory reads correct them.

import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { openTestStore } from '../../../test/support/database.ts'
import { fc } from '../../../test/support/fuzz.ts'
import { createTestLog } from '../log/test-log.ts'
import type { TestLog } from '../log/test-log.ts'
import type { TraderVault } from '../../resources/trader-vault.ts'
import type { Store } from '../../store/store.ts'
import { readIndexState } from '../state/index-state.ts'
import { apyBps, drawdownBps } from './vault-figures.ts'
import { listVaultsToRead, recordVaultObservations } from './vault-observations.ts'
import { listVaultFlows, listVaults, listVaultTrades, readVault } from './vaults.ts'
import type { ArchivedEvent } from '../log/archived-event.ts'

const [LEADER, OTHER, ALICE, BOB] = ['GLEADER', 'GOTHER', 'GALICE', 'GBOB']
const nowSec = 1_800_000_000

async function openLog(): Promise<{ store: Store; log: TestLog } & AsyncDisposable> {
  const store = await openTestStore()
  return { store, log: await createTestLog(store), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

async function vaultOf(store: Store, id: number): Promise<TraderVault> {
  const { vault } = await readVault(store.read, { id, nowSec })
  assert.ok(vault)
  return vault
}

async function tradesOf(store: Store, id: number): Promise<readonly string[]> {
  const { rows } = await listVaultTrades(store.read, { id, limit: 50 })
  return rows.map((row) => `${row.action} ${row.positionId} ${row.leader} ${row.collateral} ${row.pnl}`)
}

test('sums a vault\'s events', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'North star' })
  const created = log.last()
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: LEADER, amount: '1000', shares: '1000' })
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: ALICE, amount: '500', shares: '400' })
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: ALICE, amount: '50', shares: '40' })
  log.append('vaultFactory', 'withdraw', { vaultId: 0, depositor: ALICE, shares: '100', usdcOut: '120' })
  log.append('vaultFactory', 'withdraw', { vaultId: 0, depositor: LEADER, shares: '30', usdcOut: '33' })
  log.append('vaultFactory', 'fees_claimed', { vaultId: 0, leader: LEADER, owed: '7', newNav: '12000000' })
  log.append('vaultFactory', 'admin_paused', { vaultId: 0 })
  await log.commit()
  assert.deepEqual(await vaultOf(store, 0), {
    id: 0, leader: LEADER, name: 'North star', createdAt: created.ledgerCloseTs, totalUsdc: '1390', circulatingShares: '1310', hwmNav: '12000000',
    realizedPnl: '7', leaderShares: '970', profitShareBps: 1000, paused: true, updatedAt: log.last().ledgerCloseTs * 1_000, depositorCount: 2,
    openPositions: 0, tradeCount: 0, drawdownBps: 1157, apyBps: 0, apyKind: 'annualized', closedTradePnl: '0',
  })
  const flows = async (kind: 'deposit' | 'withdraw' | 'fee_claim') =>
    (await listVaultFlows(store.read, kind, { id: 0, limit: 50 })).rows.map(({ principal, amount, shares }) => [principal, amount, shares])
  assert.deepEqual(await flows('deposit'), [[ALICE, '50', '40'], [ALICE, '500', '400'], [LEADER, '1000', '1000']])
  assert.deepEqual(await flows('withdraw'), [[LEADER, '33', '30'], [ALICE, '120', '100']])
  assert.deepEqual(await flows('fee_claim'), [[LEADER, '7', undefined]])
  const [claim] = (await listVaultFlows(store.read, 'fee_claim', { id: 0, limit: 1 })).rows
  assert.ok(claim !== undefined && !('shares' in claim), 'a fee claim has no shares')
})

test('counts positions closed by the keeper, with their PnL', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'a' })
  for (const id of [1, 2, 3]) log.leaderOpens({ vaultId: 0, leader: LEADER, positionId: id, collateral: '100' })
  await log.commit()
  assert.deepEqual([(await vaultOf(store, 0)).openPositions, (await vaultOf(store, 0)).tradeCount], [3, 3])
  // Closed by a stop order, by a liquidation, and by the leader.
  log.positionCloses({ trader: log.factory, positionId: 1, pnl: '-40' })
  log.positionLiquidated({ trader: log.factory, positionId: 2 })
  log.leaderCloses({ vaultId: 0, leader: LEADER, positionId: 3, pnl: '90' })
  await log.commit()
  const { openPositions, tradeCount, closedTradePnl } = await vaultOf(store, 0)
  assert.deepEqual({ openPositions, tradeCount, closedTradePnl }, { openPositions: 0, tradeCount: 3, closedTradePnl: '50' })
  assert.deepEqual((await tradesOf(store, 0)).slice(0, 3), [`close 3 ${LEADER} 0 90`, `close 2 ${LEADER} 0 null`, `close 1 ${LEADER} 0 -40`])
})

test('counts the PnL of parts that a reduce-only order or a liquidation closed, and the position stays open', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'a' })
  log.leaderOpens({ vaultId: 0, leader: LEADER, positionId: 1, collateral: '100' })
  log.append('market', 'position_reduced', {
    positionId: 1, trader: log.factory, asset: 'BTC', closedSize: '400', remainingSize: '600', price: '6', pnl: '-30',
  })
  log.append('market', 'position_partial_liq', {
    positionId: 1, trader: log.factory, asset: 'BTC', direction: 0, size: '100', keeperReward: '1', closePrice: '6',
  })
  await log.commit(1)
  const [open, closedTradePnl] = [(await vaultOf(store, 0)).openPositions, (await vaultOf(store, 0)).closedTradePnl]
  assert.deepEqual([open, closedTradePnl], [1, '-30'])
  log.leaderCloses({ vaultId: 0, leader: LEADER, positionId: 1, pnl: '7' })
  await log.commit()
  const vault = await vaultOf(store, 0)
  assert.deepEqual([vault.openPositions, vault.tradeCount, vault.closedTradePnl], [0, 1, '-23'])
  assert.deepEqual((await tradesOf(store, 0)).slice(0, 3), [`close 1 ${LEADER} 0 7`, `close 1 ${LEADER} 0 null`, `close 1 ${LEADER} 0 -30`])
})

test('attributes positions opened by a vault\'s limit order to the vault, and no others', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  log.append('vaultFactory', 'vault_created', { vaultId: 4, leader: LEADER, name: 'a' })
  log.append('usdcToken', 'transfer', { from: ALICE, to: log.epoch().contracts.market, amount: '300' })
  log.append('usdcToken', 'transfer', { from: log.factory, to: log.epoch().contracts.market, amount: '250' }, 'placed')
  log.append('vaultFactory', 'leader_limit', { vaultId: 4, leader: LEADER, orderId: '9' }, 'placed')
  log.append('vaultFactory', 'leader_stop_limit', { vaultId: 4, leader: LEADER, orderId: '11' })
  // A page may end between the events of a transaction.
  await log.commit(1, true)
  log.orderOpens({ trader: log.factory, orderId: 9, positionId: 7 })
  log.orderOpens({ trader: ALICE, orderId: 10, positionId: 8 })
  log.orderOpens({ trader: log.factory, orderId: 11, positionId: 9 })
  await log.commit(1, true)
  assert.equal((await vaultOf(store, 4)).openPositions, 2)
  log.positionCloses({ trader: ALICE, positionId: 8, pnl: '5' })
  log.positionCloses({ trader: log.factory, positionId: 7, pnl: '11' })
  await log.commit()
  assert.deepEqual([(await vaultOf(store, 4)).openPositions, (await vaultOf(store, 4)).closedTradePnl], [1, '11'])
  // What was paid for order 11 is not in the archive.
  assert.deepEqual(await tradesOf(store, 4), [`close 7 ${LEADER} 0 11`, `open 7 ${LEADER} 250 null`])
})

test('closes a position in the vault that opened it, even when another vault\'s leader closes it', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  for (const [vaultId, leader] of [[0, LEADER], [1, OTHER]] as const) log.append('vaultFactory', 'vault_created', { vaultId, leader, name: 'a' })
  log.leaderOpens({ vaultId: 0, leader: LEADER, positionId: 1, collateral: '100' })
  log.leaderCloses({ vaultId: 1, leader: OTHER, positionId: 1, pnl: '3' })
  await log.commit()
  assert.deepEqual([(await vaultOf(store, 0)).openPositions, (await vaultOf(store, 1)).openPositions], [0, 0])
  assert.deepEqual([(await vaultOf(store, 0)).closedTradePnl, (await vaultOf(store, 1)).closedTradePnl], ['3', '0'])
})

test('lists closes of positions opened before the index began, with the PnL of their transaction', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  log.leaderCloses({ vaultId: 2, leader: LEADER, positionId: 1, pnl: '3' })
  log.append('vaultFactory', 'leader_close', { vaultId: 2, leader: LEADER, positionId: '18446744073709551615' })
  await log.commit()
  assert.deepEqual(await tradesOf(store, 2), [`close 18446744073709551615 ${LEADER} 0 null`, `close 1 ${LEADER} 0 3`])
  assert.equal((await readVault(store.read, { id: 2, nowSec })).vault, null, 'a vault without an archived creation is unknown')
})

test('keeps vaults with the same id on different chains apart; lists of an unknown vault are empty', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'before' })
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: ALICE, amount: '1000', shares: '1000' })
  await log.commit()
  await log.reset()
  assert.equal((await readVault(store.read, { id: 0, nowSec })).vault, null)
  assert.deepEqual((await listVaultFlows(store.read, 'deposit', { id: 0, limit: 5 })).rows, [])
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: OTHER, name: 'after' })
  await log.commit()
  assert.deepEqual([(await vaultOf(store, 0)).name, (await vaultOf(store, 0)).totalUsdc], ['after', '0'])
  assert.deepEqual((await listVaults(store.read, { limit: 50, nowSec })).rows.map(({ name }) => name), ['after'])
})

test('keeps vaults when the market changes, and starts without vaults when the factory changes', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  const toRead = async (): Promise<readonly number[]> =>
    (await listVaultsToRead(store.read, log.epoch(), { limit: 5, except: [], readBeforeMs: 1 })).map(({ vaultId }) => vaultId)
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'before' })
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: ALICE, amount: '1000', shares: '1000' })
  await log.commit()
  await log.replaceContract('market')
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: ALICE, amount: '5', shares: '5' })
  await log.commit()
  assert.deepEqual([(await vaultOf(store, 0)).name, (await vaultOf(store, 0)).totalUsdc], ['before', '1005'])
  assert.deepEqual(await toRead(), [0])
  await log.replaceContract('vaultFactory')
  assert.deepEqual((await listVaults(store.read, { limit: 50, nowSec })).rows, [])
  assert.deepEqual(await toRead(), [])
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: OTHER, name: 'after' })
  await log.commit()
  assert.deepEqual([(await vaultOf(store, 0)).name, (await vaultOf(store, 0)).totalUsdc], ['after', '0'])
})

test('lists vaults newest first, optionally by leader, without losing any between pages', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  for (let vaultId = 0; vaultId < 7; vaultId++) {
    log.append('vaultFactory', 'vault_created', { vaultId, leader: vaultId % 3 === 0 ? LEADER : OTHER, name: `v${vaultId}` })
  }
  await log.commit()
  for (const [leader, expected] of [[undefined, [6, 5, 4, 3, 2, 1, 0]], [LEADER, [6, 3, 0]]] as const) {
    const ids: number[] = []
    let cursor: string | undefined
    do {
      const page = await listVaults(store.read, { leader, limit: 2, cursor, nowSec })
      ids.push(...page.rows.map(({ id }) => id))
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    assert.deepEqual(ids, expected)
  }
})

test('computes drawdown and APY', () => {
  assert.equal(drawdownBps({ total: 0n, shares: 0n, hwm: 10_000_000n }), 0, 'an empty vault is at par')
  assert.equal(drawdownBps({ total: 90n, shares: 100n, hwm: 10_000_000n }), 1_000)
  assert.equal(drawdownBps({ total: 110n, shares: 100n, hwm: 10_000_000n }), 0)
  const day = 86_400
  assert.equal(apyBps({ total: 182_672_426_343n, pnl: 1_211_692_361n, ageSec: 39 * day + 3_600 }), 617, 'rounded only at the end')
  assert.equal(apyBps({ total: 100n, pnl: 1n, ageSec: 0 }), 36_500, 'an age below one day counts as one day')
  assert.equal(apyBps({ total: 100n, pnl: 1n, ageSec: 2 * day }), 18_250)
  assert.equal(apyBps({ total: 100n, pnl: -1n, ageSec: day }), 0)
  assert.equal(apyBps({ total: 0n, pnl: 5n, ageSec: day }), 0)
})

/** A consistent history: vaults, deposits and withdrawals, and positions that end in every way. */
function history(log: TestLog, picks: readonly number[]): void {
  const open: { vaultId: number; positionId: number }[] = []
  let vaults = 0
  let positions = 0
  for (const pick of picks) {
    const vaultId = vaults === 0 ? 0 : pick % vaults
    const [leader, depositor, amount] = [LEADER, pick % 2 === 0 ? LEADER : BOB, String((pick % 900) + 1)]
    const ending = open[pick % Math.max(1, open.length)]
    const kind = vaults === 0 ? 0 : pick % 9
    if (kind === 0) log.append('vaultFactory', 'vault_created', { vaultId: vaults++, leader, name: 'a' })
    else if (kind <= 2) log.append('vaultFactory', 'deposit', { vaultId, depositor, amount, shares: amount })
    else if (kind === 3) log.append('vaultFactory', 'withdraw', { vaultId, depositor, shares: amount, usdcOut: amount })
    else if (kind === 4) log.append('vaultFactory', 'fees_claimed', { vaultId, leader, owed: amount, newNav: amount })
    else if (kind <= 6 || ending === undefined) {
      open.push({ vaultId, positionId: ++positions })
      log.leaderOpens({ vaultId, leader, positionId: positions, collateral: amount })
    } else {
      open.splice(open.indexOf(ending), 1)
      if (pick % 3 === 0) log.leaderCloses({ ...ending, leader, pnl: amount })
      else if (pick % 3 === 1) log.positionCloses({ trader: log.factory, positionId: ending.positionId, pnl: `-${amount}` })
      else log.positionLiquidated({ trader: log.factory, positionId: ending.positionId })
    }
  }
}

test('property: any page boundaries give the same tables, and ended positions are not open', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  const picks = fc.array(fc.nat(100_000), { minLength: 5, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(picks, fc.integer({ min: 1, max: 9 }), async (chosen, pageLength) => {
      const dumps: unknown[] = []
      for (const length of [Infinity, pageLength]) {
        await log.clear()
        history(log, chosen)
        const events: readonly ArchivedEvent[] = log.pending()
        await log.commit(length)
        dumps.push(await log.dump(['vaults', 'vault_depositors', 'vault_positions', 'vault_orders', 'vault_trades', 'vault_flows']))
        const { rows } = await listVaults(store.read, { limit: 200, nowSec })
        const countOf = (topics: readonly string[]): number => events.filter(({ topic }) => topics.includes(topic)).length
        const ended = countOf(['position_closed', 'position_liquidated'])
        assert.equal(rows.reduce((sum, vault) => sum + vault.openPositions, 0), countOf(['leader_open']) - ended)
      }
      assert.deepEqual(dumps[1], dumps[0])
    }),
    { numRuns: 15 },
  )
})

const OBSERVED = {
  vaultId: 0, totalUsdc: 777n, circulatingShares: 1_000n, leaderShares: 1_000n, hwmNav: 10_000_000n, realizedPnl: 0n, profitShareBps: 1_000, paused: false,
}

test('reads a vault from the factory after a leader\'s trade, and applies the figures', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  const toRead = () => listVaultsToRead(store.read, log.epoch(), { limit: 9, except: [], readBeforeMs: 1_000 })
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'a' })
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: LEADER, amount: '1000', shares: '1000' })
  await log.commit()
  const record = (ledger: number, nowMs: number, observed = OBSERVED) =>
    store.write.transaction((tx) => recordVaultObservations(tx, log.epoch(), [{ ...observed, ledger }], nowMs))
  assert.deepEqual(await toRead(), [{ vaultId: 0 }], 'never read')
  await record(log.last().ledger, 2_000, { ...OBSERVED, totalUsdc: 1_000n })
  assert.deepEqual(await toRead(), [], 'read recently')
  log.leaderOpens({ vaultId: 0, leader: LEADER, positionId: 1, collateral: '200' })
  await log.commit()
  assert.deepEqual(await toRead(), [{ vaultId: 0 }])
  await record(log.last().ledger - 1, 3_000)
  assert.equal((await vaultOf(store, 0)).totalUsdc, '1000', 'observed before the trade')
  await record(log.last().ledger + 1, 3_000)
  assert.equal((await vaultOf(store, 0)).totalUsdc, '1000', 'observed at a ledger that is not indexed yet')
  await record(log.last().ledger, 3_000)
  assert.deepEqual([(await vaultOf(store, 0)).totalUsdc, await toRead(), await corrections(store)], ['777', [], 0])
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: ALICE, amount: '10', shares: '9' })
  await log.commit()
  assert.equal((await vaultOf(store, 0)).totalUsdc, '787', 'later events are added to the observation')
  // A rebuild gives the same result, because observations are stored.
  const before = await log.dump(['vaults'])
  await log.replay()
  assert.deepEqual(await log.dump(['vaults']), before)
})

test('corrects and counts an unexplained difference', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'a' })
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: LEADER, amount: '1000', shares: '1000' })
  await log.commit()
  const { ledger } = log.last()
  await store.write.transaction((tx) => recordVaultObservations(tx, log.epoch(), [{ ...OBSERVED, totalUsdc: 1_000n, ledger }], 1))
  assert.equal(await corrections(store), 0)
  await store.write.transaction((tx) => recordVaultObservations(tx, log.epoch(), [{ ...OBSERVED, ledger }, { ...OBSERVED, vaultId: 5, ledger }], 1))
  assert.deepEqual([await corrections(store), (await vaultOf(store, 0)).totalUsdc], [1, '777'])
})

async function corrections(store: Store): Promise<number> {
  await store.write.query('update idx.cursor set updated_at = 1')
  return (await readIndexState(store.read))?.vaultCorrections ?? -1
}

test('counts positions that a stop-limit order of generation 2 opened', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'North star' })
  log.append('vaultFactory', 'leader_stop_limit', { vaultId: 0, leader: LEADER, orderId: '9' })
  log.orderOpens({ trader: log.factory, positionId: 4, orderId: 9 })
  log.append('vaultFactory', 'leader_sl', { vaultId: 0, leader: LEADER, orderId: '10', positionId: '4' })
  await log.commit()
  const { openPositions, tradeCount } = await vaultOf(store, 0)
  assert.deepEqual([openPositions, tradeCount], [1, 1])
})

test('a vault as of a ledger has the figures that were known then, also after a rebuild', async () => {
  await using fixture = await openLog()
  const { store, log } = fixture
  const recorded = new Map<number, unknown>()
  const described = ({ apyBps: _apy, ...vault }: TraderVault): unknown => vault
  const commit = async (observed?: Partial<typeof OBSERVED>): Promise<void> => {
    await log.commit()
    const { ledger } = log.last()
    if (observed !== undefined) {
      await store.write.transaction((tx) => recordVaultObservations(tx, log.epoch(), [{ ...OBSERVED, ...observed, ledger }], 1))
    }
    recorded.set(ledger, described(await vaultOf(store, 0)))
  }
  log.append('vaultFactory', 'vault_created', { vaultId: 0, leader: LEADER, name: 'a' })
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: LEADER, amount: '1000', shares: '1000' })
  await commit({ totalUsdc: 1_000n })
  log.leaderOpens({ vaultId: 0, leader: LEADER, positionId: 1, collateral: '200' })
  await commit({ totalUsdc: 800n })
  log.append('vaultFactory', 'deposit', { vaultId: 0, depositor: ALICE, amount: '10', shares: '9' })
  await commit()
  log.leaderCloses({ vaultId: 0, leader: LEADER, positionId: 1, pnl: '90' })
  await commit({ totalUsdc: 1_099n, circulatingShares: 1_009n })
  log.append('vaultFactory', 'fees_claimed', { vaultId: 0, leader: LEADER, owed: '7', newNav: '12000000' })
  await commit()
  log.append('vaultFactory', 'vault_created', { vaultId: 1, leader: OTHER, name: 'b' })
  await commit()
  const compare = async (): Promise<void> => {
    for (const [ledger, expected] of recorded) {
      const { vault } = await readVault(store.read, { id: 0, nowSec, atLedger: ledger })
      assert.ok(vault)
      assert.deepEqual(described(vault), expected, `as of ledger ${ledger}`)
      const { rows } = await listVaults(store.read, { limit: 5, nowSec, atLedger: ledger })
      assert.deepEqual(rows.map(({ id }) => id), ledger === log.last().ledger ? [1, 0] : [0])
    }
  }
  assert.ok(recorded.size > 4)
  await compare()
  await log.replay()
  await compare()
})
