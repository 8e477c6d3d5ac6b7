// Placements of orders that no event reports, found in what transactions changed: in generation 1 those of stop-limit orders and trailing stops.

import { columns } from '../../store/columns.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { arraysOf } from '../array-params.ts'
import { readOrderOwners } from './orders.ts'

export interface OrderPlacement {
  readonly orderId: number
  readonly ledger: number
  /** Unix seconds. */
  readonly ts: number
  readonly txHash: string
  /** Its position in the log; null: none. */
  readonly seq: number | null
}

const INSERTED = columns(idx.order_placements, 'order_placements', { orderId: 'order_id' })

/**
 * Stores placements of orders without a placement event, once; returns the ids of those that were new, or whose position in the log was not known: the result
 * of a submission has none.
 */
export async function insertPlacements(tx: Queryable, contractEpoch: number, placements: readonly OrderPlacement[]): Promise<readonly number[]> {
  if (placements.length === 0) return []
  const rows = await tx.query(
    sql`${sql.insertInto(idx.order_placements)} (contract_epoch, order_id, ledger, ts, tx_hash, seq)
     select $1::int, found.* from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[]) found (order_id, ledger, ts, tx_hash, seq)
     where not exists (select 1 from ${idx.orders} o where o.contract_epoch = $1 and o.order_id = found.order_id and o.seq is not null)
     on conflict (contract_epoch, order_id) do update set seq = excluded.seq where order_placements.seq is null and excluded.seq is not null
     returning ${INSERTED}`,
    [contractEpoch, ...arraysOf(placements, { orderId: 'bigint', ledger: 'bigint', ts: 'bigint', txHash: 'text', seq: 'bigint' })],
  )
  return rows.map(({ orderId }) => orderId)
}

/** Those of these orders that have a row, with an owner. */
export async function listKnownOrders(tx: Queryable, contractEpoch: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set((await readOrderOwners(tx, contractEpoch, ids)).keys())
}

/**
 * The orders that these transactions placed without an event, by transaction, as far as the index has them. `orderId`: what the call returned, when that is
 * known; it counts for an order of the trader.
 */
export async function readPlacedOrders(
  db: Queryable, transactions: readonly { readonly txHash: string; readonly orderId: number | null; readonly trader: string | null }[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ txHash: string; orderId: number | null }>(
    sql`select t.tx_hash as "txHash", coalesce(
       (select r.order_id from ${idx.order_placements} p join ${idx.orders} r on r.contract_epoch = p.contract_epoch and r.order_id = p.order_id
         where p.tx_hash = t.tx_hash limit 1),
       (select r.order_id from (select distinct contract_epoch from ${idx.epochs}) d
          join ${idx.orders} r on r.contract_epoch = d.contract_epoch and r.order_id = t.order_id and r.trader = t.trader limit 1)) as "orderId"
     from unnest($1::text[], $2::bigint[], $3::text[]) t (tx_hash, order_id, trader)`,
    arraysOf(transactions, { txHash: 'text', orderId: 'bigint', trader: 'text' }),
  )
  return new Map(rows.flatMap(({ txHash, orderId }) => (orderId === null ? [] : [[txHash, orderId] as const])))
}
