// Owners of orders. Executions and cancellations name no account. The owner comes from the order's placement event or, for order types without one
// (stop-limit, trailing stop, immediate-or-cancel), from its ledger entry.

import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'
import { projectionTargets } from './shadow.ts'

/** The owner in one order's ledger entry. */
export interface OrderOwnerObservation {
  readonly orderId: number
  readonly owner: string
  /** The RPC's latest ledger at the time of the observation. */
  readonly ledger: number
}

/** An ended order of unknown owner. */
export interface OwnerlessOrder {
  readonly orderId: number
  /** When it ended, unix seconds; it cannot have been placed later. */
  readonly endedSec: number
}

/** An event of an order of unknown owner. */
export interface OwnerlessEvent {
  readonly seq: number
  readonly orderId: number
  readonly ts: number
  readonly topic: string
}

/** The known owners of these orders. */
export async function readOrderOwners(db: Queryable, deployment: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<{ id: number; owner: string }>(
    `select order_id as id, trader as owner from idx.placed_orders where deployment = $1 and order_id = any($2::bigint[])
     union all
     select order_id as id, owner from idx.order_owners where deployment = $1 and order_id = any($2::bigint[])`,
    [deployment, ids],
  )
  return new Map(rows.map((row) => [row.id, row.owner]))
}

/** Stores the owners of orders placed in a page. */
export async function insertPlacedOrders(tx: Queryable, deployment: number, placed: ReadonlyMap<number, string>): Promise<void> {
  if (placed.size === 0) return
  await tx.query(
    `insert into idx.placed_orders (deployment, order_id, trader) select $1::int, * from unnest($2::bigint[], $3::text[])
     on conflict (deployment, order_id) do nothing`,
    [deployment, [...placed.keys()], [...placed.values()]],
  )
}

/** Those of these orders whose placement event was archived. */
export async function listPlaced(db: Queryable, deployment: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db.query<{ id: number }>(
    'select order_id as id from idx.placed_orders where deployment = $1 and order_id = any($2::bigint[])',
    [deployment, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Stores events of unknown owners until the owner is known. */
export async function insertOwnerlessEvents(tx: Queryable, deployment: number, events: readonly OwnerlessEvent[]): Promise<void> {
  if (events.length === 0) return
  await tx.query(
    `insert into idx.ownerless_events (deployment, seq, order_id, ts, topic)
     select $1::int, * from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[])`,
    [
      deployment,
      ...columnsOf(events, ['seq', 'orderId', 'ts', 'topic']),
    ],
  )
}

/** Ended orders of unknown owner, most recently ended first, without `except`. An order may appear more than once. */
export async function listOwnerlessOrders(
  db: Queryable,
  deployment: number,
  options: { readonly limit: number; readonly except: readonly number[] },
): Promise<readonly OwnerlessOrder[]> {
  return await db.query<OwnerlessOrder>(
    `select order_id as "orderId", ts as "endedSec" from idx.ownerless_events
     where deployment = $1 and order_id <> all($3::bigint[]) order by seq desc limit $2`,
    [deployment, options.limit, options.except],
  )
}

/**
 * Stores observed owners and adds their pending events to the feeds. The feeds do not depend on whether the observation or the event came first, so that a
 * rebuild produces the same state. The stream still treats the events as learned later.
 */
export async function recordOrderOwners(
  tx: Queryable,
  deployment: number,
  observations: readonly OrderOwnerObservation[],
  nowMs: number,
): Promise<void> {
  if (observations.length === 0) return
  const ids = observations.map(({ orderId }) => orderId)
  await tx.query(
    `insert into idx.order_owners (deployment, order_id, owner, ledger, observed_at)
     select $1::int, order_id, owner, ledger, $5::bigint from unnest($2::bigint[], $3::text[], $4::bigint[]) as seen (order_id, owner, ledger)
     on conflict (deployment, order_id) do nothing`,
    [deployment, ids, ...columnsOf(observations, ['owner', 'ledger']), nowMs],
  )
  for (const target of await projectionTargets(tx)) await feedOwnedEvents(target, deployment, ids)
}

async function feedOwnedEvents(tx: Queryable, deployment: number, ids: readonly number[]): Promise<void> {
  await tx.query(
    `with owned as (
       delete from idx.ownerless_events e using idx.order_owners o
       where e.deployment = $1 and e.order_id = any($2::bigint[]) and o.deployment = e.deployment and o.order_id = e.order_id
       returning o.owner, e.seq, e.topic
     ), fed as (
       insert into idx.account_events (account, seq, topic, kind) select owner, seq, topic, 'order' from owned returning account, seq
     )
     insert into idx.learned_events (account, seq) select account, seq from fed on conflict do nothing`,
    [deployment, ids],
  )
}
