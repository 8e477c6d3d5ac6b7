// Profiles and PnL curves of traders, and deposits over time, for any page boundaries.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { openTestStore } from '../../../test/support/database.ts'
import { createTestLog } from '../log/test-log.ts'
import { intervalsBefore, readPnlCurve } from './pnl-curve.ts'
import { insertPoolSamples, listPoolSamples } from '../markets/pool-samples.ts'
import { PROJECTIONS } from '../state/tables.ts'
import { readTraderProfile } from './traders.ts'
import { insertVaultSample, listVaultSamples } from '../vaults/vault-history.ts'

const [ALICE, BOB, CAROL] = ['GALICE', 'GBOB', 'GCAROL']

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
const log = await createTestLog(store)

function appendHistory(): void {
  const leg = (positionId: number, trader: string, size: string) => ({ positionId, trader, asset: 'BTC', direction: 0, size })
  const open = (positionId: number, trader: string, size: string): void =>
    log.append('market', 'position_opened', { ...leg(positionId, trader, size), entryPrice: '100' })
  const close = (positionId: number, trader: string, size: string, closePrice: string, pnl: string, tx?: string): void =>
    log.append('market', 'position_closed', { ...leg(positionId, trader, size), entryPrice: '100', closePrice, pnl }, tx)
  for (const id of [1, 2, 3, 4]) open(id, ALICE, '1000')
  open(5, BOB, '500')
  open(6, CAROL, '300')
  close(1, ALICE, '1000', '120', '200')
  close(2, ALICE, '1000', '120', '200', 'adl')
  log.append('market', 'adl_executed', { ...leg(2, ALICE, '1000'), price: '120', pnl: '200', score: '9' }, 'adl')
  log.append('market', 'position_reduced', {
    positionId: 3, trader: ALICE, asset: 'BTC', closedSize: '400', remainingSize: '600', price: '110', pnl: '40',
  })
  // The loss of a liquidation is known only by the price.
  log.append('market', 'position_liquidated', { ...leg(3, ALICE, '600'), keeperReward: '1', closePrice: '80' }, 'cross')
  log.append('market', 'cross_liq', { trader: ALICE, totalPnl: '-120', keeperReward: '1' }, 'cross')
  close(5, BOB, '500', '100', '0')
  // Opened before the index began.
  log.append('market', 'position_liquidated', { ...leg(90, BOB, '100'), keeperReward: '1', closePrice: '80' })
  log.append('market', 'cross_liq', { trader: CAROL, totalPnl: '-30', keeperReward: '1' })
}

test('a profile holds the results of a trader, and the same ones for any page boundaries', async () => {
  let whole: unknown
  for (const pageLength of [Infinity, 1, 2, 3, 5]) {
    await log.clear()
    appendHistory()
    await log.commit(pageLength, true)
    const nowSec = log.last().ledgerCloseTs
    const read = async (trader: string) => (await readTraderProfile(store.read, { trader, nowSec })).profile
    const alice = await read(ALICE)
    assert.deepEqual([alice.realizedPnl, alice.wins, alice.losses, alice.winRate], ['320', 3, 1, 0.75], `pages of ${pageLength}`)
    assert.deepEqual([alice.openPositions, alice.openInterest, alice.liquidations, alice.volume], [1, '1000', 1, '6400'])
    assert.deepEqual([alice.volume24h, alice.volume14d], ['6400', '6400'])
    assert.deepEqual([alice.bestTrade?.positionId, alice.bestTrade?.pnl], [1, '200'], 'the earliest of equal trades')
    assert.deepEqual([alice.worstTrade?.positionId, alice.worstTrade?.kind], [3, 'liquidation'])
    const bob = await read(BOB)
    assert.deepEqual([bob.realizedPnl, bob.wins, bob.losses, bob.winRate], ['0', 0, 1, 0])
    assert.equal((await read(CAROL)).realizedPnl, '-30')
    const dump = await log.dump(PROJECTIONS)
    whole ??= dump
    assert.deepEqual(dump, whole, `pages of ${pageLength}`)
  }
  await log.replay()
  assert.deepEqual(await log.dump(PROJECTIONS), whole, 'a rebuild gives the same rows')
})

test('the profile of an account that never traded has zeros and nulls', async () => {
  const { profile } = await readTraderProfile(store.read, { trader: 'GNOBODY', nowSec: 0 })
  assert.deepEqual(profile, {
    address: 'GNOBODY', volume: '0', volume24h: '0', volume14d: '0', realizedPnl: '0', trades: 0, liquidations: 0, wins: 0, losses: 0, winRate: null,
    openPositions: 0, openInterest: '0', firstTradeAt: null, lastTradeAt: null, bestTrade: null, worstTrade: null,
  })
})

test('a PnL curve has a point for each interval, and null from what is unknown', async () => {
  await log.clear()
  appendHistory()
  await log.commit()
  await store.write.query('update idx.trader_pnl set unknown_fees = 0, unknown_funding = 0, fees = 1, funding = -3 where trader = $1', [ALICE])
  const first = log.last().ledgerCloseTs
  for (const [interval, width] of [['1m', 60], ['1h', 3_600], ['1d', 86_400], ['1w', 604_800]] as const) {
    const toSec = first + 1
    const fromSec = intervalsBefore(toSec, 5, interval)
    const { points, gaps } = await readPnlCurve(store.read, { trader: ALICE, interval, fromSec, toSec })
    assert.deepEqual([points.length, gaps], [5, []], interval)
    assert.ok(points.every(({ ts }, index) => index === 0 || ts - (points[index - 1]?.ts ?? 0) === width), interval)
    assert.equal(points.reduce((sum, { realizedPnl }) => sum + BigInt(realizedPnl ?? 0), 0n), 320n, interval)
    const last = points.at(-1)
    const parts = points.reduce((sum, point) => sum + BigInt(point.realizedPnl ?? 0) - BigInt(point.fees ?? 0) - BigInt(point.funding ?? 0), 0n)
    assert.equal(last?.cumulative, String(parts), interval)
  }
  const curve = await readPnlCurve(store.read, { trader: BOB, interval: '1d', fromSec: first - 3 * 86_400, toSec: first + 2 * 86_400 })
  assert.deepEqual(curve.points.map(({ realizedPnl, fees }) => [realizedPnl, fees]).filter(([pnl]) => pnl === null), [[null, null]])
  const unknown = curve.points.findIndex(({ realizedPnl }) => realizedPnl === null)
  assert.ok(curve.points.slice(0, unknown).every(({ cumulative }) => cumulative === '0'))
  assert.ok(curve.points.slice(unknown).every(({ cumulative }) => cumulative === null))
})

test('a week of a PnL curve starts on Monday, and a curve starts at the first interval after its start', async () => {
  const { points } = await readPnlCurve(store.read, { trader: ALICE, interval: '1w', fromSec: 1_783_339_200, toSec: 1_784_000_000 })
  assert.deepEqual(points.map(({ ts }) => new Date(ts * 1_000).toISOString()), ['2026-07-13T00:00:00.000Z'])
})

test('deposits count in the first sample at or after them, in the pool and in vaults', async () => {
  await log.clear()
  const start = 1_783_339_200
  const lp = (topic: 'deposit' | 'withdraw', amount: string): void => log.append('vault', topic, topic === 'deposit'
    ? { depositor: ALICE, usdcAmount: amount, lpAmount: '1', fee: '0' } : { withdrawer: ALICE, lpAmount: '1', netUsdc: amount, fee: '0' })
  log.append('vaultFactory', 'vault_created', { vaultId: 3, leader: ALICE, name: 'v' })
  // 5 seconds per event: 60 events are one interval.
  lp('deposit', '700')
  log.append('vaultFactory', 'deposit', { vaultId: 3, depositor: BOB, amount: '50', shares: '50' })
  for (let event = 0; event < 60; event++) lp('deposit', '1')
  log.append('vaultFactory', 'withdraw', { vaultId: 3, depositor: BOB, shares: '20', usdcOut: '25' })
  lp('withdraw', '300')
  await log.commit(7, true)
  const pool = { ledger: 1, aum: 1n, lpPrice: 1n, lpSupply: 1n, reservedPayout: null, unrealizedPnl: null }
  await insertPoolSamples(store.write, [{ ...pool, time: start + 300 }, { ...pool, time: start + 1_200 }])
  const figures = { totalUsdc: 25n, circulatingShares: 30n, leaderShares: 0n, hwmNav: 1n, realizedPnl: 0n, profitShareBps: 0, paused: false }
  for (const time of [start, start + 900]) await insertVaultSample(store.write, 1, { ...figures, vaultId: 3, ledger: 1 }, time * 1_000)
  const samples = (await listPoolSamples(store.read, { limit: 5 })).rows
  assert.deepEqual(samples.map(({ time, deposits, withdrawals }) => [time - start, deposits, withdrawals]), [[1_200, '0', '0'], [300, '760', '300']])
  const vaults = (await listVaultSamples(store.read, { id: 3, limit: 5 })).rows
  assert.deepEqual(vaults.map(({ time, sharePrice, deposits, withdrawals }) => [time - start, sharePrice, deposits, withdrawals]),
    [[900, '8333333', '0', '25'], [0, '8333333', '50', '0']])
  const paged = await listVaultSamples(store.read, { id: 3, limit: 1 })
  assert.deepEqual((await listVaultSamples(store.read, { id: 3, limit: 1, cursor: paged.next ?? '' })).rows, vaults.slice(1))
  assert.deepEqual((await listVaultSamples(store.read, { id: 3, limit: 9, beforeTs: start + 900 })).rows, vaults.slice(1))
})

test('the history of a vault as of a ledger ends with the ledger, within an interval too', async () => {
  await log.clear()
  const flow = (topic: 'deposit' | 'withdraw', amount: string): void =>
    log.append('vaultFactory', topic, { vaultId: 4, depositor: BOB, shares: amount, ...(topic === 'deposit' ? { amount } : { usdcOut: amount }) })
  log.append('vaultFactory', 'vault_created', { vaultId: 4, leader: ALICE, name: 'v' })
  flow('deposit', '100')
  const past: { ledger: number; rows: readonly unknown[] }[] = []
  const figures = { circulatingShares: 100n, leaderShares: 0n, hwmNav: 1n, realizedPnl: 0n, profitShareBps: 0, paused: false }
  async function sample(totalUsdc: bigint): Promise<void> {
    await log.commit()
    const { ledger, ledgerCloseTs } = log.last()
    await insertVaultSample(store.write, 1, { ...figures, totalUsdc, vaultId: 4, ledger }, ledgerCloseTs * 1_000)
    past.push({ ledger, rows: (await listVaultSamples(store.read, { id: 4, limit: 9 })).rows })
  }
  await sample(100n)
  // 5 seconds per event: 60 events are one interval.
  for (let event = 0; event < 60; event++) flow('deposit', '1')
  await sample(160n)
  flow('deposit', '7')
  flow('withdraw', '30')
  await log.commit()
  assert.deepEqual(past.map(({ rows }) => rows.length), [1, 2])
  for (const { ledger, rows } of past) {
    assert.deepEqual((await listVaultSamples(store.read, { id: 4, limit: 9, atLedger: ledger })).rows, rows, `as of ledger ${ledger}`)
    const newest = await listVaultSamples(store.read, { id: 4, limit: 1, atLedger: ledger })
    assert.deepEqual(newest.rows, rows.slice(0, 1))
  }
  const present = (await listVaultSamples(store.read, { id: 4, limit: 9 })).rows
  assert.notDeepEqual(present[0], past[1]?.rows[0], 'later deposits count in the interval now')
  await assert.rejects(listVaultSamples(store.read, { id: 4, limit: 9, atLedger: log.last().ledger + 1 }), { name: 'LedgerNotIndexed' })
})

test('the history of the pool as of a ledger ends with the ledger, within an interval too', async () => {
  await log.clear()
  await store.write.query('delete from idx.pool_samples')
  const deposit = (amount: string): void => log.append('vault', 'deposit', { depositor: ALICE, usdcAmount: amount, lpAmount: '1', fee: '0' })
  deposit('100')
  const past: { ledger: number; rows: readonly unknown[] }[] = []
  async function sample(): Promise<void> {
    await log.commit()
    const { ledger, ledgerCloseTs } = log.last()
    const time = ledgerCloseTs - (ledgerCloseTs % 300)
    await insertPoolSamples(store.write, [{ time, ledger, aum: 1n, lpPrice: 1n, lpSupply: 1n, reservedPayout: null, unrealizedPnl: null }])
    past.push({ ledger, rows: (await listPoolSamples(store.read, { limit: 9 })).rows })
  }
  await sample()
  // 5 seconds per event: 60 events are one interval.
  for (let event = 0; event < 60; event++) deposit('1')
  await sample()
  deposit('7')
  log.append('vault', 'withdraw', { withdrawer: ALICE, lpAmount: '1', netUsdc: '30', fee: '0' })
  await log.commit()
  assert.deepEqual(past.map(({ rows }) => rows.length), [1, 2])
  for (const { ledger, rows } of past) {
    assert.deepEqual((await listPoolSamples(store.read, { limit: 9, atLedger: ledger })).rows, rows, `as of ledger ${ledger}`)
    assert.deepEqual((await listPoolSamples(store.read, { limit: 1, atLedger: ledger })).rows, rows.slice(0, 1))
  }
  const present = (await listPoolSamples(store.read, { limit: 9 })).rows
  assert.notDeepEqual(present[0], past[1]?.rows[0], 'later deposits count in the interval now')
  await assert.rejects(listPoolSamples(store.read, { limit: 9, atLedger: log.last().ledger + 1 }), { name: 'LedgerNotIndexed' })
})
