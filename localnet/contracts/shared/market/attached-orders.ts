// Orders attached to an isolated position: stop-loss, take-profit and trailing stop, at most one of each.

import { emit } from '../emit.ts'
import type { ContractEnv, EntryPoint } from '../host.ts'
import { address, bool, i128, u64 } from '../host.ts'
import { readPersistentI128 } from '../instance-storage.ts'
import { asAddress, asI128, asU32, asU64, entryPoint, fail } from '../values.ts'
import { attachedOrderKey, cancelOrder, checkSlippageTolerance, type OrderTerms, placePending, requireOrder } from './orders.ts'
import { requireOwnPosition } from './positions.ts'
import { readPrice } from './prices.ts'
import { KEYS, requireInitialized, requireTrader, writeAmount } from './storage.ts'
import {
  ABOVE, BELOW, CROSS, ERRORS, LONG, type Order, ORDER, PENDING, type Position, STOP_LOSS, TAKE_PROFIT, TRAILING_STOP,
} from './types.ts'

export const TRAILING_PERCENT_MAX_BPS = 5000

export function attachedOrderEntryPoints(): Record<string, EntryPoint> {
  return {
    set_stop_loss: entryPoint(
      { trader: 'address', position_id: 'u64', trigger_price: 'i128', slippage_tolerance_bps: 'u32' }, { struct: 'Order' },
      (env, args) => {
        const [trader, trigger, slippageBps] = [asAddress(args[0]), asI128(args[2]), asU32(args[3])]
        requireTrader(env, trader)
        checkSlippageTolerance(slippageBps)
        const position = requireAttachable(env, asU64(args[1]), trader, STOP_LOSS)
        checkTrigger(trigger, position.direction === LONG ? trigger < position.entry_price : trigger > position.entry_price)
        return placeAndEmit(env, { ...attachedTerms(position, STOP_LOSS, slippageBps), trigger_price: trigger })
      },
    ),
    set_take_profit: entryPoint(
      { trader: 'address', position_id: 'u64', trigger_price: 'i128', slippage_tolerance_bps: 'u32', limit_price: 'i128' },
      { struct: 'Order' },
      (env, args) => {
        const [trader, trigger, slippageBps, limit] = [asAddress(args[0]), asI128(args[2]), asU32(args[3]), asI128(args[4])]
        requireTrader(env, trader)
        checkSlippageTolerance(slippageBps)
        const position = requireAttachable(env, asU64(args[1]), trader, TAKE_PROFIT)
        const entry = position.entry_price
        checkTrigger(trigger, position.direction === LONG ? trigger > entry : trigger < entry)
        checkTakeProfitLimit(limit, entry, trigger)
        return placeAndEmit(env, { ...attachedTerms(position, TAKE_PROFIT, slippageBps), trigger_price: trigger, limit_price: limit })
      },
    ),
    ...trailingStopEntryPoints(),
  }
}

function trailingStopEntryPoints(): Record<string, EntryPoint> {
  return {
    place_trailing_stop: entryPoint(
      { trader: 'address', position_id: 'u64', trailing_percent_bps: 'u32', slippage_tolerance_bps: 'u32' }, { struct: 'Order' },
      (env, args) => {
        const [trader, percentBps, slippageBps] = [asAddress(args[0]), asU32(args[2]), asU32(args[3])]
        requireTrader(env, trader)
        if (percentBps === 0 || percentBps > TRAILING_PERCENT_MAX_BPS) fail(ERRORS.InvalidTrailingPercent)
        checkSlippageTolerance(slippageBps)
        const position = requireAttachable(env, asU64(args[1]), trader, TRAILING_STOP)
        const peak = readPrice(env, position.asset, 'strict')
        // No event: the exchange emits one for a trailing stop only when it executes or is cancelled.
        const order = placePending(env, { ...attachedTerms(position, TRAILING_STOP, slippageBps), trailing_percent_bps: percentBps })
        writeAmount(env, KEYS.trailingStopPeak(order.id), peak)
        return ORDER.toVal(order)
      },
    ),
    update_trailing_peak: entryPoint({ order_id: 'u64' }, 'bool', (env, args) => {
      requireInitialized(env)
      return bool(updateTrailingPeak(env, requireOrder(env, asU64(args[0]))))
    }),
  }
}

/** Cancels the orders attached to a position that is closed or liquidated, except the order that closes it. */
export function cancelAttachedOrders(env: ContractEnv, positionId: bigint, exceptOrderId: bigint | undefined): void {
  for (const orderType of [STOP_LOSS, TAKE_PROFIT, TRAILING_STOP]) {
    const attached = env.get('persistent', attachedOrderKey(orderType, positionId))
    if (attached === undefined || asU64(attached) === exceptOrderId) continue
    cancelOrder(env, requireOrder(env, asU64(attached)), 'pos_closed')
  }
}

/** The position to attach to. Fails with 20 or 24, with 80 for a cross position, with 67 if it already has an order of this type. */
function requireAttachable(env: ContractEnv, positionId: bigint, trader: string, orderType: number): Position {
  const position = requireOwnPosition(env, positionId, trader)
  if (position.margin_mode === CROSS) fail(ERRORS.CrossMarginOrderNotSupported)
  if (env.get('persistent', attachedOrderKey(orderType, positionId)) !== undefined) fail(ERRORS.OrderAlreadyExists)
  return position
}

/** Fails with 65 for a trigger of zero or less, or on the wrong side of the entry price. */
function checkTrigger(trigger: bigint, isCorrectSide: boolean): void {
  if (trigger <= 0n || !isCorrectSide) fail(ERRORS.InvalidTriggerPrice)
}

/** Fails with 5 for a limit that is not between entry and trigger. 0 is no limit. */
export function checkTakeProfitLimit(limit: bigint, entry: bigint, trigger: bigint): void {
  const [low, high] = entry < trigger ? [entry, trigger] : [trigger, entry]
  if (limit > 0n && (limit < low || limit > high)) fail(ERRORS.InvalidParameter)
}

export function attachedTerms(position: Position, orderType: number, slippageBps: number): OrderTerms {
  const takesProfit = orderType === TAKE_PROFIT
  return {
    asset: position.asset,
    collateral: 0n,
    direction: position.direction,
    has_position: true,
    leverage: position.leverage,
    limit_price: 0n,
    order_type: orderType,
    position_id: position.id,
    slippage_tolerance_bps: slippageBps,
    time_in_force: 0,
    trader: position.trader,
    trailing_percent_bps: 0,
    trigger_condition: (position.direction === LONG) === takesProfit ? ABOVE : BELOW,
    trigger_price: 0n,
  }
}

function placeAndEmit(env: ContractEnv, terms: OrderTerms) {
  const order = placePending(env, terms)
  emit(env, 'order_placed', u64(order.id), address(order.trader), i128(order.trigger_price))
  return ORDER.toVal(order)
}

/** The peak of a long only rises, that of a short only falls. Returns whether it changed. */
export function updateTrailingPeak(env: ContractEnv, order: Order): boolean {
  if (order.order_type !== TRAILING_STOP || order.status !== PENDING) return false
  const price = readPrice(env, order.asset, 'strict')
  const peak = readPersistentI128(env, KEYS.trailingStopPeak(order.id))
  const improved = order.direction === LONG ? price > peak : price < peak
  if (improved) writeAmount(env, KEYS.trailingStopPeak(order.id), price)
  return improved
}
