// Finds orders that are triggered, from public state. They are only candidates: the contract decides in the simulation.

import { ABOVE, LONG, ORDER_TYPE, STOP_LIMIT_PHASE } from './stored-entries.ts'
import type { StoredOrder } from './stored-entries.ts'

const BPS = 10_000n

/** The price that an order waits for; undefined for a trailing stop with an unknown peak. */
export function referencePrice(order: StoredOrder, peak: bigint | undefined): bigint | undefined {
  const { orderType, limitPrice } = order
  if (orderType === ORDER_TYPE.stopLimit && order.stopLimitPhase === STOP_LIMIT_PHASE.active) return limitPrice
  if (orderType === ORDER_TYPE.takeProfit && limitPrice > 0n) return limitPrice
  if (orderType !== ORDER_TYPE.trailingStop) return order.triggerPrice
  if (peak === undefined) return undefined
  const distance = (peak * BigInt(order.trailingPercentBps)) / BPS
  return order.direction === LONG ? peak - distance : peak + distance
}

/** True when the market would allow a keeper to execute the order at this price. `peak` is needed for trailing stops only. */
export function isTriggered(order: StoredOrder, price: bigint, peak?: bigint): boolean {
  const reference = referencePrice(order, peak)
  if (reference === undefined || price <= 0n) return false
  return order.triggerCondition === ABOVE ? price >= reference : price <= reference
}

/** True when this price moves a trailing stop's peak. It only rises for a long, and only falls for a short. */
export function movesPeak(order: StoredOrder, price: bigint, peak: bigint | undefined): boolean {
  if (order.orderType !== ORDER_TYPE.trailingStop || peak === undefined || price <= 0n) return false
  return order.direction === LONG ? price > peak : price < peak
}
