// Closing a part of an isolated position (generation 2, "Partial close").

import { i128 } from '../../shared/host.ts'
import type { OrderExecution } from '../../shared/market/close.ts'
import { addVolume } from '../../shared/market/fees.ts'
import { requireOwnPosition } from '../../shared/market/positions.ts'
import { CROSS, type Position } from '../../shared/market/types.ts'
import { asAddress, asI128, asU64, fail, mulDiv } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { closeIsolated, settleIsolated } from './close.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { requireNotFrozen } from './gates.ts'
import { emitReduced, removeOpenInterest, valueLeniently, writePosition } from './positions.ts'
import { readLenientPrice } from './prices.ts'
import { readConfig } from './storage.ts'

export function partialCloseEntryPoints(): MarketEntryPoints {
  return {
    close_position_partial: marketEntryPoint({ trader: 'address', position_id: 'u64', close_size: 'i128' }, 'i128', (env, args) => {
      const [trader, id, size] = [asAddress(args[0]), asU64(args[1]), asI128(args[2])]
      requireNotFrozen(env)
      env.requireAuth(trader)
      const position = requireOwnPosition(env, id, trader)
      if (position.margin_mode === CROSS) fail(ERRORS.InvalidParameter)
      if (size <= 0n) fail(ERRORS.InvalidAmount)
      if (size > position.size) fail(ERRORS.InvalidParameter)
      const price = readLenientPrice(env, position.asset)
      if (size === position.size) return i128(closeIsolated(env, position, price, null))
      if (!leavesEnough(env, position, size)) fail(ERRORS.PositionTooSmall)
      return i128(reduceIsolated(env, position, size, price, null))
    }),
  }
}

/** True if the rest of a position has the minimum collateral after `size` is closed. */
export function leavesEnough(env: MarketEnv, position: Position, size: bigint): boolean {
  return position.collateral - collateralOf(position, size) >= readConfig(env).min_collateral
}

const collateralOf = (position: Position, size: bigint): bigint => mulDiv(position.collateral, size, position.size)

/** Closes `size` of a position at this price. The rest keeps its entry, leverage, funding index, liquidation price and orders. Returns the PnL. */
export function reduceIsolated(env: MarketEnv, position: Position, size: bigint, price: bigint, execution: OrderExecution | null): bigint {
  const part: Position = { ...position, size, collateral: collateralOf(position, size) }
  const { pnl, funding } = valueLeniently(env, part, price)
  settleIsolated(env, position, { pnl, funding, collateral: part.collateral }, execution)
  removeOpenInterest(env, position, price, size)
  addVolume(env, position.trader, size)
  writePosition(env, { ...position, size: position.size - size, collateral: position.collateral - part.collateral })
  emitReduced(env, position, { size, price, pnl })
  return pnl
}
