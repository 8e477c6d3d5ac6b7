// Checker: every list that the gateway serves equals a plain fold of the archive, page by page, without lost or repeated rows.

import assert from 'node:assert/strict'
import { ASSET_SYMBOLS } from '../../../localnet/assets.ts'
import { listEvents } from '../../../src/projections/log/events.ts'
import { listLeaders } from '../../../src/projections/traders/leaders.ts'
import { readMarketStats } from '../../../src/projections/markets/market-stats.ts'
import { listOpenPositions } from '../../../src/projections/positions/positions.ts'
import { listTrades } from '../../../src/projections/trades/trades.ts'
import type { TradesFilter } from '../../../src/projections/trades/trades.ts'
import type { Queryable } from '../../../src/store/store.ts'
import type { Archived } from './archive.ts'
import { checkFeedsMatchLog } from './feeds-match-log.ts'
import { fold } from './fold.ts'
import type { MarketPosition } from './fold.ts'
import { readWholeList } from './read-whole-list.ts'

/** Small and odd, so that pages end inside ledgers and transactions. */
const PAGE_ROWS = 17

/** `market` has the open positions of the market's own entries, by id. */
export async function checkListsMatchFold(
  db: Queryable, archive: readonly Archived[], nowSec: number, market: ReadonlyMap<number, MarketPosition>,
): Promise<void> {
  const rows = await db.query<{ contractEpoch: number }>('select p.contract_epoch as "contractEpoch" from idx.cursor c join idx.epochs p on p.number = c.epoch')
  const folded = fold(archive, rows[0]?.contractEpoch ?? null, market)

  assert.deepEqual(await readWholeList((cursor) => listOpenPositions(db, { cursor })), folded.openPositions, 'open positions')
  assert.deepEqual(await readAllTrades(db, {}), folded.trades, 'trades')
  const events = await readWholeList((cursor) => listEvents(db, { limit: PAGE_ROWS, cursor }))
  assert.deepEqual(events.map(({ eventId, topic, ledger }) => ({ eventId, topic, ledger })), newestFirst(archive), 'events')
  for (const sort of ['pnl', 'volume'] as const) {
    const leaders = await readWholeList((cursor) => listLeaders(db, { sort, limit: PAGE_ROWS, cursor }))
    const expected = new Map([...folded.traders].map(([trader, { pnl, volume }]) => [trader, { pnl: String(pnl), volume: String(volume) }]))
    assert.deepEqual(new Map(leaders.map(({ trader, pnl, volume }) => [trader, { pnl, volume }])), expected, `leaders by ${sort}`)
    assert.deepEqual(leaders.map(({ rank }) => rank), leaders.map((_, index) => index + 1), `ranks by ${sort}`)
    assert.equal(leaders.length, expected.size, `leaders by ${sort}: duplicate account`)
    const values = leaders.map((leader) => BigInt(leader[sort]))
    assert.ok(values.every((value, index) => index === 0 || value <= (values[index - 1] ?? value)), `leaders are not ordered by ${sort}`)
  }
  const stats = await readMarketStats(db, { nowSec, assets: ASSET_SYMBOLS })
  assert.deepEqual(stats.rows, ASSET_SYMBOLS.map((asset) => folded.statsOf(asset, nowSec)), 'market stats')
  await checkFilters(db, folded)
  await checkFeedsMatchLog(db, archive)
}

/** Trades without the labels of their deployment and epoch, and without their orders, which have checkers of their own. */
async function readAllTrades(db: Queryable, filter: Pick<TradesFilter, 'trader' | 'asset'>): Promise<object[]> {
  const rows = await readWholeList((cursor) => listTrades(db, { ...filter, limit: PAGE_ROWS, cursor }))
  return rows.map(({ deployment: _label, epoch: _epoch, orderId: _order, ...row }) => row)
}

/** A filtered list equals the filtered whole list. */
async function checkFilters(db: Queryable, folded: ReturnType<typeof fold>): Promise<void> {
  for (const trader of [...folded.traders.keys()].slice(0, 3)) {
    const mine = <Row extends { readonly trader: string }>(rows: readonly Row[]): Row[] => rows.filter((row) => row.trader === trader)
    assert.deepEqual(await readWholeList((cursor) => listOpenPositions(db, { trader, cursor })), mine(folded.openPositions), `open positions of ${trader}`)
    assert.deepEqual(await readAllTrades(db, { trader }), mine(folded.trades), `trades of ${trader}`)
  }
  const asset = folded.trades[0]?.asset
  if (asset === undefined || asset === null) return
  const wanted = folded.trades.filter((trade) => trade.asset === asset)
  assert.deepEqual(await readAllTrades(db, { asset }), wanted, `trades of ${asset}`)
}

function newestFirst(archive: readonly Archived[]): object[] {
  return archive.map(({ eventId, topic, ledger }) => ({ eventId, topic, ledger })).reverse()
}
