// What the ledger entries of orders say. Events name neither asset nor size, and some placements emit no event. Each entry is read once and kept.

import type { OpenOrder } from '../../resources/open-order.ts'
import type { OrderLifeStatus } from '../../resources/order.ts'
import { columns } from '../../store/columns.ts'
import { insertRows } from '../../store/insert-rows.ts'
import { sql } from '../../store/sql.ts'
import type { Queryable, Writable } from '../../store/store.ts'
import { idx } from '../../store/tables.ts'
import { arraysOf } from '../array-params.ts'
import { appendOrderChanges, onlyRecent } from '../orders/order-changes.ts'
import { insertPlacements } from '../orders/order-placements.ts'
import type { OrderPlacement } from '../orders/order-placements.ts'
import { feedOwnedEvents } from '../orders/ownerless-events.ts'
import { projectionTargets } from '../repair/shadow.ts'
import { listUnseenIds } from './unseen-ids.ts'
import type { IdRange, UnseenIds } from './unseen-ids.ts'

/** An order without an entry is read this many times, then never again. */
const MISSES_MAX = 5
/** Delay before the second read of an entry that was not found; each further one waits four times as long. */
const MISS_RETRY_MS = 60_000
/** Interval at which the last id that the market assigned is read. */
const SCAN_INTERVAL_MS = 10_000

/** An order whose entry is to be read, with what events say about it. */
export interface IncompleteOrder {
  readonly orderId: number
  readonly trader: string | null
  readonly placedSec: number | null
  readonly endedSec: number | null
}

/** A search of ids for orders that no event named. */
export interface OrderScan {
  /** Every id up to this one is known, or among those to be read. */
  readonly through: number
  readonly ids: readonly number[]
}

/** The entry of one order. */
export interface OrderObservation {
  readonly orderId: number
  /** Null: the ledger has no entry. */
  readonly owner: string | null
  readonly status: OrderLifeStatus
  /** Null: unreadable. */
  readonly details: OpenOrder | null
  /** Of an order whose placement no event reports. Null: not found, or reported. */
  readonly placement: Omit<OrderPlacement, 'orderId' | 'seq'> | null
  /** True when the frame of its placement had these details. */
  readonly isPublished?: boolean
}

/** The entries of one response. */
export interface OrderReading {
  readonly orders: readonly OrderObservation[]
  /** Null: ids were not searched. */
  readonly scan: { readonly through: number; readonly lastId: number | null } | null
  /** The node's latest ledger. */
  readonly ledger: number
}

const INCOMPLETE = columns(idx.orders, 'o', { orderId: 'order_id', trader: 'trader', placedSec: 'ts', endedSec: 'ended_ts' })

/** Orders whose entry is to be read, newest first, without `except`: those never read, and those whose end may be lost in a gap. */
export async function listIncompleteOrders(
  db: Queryable, contractEpoch: number, { limit, except, nowMs }: { readonly limit: number; readonly except: readonly number[]; readonly nowMs: number },
): Promise<readonly IncompleteOrder[]> {
  return await db.query(
    sql`select ${INCOMPLETE} from (
       (select i.order_id from ${idx.orders} i left join ${idx.order_details} d on d.contract_epoch = i.contract_epoch and d.order_id = i.order_id
        where i.contract_epoch = $1 and not i.details_complete and i.order_id <> all($3::bigint[])
          and (coalesce(d.misses, 0) = 0 or d.observed_at + ${MISS_RETRY_MS} * 4 ^ (d.misses - 1) <= $4::bigint)
        order by i.order_id desc limit $2::int)
       union
       (select p.order_id from (
            select max(g.to_ledger) as ledger from ${idx.gaps} g join ${idx.epochs} e on e.number = g.epoch where e.contract_epoch = $1 offset 0) lost
          join ${idx.orders} p on p.contract_epoch = $1 and p.status = 'pending' and p.order_id <> all($3::bigint[])
          join ${idx.order_details} d on d.contract_epoch = p.contract_epoch and d.order_id = p.order_id and d.ledger <= lost.ledger
        where lost.ledger is not null limit $2::int)
     ) listed join ${idx.orders} o on o.contract_epoch = $1 and o.order_id = listed.order_id
     order by o.order_id desc limit $2::int`,
    [contractEpoch, limit, except, nowMs],
  )
}

const SCAN = columns(idx.order_scans, 's', { through: 'through', lastId: 'last_id', scannedAt: 'scanned_at' })

/** The next ids to search, at most `limit`; undefined when no search is due. */
export async function nextOrderScan(db: Queryable, contractEpoch: number, { limit, nowMs }: { readonly limit: number; readonly nowMs: number }): Promise<
  OrderScan | undefined
> {
  const [row] = await db.query(sql`select ${SCAN} from ${idx.order_scans} s where s.contract_epoch = $1`, [contractEpoch])
  const { through, lastId, scannedAt } = row ?? { through: 0, lastId: 0, scannedAt: Number.NEGATIVE_INFINITY }
  if (through >= lastId && nowMs - scannedAt < SCAN_INTERVAL_MS) return undefined
  return await listUnknownIds(db, contractEpoch, { afterId: through, throughId: lastId, limit })
}

function listUnknownIds(db: Queryable, contractEpoch: number, range: IdRange): Promise<UnseenIds> {
  return listUnseenIds(db, contractEpoch, range, sql`not exists (select 1 from ${idx.orders} o where o.contract_epoch = $1 and o.order_id = g.id)`)
}

/**
 * Stores a reading and applies it; returns the number of entries that were found. Stores nothing while the index has not reached the reading's ledger: events
 * up to there could contradict it.
 */
export async function recordOrderReading(
  tx: Writable, { number, contractEpoch }: { readonly number: number; readonly contractEpoch: number }, { orders, scan, ledger }: OrderReading, nowMs: number,
): Promise<number> {
  const [head] = await tx.query(sql`select 1 from ${idx.cursor} where epoch = $1 and last_ledger >= $2::bigint`, [number, ledger])
  if (head === undefined) return 0
  if (orders.length > 0) await recordOrders(tx, contractEpoch, { orders, ledger }, nowMs)
  if (scan !== null) await recordScan(tx, contractEpoch, scan, nowMs)
  return orders.filter(({ owner }) => owner !== null).length
}

const MERGE_DETAILS = sql`on conflict (contract_epoch, order_id) do update set
  owner = coalesce(order_details.owner, excluded.owner), details = coalesce(order_details.details, excluded.details),
  status = case when order_details.complete and order_details.status <> 'pending' then order_details.status else excluded.status end,
  misses = order_details.misses + excluded.misses,
  complete = order_details.complete or excluded.complete or order_details.misses + excluded.misses >= ${MISSES_MAX},
  ledger = excluded.ledger, observed_at = excluded.observed_at`

async function recordOrders(tx: Writable, contractEpoch: number, { orders, ledger }: Omit<OrderReading, 'scan'>, nowMs: number): Promise<void> {
  const completed = await listCompleted(tx, contractEpoch, orders)
  await insertRows(
    tx, idx.order_details, orders,
    {
      contract_epoch: { all: contractEpoch }, order_id: 'orderId', owner: 'owner', status: 'status',
      details: ({ details }) => (details === null ? null : JSON.stringify(details)), misses: ({ owner }) => (owner === null ? 1 : 0),
      complete: ({ owner }) => owner !== null, ledger: { all: ledger }, observed_at: { all: nowMs },
    },
    MERGE_DETAILS,
  )
  const ids = orders.map(({ orderId }) => orderId)
  for (const target of await projectionTargets(tx)) {
    await applyDetails(target, contractEpoch, ids)
    await feedOwnedEvents(target, contractEpoch, ids)
  }
  const firstSeq = await appendOrderChanges(tx, contractEpoch, completed.map(({ orderId, account }) => ({ account, orderId, fill: null })))
  const seqs = new Map(completed.map(({ orderId }, index) => [orderId, firstSeq + index]))
  await insertPlacements(tx, contractEpoch, orders.flatMap(({ orderId, placement }) =>
    (placement === null ? [] : [{ ...placement, orderId, seq: seqs.get(orderId) ?? null }])))
}

interface CompletedOrder {
  readonly orderId: number
  readonly account: string
  readonly ts: number
}

/** The orders that this reading completes, without those whose end was in nobody's feed: they are added to their owner's. */
async function listCompleted(tx: Queryable, contractEpoch: number, orders: readonly OrderObservation[]): Promise<readonly CompletedOrder[]> {
  const unpublished = orders.filter(({ isPublished }) => isPublished !== true)
  const found = unpublished.flatMap(({ orderId, owner, details }) => (owner === null ? [] : [{ orderId, account: owner, placedSec: details?.createdAt ?? 0 }]))
  if (found.length === 0) return []
  const rows = await tx.query<CompletedOrder>(
    sql`select found.order_id as "orderId", found.account, greatest(o.ts, o.ended_ts, found.placed) as ts
     from unnest($2::bigint[], $3::text[], $4::bigint[]) found (order_id, account, placed)
       left join ${idx.orders} o on o.contract_epoch = $1 and o.order_id = found.order_id
     where (o.trader is not null or o.ended_seq is null)
       and not exists (select 1 from ${idx.order_details} d where d.contract_epoch = $1 and d.order_id = found.order_id and d.owner is not null)
     order by found.order_id`,
    [contractEpoch, ...arraysOf(found, { orderId: 'bigint', account: 'text', placedSec: 'bigint' })],
  )
  return await onlyRecent(tx, rows, ({ ts }) => ts)
}

async function recordScan(tx: Writable, contractEpoch: number, scan: NonNullable<OrderReading['scan']>, nowMs: number): Promise<void> {
  const lastId = scan.lastId ?? 0
  const next = await listUnknownIds(tx, contractEpoch, { afterId: scan.through, throughId: lastId, limit: 1 })
  await tx.run(
    sql`${sql.insertInto(idx.order_scans)} as s (contract_epoch, through, last_id, scanned_at) values ($1, $2, $3, $4)
     on conflict (contract_epoch) do update set through = excluded.through, last_id = greatest(s.last_id, excluded.last_id), scanned_at = excluded.scanned_at`,
    [contractEpoch, next.ids.length === 0 ? next.through : scan.through, lastId, nowMs],
  )
}

const FROM_DETAILS = sql`select d.contract_epoch, d.order_id, d.status, d.owner, d.details->>'asset', d.complete from ${idx.order_details} d`
const INTO_ORDERS = sql`${sql.insertInto(idx.orders)} as o (contract_epoch, order_id, status, trader, asset, details_complete)`

/** The result does not depend on whether the entry or the events came first, so that a rebuild produces the same state. */
async function applyDetails(tx: Writable, contractEpoch: number, ids: readonly number[]): Promise<void> {
  await tx.run(
    sql`${INTO_ORDERS} ${FROM_DETAILS} where d.contract_epoch = $1 and d.order_id = any($2::bigint[])
       and (d.owner is not null or exists (select 1 from ${idx.orders} k where k.contract_epoch = d.contract_epoch and k.order_id = d.order_id))
     on conflict (contract_epoch, order_id) do update set trader = coalesce(o.trader, excluded.trader), asset = excluded.asset,
       details_complete = excluded.details_complete, status = case when o.ended_seq is null then excluded.status else o.status end`,
    [contractEpoch, ids],
  )
}

/** Adds the orders that no event named to a rebuilt copy. */
export async function addOrdersWithoutEvents(copy: Writable): Promise<void> {
  await copy.run(
    sql`${INTO_ORDERS} ${FROM_DETAILS} where d.owner is not null
       and not exists (select 1 from ${idx.orders} k where k.contract_epoch = d.contract_epoch and k.order_id = d.order_id)
     on conflict do nothing`,
  )
}
