// Executing and cancelling orders: by a keeper, for slippage, or by the owner.

import { transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint } from '../../shared/host.ts'
import { i128, u64, VOID } from '../../shared/host.ts'
import { abs, asAddress, asU64, BPS_DENOMINATOR, checked, entryPoint, fail, mulDiv } from '../../shared/values.ts'
import { closeIsolated } from '../../shared/market/close.ts'
import { bookPosition, deductFees, type Execution, type OpenRequest, reserveInVault } from '../../shared/market/open.ts'
import {
  cancelOrder, finishOrder, isEntryOrder, isReduceOnly, isTriggered, keeperFee, referencePrice, refundCollateral, requireOrder,
} from '../../shared/market/orders.ts'
import { requirePosition } from '../../shared/market/positions.ts'
import { readPrice } from '../../shared/market/prices.ts'
import { KEYS, readIds, readPosition, requireInitialized, usdcOf, writeOrder } from '../../shared/market/storage.ts'
import {
  CANCELLED_SLIPPAGE, ERRORS, EXECUTED, ISOLATED, LIMIT_ACTIVE, type Order, PENDING, type Position, STOP_LIMIT, WAITING_FOR_STOP,
} from '../../shared/market/types.ts'

export function executeOrderEntryPoints(): Record<string, EntryPoint> {
  return {
    execute_order: entryPoint({ keeper: 'address', order_id: 'u64' }, 'i128', (env, args) => {
      const [keeper, id] = [asAddress(args[0]), asU64(args[1])]
      requireInitialized(env)
      env.requireAuth(keeper)
      const order = requireOrder(env, id)
      if (order.status !== PENDING) fail(ERRORS.OrderNotPending)
      const price = readPrice(env, order.asset, isEntryOrder(order) && !isReduceOnly(order) ? 'strict' : 'lenient')
      return i128(execute(env, order, price, keeper))
    }),
    cancel_order: entryPoint({ trader: 'address', order_id: 'u64' }, 'void', (env, args) => {
      const [trader, id] = [asAddress(args[0]), asU64(args[1])]
      requireInitialized(env)
      env.requireAuth(trader)
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
function execute(env: ContractEnv, order: Order, price: bigint, keeper: string): bigint {
  const reference = referencePrice(env, order)
  if (!isTriggered(order.trigger_condition, price, reference)) fail(ERRORS.OrderNotTriggered)
  if (mulDiv(abs(price - reference), BPS_DENOMINATOR, reference) > BigInt(order.slippage_tolerance_bps)) {
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

function fillEntryOrder(env: ContractEnv, order: Order, price: bigint, keeper: string): bigint {
  const request: OpenRequest = order
  const size = checked(order.collateral * BigInt(order.leverage))
  reserveInVault(env, request, size)
  const fee = keeperFee(size)
  const execution: Execution = { size, price, marginMode: ISOLATED, feeKind: 'maker', keeperFee: fee }
  bookPosition(env, request, execution, deductFees(env, request, execution))
  transferToken(env, usdcOf(env), env.self, keeper, fee)
  return markExecuted(env, order, fee)
}

/** The keeper is paid from the remaining collateral, so possibly less; the event still carries the nominal fee. */
function closeByAttachedOrder(env: ContractEnv, order: Order, price: bigint, keeper: string): bigint {
  const position = requirePosition(env, order.position_id)
  const fee = keeperFee(position.size)
  closeIsolated(env, position, price, { keeper, fee, orderId: order.id })
  return markExecuted(env, order, fee)
}

/** Closes the trader's largest opposite position that is not larger than the order. Without one, only cancels the order. */
function reducePosition(env: ContractEnv, order: Order, price: bigint, keeper: string): bigint {
  const size = checked(order.collateral * BigInt(order.leverage))
  const target = largestOpposite(env, order, size)
  refundCollateral(env, order)
  if (target === undefined) {
    cancelOrder(env, order, 'reduce_only_no_position')
    return 0n
  }
  const fee = keeperFee(size)
  closeIsolated(env, target, price, { keeper, fee, orderId: order.id })
  return markExecuted(env, order, fee)
}

function largestOpposite(env: ContractEnv, order: Order, maxSize: bigint): Position | undefined {
  let largest: Position | undefined
  for (const id of readIds(env, KEYS.traderPositions(order.trader))) {
    const position = readPosition(env, id)
    if (position === undefined || position.asset !== order.asset || position.direction === order.direction) continue
    if (position.margin_mode !== ISOLATED || position.size > maxSize) continue
    if (largest === undefined || position.size > largest.size) largest = position
  }
  return largest
}

function markExecuted(env: ContractEnv, order: Order, fee: bigint): bigint {
  finishOrder(env, order, EXECUTED)
  emit(env, 'order_executed', u64(order.id), i128(fee))
  return fee
}
