// Reads the index as clients do (every page of every list), and as it is stored.

import { strict as assert } from 'node:assert'
import { listAccountEvents } from '../../src/projections/log/account-events.ts'
import type { AccountEventsFilter } from '../../src/projections/log/account-events.ts'
import { readSolvency } from '../../src/projections/positions/bad-debts.ts'
import { listEvents } from '../../src/projections/log/events.ts'
import type { EventsFilter } from '../../src/projections/log/events.ts'
import { listLeaders, readLeaderTotals } from '../../src/projections/traders/leaders.ts'
import { readMarketStats } from '../../src/projections/markets/market-stats.ts'
import type { Page } from '../../src/projections/log/page.ts'
import { listOpenPositions } from '../../src/projections/positions/positions.ts'
import { PROJECTIONS } from '../../src/projections/state/tables.ts'
import { listTrades } from '../../src/projections/trades/trades.ts'
import type { TradesFilter } from '../../src/projections/trades/trades.ts'
import type { EventRow } from '../../src/resources/event-row.ts'
import type { Queryable } from '../../src/store/store.ts'
import { TRADERS } from './accounts.ts'
import { ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { deletionOf } from '../support/baseline.ts'

/** Reads all pages of a list. */
export async function allRows<Row>(read: (cursor: string | undefined) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    assert.ok(page.next === null || page.rows.length > 0, 'a page with a next cursor has rows')
    rows.push(...page.rows)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return rows
}

export const allEvents = (db: Queryable, filter: EventsFilter) => allRows((cursor) => listEvents(db, { ...filter, cursor }))
export const allTrades = (db: Queryable, filter: TradesFilter) => allRows((cursor) => listTrades(db, { ...filter, cursor }))

export const accountFeed = (db: Queryable, filter: AccountEventsFilter) => allRows((cursor) => listAccountEvents(db, { ...filter, cursor }))

/** The topics of an account's lists of orders and positions (specification, "GET /v1/account/me/positions" and "…/orders"). */
const KINDS = [
  ['order', ['order_placed', 'order_executed', 'order_cancelled']], ['position', ['position_opened', 'position_closed', 'position_liquidated']],
] as const

/** The feed of every trader. Asserts that each filtered feed is a filter of the whole feed. */
async function readFeeds(db: Queryable): Promise<Record<string, string[]>> {
  const describe = (rows: readonly EventRow[]): string[] => rows.map((row) => `${row.topic} ${row.ledger} ${row.eventId.slice(0, 30)}`)
  const feeds: Record<string, string[]> = {}
  for (const account of TRADERS) {
    const feed = describe(await accountFeed(db, { account, limit: 7 }))
    feeds[account] = feed
    for (const [kind, topics] of KINDS) {
      const part = describe(await accountFeed(db, { account, kind, limit: 5 }))
      assert.deepEqual(part, feed.filter((row) => topics.some((topic) => row.startsWith(`${topic} `))), `${kind} events of an account`)
    }
    const deposits = describe(await accountFeed(db, { account, topic: 'deposit', limit: 2 }))
    assert.deepEqual(deposits, feed.filter((row) => row.startsWith('deposit ')), 'one topic of an account')
  }
  return feeds
}

/** The lists in the text form of `Expected`. */
export async function readTables(db: Queryable): Promise<{
  open: string[]
  trades: string[]
  traders: Record<string, string>
  traderTotals: string
  interest: Record<string, string>
  feeds: Record<string, string[]>
  events: number
  undecoded: number
  solvency: string
}> {
  const open = await allRows((cursor) => listOpenPositions(db, { cursor }))
  const trades = await allTrades(db, { limit: 7 })
  const leaders = await allRows((cursor) => listLeaders(db, { sort: 'pnl', limit: 3, cursor }))
  const totals = await readLeaderTotals(db)
  const { rows: stats } = await readMarketStats(db, { nowSec: 0, assets: ASSET_SYMBOLS })
  const solvency = await readSolvency(db)
  const counts = await db.query<{ all: number; undecoded: number }>(
    'select count(*) as all, count(problem) as undecoded from idx.events',
  )
  return {
    open: open.map((row) => `${row.positionId} ${row.trader} ${row.asset} ${row.direction} ${row.size} ${row.entryPrice} ${row.openedAt}`),
    trades: trades.map((row) => {
      const leg = row.asset === null ? 'null' : `${row.asset} ${row.direction} ${row.size} ${row.entryPrice}`
      return `${row.kind} ${row.positionId} ${row.trader} ${row.ledger} ${row.ts} ${leg} ${row.closePrice} ${row.pnl}`
    }),
    traders: Object.fromEntries(leaders.map((row) => [row.trader, `${row.pnl} ${row.volume} ${row.trades} ${row.liqCount}`])),
    traderTotals: `${totals.traders} ${totals.volume} ${totals.trades}`,
    interest: Object.fromEntries(
      stats.filter((row) => row.openPositions > 0).map((row) => [row.asset, `${row.openInterestLong} ${row.openInterestShort} ${row.openPositions}`]),
    ),
    feeds: await readFeeds(db),
    events: counts[0]?.all ?? 0,
    undecoded: counts[0]?.undecoded ?? 0,
    solvency: `${solvency.cumulativeBadDebtCovered} ${solvency.cumulativeBadDebtLpAbsorbed} ${solvency.badDebtEvents}`,
  }
}

/** Every stored row of every projection, except open interest without positions. */
export async function dumpProjections(db: Queryable): Promise<Record<string, string[]>> {
  const dump: Record<string, string[]> = {}
  for (const table of PROJECTIONS) {
    const condition = table === 'open_interest' ? 'where positions <> 0' : ''
    const rows = await db.query<{ row: string }>(`select t::text as row from idx.${table} t ${condition} order by 1`)
    dump[table] = rows.map(({ row }) => row)
  }
  return dump
}

/** The stored archive, without insertion times. */
export async function dumpArchive(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ row: string }>(
    `select concat_ws(' ', seq, epoch, event_id, contract_id, topic, ledger, ledger_close_ts, tx_hash, topics_xdr, value_xdr, payload, problem) as row
     from idx.events order by seq`,
  )
  return rows.map(({ row }) => row)
}

/** Empties the index, so that several runs can share one database. */
export async function emptyIndex(db: Queryable): Promise<void> {
  await db.query('drop schema if exists shadow cascade')
  const tables = await db.query<{ name: string }>("select format('idx.%I', tablename) as name from pg_tables where schemaname = 'idx'")
  await db.query(deletionOf(tables.map(({ name }) => name)))
  await db.query('insert into idx.cursor default values')
}
