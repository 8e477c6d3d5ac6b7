// Placements of orders that no event reports, found in what transactions changed: in generation 1 those of stop-limit orders and trailing stops.

import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'

export interface OrderPlacement {
  readonly orderId: number
  readonly ledger: number
  /** Unix seconds. */
  readonly ts: number
  readonly txHash: string
  /** Its position in the log; null: none. */
  readonly seq: number | null
}

/** Stores placements of orders without a placement event, once; returns the ids of those that were new. */
export async function insertPlacements(tx: Queryable, deployment: number, placements: readonly OrderPlacement[]): Promise<readonly number[]> {
  if (placements.length === 0) return []
  const rows = await tx.query<{ orderId: number }>(
    `insert into idx.order_placements (deployment, order_id, ledger, ts, tx_hash, seq)
     select $1::int, found.* from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[]) found (order_id, ledger, ts, tx_hash, seq)
     where not exists (select 1 from idx.orders o where o.deployment = $1 and o.order_id = found.order_id and o.seq is not null)
     on conflict do nothing returning order_id as "orderId"`,
    [deployment, ...columnsOf(placements, ['orderId', 'ledger', 'ts', 'txHash', 'seq'])],
  )
  return rows.map(({ orderId }) => orderId)
}

/** Those of these orders that have a row, with an owner. */
export async function listKnownOrders(tx: Queryable, deployment: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.query<{ id: number }>(
    'select order_id as id from idx.orders where deployment = $1 and order_id = any($2::bigint[]) and trader is not null', [deployment, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** The orders that these transactions placed without an event, by transaction. */
export async function readPlacedOrders(db: Queryable, hashes: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ txHash: string; orderId: number }>(
    'select tx_hash as "txHash", order_id as "orderId" from idx.order_placements where tx_hash = any($1::text[])', [hashes],
  )
  return new Map(rows.map(({ txHash, orderId }) => [txHash, orderId]))
}
