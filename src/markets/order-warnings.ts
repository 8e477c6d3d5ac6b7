// What keeps resting orders from being executed now (docs/trading.md, "Warnings"). The headroom changes, so a warning holds for the moment of its response.

import { formatDecimal } from '../base/fixed-point.ts'
import type { OrderWarning } from '../resources/open-order.ts'
import type { OrderLifeStatus } from '../resources/order.ts'
import type { VenueConditions } from './venue.ts'

/** An order of the API. Without a `status` it is pending. */
export interface RestingOrder {
  readonly asset: string | null
  readonly direction: number | null
  readonly size: string | null
  readonly reduceOnly: boolean | null
  readonly status?: OrderLifeStatus
  readonly warnings?: OrderWarning[]
}

export interface OrderWarnings {
  /** The orders with their warnings. Waits for the headroom for a limited time and never rejects. */
  add<T extends RestingOrder>(orders: readonly T[]): Promise<T[]>
  /** As `add`, from the headroom that was read last. */
  addKnown<T extends RestingOrder>(order: T): T
}

type ReadHeadroom = Pick<VenueConditions, 'headroom'>

export function createOrderWarnings(venue: {
  conditions(): Promise<ReadHeadroom | null>
  /** As `conditions`, without waiting. */
  knownConditions(): ReadHeadroom | null
}): OrderWarnings {
  return {
    async add(orders) {
      const conditions = orders.some(opensPosition) ? await venue.conditions() : null
      return orders.map((order) => withWarnings(order, conditions))
    },
    addKnown: (order) => (opensPosition(order) ? withWarnings(order, venue.knownConditions()) : order),
  }
}

function opensPosition<T extends RestingOrder>(order: T): order is T & { readonly asset: string; readonly direction: number; readonly size: string } {
  const { asset, direction, size, reduceOnly, status = 'pending' } = order
  return status === 'pending' && reduceOnly === false && asset !== null && direction !== null && size !== null
}

function withWarnings<T extends RestingOrder>(order: T, conditions: ReadHeadroom | null): T {
  if (conditions === null || !opensPosition(order)) return order
  const { asset, direction, size } = order
  const headroom = conditions.headroom(asset, direction)
  if (headroom === null || BigInt(size) <= headroom) return order
  const message = `The order opens ${formatDecimal(BigInt(size))} USD of ${asset}, but only ${formatDecimal(headroom)} USD can be opened in this `
    + 'direction now. It cannot be executed until others close. Wait, or cancel it and place a smaller one.'
  return { ...order, warnings: [{ code: 'above_headroom', message }] }
}
