// Lifetime PnL, volume and counts per trader, across deployments.

import { defined } from '../base/assert.ts'
import type { LeaderboardEntry, LeaderboardSort } from '../resources/leaderboard-entry.ts'
import { LEADERBOARD_RANKS_MAX } from '../limits.ts'
import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'
import type { HeadColumns } from './as-of.ts'
import { headOf, toSearchText } from './log-list.ts'
import type { Page } from './page.ts'
import { decodeCursor, encodeCursor, INVALID_CURSOR, InvalidCursor } from './page.ts'

export interface LeadersFilter {
  readonly sort: LeaderboardSort
  readonly limit: number
  /** Traders before the page, at most LEADERBOARD_RANKS_MAX; ignored with a cursor. */
  readonly offset?: number
  readonly cursor?: string | undefined
}

export interface LeadersPage extends Page<LeaderboardEntry> {
  /** The number of traders. */
  readonly total: number
  readonly offset: number
  /** Close time of the last indexed ledger, unix seconds. */
  readonly updatedAt: number | null
}

type LeaderRow = Omit<LeaderboardEntry, 'rank'>

interface StateColumns extends HeadColumns {
  readonly updatedAt: number | null
  readonly total: number
}

const STATE = 'c.last_ledger as "headLedger", c.last_seq as "headSeq", c.last_ledger_close_ts as "updatedAt", coalesce(totals.traders, 0) as total'
const ENTRY = 't.trader, t.pnl, t.volume, t.trades, t.liq_count as "liqCount"'

/** The two columns of an order: the chosen one, then the other one. Both descend; equal traders are ordered by address. */
function columnsOfSort(sort: LeaderboardSort): { readonly pair: string; readonly order: string } {
  const [first, second] = sort === 'pnl' ? ['pnl', 'volume'] : ['volume', 'pnl']
  return { pair: `t.${first}, t.${second}`, order: `t.${first} desc, t.${second} desc, t.trader` }
}

/** Traders by PnL or volume, highest first (specification, "GET /v1/leaderboard"). */
export async function listLeaders(db: Queryable, filter: LeadersFilter): Promise<LeadersPage> {
  const { sort, limit } = filter
  const kind = `leaders-${sort}`
  const after = filter.cursor === undefined ? undefined : leaderPosition(kind, filter.cursor)
  const offset = after?.rank ?? filter.offset ?? 0
  const result = await db.query<StateColumns & (LeaderRow | { readonly trader: null })>(
    `select ${STATE}, page.*
     from idx.cursor c left join idx.trader_totals totals on true
     left join lateral (${after === undefined ? pageFrom(sort) : pageAfter(sort)}) page on true order by page.ordinal`,
    after === undefined ? [limit + 1, offset] : [limit + 1, after.first, after.second, after.trader],
  )
  const found = result.filter((row): row is StateColumns & LeaderRow => row.trader !== null)
  const rows = found.slice(0, limit).map((row, index) => entryOf(row, offset + index + 1))
  const last = rows.at(-1)
  const { total, updatedAt } = defined(result[0], 'the index cursor')
  const next = last === undefined || found.length <= limit ? null : encodeCursor(kind, [last[sort], last[otherSort(sort)], last.trader, last.rank])
  return { rows, next, head: headOf(result), gaps: [], total, offset, updatedAt }
}

function otherSort(sort: LeaderboardSort): LeaderboardSort {
  return sort === 'pnl' ? 'volume' : 'pnl'
}

function pageFrom(sort: LeaderboardSort): string {
  const { order } = columnsOfSort(sort)
  return `select ${ENTRY}, row_number() over () as ordinal from (select * from idx.traders t order by ${order} limit $1::int offset $2::int) t`
}

/** Two ranges of the index, because its columns differ in direction: equal traders with a later address, then lower results. */
function pageAfter(sort: LeaderboardSort): string {
  const { pair, order } = columnsOfSort(sort)
  const range = (condition: string): string => `(select * from idx.traders t where ${condition} order by ${order} limit $1::int)`
  const equal = range(`(${pair}) = ($2::numeric, $3::numeric) and t.trader > $4::text`)
  const lower = range(`(${pair}) < ($2::numeric, $3::numeric)`)
  return `select ${ENTRY}, row_number() over () as ordinal from (
    select * from (${equal} union all ${lower}) t order by ${order} limit $1::int) t`
}

function entryOf({ trader, pnl, volume, trades, liqCount }: LeaderRow, rank: number): LeaderboardEntry {
  return { rank, trader, pnl, volume, trades, liqCount }
}

/** Longer than any sum of amounts. */
const VALUE_PATTERN = /^-?\d{1,60}$/

function leaderPosition(kind: string, cursor: string): { first: string; second: string; trader: string; rank: number } {
  const [first, second, trader, rank] = decodeCursor(kind, cursor, 4)
  const isValue = (value: unknown): value is string => typeof value === 'string' && VALUE_PATTERN.test(value)
  if (!isValue(first) || !isValue(second) || typeof trader !== 'string' || typeof rank !== 'number' || rank < 0) {
    throw new InvalidCursor(INVALID_CURSOR)
  }
  return { first, second, trader: toSearchText(trader), rank }
}

export interface LeaderRank {
  readonly total: number
  readonly updatedAt: number | null
  /** Null when the trader has no trades. Its rank is null when more than LEADERBOARD_RANKS_MAX traders are ahead. */
  readonly entry: (Omit<LeaderboardEntry, 'rank'> & { readonly rank: number | null }) | null
  readonly head: Page<unknown>['head']
}

/** One trader's place. Counts at most LEADERBOARD_RANKS_MAX traders. */
export async function readLeaderRank(db: Queryable, { trader, sort }: { readonly trader: string; readonly sort: LeaderboardSort }): Promise<LeaderRank> {
  const { pair } = columnsOfSort(sort)
  const own = pair.replaceAll('t.', 'own.')
  const ahead = (condition: string): string => `(select 1 from idx.traders t where ${condition} limit ${LEADERBOARD_RANKS_MAX + 1})`
  const result = await db.query<StateColumns & { readonly ahead: number } & (LeaderRow | { readonly trader: null })>(
    `select ${STATE}, ${ENTRY.replaceAll('t.', 'own.')}, (select count(*) from (
       ${ahead(`(${pair}) > (${own})`)} union all ${ahead(`(${pair}) = (${own}) and t.trader < own.trader`)}) better) as ahead
     from idx.cursor c left join idx.trader_totals totals on true left join idx.traders own on own.trader = $1`,
    [toSearchText(trader)],
  )
  const row = defined(result[0], 'the index cursor')
  const { total, updatedAt, ahead: count } = row
  const entry = row.trader === null ? null : { ...entryOf(row, count + 1), rank: count >= LEADERBOARD_RANKS_MAX ? null : count + 1 }
  return { total, updatedAt, entry, head: headOf(result) }
}

export interface LeaderTotals {
  readonly traders: number
  readonly volume: string
  readonly trades: number
  readonly updatedAt: number | null
  readonly head: Page<unknown>['head']
}

/** The sums over all traders. */
export async function readLeaderTotals(db: Queryable): Promise<LeaderTotals> {
  const result = await db.query<StateColumns & { readonly volume: string; readonly trades: number }>(
    `select ${STATE}, coalesce(totals.volume, 0) as volume, coalesce(totals.trades, 0) as trades
     from idx.cursor c left join idx.trader_totals totals on true`,
  )
  const { total, volume, trades, updatedAt } = defined(result[0], 'the index cursor')
  return { traders: total, volume, trades, updatedAt, head: headOf(result) }
}

/** What a page of events adds to a trader. */
export interface TraderGain {
  readonly pnl: bigint
  readonly volume: bigint
  readonly trades: number
  readonly liquidations: number
}

export async function addToTraders(tx: Queryable, gains: ReadonlyMap<string, TraderGain>): Promise<void> {
  if (gains.size === 0) return
  const rows = [...gains.values()]
  const written = await tx.query<{ isNew: boolean }>(
    `insert into idx.traders as t (trader, pnl, volume, trades, liq_count)
     select * from unnest($1::text[], $2::numeric[], $3::numeric[], $4::bigint[], $5::bigint[])
     on conflict (trader) do update set pnl = t.pnl + excluded.pnl, volume = t.volume + excluded.volume, trades = t.trades + excluded.trades,
       liq_count = t.liq_count + excluded.liq_count
     returning xmax = 0 as "isNew"`,
    [[...gains.keys()], ...columnsOf(rows, ['pnl', 'volume', 'trades', 'liquidations'])],
  )
  await tx.query(
    `insert into idx.trader_totals as t (traders, volume, trades) values ($1, $2, $3)
     on conflict (id) do update set traders = t.traders + excluded.traders, volume = t.volume + excluded.volume, trades = t.trades + excluded.trades`,
    [
      written.filter(({ isNew }) => isNew).length,
      rows.reduce((sum, { volume }) => sum + volume, 0n),
      rows.reduce((sum, { trades }) => sum + trades, 0),
    ],
  )
}
