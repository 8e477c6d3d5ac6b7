// Executing and cancelling orders (generation 2, "Orders").

import { i128, VOID } from '../../shared/host.ts'
import type { OrderExecution } from '../../shared/market/close.ts'
import type { Execution } from '../../shared/market/open.ts'
import { isEntryOrder, isReduceOnly, isTriggered, referencePrice, refundCollateral, requireOrder } from '../../shared/market/orders.ts'
import { requirePosition } from '../../shared/market/positions.ts'
import { writeOrder } from '../../shared/market/storage.ts'
import {
  CANCELLED_SLIPPAGE, CROSS, ISOLATED, LIMIT_ACTIVE, type Order, PENDING, type Position, STOP_LIMIT, WAITING_FOR_STOP,
} from '../../shared/market/types.ts'
import { abs, asAddress, asU64, BPS_DENOMINATOR, checked, fail, mulDiv } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { closeIsolated } from './close.ts'
import { closeCross } from './close-cross.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { keeperFeeOf } from './fees.ts'
import { requireNotFrozen, requireOpenable } from './gates.ts'
import { bookPosition, deductFees, reserveInVault } from './open.ts'
import {
  addsRisk, cancelOrder, hasSlippageBand, markExecuted, markExecutedAfterCancel, triggersOnSmoothedPrice,
} from './orders.ts'
import { leavesEnough, reduceIsolated } from './partial-close.ts'
import { positionsOf } from './positions.ts'
import { readLenientPrice, readSmoothedPrice, readStrictPrice } from './prices.ts'
import { limitsOf } from './risk.ts'
import { payOut } from './settlement.ts'
import { requireCaller } from './storage.ts'

export function executeOrderEntryPoints(): MarketEntryPoints {
  return {
    execute_order: marketEntryPoint({ keeper: 'address', order_id: 'u64' }, 'i128', (env, args) => {
      const [keeper, id] = [asAddress(args[0]), asU64(args[1])]
      requireCaller(env, keeper)
      const order = requireOrder(env, id)
      if (order.status !== PENDING) fail(ERRORS.OrderNotPending)
      if (addsRisk(order)) requireOpenable(env, order.asset)
      else requireNotFrozen(env)
      const price = addsRisk(order) ? readStrictPrice(env, order.asset) : readLenientPrice(env, order.asset)
      return i128(execute(env, order, price, keeper))
    }),
    /** Also while paused. */
    cancel_order: marketEntryPoint({ trader: 'address', order_id: 'u64' }, 'void', (env, args) => {
      const [trader, id] = [asAddress(args[0]), asU64(args[1])]
      requireCaller(env, trader)
      const order = requireOrder(env, id)
      if (order.trader !== trader) fail(ERRORS.NotOrderOwner)
      if (order.status !== PENDING) fail(ERRORS.OrderNotPending)
      refundCollateral(env, order)
      cancelOrder(env, order, 'user')
      return VOID
    }),
  }
}

/** Executes a pending order at this price. Returns the keeper's nominal fee; 0 if the order was cancelled or only changed phase. */
function execute(env: MarketEnv, order: Order, price: bigint, keeper: string): bigint {
  const reference = referencePrice(env, order)
  const decidingPrice = triggersOnSmoothedPrice(order) ? (readSmoothedPrice(env, order.asset) ?? price) : price
  if (!isTriggered(order.trigger_condition, decidingPrice, reference)) fail(ERRORS.OrderNotTriggered)
  const slippageBps = reference > 0n ? mulDiv(abs(price - reference), BPS_DENOMINATOR, reference) : 0n
  if (hasSlippageBand(order) && slippageBps > BigInt(order.slippage_tolerance_bps)) {
    refundCollateral(env, order)
    cancelOrder(env, order, 'slippage', CANCELLED_SLIPPAGE)
    return 0n
  }
  if (order.order_type === STOP_LIMIT && order.stop_limit_phase === WAITING_FOR_STOP) {
    writeOrder(env, { ...order, stop_limit_phase: LIMIT_ACTIVE })
    return 0n
  }
  if (isReduceOnly(order)) return reducePosition(env, order, price, keeper)
  return isEntryOrder(order) ? fillEntryOrder(env, order, price, keeper) : closeByAttachedOrder(env, order, price, keeper)
}

/** Opens a position at the maker fee. The asset's limits may have changed since the placement: the order is cancelled then. */
function fillEntryOrder(env: MarketEnv, order: Order, price: bigint, keeper: string): bigint {
  const size = checked(order.collateral * BigInt(order.leverage))
  const limits = limitsOf(env, order.asset)
  if (limits === undefined) return refuse(env, order, 'asset_unconfigured')
  if (order.leverage > limits.maxLeverage || size > limits.maxSize) return refuse(env, order, 'risk_config')
  reserveInVault(env, { ...order, size })
  const fee = keeperFeeOf(env, size)
  const execution: Execution = { size, price, marginMode: ISOLATED, feeKind: 'maker', keeperFee: fee }
  const position = bookPosition(env, order, execution, deductFees(env, order, execution))
  payOut(env, keeper, fee)
  return markExecuted(env, { ...order, position_id: position.id }, fee)
}

function refuse(env: MarketEnv, order: Order, reason: 'asset_unconfigured' | 'risk_config' | 'reduce_only_no_position'): bigint {
  refundCollateral(env, order)
  cancelOrder(env, order, reason)
  return markExecutedAfterCancel(env, order)
}

/** The keeper is paid from what the close leaves, so possibly less; the event still carries the nominal fee. */
function closeByAttachedOrder(env: MarketEnv, order: Order, price: bigint, keeper: string): bigint {
  const position = requirePosition(env, order.position_id)
  const fee = keeperFeeOf(env, position.size)
  closeWhole(env, position, price, { keeper, fee, orderId: order.id })
  return markExecuted(env, order, fee)
}

function closeWhole(env: MarketEnv, position: Position, price: bigint, execution: OrderExecution): void {
  if (position.margin_mode === CROSS) closeCross(env, position, price, execution)
  else closeIsolated(env, position, price, execution)
}

/** Reduces the trader's largest opposite position by up to the order's size. A rest below the minimum collateral is closed too. */
function reducePosition(env: MarketEnv, order: Order, price: bigint, keeper: string): bigint {
  const size = checked(order.collateral * BigInt(order.leverage))
  const target = largestOpposite(env, order, size)
  if (target === undefined) return refuse(env, order, 'reduce_only_no_position')
  refundCollateral(env, order)
  const fee = keeperFeeOf(env, size)
  const execution: OrderExecution = { keeper, fee, orderId: order.id }
  if (target.size > size && leavesEnough(env, target, size)) reduceIsolated(env, target, size, price, execution)
  else closeWhole(env, target, price, execution)
  return markExecuted(env, order, fee)
}

/** A cross position can only be closed whole, so the order must cover it. */
function largestOpposite(env: MarketEnv, order: Order, size: bigint): Position | undefined {
  let largest: Position | undefined
  for (const position of positionsOf(env, order.trader)) {
    if (position.asset !== order.asset || position.direction === order.direction) continue
    if (position.margin_mode === CROSS && position.size > size) continue
    if (largest === undefined || position.size > largest.size) largest = position
  }
  return largest
}
