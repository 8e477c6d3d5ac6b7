// Orders that open positions: limit and stop-limit (generation 2, "Orders").

import type { Val } from '../../shared/host.ts'
import { COMMON_INPUTS, lockCollateral, readTerms, TRIGGER_INPUTS } from '../../shared/market/entry-orders.ts'
import {
  checkSlippageTolerance, emitCancelled, IMMEDIATE_OR_CANCEL, isTriggered, type OrderTerms, POST_ONLY, REDUCE_ONLY_FLAG, storeOrder,
  timeInForceMode,
} from '../../shared/market/orders.ts'
import { CANCELLED, LIMIT_ENTRY, type Order, ORDER, STOP_LIMIT } from '../../shared/market/types.ts'
import { asI128, fail } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { requireNotFrozen, requireOpenable } from './gates.ts'
import { emitPlaced, placePending } from './orders.ts'
import { readStrictPrice } from './prices.ts'
import { checkCollateral, checkLeverage, checkSize } from './risk.ts'
import { payOut } from './settlement.ts'

export function entryOrderEntryPoints(): MarketEntryPoints {
  return {
    place_limit_order: marketEntryPoint({ ...COMMON_INPUTS, ...TRIGGER_INPUTS }, { struct: 'Order' }, (env, args) => {
      const terms = readTerms(LIMIT_ENTRY, args.slice(0, 6), args.slice(6), 0n)
      checkPlacement(env, terms)
      return ORDER.toVal(placeLimitOrder(env, terms))
    }),
    place_stop_limit_order: marketEntryPoint(
      { ...COMMON_INPUTS, limit_price: 'i128', ...TRIGGER_INPUTS }, { struct: 'Order' }, (env, args): Val => {
        const terms = readTerms(STOP_LIMIT, args.slice(0, 6), args.slice(7), asI128(args[6]))
        checkPlacement(env, terms)
        lockCollateral(env, terms)
        return ORDER.toVal(placeAndEmit(env, terms))
      },
    ),
  }
}

function checkPlacement(env: MarketEnv, terms: OrderTerms): void {
  if ((terms.time_in_force & REDUCE_ONLY_FLAG) !== 0) requireNotFrozen(env)
  else requireOpenable(env, terms.asset)
  env.requireAuth(terms.trader)
  checkCollateral(env, terms.collateral)
  const limits = checkLeverage(env, terms.asset, terms.leverage)
  if (terms.trigger_price <= 0n) fail(ERRORS.InvalidTriggerPrice)
  if (terms.order_type === STOP_LIMIT && terms.limit_price <= 0n) fail(ERRORS.InvalidTriggerPrice)
  checkSlippageTolerance(terms.slippage_tolerance_bps)
  if (timeInForceMode(terms.time_in_force) > POST_ONLY) fail(ERRORS.InvalidParameter)
  checkSize(limits, terms.collateral, terms.leverage)
}

/** Rejects a post-only order that would trigger now, cancels an immediate-or-cancel order that would not. Keepers execute the others. */
function placeLimitOrder(env: MarketEnv, terms: OrderTerms): Order {
  const mode = timeInForceMode(terms.time_in_force)
  if (mode === POST_ONLY && wouldTrigger(env, terms)) fail(ERRORS.PostOnlyViolation)
  lockCollateral(env, terms)
  if (mode !== IMMEDIATE_OR_CANCEL || wouldTrigger(env, terms)) return placeAndEmit(env, terms)
  payOut(env, terms.trader, terms.collateral)
  const order = storeOrder(env, terms, CANCELLED)
  emitCancelled(env, order.id, 'ioc_not_filled')
  return order
}

function placeAndEmit(env: MarketEnv, terms: OrderTerms): Order {
  const order = placePending(env, terms)
  emitPlaced(env, order, order.trigger_price)
  return order
}

function wouldTrigger(env: MarketEnv, terms: OrderTerms): boolean {
  return isTriggered(terms.trigger_condition, readStrictPrice(env, terms.asset), terms.trigger_price)
}
