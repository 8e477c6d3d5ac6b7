// Closing cross positions into their trader's pool (generation 2, "Cross margin").

import { tokenBalance } from '../../shared/calls.ts'
import { i128 } from '../../shared/host.ts'
import { emitClosed, type OrderExecution } from '../../shared/market/close.ts'
import { readPool, writePool } from '../../shared/market/cross.ts'
import { addVolume } from '../../shared/market/fees.ts'
import { requireOwnPosition } from '../../shared/market/positions.ts'
import { usdcOf } from '../../shared/market/storage.ts'
import { CROSS, LONG, type Position } from '../../shared/market/types.ts'
import { asAddress, asI128, asU64, checked, fail, minOf, positivePart } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { CLOSE_INPUTS } from './close.ts'
import { unlistCrossPosition } from './cross-account.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { requireNotFrozen } from './gates.ts'
import { cancelAttachedOrders } from './orders.ts'
import { deletePosition, removeOpenInterest, valueLeniently } from './positions.ts'
import { checkAcceptablePrice, readLenientPrice } from './prices.ts'
import { CROSS_DEBT, payOut, recordBadDebt, settle } from './settlement.ts'

export function closeCrossEntryPoints(): MarketEntryPoints {
  return {
    close_position_cross: marketEntryPoint(CLOSE_INPUTS, 'i128', (env, args) => {
      const [trader, id, bound] = [asAddress(args[0]), asU64(args[1]), asI128(args[2])]
      requireNotFrozen(env)
      env.requireAuth(trader)
      const position = requireOwnPosition(env, id, trader)
      if (position.margin_mode !== CROSS) fail(ERRORS.InvalidParameter)
      const price = readLenientPrice(env, position.asset)
      checkAcceptablePrice(price, bound, position.direction !== LONG)
      return i128(closeCross(env, position, price, null))
    }),
  }
}

/** Closes a cross position for its trader or by an order, which counts towards the volume. Returns the price PnL. */
export function closeCross(env: MarketEnv, position: Position, price: bigint, execution: OrderExecution | null): bigint {
  const pnl = endCross(env, position, price, execution)
  addVolume(env, position.trader, position.size)
  return pnl
}

/** Settles a cross position with the pool, which together with its collateral limits the loss, and deletes it. Returns the price PnL. */
export function endCross(env: MarketEnv, position: Position, price: bigint, execution: OrderExecution | null): bigint {
  const { trader } = position
  const leg = settleLeg(env, position, price, checked(readPool(env, trader) + position.collateral), execution?.orderId)
  if (leg.uncollected > 0n) recordBadDebt(env, trader, CROSS_DEBT, leg.uncollected)
  const keeperPaid = execution === null ? 0n : payKeeper(env, execution, leg.proceeds)
  writePool(env, trader, positivePart(checked(readPool(env, trader) + leg.proceeds - keeperPaid)))
  emitClosed(env, position, price, leg.pnl)
  return leg.pnl
}

/** The keeper is paid out of what this position returns, not out of the pool. Returns what it received. */
function payKeeper(env: MarketEnv, { keeper, fee }: OrderExecution, proceeds: bigint): bigint {
  const paid = positivePart(minOf(fee, proceeds, tokenBalance(env, usdcOf(env), env.self)))
  payOut(env, keeper, paid)
  return paid
}

/** The result of one cross position. */
export interface SettledLeg {
  readonly pnl: bigint
  /** Amount that the position adds to its account: its collateral, and its profit as far as the vault paid it or its whole loss. */
  readonly proceeds: bigint
  /** Amount that was moved to the vault. */
  readonly collected: bigint
  /** The part of the loss that was not. */
  readonly uncollected: bigint
}

/** Settles a cross position with the vault and deletes it. `funds` and what the market holds limit the loss that is paid. */
export function settleLeg(env: MarketEnv, position: Position, price: bigint, funds: bigint, executedOrderId: bigint | undefined): SettledLeg {
  const { trader, asset, collateral } = position
  const { pnl, funding } = valueLeniently(env, position, price)
  const payable = minOf(funds, tokenBalance(env, usdcOf(env), env.self))
  const { remaining, credit, owed, uncollected } = settle(env, { trader, asset, pnl, funding, funds: payable }, () => undefined)
  removeOpenInterest(env, position, price)
  cancelAttachedOrders(env, position.id, executedOrderId)
  unlistCrossPosition(env, position)
  deletePosition(env, position)
  return { pnl, proceeds: checked(collateral + credit - owed), collected: payable - remaining, uncollected }
}
