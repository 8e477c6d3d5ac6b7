// Reads from ledger entries whose the orders were that ended without the log having told of their placement. The market keeps orders for ever.

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
  record: (tx, { deployment }, seen, nowMs) => recordOrderOwners(tx, deployment, seen, nowMs),
}

/**
 * The owners of ended orders, as their entries tell. An entry that is still pending, or was placed after the order had ended, is another order under the same
 * number, on a network that was reset: it tells nothing.
 */
async function observeOwners(
  rpc: Rpc,
  { market }: EventContracts,
  orders: readonly OwnerlessOrder[],
  indexedLedger: number,
  options: CallOptions,
): Promise<readonly OrderOwnerObservation[] | undefined> {
  const keys = new Map(orders.map((order) => [numberedKey(market, 'Order', order.orderId), order]))
  const answer = await rpc.getLedgerEntries([...keys.keys()], options)
  if (answer.latestLedger < indexedLedger) return undefined
  const observations: OrderOwnerObservation[] = []
  for (const entry of answer.entries) {
    const order = keys.get(entry.keyXdr)
    const stored = readOrderOwner(entry.dataXdr)
    if (order === undefined || stored?.orderId !== order.orderId || stored.pending || stored.placedSec > order.endedSec) continue
    observations.push({ orderId: order.orderId, owner: stored.trader, ledger: answer.latestLedger })
  }
  return observations
}
