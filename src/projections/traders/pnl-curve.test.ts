// PnL curves as of a ledger: each equals the curve that was read while that ledger was the newest.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { openTestStore } from '../../../test/support/database.ts'
import { fc, fuzzRuns } from '../../../test/support/fuzz.ts'
import { createTestLog } from '../log/test-log.ts'
import { intervalsBefore, readCloseTime, readPnlCurve } from './pnl-curve.ts'
import { addToIntervals, costChanges } from './trader-results.ts'
import type { FillCost } from './trader-results.ts'

const [ALICE, BOB] = ['GALICE', 'GBOB']
const INTERVALS = ['1m', '1h', '1w'] as const

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
const log = await createTestLog(store)

/** The curves of both traders from every stored width, up to the close time of a ledger. */
async function readCurves(atLedger: number | undefined, closeTs: number): Promise<Record<string, unknown>> {
  const toSec = closeTs + 1
  const reads = [ALICE, BOB].flatMap((trader) => INTERVALS.map(async (interval) => {
    const curve = await readPnlCurve(store.read, { trader, interval, fromSec: intervalsBefore(toSec, 4, interval), toSec, atLedger })
    return [`${trader} ${interval}`, [curve.points, curve.gaps]] as const
  }))
  return Object.fromEntries(await Promise.all(reads))
}

/** Makes the costs of Alice's new fills known, as the effects of their transactions do. Those of Bob stay unknown. */
async function learnCosts(afterSeq: number): Promise<void> {
  const rows = await store.write.query<Omit<FillCost, 'price' | 'fee' | 'keeperReward' | 'penalty' | 'funding'> & Record<string, string | null>>(
    `select seq, trader, ts, kind, price, fee, keeper_reward as "keeperReward", penalty, funding from idx.position_fills where trader = $1 and seq > $2`,
    [ALICE, afterSeq],
  )
  const big = (digits: string | null | undefined): bigint | null => (digits === null || digits === undefined ? null : BigInt(digits))
  const removed = rows.map((row) => ({
    ...row, price: big(row['price']), fee: big(row['fee']), keeperReward: big(row['keeperReward']), penalty: big(row['penalty']), funding: big(row['funding']),
  }))
  const known = removed.map((fill) => {
    const seq = BigInt(fill.seq)
    return { ...fill, fee: seq % 7n + 1n, keeperReward: seq % 3n, penalty: seq % 5n + 2n, funding: seq % 9n - 4n }
  })
  for (const { seq, fee, keeperReward, penalty, funding } of known) {
    await store.write.query('update idx.position_fills set fee = $2, keeper_reward = $3, penalty = $4, funding = $5 where seq = $1',
      [seq, fee, keeperReward, penalty, funding])
  }
  await addToIntervals(store.write, costChanges(known, removed))
}

type Step = (leg: { positionId: number; trader: string; asset: string; direction: number; size: string }, pnl: string, tx: string) => void

const STEPS: Readonly<Record<string, Step>> = {
  close: (leg, pnl) => log.append('market', 'position_closed', { ...leg, entryPrice: '100', closePrice: '120', pnl }),
  deleverage(leg, pnl, tx) {
    log.append('market', 'position_closed', { ...leg, entryPrice: '100', closePrice: '120', pnl }, tx)
    log.append('market', 'adl_executed', { ...leg, price: '120', pnl, score: '9' }, tx)
  },
  reduce: ({ size: _size, direction: _direction, ...leg }, pnl) =>
    log.append('market', 'position_reduced', { ...leg, closedSize: '400', remainingSize: '600', price: '110', pnl }),
  liquidatePart: (leg) => log.append('market', 'position_partial_liq', { ...leg, size: '300', remainingSize: '700', keeperReward: '1', closePrice: '90' }),
  liquidate: (leg) => log.append('market', 'position_liquidated', { ...leg, keeperReward: '1', closePrice: '80' }),
  liquidateAccount(leg, pnl, tx) {
    log.append('market', 'position_liquidated', { ...leg, keeperReward: '1', closePrice: '80' }, tx)
    log.append('market', 'cross_liq', { trader: leg.trader, totalPnl: pnl, keeperReward: '1' }, tx)
  },
  // An account whose positions no event names, and a position that was opened before the index began: their costs stay unknown.
  liquidateUnnamed: (_leg, pnl) => log.append('market', 'cross_liq', { trader: BOB, totalPnl: pnl, keeperReward: '1' }),
  liquidateUnknown: (leg) =>
    log.append('market', 'position_liquidated', { ...leg, trader: BOB, positionId: leg.positionId + 10_000, keeperReward: '1', closePrice: '80' }),
}

function closeWithProfit(positionId: number): void {
  const leg = { positionId, trader: ALICE, asset: 'BTC', direction: 0, size: '1000' }
  log.append('market', 'position_closed', { ...leg, entryPrice: '100', closePrice: '120', pnl: '7' })
}

const script = fc.array(fc.record({
  op: fc.constantFrom(...Object.keys(STEPS)), pnl: fc.integer({ min: -500, max: 500 }), isBob: fc.boolean(),
  wait: fc.constantFrom(0, 0, 0, 0, 20, 3_000, 80_000),
}), { minLength: 16, maxLength: 24, size: 'max' })

test('a PnL curve as of a ledger equals the one read while that ledger was the newest', async () => {
  await fc.assert(fc.asyncProperty(script, async (steps) => {
    await log.clear()
    const recorded = new Map<number, { readonly closeTs: number; readonly curves: Record<string, unknown> }>()
    for (const [index, { op, pnl, isBob, wait }] of steps.entries()) {
      log.wait(wait)
      const leg = { positionId: index + 1, trader: isBob ? BOB : ALICE, asset: 'BTC', direction: 0, size: '1000' }
      const before = index === 0 ? 0 : log.last().seq
      log.append('market', 'position_opened', { ...leg, entryPrice: '100' })
      STEPS[op]?.(leg, String(pnl), `step ${index}`)
      await log.commit()
      await learnCosts(before)
      const { ledger, ledgerCloseTs: closeTs } = log.last()
      recorded.set(ledger, { closeTs, curves: await readCurves(undefined, closeTs) })
    }
    for (const [ledger, { closeTs, curves }] of recorded) {
      assert.equal(await readCloseTime(store.read, ledger), closeTs)
      assert.deepEqual(await readCurves(ledger, closeTs), curves, `as of ledger ${ledger}`)
    }
  }), { numRuns: fuzzRuns(1, 2), endOnFailure: true })
})

test('a PnL curve as of a ledger outside the indexed range is rejected, and later events leave a past one alone', async () => {
  await log.clear()
  log.append('market', 'position_opened', { positionId: 1, trader: ALICE, asset: 'BTC', direction: 0, size: '1000', entryPrice: '100' })
  await log.commit()
  const { ledger, ledgerCloseTs } = log.last()
  const filter = { trader: ALICE, interval: '1h', fromSec: ledgerCloseTs - 7_200, toSec: ledgerCloseTs + 7_200 } as const
  await assert.rejects(readPnlCurve(store.read, { ...filter, atLedger: ledger + 1 }), { name: 'LedgerNotIndexed' })
  await assert.rejects(readCloseTime(store.read, ledger + 1), { name: 'LedgerNotIndexed' })
  const total = async (atLedger?: number): Promise<bigint> =>
    (await readPnlCurve(store.read, { ...filter, atLedger })).points.reduce((sum, { realizedPnl }) => sum + BigInt(realizedPnl ?? 0), 0n)
  closeWithProfit(1)
  log.wait(3_600)
  closeWithProfit(2)
  await log.commit()
  assert.deepEqual([await total(ledger), await total(ledger + 1), await total(ledger + 2), await total()], [0n, 7n, 14n, 14n])
})

test('the last minute of a PnL curve includes what an earlier epoch closed in it', async () => {
  await log.clear()
  closeWithProfit(1)
  await log.commit()
  await log.reset()
  closeWithProfit(2)
  closeWithProfit(3)
  await log.commit()
  const { ledger, ledgerCloseTs } = log.last()
  const filter = { trader: ALICE, interval: '1m', fromSec: ledgerCloseTs - 60, toSec: ledgerCloseTs + 1 } as const
  const totals = [ledger - 1, ledger].map(async (atLedger) =>
    (await readPnlCurve(store.read, { ...filter, atLedger })).points.map(({ realizedPnl }) => realizedPnl))
  assert.deepEqual(await Promise.all(totals), [['14'], ['21']])
})
