// Reads the owners of ended orders from their ledger entries, when no event reported their placement. The market never deletes orders.

import { numberedKey, readOrderOwner } from '../chain/market-entries.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import { ENTRY_KEYS_MAX } from '../chain/rpc.ts'
import type { EventContracts } from '../projections/epochs.ts'
import type { OrderOwnerObservation, OwnerlessOrder } from '../projections/orders.ts'
import { listOwnerlessOrders, recordOrderOwners } from '../projections/orders.ts'
import type { EntrySubject } from './entry-observer.ts'

export const ORDER_OWNERS: EntrySubject<OwnerlessOrder, OrderOwnerObservation> = {
  name: 'order owners',
  idOf: ({ orderId }) => orderId,
  batch: ENTRY_KEYS_MAX,
  listUnknown: (db, { deployment }, options) => listOwnerlessOrders(db, deployment, options),
  observe: observeOwners,
  record: (tx, { deployment }, observations, nowMs) => recordOrderOwners(tx, deployment, observations, nowMs),
}

/**
 * The owners of ended orders. An entry that is still pending, or was placed after the order ended, is another order with the same id on a reset network; it
 * is ignored.
 */
async function observeOwners(
  rpc: Rpc,
  { market }: EventContracts,
  orders: readonly OwnerlessOrder[],
  indexedLedger: number,
  options: CallOptions,
): Promise<readonly OrderOwnerObservation[] | undefined> {
  const keys = new Map(orders.map((order) => [numberedKey(market, 'Order', order.orderId), order]))
  const response = await rpc.getLedgerEntries([...keys.keys()], options)
  if (response.latestLedger < indexedLedger) return undefined
  const observations: OrderOwnerObservation[] = []
  for (const entry of response.entries) {
    const order = keys.get(entry.keyXdr)
    const stored = readOrderOwner(entry.dataXdr)
    if (order === undefined || stored?.orderId !== order.orderId || stored.pending || stored.placedSec > order.endedSec) continue
    observations.push({ orderId: order.orderId, owner: stored.trader, ledger: response.latestLedger })
  }
  return observations
}
