// Every change of a position at a price is a print of its asset, with direction and order, for any page boundaries.

import { strict as assert } from 'node:assert'
import { after, test } from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { createTestLog } from './test-log.ts'
import { toPrint } from './prints.ts'
import { readChannelHeads, readChannels, readLog } from './stream-log.ts'
import { listTrades } from './trades.ts'

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
