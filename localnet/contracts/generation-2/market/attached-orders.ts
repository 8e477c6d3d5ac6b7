// Orders attached to a position: stop-loss, take-profit and trailing stop (generation 2, "Orders").

import type { ContractEnv } from '../../shared/host.ts'
import { bool } from '../../shared/host.ts'
import { attachedTerms, checkTakeProfitLimit, TRAILING_PERCENT_MAX_BPS, updateTrailingPeak } from '../../shared/market/attached-orders.ts'
import { attachedOrderKey, checkSlippageTolerance, requireOrder } from '../../shared/market/orders.ts'
import { requireOwnPosition } from '../../shared/market/positions.ts'
import { KEYS, requireInitialized, writeAmount } from '../../shared/market/storage.ts'
import { CROSS, LONG, ORDER, type Position, STOP_LOSS, TAKE_PROFIT, TRAILING_STOP } from '../../shared/market/types.ts'
import { asAddress, asI128, asU32, asU64, fail } from '../../shared/values.ts'
import { isSince } from '../build.ts'
import { ERRORS } from './errors.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { requireNotFrozen } from './gates.ts'
import { emitPlaced, placePending } from './orders.ts'
import { readStrictPrice } from './prices.ts'

export function attachedOrderEntryPoints(): MarketEntryPoints {
  return {
    set_stop_loss: marketEntryPoint(
      { trader: 'address', position_id: 'u64', trigger_price: 'i128', slippage_tolerance_bps: 'u32' }, { struct: 'Order' },
      (env, args) => {
        const [trader, trigger, slippageBps] = [asAddress(args[0]), asI128(args[2]), asU32(args[3])]
        requireTrader(env, trader)
        checkSlippageTolerance(slippageBps)
        const position = requireAttachable(env, asU64(args[1]), trader, STOP_LOSS)
        checkTriggerSide(position.direction === LONG ? trigger < position.entry_price : trigger > position.entry_price)
        const order = placePending(env, { ...attachedTerms(position, STOP_LOSS, slippageBps), trigger_price: trigger })
        emitPlaced(env, order, trigger)
        return ORDER.toVal(order)
      },
    ),
    set_take_profit: marketEntryPoint(
      { trader: 'address', position_id: 'u64', trigger_price: 'i128', slippage_tolerance_bps: 'u32', limit_price: 'i128' },
      { struct: 'Order' },
      (env, args) => {
        const [trader, trigger, slippageBps, limit] = [asAddress(args[0]), asI128(args[2]), asU32(args[3]), asI128(args[4])]
        requireTrader(env, trader)
        checkSlippageTolerance(slippageBps)
        const position = requireAttachable(env, asU64(args[1]), trader, TAKE_PROFIT)
        const entry = position.entry_price
        checkTriggerSide(position.direction === LONG ? trigger > entry : trigger < entry)
        checkTakeProfitLimit(limit, entry, trigger)
        const order = placePending(env, { ...attachedTerms(position, TAKE_PROFIT, slippageBps), trigger_price: trigger, limit_price: limit })
        emitPlaced(env, order, trigger)
        return ORDER.toVal(order)
      },
    ),
    ...trailingStopEntryPoints(),
  }
}

function trailingStopEntryPoints(): MarketEntryPoints {
  return {
    place_trailing_stop: marketEntryPoint(
      { trader: 'address', position_id: 'u64', trailing_percent_bps: 'u32', slippage_tolerance_bps: 'u32' }, { struct: 'Order' },
      (env, args) => {
        const [trader, percentBps, slippageBps] = [asAddress(args[0]), asU32(args[2]), asU32(args[3])]
        requireTrader(env, trader)
        if (percentBps === 0 || percentBps > TRAILING_PERCENT_MAX_BPS) fail(ERRORS.InvalidTrailingPercent)
        checkSlippageTolerance(slippageBps)
        const position = requireAttachable(env, asU64(args[1]), trader, TRAILING_STOP)
        const peak = readStrictPrice(env, position.asset)
        const order = placePending(env, { ...attachedTerms(position, TRAILING_STOP, slippageBps), trailing_percent_bps: percentBps })
        writeAmount(env, KEYS.trailingStopPeak(order.id), peak)
        emitPlaced(env, order, peak)
        return ORDER.toVal(order)
      },
    ),
    update_trailing_peak: marketEntryPoint({ order_id: 'u64' }, 'bool', (env, args) => {
      requireInitialized(env)
      return bool(updateTrailingPeak(env, requireOrder(env, asU64(args[0]))))
    }),
  }
}

/** Fails with 65 for a trigger on the wrong side of the entry price. As deployed, a trigger of zero or less is only wrong if its side is. */
function checkTriggerSide(isCorrectSide: boolean): void {
  if (!isCorrectSide) fail(ERRORS.InvalidTriggerPrice)
}

function requireTrader(env: ContractEnv, trader: string): void {
  requireNotFrozen(env)
  env.requireAuth(trader)
}

/** The position to attach to. Fails with 20 or 24, with 67 if it has an order of this type, in the first build with 80 for a cross position. */
function requireAttachable(env: MarketEnv, positionId: bigint, trader: string, orderType: number): Position {
  const position = requireOwnPosition(env, positionId, trader)
  if (position.margin_mode === CROSS && !isSince(env.build, '2.1')) fail(ERRORS.CrossMarginOrderNotSupported)
  if (env.get('persistent', attachedOrderKey(orderType, positionId)) !== undefined) fail(ERRORS.OrderAlreadyExists)
  return position
}
