// Every change of a position at a price is a print of its asset, with direction and order, for any page boundaries.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { openTestStore } from '../../../test/support/database.ts'
import { createTestLog } from '../log/test-log.ts'
import { readMarketStats } from '../markets/market-stats.ts'
import { toPrint } from './prints.ts'
import { countFrames, readChannelHeads, readChannels, readLastPrints, readLog } from '../log/stream-log.ts'
import { listTrades } from './trades.ts'
import { DAY_SEC, readTraderVolume } from './volumes.ts'

const store = await openTestStore()
after(() => store[Symbol.asyncDispose]())
const log = await createTestLog(store)

const ALICE = 'GALICE'
const BTC = { events: false, assets: ['BTC'], accounts: [] }
const leg = (positionId: number, size: string) => ({ positionId, trader: ALICE, asset: 'BTC', direction: 1, size })

function appendHistory(): void {
  log.append('market', 'position_opened', { ...leg(1, '1000'), entryPrice: '100' }, 'executed')
  log.append('vault', 'loss_received', { amount: '1' }, 'executed')
  log.append('market', 'order_executed', { orderId: 7, keeperReward: '1' }, 'executed')
  log.append('market', 'position_opened', { ...leg(2, '500'), entryPrice: '100' })
  log.append('market', 'position_reduced', { positionId: 1, trader: ALICE, asset: 'BTC', closedSize: '400', remainingSize: '600', price: '110', pnl: '4' })
  log.append('market', 'position_partial_liq', { ...leg(2, '100'), keeperReward: '1', closePrice: '90' })
  log.append('market', 'position_closed', { ...leg(1, '600'), entryPrice: '100', closePrice: '120', pnl: '12' }, 'adl')
  log.append('market', 'adl_executed', { ...leg(1, '600'), price: '120', pnl: '12', score: '9' }, 'adl')
  log.append('market', 'order_cancelled', { orderId: 8, reason: 'user' }, 'cancelled')
  log.append('market', 'order_executed', { orderId: 8, keeperReward: '0' }, 'cancelled')
  log.append('market', 'position_liquidated', { ...leg(2, '400'), keeperReward: '1', closePrice: '80' })
}

for (const pageLength of [1, 2, 3, Infinity]) {
  test(`pages of ${pageLength}: frames have every kind, and the list has the same prints`, async () => {
    await log.clear()
    appendHistory()
    await log.commit(pageLength, true)
    const range = { afterSeq: 0, throughSeq: 100, limit: 100 }
    const replayed = await readChannels(store.read, BTC, range)
    const prints = replayed.map((row) => ({ seq: row.seq, ...toPrint(row) }))
    const found = prints.map(({ seq, kind, positionId, price, size, direction, orderId = null }) => [seq, kind, positionId, price, size, direction, orderId])
    assert.deepEqual(found, [
      [1, 'open', 1, '100', '1000', 1, 7],
      [4, 'open', 2, '100', '500', 1, null],
      [5, 'reduce', 1, '110', '400', 1, null],
      [6, 'partial_liquidation', 2, '90', '100', 1, null],
      [7, 'close', 1, '120', '600', 1, null],
      [8, 'adl', 1, '120', '600', 1, null],
      [11, 'liquidation', 2, '80', '400', 1, null],
    ])
    const { rows } = await listTrades(store.read, { includeOpens: true, limit: 50 })
    assert.deepEqual(
      rows.toReversed().map(({ seq, eventId, kind, size, direction, orderId }) => [seq, eventId, kind, size, direction, orderId]),
      prints.map(({ seq, eventId, kind, size, direction, orderId = null }) => [seq, eventId, kind, size, direction, orderId]),
    )
  })
}

test('positions and frames of an asset are the same, so that no client sees a hole', async () => {
  await store.write.query('update idx.cursor set updated_at = 1')
  const { rows } = await readLog(store.read, 0, { limit: 100, accounts: false })
  for (const { seq, print, ...row } of rows) {
    const { assets } = await readChannelHeads(store.read, { assets: ['BTC'], accounts: [] }, seq)
    assert.equal(assets.get('BTC') === seq, toPrint({ ...row, print }) !== undefined, `event ${seq}`)
  }
  const [volume] = await store.read.query<{ sum: string }>('select sum(volume)::text as sum from idx.asset_hours')
  assert.equal(volume?.sum, '3000', 'the deleveraging is not counted besides its close')
})

test('a trade whose open is not archived is a print of the asset that its event names, and adds to that asset\'s volume only', async () => {
  await log.clear()
  log.append('market', 'position_closed', { ...leg(90, '300'), entryPrice: '100', closePrice: '120', pnl: '1' }, 'executed')
  log.append('market', 'order_executed', { orderId: 9, keeperReward: '1' }, 'executed')
  log.append('market', 'position_reduced', { positionId: 91, trader: ALICE, asset: 'BTC', closedSize: '40', remainingSize: '60', price: '110', pnl: '4' })
  log.append('market', 'position_partial_liq', { ...leg(91, '20'), keeperReward: '1', closePrice: '90' })
  log.append('market', 'position_liquidated', { ...leg(91, '5'), keeperReward: '1', closePrice: '90' }, 'account')
  log.append('market', 'cross_liq', { trader: ALICE, totalPnl: '-120', keeperReward: '1' }, 'account')
  log.append('market', 'adl_executed', { ...leg(90, '300'), price: '120', pnl: '1', score: '9' })
  await log.commit(1, true)
  const { ledgerCloseTs: nowSec } = log.last()
  const range = { afterSeq: 0, throughSeq: 100, limit: 100 }
  const rows = await readChannels(store.read, BTC, range)
  assert.deepEqual(rows.map(({ seq, topic, print }) => [seq, topic, print?.asset, print?.direction, print?.orderId]), [
    [1, 'position_closed', 'BTC', 1, 9],
    [3, 'position_reduced', 'BTC', null, null],
    [4, 'position_partial_liq', 'BTC', 1, null],
    [5, 'position_liquidated', 'BTC', 1, null],
    [7, 'adl_executed', 'BTC', 1, null],
  ])
  assert.equal(await countFrames(store.read, { ...BTC, corrections: false }, { ...range, max: 100 }), 5)
  assert.deepEqual(await readLastPrints(store.read, 'BTC', { throughSeq: 5, limit: 2 }), { rows: rows.slice(2, 4), before: 3 })
  assert.deepEqual((await listTrades(store.read, { asset: 'BTC', limit: 50 })).rows, [])
  const listed = await listTrades(store.read, { limit: 50 })
  assert.deepEqual(listed.rows.map(({ asset, direction, size }) => [asset, direction, size]), Array.from({ length: 6 }, () => [null, null, null]))
  const { rows: [stats] } = await readMarketStats(store.read, { nowSec: nowSec + DAY_SEC - 30, assets: ['BTC'] })
  assert.equal(stats?.volume24h, '65', 'the close and the execution of its order are older than a day')
  assert.equal((await readTraderVolume(store.read, { trader: ALICE, nowSec })).volume14d, '0')
})
