// Closing isolated positions: by the trader, by an order, by an open in the other direction, or to deleverage (generation 2, "Close, isolated").

import type { MarketEnv } from './env.ts'
import { i128 } from '../../shared/host.ts'
import { emitClosed, type OrderExecution } from '../../shared/market/close.ts'
import { addVolume } from '../../shared/market/fees.ts'
import { requireOwnPosition } from '../../shared/market/positions.ts'
import { LONG, type Position } from '../../shared/market/types.ts'
import { asAddress, asI128, asU64, checked, minOf } from '../../shared/values.ts'
import { type MarketEntryPoints, marketEntryPoint } from './env.ts'
import { requireNotFrozen } from './gates.ts'
import { cancelAttachedOrders } from './orders.ts'
import { deletePosition, removeOpenInterest, valuePosition } from './positions.ts'
import { checkAcceptablePrice, readLenientPrice } from './prices.ts'
import { payOut, recordBadDebt, settle, writeProceeds } from './settlement.ts'

export const CLOSE_INPUTS = { trader: 'address', position_id: 'u64', acceptable_price: 'i128' } as const

export function closeEntryPoints(): MarketEntryPoints {
  return {
    // As deployed, a cross position is accepted and closed as an isolated one.
    close_position: marketEntryPoint(CLOSE_INPUTS, 'i128', (env, args) => {
      const [trader, id, bound] = [asAddress(args[0]), asU64(args[1]), asI128(args[2])]
      requireNotFrozen(env)
      env.requireAuth(trader)
      const position = requireOwnPosition(env, id, trader)
      const price = readLenientPrice(env, position.asset)
      checkAcceptablePrice(price, bound, position.direction !== LONG)
      return i128(closeIsolated(env, position, price, null))
    }),
  }
}

/** Settles and deletes a position at this price, and pays its trader. Returns the price PnL, before funding, caps and fees. */
export function closeIsolated(env: MarketEnv, position: Position, price: bigint, execution: OrderExecution | null): bigint {
  const { pnl, funding } = valuePosition(env, position, price)
  const payout = settleIsolated(env, position, { pnl, funding, collateral: position.collateral }, execution)
  writeProceeds(env, position.id, payout)
  removeOpenInterest(env, position, price)
  addVolume(env, position.trader, position.size)
  cancelAttachedOrders(env, position.id, execution?.orderId)
  deletePosition(env, position)
  emitClosed(env, position, price, pnl)
  return pnl
}

/** The result of an isolated position, or of a part of it. */
export interface ClosedPart {
  readonly pnl: bigint
  readonly funding: bigint
  readonly collateral: bigint
}

/** Settles a result, pays the keeper from what is left of the collateral, and the rest to the trader. Returns what the trader receives. */
export function settleIsolated(env: MarketEnv, position: Position, closed: ClosedPart, execution: OrderExecution | null): bigint {
  const { trader, asset } = position
  const claim = { trader, asset, pnl: closed.pnl, funding: closed.funding, funds: closed.collateral }
  const { remaining, credit } = settle(env, claim, (debt) => recordBadDebt(env, trader, asset, debt))
  const keeperPaid = minOf(execution?.fee ?? 0n, remaining)
  if (execution !== null) payOut(env, execution.keeper, keeperPaid)
  const payout = checked(remaining - keeperPaid + credit)
  payOut(env, trader, payout)
  return payout
}
