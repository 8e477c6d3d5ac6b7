// What generation 2 added to the events of positions, orders and losses, for any page boundaries.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { createTestLog } from './log/test-log.ts'
import type { Queryable } from '../store/store.ts'
import { readSolvency } from './positions/bad-debts.ts'
import { fillCandles } from './candles/candle-fill.ts'
import { listLeaders, readLeaderRank, readLeaderTotals } from './traders/leaders.ts'
import { readMarketStats } from './markets/market-stats.ts'
import { listPlacedOrders } from './orders/orders.ts'
import { listOpenPositions } from './positions/positions.ts'
import { PROJECTIONS } from './state/tables.ts'
import { listTrades } from './trades/trades.ts'

const [ALICE, BOB, CAROL] = ['GALICE', 'GBOB', 'GCAROL']

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
const log = await createTestLog(store)

function appendHistory(): void {
  const leg = (positionId: number, trader: string, size: string) => ({ positionId, trader, asset: 'BTC', direction: 0, size })
  const open = (positionId: number, trader: string, size: string): void =>
    log.append('market', 'position_opened', { ...leg(positionId, trader, size), entryPrice: '100' })
  open(1, ALICE, '1000')
  open(2, ALICE, '500')
  open(3, BOB, '800')
  open(4, ALICE, '300')
  open(5, CAROL, '200')
  log.append('market', 'position_reduced', {
    positionId: 1, trader: ALICE, asset: 'BTC', closedSize: '400', remainingSize: '600', price: '110', pnl: '40',
  })
  log.append('market', 'position_partial_liq', { ...leg(3, BOB, '160'), keeperReward: '1', closePrice: '90' })
  log.append('market', 'position_closed', { ...leg(1, ALICE, '600'), entryPrice: '100', closePrice: '120', pnl: '120' }, 'adl')
  log.append('market', 'adl_executed', { ...leg(1, ALICE, '600'), price: '120', pnl: '120', score: '9' }, 'adl')
  log.append('market', 'position_liquidated', { ...leg(2, ALICE, '500'), keeperReward: '1', closePrice: '80' }, 'cross')
  log.append('market', 'cross_liq', { trader: ALICE, totalPnl: '-70', keeperReward: '1' }, 'cross')
  log.append('market', 'bad_debt_recorded', { trader: ALICE, asset: 'CROSS', amount: '30', bufferCovered: '20', lpAbsorbed: '10' }, 'cross')
  log.append('market', 'bad_debt_recorded', { trader: BOB, asset: 'BTC', amount: '5', bufferCovered: '1', lpAbsorbed: '4' })
  // Generation 1 does not name the positions that it ends.
  log.append('market', 'cross_liq', { trader: CAROL, totalPnl: '-9', keeperReward: '1' })
  for (const orderId of [7, 8, 9]) log.append('market', 'order_placed', { orderId, trader: BOB, triggerPrice: String(orderId) })
  log.append('market', 'order_cancelled', { orderId: 7, reason: 'risk_config' }, 'cancelled while executed')
  log.append('market', 'order_executed', { orderId: 7, keeperReward: '0' }, 'cancelled while executed')
  log.append('market', 'order_executed', { orderId: 8, keeperReward: '1' })
}

async function readLists(db: Queryable) {
  const trades = await listTrades(db, { limit: 50, includeOpens: true })
  return {
    trades: trades.rows.map((row) => [row.kind, row.positionId, row.size, row.entryPrice, row.closePrice, row.pnl].join(' ')),
    open: (await listOpenPositions(db, {})).rows.map((row) => `${row.positionId} ${row.size}`),
    leaders: (await listLeaders(db, { sort: 'pnl', limit: 9 })).rows.map((row) => Object.values(row).join(' ')),
    orders: (await listPlacedOrders(db, { openOnly: false, limit: 9 })).rows.map((row) => `${row.orderId} ${row.triggerPrice} ${row.status}`),
  }
}

const EXPECTED = {
  trades: [
    'cross_liquidation     -70', 'liquidation 2 500 100 80 ', 'adl 1 600 100 120 120', 'close 1 600 100 120 120', 'partial_liquidation 3 160 100 90 ',
    'reduce 1 400 100 110 40', 'open 5 200 100  ', 'open 4 300 100  ', 'open 3 800 100  ', 'open 2 500 100  ', 'open 1 1000 100  ',
  ],
  open: ['4 300', '3 640'],
  // Rank, trader, pnl, volume, trades, liquidations.
  leaders: [`1 ${ALICE} 90 2800 6 1`, `2 ${BOB} 0 800 2 1`, `3 ${CAROL} 0 200 2 1`],
  orders: ['9 9 open', '8 8 executed', '7 7 cancelled'],
}

test('lists the trades, positions and orders of generation 2, and the same rows for any page boundaries', async () => {
  let whole: unknown
  for (const pageLength of [Infinity, 1, 2, 3, 5, 7]) {
    await log.clear()
    appendHistory()
    await log.commit(pageLength, true)
    assert.deepEqual(await readLists(store.read), EXPECTED, `pages of ${pageLength}`)
    const dump = await log.dump(PROJECTIONS)
    whole ??= dump
    assert.deepEqual(dump, whole, `pages of ${pageLength}`)
  }
  await log.replay()
  assert.deepEqual(await log.dump(PROJECTIONS), whole, 'a rebuild gives the same rows')

  assert.deepEqual(await readSolvency(store.read), { cumulativeBadDebtCovered: '21', cumulativeBadDebtLpAbsorbed: '14', badDebtEvents: 2 })
  const [btc] = (await readMarketStats(store.read, { nowSec: 0, assets: ['BTC'] })).rows
  assert.deepEqual([btc?.openInterestLong, btc?.openPositions], ['940', 2])
  const { traders, volume, trades } = await readLeaderTotals(store.read)
  assert.deepEqual([traders, volume, trades], [3, '3800', 10])
  const { entry, total } = await readLeaderRank(store.read, { trader: CAROL, sort: 'pnl' })
  assert.deepEqual([entry?.rank, entry?.liqCount, total], [3, 1, 3])
  assert.equal((await readLeaderRank(store.read, { trader: 'GNOBODY', sort: 'volume' })).entry, null)
})

test('pages of trades with opens contain every row once, under each filter', async () => {
  for (const filter of [{}, { trader: ALICE }, { asset: 'BTC' }, { trader: BOB, asset: 'BTC' }, { beforeTs: log.last().ledgerCloseTs }]) {
    const { rows: all } = await listTrades(store.read, { ...filter, limit: 50, includeOpens: true })
    const paged: typeof all[number][] = []
    for (let cursor: string | undefined, more = true; more;) {
      const page = await listTrades(store.read, { ...filter, limit: 1, includeOpens: true, cursor })
      paged.push(...page.rows)
      cursor = page.next ?? undefined
      more = page.next !== null
    }
    assert.ok(all.length >= 2)
    assert.deepEqual(paged, all)
    const { rows: closed } = await listTrades(store.read, { ...filter, limit: 50 })
    assert.deepEqual(closed, all.filter(({ kind }) => kind !== 'open'))
  }
})

test('fills candles of minutes in which positions were only reduced or partly liquidated', async () => {
  await log.clear()
  const part = { trader: BOB, asset: 'BTC' }
  log.append('market', 'position_opened', { ...part, positionId: 1, direction: 0, size: '1000', entryPrice: '100' })
  log.wait(60)
  log.append('market', 'position_reduced', { ...part, positionId: 1, closedSize: '400', remainingSize: '600', price: '110', pnl: '40' })
  log.wait(60)
  log.append('market', 'position_partial_liq', { ...part, positionId: 1, direction: 0, size: '100', keeperReward: '1', closePrice: '90' })
  await log.commit()
  const range = { assets: ['BTC'], afterSeq: 0, beforeSeq: 99, fromSec: 0, toSec: log.last().ledgerCloseTs + 1, limit: 9 }
  assert.deepEqual(await fillCandles(store.write, range), { filled: 3, beforeSeq: null, tooNewSeq: null })
  const candles = await store.read.query<{ close: string; source: string }>(
    "select close::text as close, source from idx.candles where asset = 'BTC' and interval = '1m' order by time",
  )
  assert.deepEqual(candles, ['100', '110', '90'].map((close) => ({ close, source: 'trades' })))
})

test('the trades of ledgers that close in one second open and close a candle in the order of the log, in whatever order they are read', async () => {
  await log.clear()
  for (const price of ['100', '130', '90', '120']) {
    log.append('market', 'position_reduced', { trader: BOB, asset: 'ETH', positionId: 1, closedSize: '1', remainingSize: '6', price, pnl: '4' })
    log.wait(-5)
  }
  await log.commit()
  const range = { assets: ['ETH'], fromSec: 0, toSec: log.last().ledgerCloseTs + 1, limit: 9 }
  for (const [afterSeq, beforeSeq] of [[1, 3], [2, 9], [0, 2], [2, 4]] as const) await fillCandles(store.write, { ...range, afterSeq, beforeSeq })
  const candles = await store.read.query("select open::text, high::text, low::text, close::text from idx.candles where asset = 'ETH' and interval = '1m'")
  assert.deepEqual(candles, [{ open: '100', high: '130', low: '90', close: '120' }])
})
