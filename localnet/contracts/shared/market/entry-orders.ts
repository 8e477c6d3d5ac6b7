// Orders that open positions: limit and stop-limit. The market holds their collateral; the vault reserves nothing until they fill.

import { transferToken } from '../calls.ts'
import { emit } from '../emit.ts'
import type { ContractEnv, EntryPoint, SpecType, Val } from '../host.ts'
import { address, i128, u64 } from '../host.ts'
import { asAddress, asBool, asI128, asSymbol, asU32, entryPoint, fail } from '../values.ts'
import { asDirection, checkCollateralAndLeverage, checkSize } from './open.ts'
import {
  checkSlippageTolerance, emitCancelled, IMMEDIATE_OR_CANCEL, isTriggered, type OrderTerms, placePending, POST_ONLY, storeOrder,
  timeInForceMode,
} from './orders.ts'
import { readPrice } from './prices.ts'
import { requireTrader, usdcOf } from './storage.ts'
import { ABOVE, BELOW, CANCELLED, ERRORS, LIMIT_ENTRY, type Order, ORDER, STOP_LIMIT } from './types.ts'

export const COMMON_INPUTS: Readonly<Record<string, SpecType>> = {
  trader: 'address', asset: 'symbol', direction: 'u32', collateral: 'i128', leverage: 'u32', trigger_price: 'i128',
}

export const TRIGGER_INPUTS: Readonly<Record<string, SpecType>> = {
  trigger_above: 'bool', slippage_tolerance_bps: 'u32', time_in_force: 'u32',
}

export function entryOrderEntryPoints(): Record<string, EntryPoint> {
  return {
    place_limit_order: entryPoint({ ...COMMON_INPUTS, ...TRIGGER_INPUTS }, { struct: 'Order' }, (env, args) => {
      const terms = readTerms(LIMIT_ENTRY, args.slice(0, 6), args.slice(6), 0n)
      requireTrader(env, terms.trader)
      checkTerms(env, terms)
      return ORDER.toVal(placeLimitOrder(env, terms))
    }),
    place_stop_limit_order: entryPoint({ ...COMMON_INPUTS, limit_price: 'i128', ...TRIGGER_INPUTS }, { struct: 'Order' }, (env, args) => {
      const terms = readTerms(STOP_LIMIT, args.slice(0, 6), args.slice(7), asI128(args[6]))
      requireTrader(env, terms.trader)
      checkTerms(env, terms)
      lockCollateral(env, terms)
      // No event: the exchange emits one for a stop-limit order only when it executes or is cancelled.
      return ORDER.toVal(placePending(env, terms))
    }),
  }
}

/** The order from its arguments: `common` as in COMMON_INPUTS, `trigger` as in TRIGGER_INPUTS. */
export function readTerms(orderType: number, common: readonly Val[], trigger: readonly Val[], limitPrice: bigint): OrderTerms {
  return {
    asset: asSymbol(common[1]),
    collateral: asI128(common[3]),
    direction: asDirection(common[2]),
    has_position: false,
    leverage: asU32(common[4]),
    limit_price: limitPrice,
    order_type: orderType,
    position_id: 0n,
    slippage_tolerance_bps: asU32(trigger[1]),
    time_in_force: asU32(trigger[2]),
    trader: asAddress(common[0]),
    trailing_percent_bps: 0,
    trigger_condition: asBool(trigger[0]) ? ABOVE : BELOW,
    trigger_price: asI128(common[5]),
  }
}

function checkTerms(env: ContractEnv, terms: OrderTerms): void {
  checkCollateralAndLeverage(env, terms.collateral, terms.leverage)
  if (terms.trigger_price <= 0n) fail(ERRORS.InvalidTriggerPrice)
  if (terms.order_type === STOP_LIMIT && terms.limit_price <= 0n) fail(ERRORS.InvalidTriggerPrice)
  checkSlippageTolerance(terms.slippage_tolerance_bps)
  if (timeInForceMode(terms.time_in_force) > POST_ONLY) fail(ERRORS.InvalidParameter)
  checkSize(env, terms.collateral, terms.leverage)
}

/** Rejects a post-only order that would trigger now, cancels an immediate-or-cancel order that would not. Keepers execute the others. */
function placeLimitOrder(env: ContractEnv, terms: OrderTerms): Order {
  const mode = timeInForceMode(terms.time_in_force)
  if (mode === POST_ONLY && wouldTrigger(env, terms)) fail(ERRORS.PostOnlyViolation)
  lockCollateral(env, terms)
  if (mode === IMMEDIATE_OR_CANCEL && !wouldTrigger(env, terms)) {
    transferToken(env, usdcOf(env), env.self, terms.trader, terms.collateral)
    const order = storeOrder(env, terms, CANCELLED)
    emitCancelled(env, order.id, 'ioc_not_filled')
    return order
  }
  const order = placePending(env, terms)
  emit(env, 'order_placed', u64(order.id), address(order.trader), i128(order.trigger_price))
  return order
}

function wouldTrigger(env: ContractEnv, terms: OrderTerms): boolean {
  return isTriggered(terms.trigger_condition, readPrice(env, terms.asset, 'strict'), terms.trigger_price)
}

export function lockCollateral(env: ContractEnv, terms: OrderTerms): void {
  transferToken(env, usdcOf(env), terms.trader, env.self, terms.collateral)
}
