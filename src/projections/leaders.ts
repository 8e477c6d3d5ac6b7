// Lifetime PnL and volume per trader, across deployments.

import type { LeaderboardEntry, LeaderboardSort } from '../resources/leaderboard-entry.ts'
import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'
import { readPage, toSearchText, withoutSeq } from './log-list.ts'
import type { Page } from './page.ts'
import { decodeCursor, encodeCursor, INVALID_CURSOR, InvalidCursor } from './page.ts'

export interface LeadersFilter {
  readonly sort: LeaderboardSort
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Traders by PnL or volume, highest first, ties by address (specification, "GET /v1/leaderboard"). */
export async function listLeaders(db: Queryable, filter: LeadersFilter): Promise<Page<LeaderboardEntry>> {
  const { sort, limit } = filter
  const kind = `leaders-${sort}`
  const column = sort === 'pnl' ? 'pnl' : 'volume'
  const after = filter.cursor === undefined ? undefined : leaderPosition(kind, filter.cursor)
  return await readPage<LeaderboardEntry, LeaderboardEntry>(
    db,
    {
      page: `select 0 as seq, t.trader, t.pnl, t.volume from idx.traders t
        ${after === undefined ? '' : `where (t.${column}, t.trader) < ($2::numeric, $3::text)`}
        order by t.${column} desc, t.trader desc limit $1::int`,
      params: after === undefined ? [limit + 1] : [limit + 1, after.value, after.trader],
      limit,
      order: `page.${column} desc, page.trader desc`,
      cursorOf: (row) => encodeCursor(kind, [row[sort], row.trader]),
    },
    withoutSeq,
  )
}

/** Longer than any sum of amounts. */
const VALUE_PATTERN = /^-?\d{1,60}$/

function leaderPosition(kind: string, cursor: string): { value: string; trader: string } {
  const [value, trader] = decodeCursor(kind, cursor, 2)
  if (typeof value !== 'string' || !VALUE_PATTERN.test(value) || typeof trader !== 'string') {
    throw new InvalidCursor(INVALID_CURSOR)
  }
  return { value, trader: toSearchText(trader) }
}

/** What a page of events adds to a trader's PnL and volume. */
export interface TraderGain {
  readonly pnl: bigint
  readonly volume: bigint
}

export async function addToTraders(tx: Queryable, gains: ReadonlyMap<string, TraderGain>): Promise<void> {
  if (gains.size === 0) return
  const rows = [...gains.values()]
  await tx.query(
    `insert into idx.traders as t (trader, pnl, volume)
     select * from unnest($1::text[], $2::numeric[], $3::numeric[])
     on conflict (trader) do update set pnl = t.pnl + excluded.pnl, volume = t.volume + excluded.volume`,
    [[...gains.keys()], ...columnsOf(rows, ['pnl', 'volume'])],
  )
}
