// Placed orders and the owners of orders. Executions and cancellations name no account. The owner comes from the order's placement event or, for orders
// without one (immediate-or-cancel, and in generation 1 stop-limit and trailing stop), from its ledger entry.

import type { OrderLifeStatus } from '../resources/order.ts'
import type { PlacedOrderRow } from '../resources/placed-order.ts'
import type { Queryable } from '../store/store.ts'
import { columnsOf } from './columns.ts'
import { listLog } from './log-list.ts'
import type { Page } from './page.ts'
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

/** An order whose placement was reported. */
export interface PlacedOrder {
  readonly orderId: number
  readonly trader: string
  readonly triggerPrice: bigint
  readonly seq: number
  readonly ledger: number
  readonly ts: number
  readonly txHash: string
}

export type OrderEnd = Exclude<OrderLifeStatus, 'pending'>

/** Stores the orders placed in a page. */
export async function insertPlacedOrders(tx: Queryable, deployment: number, placed: readonly PlacedOrder[]): Promise<void> {
  if (placed.length === 0) return
  await tx.query(
    `insert into idx.placed_orders (deployment, order_id, trader, trigger_price, seq, ledger, ts, tx_hash, status)
     select $1::int, page.*, 'open' from unnest($2::bigint[], $3::text[], $4::numeric[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[]) page
     on conflict (deployment, order_id) do nothing`,
    [deployment, ...columnsOf(placed, ['orderId', 'trader', 'triggerPrice', 'seq', 'ledger', 'ts', 'txHash'])],
  )
}

/** Ends orders. An order that has ended stays as it is. */
export async function endOrders(tx: Queryable, deployment: number, ended: ReadonlyMap<number, OrderEnd>): Promise<void> {
  if (ended.size === 0) return
  await tx.query(
    `update idx.placed_orders o set status = page.status from unnest($2::bigint[], $3::text[]) page (order_id, status)
     where o.deployment = $1 and o.order_id = page.order_id and o.status = 'open'`,
    [deployment, [...ended.keys()], [...ended.values()]],
  )
}

export interface PlacedOrdersFilter {
  readonly trader?: string | undefined
  /** Lists open orders only. */
  readonly openOnly: boolean
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Orders of the current deployment by placement, newest first. */
export async function listPlacedOrders(db: Queryable, { trader, openOnly, limit, cursor }: PlacedOrdersFilter): Promise<Page<PlacedOrderRow>> {
  return await listLog<PlacedOrderRow>(db, {
    kind: openOnly ? 'orders-open' : 'orders-all',
    table: 'idx.placed_orders',
    scope: { column: 'deployment', sql: '(select e.deployment from idx.epochs e where e.number = c.epoch)' },
    equals: { trader },
    ...(openOnly ? { only: 'r.status = \'open\'' } : {}),
    columns: {
      orderId: 'r.order_id', trader: 'r.trader', triggerPrice: 'r.trigger_price', status: 'r.status', ledger: 'r.ledger', ts: 'r.ts', txHash: 'r.tx_hash',
    },
    limit,
    cursor,
  })
}

/** The ids of the trader's open orders in the current deployment, newest first. */
export async function listOpenOrderIds(db: Queryable, trader: string, limit: number): Promise<readonly number[]> {
  const { rows } = await listPlacedOrders(db, { trader, openOnly: true, limit })
  return rows.map(({ orderId }) => orderId)
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
