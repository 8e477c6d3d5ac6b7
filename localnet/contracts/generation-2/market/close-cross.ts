// Closing cross positions into their trader's pool (generation 2, "Cross margin").

import { i128 } from '../../host.ts'
import { emitClosed, type OrderExecution } from '../../market/close.ts'
import { readPool, writePool } from '../../market/cross.ts'
import { addVolume } from '../../market/fees.ts'
import { requireOwnPosition } from '../../market/positions.ts'
import { CROSS, LONG, type Position } from '../../market/types.ts'
import { asAddress, asI128, asU64, checked, fail, minOf, positivePart } from '../../values.ts'
import { ERRORS_2 } from './errors.ts'
import { CLOSE_INPUTS } from './close.ts'
import { unlistCrossPosition } from './cross-account.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { requireNotFrozen } from './gates.ts'
import { cancelAttachedOrders2 } from './orders.ts'
import { deletePosition2, removeOpenInterest, valuePosition } from './positions.ts'
import { checkAcceptablePrice, readLenientPrice } from './prices.ts'
import { CROSS_DEBT, payOut, recordBadDebt, settle } from './settlement.ts'

export function closeCrossEntryPoints(): MarketEntryPoints {
  return {
    close_position_cross: marketEntryPoint(CLOSE_INPUTS, 'i128', (env, args) => {
      const [trader, id, bound] = [asAddress(args[0]), asU64(args[1]), asI128(args[2])]
      requireNotFrozen(env)
      env.requireAuth(trader)
      const position = requireOwnPosition(env, id, trader)
      if (position.margin_mode !== CROSS) fail(ERRORS_2.InvalidParameter)
      const price = readLenientPrice(env, position.asset)
      checkAcceptablePrice(price, bound, position.direction !== LONG)
      return i128(closeCross2(env, position, price, null))
    }),
  }
}

/** Closes a cross position; the close counts towards the volume. Returns the price PnL. */
export function closeCross2(env: MarketEnv, position: Position, price: bigint, execution: OrderExecution | null): bigint {
  addVolume(env, position.trader, position.size)
  return endCross(env, position, price, execution)
}

/** Settles a cross position with the pool, which together with its collateral limits the loss, and deletes it. Returns the price PnL. */
export function endCross(env: MarketEnv, position: Position, price: bigint, execution: OrderExecution | null): bigint {
  const { trader, asset, collateral } = position
  const { pnl, funding } = valuePosition(env, position, price)
  const funds = checked(readPool(env, trader) + collateral)
  const { remaining, credit } = settle(env, { trader, asset, pnl, funding, funds }, (debt) => recordBadDebt(env, trader, CROSS_DEBT, debt))
  // The keeper is paid out of what this position returns, not out of the pool.
  const proceeds = positivePart(remaining + credit - (funds - collateral))
  const keeperPaid = minOf(execution?.fee ?? 0n, proceeds)
  if (execution !== null) payOut(env, execution.keeper, keeperPaid)
  writePool(env, trader, checked(remaining + credit - keeperPaid))
  removeOpenInterest(env, position, price)
  cancelAttachedOrders2(env, position.id, execution?.orderId)
  deletePosition2(env, position)
  unlistCrossPosition(env, position)
  emitClosed(env, position, price, pnl)
  return pnl
}
