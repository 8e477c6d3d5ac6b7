// The ids of a market that the index has no record of, and the number of those that it lists as open. From generation 2.3 on the market has no lists of ids,
// so unseen ids are read one by one.

import { sql } from '../../store/sql.ts'
import type { Sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import type { ActivitySince } from '../repair/reconciliation.ts'

/** Ids that are examined by one statement. */
const WINDOW_IDS = 5_000

export interface UnseenIds {
  readonly ids: readonly number[]
  /** Every id up to this one is in `ids`, or needs no read. */
  readonly through: number
}

export interface IdRange {
  readonly afterId: number
  readonly throughId: number
  readonly limit: number
}

/** Ids without a position, or whose position ended without an event that says so. */
export async function listUnseenPositions(db: Queryable, contractEpoch: number, range: IdRange): Promise<UnseenIds> {
  return await listUnseenIds(db, contractEpoch, range, sql`not exists (select 1 from ${idx.positions} p
    where p.contract_epoch = $1 and p.position_id = g.id and p.state not in ('ended', 'cross_liquidated'))`)
}

/** Ids of orders that no event named. */
export async function listUnseenOrders(db: Queryable, contractEpoch: number, range: IdRange): Promise<UnseenIds> {
  return await listUnseenIds(db, contractEpoch, range, sql`not ${SEEN_ORDER}`)
}

const SEEN_ORDER = sql`exists (select 1 from ${idx.orders} o
  where o.contract_epoch = $1 and o.order_id = g.id and (o.seq is not null or o.ended_seq is not null))`

/** The ids `g.id` of a range that meet a condition. */
export async function listUnseenIds(db: Queryable, contractEpoch: number, { afterId, throughId, limit }: IdRange, condition: Sql): Promise<UnseenIds> {
  const endId = Math.min(throughId, afterId + WINDOW_IDS)
  if (endId <= afterId) return { ids: [], through: afterId }
  const rows = await db.query<{ id: number }>(
    sql`select g.id from generate_series($2::bigint + 1, $3::bigint) g (id) where ${condition} order by g.id limit $4::int`,
    [contractEpoch, afterId, endId, limit],
  )
  const ids = rows.map(({ id }) => id)
  return { ids, through: ids.length < limit ? endId : (ids.at(-1) ?? endId) }
}

/** Those of these orders that no event named. */
export async function withoutSeenOrders(db: Queryable, contractEpoch: number, ids: readonly number[]): Promise<readonly number[]> {
  if (ids.length === 0) return []
  const rows = await db.query<{ id: number }>(sql`select g.id from unnest($2::bigint[]) g (id) where not ${SEEN_ORDER}`, [contractEpoch, ids])
  return rows.map(({ id }) => id)
}

/**
 * The positions that the index had open at a ledger, by the activity since then. Ids are assigned in sequence, so those after the ledger's last one were
 * opened later.
 */
export async function countOpenPositions(db: Queryable, contractEpoch: number, since: ActivitySince, lastId: number): Promise<number> {
  const [row] = await db.query<{ open: number }>(
    sql`select (select count(*) from ${idx.positions} where contract_epoch = $1 and state = 'open' and position_id <= $2::bigint)
       + (select count(*) from ${idx.positions} where contract_epoch = $1 and position_id = any($3::bigint[]) and state <> 'open') as open`,
    [contractEpoch, lastId, [...since.positionIds].filter((id) => id <= lastId)],
  )
  return row?.open ?? 0
}

/** The placed orders that the index had open at a ledger; see `countOpenPositions`. */
export async function countOpenOrders(db: Queryable, contractEpoch: number, since: ActivitySince, lastId: number): Promise<number> {
  const [row] = await db.query<{ open: number }>(
    sql`select (select count(*) from ${idx.orders} where contract_epoch = $1 and status = 'pending' and seq is not null and order_id <= $2::bigint)
       + (select count(*) from ${idx.orders} where contract_epoch = $1 and order_id = any($3::bigint[]) and status <> 'pending') as open`,
    [contractEpoch, lastId, [...since.orders].filter((id) => id <= lastId)],
  )
  return row?.open ?? 0
}
