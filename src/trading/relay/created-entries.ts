// The orders and positions that a transaction created, from its own result: complete at once, and whether or not the contract emits an event for them.

import { decodeMeta } from '../../chain/codec/entry-changes.ts'
import { orderStatus } from '../../chain/views/market-entries.ts'
import { orderTerms } from '../../chain/views/order-terms.ts'
import type { OpenOrder } from '../../resources/open-order.ts'
import type { OpenPosition } from '../../resources/open-position.ts'
import type { OrderLifeStatus } from '../../resources/order.ts'

export interface CreatedEntries {
  /** The market contract whose entries they are. */
  readonly market: string
  readonly orders: readonly { readonly status: OrderLifeStatus; readonly details: OpenOrder }[]
  readonly positions: readonly Omit<OpenPosition, 'openedTxHash'>[]
}

/** Null: nothing was created, or the result cannot be read. */
export function readCreated(metaXdr: string, market: string): CreatedEntries | null {
  const meta = decodeMeta(metaXdr, market)
  if (meta === null) return null
  const { changes, peaks } = meta
  const orders = Array.from(changes.orders.values()).flatMap(({ before, after }) =>
    (before !== null || after === null ? [] : [{ status: orderStatus(after.status), details: orderTerms(after, peaks.get(after.id)) }]))
  const positions = Array.from(changes.positions.values()).flatMap(({ before, after }) => (before !== null || after === null ? [] : [{
    positionId: after.id, trader: after.trader, asset: after.asset, direction: after.direction, size: String(after.size),
    entryPrice: String(after.entry_price), openedAt: after.timestamp,
  }]))
  return orders.length + positions.length === 0 ? null : { market, orders, positions }
}
