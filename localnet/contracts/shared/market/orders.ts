// Functions shared by all orders: placing, finishing, the reference price and the keeper's fee (contracts, "Orders").

import { transferToken } from '../calls.ts'
import { emit } from '../emit.ts'
import type { ContractEnv, Val } from '../host.ts'
import { symbol, u64 } from '../host.ts'
import { readPersistentI128 } from '../instance-storage.ts'
import { bpsOf, fail } from '../values.ts'
import { addId, KEYS, nextId, readOrder, removeId, usdcOf, writeOrder } from './storage.ts'
import {
  ABOVE, CANCELLED, ERRORS, LIMIT_ACTIVE, LIMIT_ENTRY, LONG, type Order, PENDING, STOP_LIMIT, STOP_LOSS, TAKE_PROFIT, TRAILING_STOP,
  WAITING_FOR_STOP,
} from './types.ts'

const SLIPPAGE_MAX_BPS = 10_000

const KEEPER_FEE_BASE = 5_000_000n
const KEEPER_FEE_BPS = 5

/** Low byte of time_in_force. */
export const GOOD_TILL_CANCELLED = 0
export const IMMEDIATE_OR_CANCEL = 1
export const POST_ONLY = 2
export const REDUCE_ONLY_FLAG = 0x100

export type CancelReason =
  | 'user' | 'slippage' | 'ioc_not_filled' | 'pos_closed' | 'reduce_only_no_position'
  /** From generation 2: the asset's risk parameters forbid the fill. */
  | 'asset_unconfigured' | 'risk_config'

/** The fields of an order that its placement sets. */
export type OrderTerms = Omit<Order, 'id' | 'created_at' | 'status' | 'stop_limit_phase'>

export const timeInForceMode = (timeInForce: number): number => timeInForce & 0xff
export const isReduceOnly = (order: Order): boolean => isEntryOrder(order) && (order.time_in_force & REDUCE_ONLY_FLAG) !== 0
export const isEntryOrder = (order: Order): boolean => order.order_type === LIMIT_ENTRY || order.order_type === STOP_LIMIT

/** Fails with 66 for a tolerance of 0 or above 100 %. */
export function checkSlippageTolerance(bps: number): void {
  if (bps === 0 || bps > SLIPPAGE_MAX_BPS) fail(ERRORS.InvalidSlippageTolerance)
}

/** Stores a new order with this status. */
export function storeOrder(env: ContractEnv, terms: OrderTerms, status: number): Order {
  const order: Order = {
    ...terms,
    id: nextId(env, KEYS.orderCounter),
    created_at: env.ledger.timestampSec,
    status,
    stop_limit_phase: WAITING_FOR_STOP,
  }
  writeOrder(env, order)
  return order
}

/** Stores a new order and lists it as pending. Links an attached order to its position. */
export function placePending(env: ContractEnv, terms: OrderTerms): Order {
  const order = storeOrder(env, terms, PENDING)
  addId(env, KEYS.allOrders, order.id)
  addId(env, KEYS.traderOrders(order.trader), order.id)
  if (order.has_position) env.set('persistent', attachedOrderKey(order.order_type, order.position_id), u64(order.id))
  return order
}

/** The order; fails with 60 if it does not exist. */
export function requireOrder(env: ContractEnv, id: bigint): Order {
  return readOrder(env, id) ?? fail(ERRORS.OrderNotFound)
}

/** Stores an order's final status and removes it from the lists and from its position. */
export function finishOrder(env: ContractEnv, order: Order, status: number): void {
  writeOrder(env, { ...order, status })
  removeId(env, KEYS.allOrders, order.id)
  removeId(env, KEYS.traderOrders(order.trader), order.id)
  if (order.has_position) env.remove('persistent', attachedOrderKey(order.order_type, order.position_id))
  if (order.order_type === TRAILING_STOP) env.remove('persistent', KEYS.trailingStopPeak(order.id))
}

/** Finishes an order unfilled and emits the reason. */
export function cancelOrder(env: ContractEnv, order: Order, reason: CancelReason, status: number = CANCELLED): void {
  finishOrder(env, order, status)
  emitCancelled(env, order.id, reason)
}

export function emitCancelled(env: ContractEnv, orderId: bigint, reason: CancelReason): void {
  emit(env, 'order_cancelled', u64(orderId), symbol(reason))
}

/** Returns an entry order's collateral. Attached orders hold none. */
export function refundCollateral(env: ContractEnv, order: Order): void {
  if (isEntryOrder(order)) transferToken(env, usdcOf(env), env.self, order.trader, order.collateral)
}

/** The storage key of a position's attached order of this type. */
export function attachedOrderKey(orderType: number, positionId: bigint): Val {
  if (orderType === STOP_LOSS) return KEYS.positionStopLoss(positionId)
  return orderType === TAKE_PROFIT ? KEYS.positionTakeProfit(positionId) : KEYS.positionTrailingStop(positionId)
}

/** The price at which an order triggers and from which slippage is measured. */
export function referencePrice(env: ContractEnv, order: Order): bigint {
  if (order.order_type === STOP_LIMIT && order.stop_limit_phase === LIMIT_ACTIVE) return order.limit_price
  if (order.order_type === TAKE_PROFIT && order.limit_price > 0n) return order.limit_price
  if (order.order_type !== TRAILING_STOP) return order.trigger_price
  const peak = readPersistentI128(env, KEYS.trailingStopPeak(order.id))
  const distance = bpsOf(peak, order.trailing_percent_bps)
  return order.direction === LONG ? peak - distance : peak + distance
}

export function isTriggered(condition: number, price: bigint, reference: bigint): boolean {
  return condition === ABOVE ? price >= reference : price <= reference
}

/** The keeper's nominal fee for executing an order over this size. */
export function keeperFee(size: bigint): bigint {
  return KEEPER_FEE_BASE + bpsOf(size, KEEPER_FEE_BPS)
}
