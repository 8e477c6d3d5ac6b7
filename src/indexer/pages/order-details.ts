// Reads what events do not say about orders from their ledger entries: owner and terms. The market never deletes orders, but the ledger archives old entries.

import { numberedKey, readAmount, readOrder, readOrderState, readU64, singleKey } from '../../chain/views/market-entries.ts'
import { orderTerms } from '../../chain/views/order-terms.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { ENTRY_KEYS_MAX } from '../../chain/rpc/rpc.ts'
import type { EventContracts } from '../../projections/state/epochs.ts'
import type { IncompleteOrder, OrderObservation, OrderReading, OrderScan } from '../../projections/state/order-details.ts'
import { listIncompleteOrders, nextOrderScan, recordOrderReading } from '../../projections/state/order-details.ts'
import type { EntrySubject } from './entry-observer.ts'
import { findPlacement } from './silent-placements.ts'

/** An order to read, or a search for orders that no event named. */
type Subject = { readonly order: IncompleteOrder; readonly passphrase: string } | { readonly scan: OrderScan; readonly passphrase: string }
type Observation = { readonly order: OrderObservation; readonly ledger: number } | { readonly scan: OrderReading['scan']; readonly ledger: number }

/** An order takes two keys, the search one. */
const ORDERS_MAX = Math.floor((ENTRY_KEYS_MAX - 1) / 2)
const NO_ORDER = 0
/** Placements that one reading searches for. The orders after them are left to the next reading. */
const SEARCHED_MAX = 8

export const ORDER_DETAILS: EntrySubject<Subject, Observation> = {
  name: 'orders',
  idOf: (one) => ('order' in one ? one.order.orderId : NO_ORDER),
  batch: ORDERS_MAX,
  async listUnknown(db, { contractEpoch, passphrase }, { limit, except, nowMs }) {
    const orders = await listIncompleteOrders(db, contractEpoch, { limit, except, nowMs })
    const scan = orders.length < limit ? await nextOrderScan(db, contractEpoch, { limit: limit - orders.length, nowMs }) : undefined
    return [...orders.map((order) => ({ order, passphrase })), ...(scan === undefined ? [] : [{ scan, passphrase }])]
  },
  observe: readOrders,
  async record(tx, epoch, observations, nowMs) {
    const [ledger] = observations.map((one) => one.ledger)
    if (ledger === undefined) return 0
    const orders = observations.flatMap((one) => ('order' in one ? [one.order] : []))
    const scan = observations.flatMap((one) => ('scan' in one ? [one.scan] : [])).at(0) ?? null
    return await recordOrderReading(tx, epoch, { orders, scan, ledger }, nowMs)
  },
}

async function readOrders(
  rpc: Rpc, { market }: EventContracts, subjects: readonly Subject[], indexedLedger: number, options: CallOptions,
): Promise<readonly Observation[] | undefined> {
  const scan = subjects.flatMap((subject) => ('scan' in subject ? [subject.scan] : [])).at(0)
  const listed = subjects.flatMap((subject) => ('order' in subject ? [subject.order] : []))
  const unseen = (scan?.ids ?? []).map((orderId): IncompleteOrder => ({ orderId, trader: null, placedSec: null, endedSec: null }))
  const counterKey = singleKey(market, 'OrderCounter')
  const keys = [...listed, ...unseen].flatMap(({ orderId }) => [numberedKey(market, 'Order', orderId), numberedKey(market, 'TrailingStopPeak', orderId)])
  const { entries, latestLedger: ledger } = await rpc.getLedgerEntries([...keys, ...(scan === undefined ? [] : [counterKey])], options)
  if (ledger < indexedLedger) return undefined
  const stored = new Map(entries.map(({ keyXdr, dataXdr }) => [keyXdr, dataXdr]))
  const writtenIn = new Map(entries.map(({ keyXdr, lastModifiedLedger }) => [keyXdr, lastModifiedLedger]))
  const observationsOf = (order: IncompleteOrder, isKnown: boolean): readonly { readonly order: OrderObservation; readonly ledger: number }[] => {
    const observed = observe(order, stored.get(numberedKey(market, 'Order', order.orderId)), stored.get(numberedKey(market, 'TrailingStopPeak', order.orderId)))
    return observed === undefined || (observed.owner === null && !isKnown) ? [] : [{ order: observed, ledger }]
  }
  const counter = stored.get(counterKey)
  const [{ passphrase } = { passphrase: '' }] = subjects
  const found = unseen.flatMap((order) => observationsOf(order, false))
  // Orders that are listed were named by an event, or were searched when they were found.
  const silent = found.filter(({ order }) => order.details?.orderType === 'trailing_stop' && order.status === 'pending')
  const left = silent.slice(SEARCHED_MAX).map(({ order }) => order.orderId)
  const orders = [...listed.flatMap((order) => observationsOf(order, true)), ...found.filter(({ order }) => !left.includes(order.orderId))]
  const placements = new Map<number, OrderObservation['placement']>()
  for (const { order: { orderId, owner, details } } of silent.slice(0, SEARCHED_MAX)) {
    const written = writtenIn.get(numberedKey(market, 'Order', orderId))
    if (owner === null || details === null || written === undefined) continue
    const order = { orderId, trader: owner, createdAt: details.createdAt, ledger: written }
    placements.set(orderId, await findPlacement(rpc, { market, passphrase }, order, options))
  }
  return [
    ...orders.map((each) => ({ ...each, order: { ...each.order, placement: placements.get(each.order.orderId) ?? null } })),
    ...(scan === undefined ? [] : [{
      scan: { through: Math.min(scan.through, ...left.map((id) => id - 1)), lastId: counter === undefined ? null : readU64(counter) ?? null }, ledger,
    }]),
  ]
}

/**
 * Reads the entry; undefined when it contradicts the events: then it is another order with the same id, on a network that was reset. An order whose end
 * is known cannot be pending, and was not placed later.
 */
function observe({ orderId, trader, placedSec, endedSec }: IncompleteOrder, entry: string | undefined, peak: string | undefined): OrderObservation | undefined {
  if (entry === undefined) return { orderId, owner: null, status: 'pending', details: null, placement: null }
  const stored = readOrderState(entry)
  if (stored?.orderId !== orderId || (trader !== null && trader !== stored.trader)) return undefined
  if (stored.placedSec > (placedSec ?? endedSec ?? Number.MAX_SAFE_INTEGER) || (endedSec !== null && stored.status === 'pending')) return undefined
  const order = readOrder(entry)
  const details = order === undefined ? null : orderTerms(order, peak === undefined ? undefined : readAmount(peak))
  return { orderId, owner: stored.trader, status: stored.status, details, placement: null }
}
