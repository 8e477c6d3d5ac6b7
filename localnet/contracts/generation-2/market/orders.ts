// Pending orders in generation 2: lists until build 2.2, counters from 2.3 (generation 2, "Orders").

import { emit } from '../../shared/emit.ts'
import type { ContractEnv } from '../../shared/host.ts'
import { address, i128, u64 } from '../../shared/host.ts'
import {
  attachedOrderKey, type CancelReason, emitCancelled, isReduceOnly, type OrderTerms, requireOrder, storeOrder,
} from '../../shared/market/orders.ts'
import { addId, KEYS, readIds, removeId, writeOrder } from '../../shared/market/storage.ts'
import {
  CANCELLED, EXECUTED, LIMIT_ENTRY, LIMIT_ACTIVE, type Order, PENDING, STOP_LIMIT, STOP_LOSS, TAKE_PROFIT, TRAILING_STOP,
} from '../../shared/market/types.ts'
import { asU64, fail } from '../../shared/values.ts'
import { isSince } from '../build.ts'
import { ERRORS } from './errors.ts'
import type { MarketEnv } from './env.ts'
import { changeCount, ADDED_KEYS, readCount } from './storage.ts'

const ORDERS_MAX = 2000
const ORDERS_PER_TRADER_MAX = 128

/** Stores a pending order; fails with 82 above the number of pending orders that a trader or the market may have. */
export function placePending(env: MarketEnv, terms: OrderTerms): Order {
  const order = storeOrder(env, terms, PENDING)
  if (order.has_position) env.set('persistent', attachedOrderKey(order.order_type, order.position_id), u64(order.id))
  countPending(env, order, 1)
  if (!isSince(env.build, '2.1')) return order
  const { total, ofTrader } = pendingOrders(env, order.trader)
  if (ofTrader > ORDERS_PER_TRADER_MAX || total > ORDERS_MAX) fail(ERRORS.OpenInterestCapExceeded)
  return order
}

export function emitPlaced(env: ContractEnv, order: Order, price: bigint): void {
  emit(env, 'order_placed', u64(order.id), address(order.trader), i128(price))
}

function countPending(env: MarketEnv, order: Order, by: 1 | -1): void {
  if (isSince(env.build, '2.3')) {
    changeCount(env, ADDED_KEYS.openOrderCount, by)
    changeCount(env, ADDED_KEYS.orderCountOf(order.trader), by)
    return
  }
  const change = by === 1 ? addId : removeId
  change(env, KEYS.allOrders, order.id)
  change(env, KEYS.traderOrders(order.trader), order.id)
}

function pendingOrders(env: MarketEnv, trader: string): { total: number; ofTrader: number } {
  if (isSince(env.build, '2.3')) {
    return { total: readCount(env, ADDED_KEYS.openOrderCount), ofTrader: readCount(env, ADDED_KEYS.orderCountOf(trader)) }
  }
  return { total: readIds(env, KEYS.allOrders).length, ofTrader: readIds(env, KEYS.traderOrders(trader)).length }
}

/** Stores an order's final status and unlinks it from its position. */
function finishOrder(env: MarketEnv, order: Order, status: number): void {
  writeOrder(env, { ...order, status })
  countPending(env, order, -1)
  if (order.has_position) env.remove('persistent', attachedOrderKey(order.order_type, order.position_id))
  if (order.order_type === TRAILING_STOP) env.remove('persistent', KEYS.trailingStopPeak(order.id))
}

/** Finishes an order unfilled and emits the reason. */
export function cancelOrder(env: MarketEnv, order: Order, reason: CancelReason, status: number = CANCELLED): void {
  finishOrder(env, order, status)
  emitCancelled(env, order.id, reason)
}

/** Cancels the orders attached to a position that ends, except the order that closes it. */
export function cancelAttachedOrders(env: MarketEnv, positionId: bigint, exceptOrderId: bigint | undefined): void {
  for (const orderType of [STOP_LOSS, TAKE_PROFIT, TRAILING_STOP]) {
    const attached = env.get('persistent', attachedOrderKey(orderType, positionId))
    if (attached === undefined || asU64(attached) === exceptOrderId) continue
    cancelOrder(env, requireOrder(env, asU64(attached)), 'pos_closed')
  }
}

/** Marks an order as executed. Returns the keeper's nominal fee. */
export function markExecuted(env: MarketEnv, order: Order, fee: bigint): bigint {
  finishOrder(env, order, EXECUTED)
  emitExecuted(env, order, fee)
  return fee
}

/** The deployed contract marks an order that it just cancelled as executed too, and reports a fee of 0. */
export function markExecutedAfterCancel(env: MarketEnv, order: Order): bigint {
  writeOrder(env, { ...order, status: EXECUTED })
  emitExecuted(env, order, 0n)
  return 0n
}

function emitExecuted(env: MarketEnv, order: Order, fee: bigint): void {
  emit(env, 'order_executed', u64(order.id), i128(fee))
}

/** True if the smoothed price decides about the trigger: for orders that close at the market. */
export function triggersOnSmoothedPrice(order: Order): boolean {
  return order.order_type === STOP_LOSS || order.order_type === TRAILING_STOP || (order.order_type === TAKE_PROFIT && order.limit_price === 0n)
}

/** True if the slippage tolerance applies. A stop-loss, a trailing stop and a take-profit without a limit fill at any price. */
export function hasSlippageBand(order: Order): boolean {
  if (order.order_type === TAKE_PROFIT) return order.limit_price > 0n
  return order.order_type === LIMIT_ENTRY || (order.order_type === STOP_LIMIT && order.stop_limit_phase === LIMIT_ACTIVE)
}

export const addsRisk = (order: Order): boolean =>
  (order.order_type === LIMIT_ENTRY || order.order_type === STOP_LIMIT) && !isReduceOnly(order)
