// Finds open positions and pending orders of a market without lists of ids, which it has from generation 2.3 on: reads the entries of ids that no event
// named. An id that was read once and has nothing open never gets an entry again, so each id is read once per process, however long the history is.

import type { MarketState } from '../../chain/views/market-state.ts'
import { listUnseenOrders, listUnseenPositions, withoutSeenOrders } from '../../projections/state/unseen-ids.ts'
import type { Queryable } from '../../store/store.ts'

/** With more pending orders without an event than this, the completeness of orders is unknown. The market allows 2,000 pending orders. */
const PENDING_ORDERS_MAX = 2_000

/** The progress of the scan of one deployment's ids. */
export interface IdScan {
  readonly positionsThrough: number
  readonly ordersThrough: number
  /** Pending orders that no event named. */
  readonly pendingOrders: readonly number[]
}

/** The ids that are read next. Once they have been read, every id up to `…Through` was examined. */
export type ScanStep = Pick<IdScan, 'positionsThrough' | 'ordersThrough'> & { readonly positionIds: readonly number[]; readonly orderIds: readonly number[] }

export const NOTHING_SCANNED: IdScan = { positionsThrough: 0, ordersThrough: 0, pendingOrders: [] }

/** The scan after the entries of a step were read. */
export async function scanAfter(tx: Queryable, contractEpoch: number, scan: IdScan, step: ScanStep | null, { pendingOrders }: MarketState): Promise<IdScan> {
  const found = [...scan.pendingOrders, ...(step?.orderIds.filter((id) => pendingOrders.has(id)) ?? [])]
  return {
    positionsThrough: step?.positionsThrough ?? scan.positionsThrough,
    ordersThrough: step?.ordersThrough ?? scan.ordersThrough,
    pendingOrders: (await withoutSeenOrders(tx, contractEpoch, found)).slice(0, PENDING_ORDERS_MAX + 1),
  }
}

/** The next ids to read, at most `limit` of each kind. */
export async function nextStep(tx: Queryable, contractEpoch: number, scan: IdScan, last: LastIds, limit: number): Promise<ScanStep> {
  const positions = await listUnseenPositions(tx, contractEpoch, { afterId: scan.positionsThrough, throughId: last.positionId, limit })
  const orders = await listUnseenOrders(tx, contractEpoch, { afterId: scan.ordersThrough, throughId: last.orderId, limit })
  return { positionIds: positions.ids, positionsThrough: positions.through, orderIds: orders.ids, ordersThrough: orders.through }
}

/** The last ids that the market assigned. */
export interface LastIds {
  readonly positionId: number
  readonly orderId: number
}

/** The scan without the ids before the step that need no read. */
export function withoutReads(scan: IdScan, step: ScanStep): IdScan {
  return {
    ...scan,
    positionsThrough: step.positionIds.length === 0 ? step.positionsThrough : scan.positionsThrough,
    ordersThrough: step.orderIds.length === 0 ? step.ordersThrough : scan.ordersThrough,
  }
}

/** The scan from the start, of those ids whose counts differ from the market's. */
export function restartOnDrift(scan: IdScan, drift: { readonly positions: number | null; readonly orders: number | null }): IdScan {
  return {
    positionsThrough: (drift.positions ?? 0) === 0 ? scan.positionsThrough : 0,
    ...((drift.orders ?? 0) === 0 ? { ordersThrough: scan.ordersThrough, pendingOrders: scan.pendingOrders } : { ordersThrough: 0, pendingOrders: [] }),
  }
}

/** True when all ids have been examined, or need no read. */
export function isComplete({ positionIds, positionsThrough, orderIds, ordersThrough }: ScanStep, last: LastIds): boolean {
  return positionIds.length + orderIds.length === 0 && positionsThrough >= last.positionId && ordersThrough >= last.orderId
}

/** Null: too many to be known. */
export function pendingWithoutEvent({ pendingOrders }: IdScan): readonly number[] | null {
  return pendingOrders.length > PENDING_ORDERS_MAX ? null : pendingOrders
}
