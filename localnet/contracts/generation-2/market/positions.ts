// Positions in generation 2: lists and counts, caps, exposure, and the liquidation price after a change of size or collateral.

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv } from '../../shared/host.ts'
import { address, ContractFailure, i128, symbol, u64 } from '../../shared/host.ts'
import { addExposure, removeExposure } from '../../shared/market/exposure.ts'
import { pricePnl } from '../../shared/market/positions.ts'
import { addId, KEYS, readIds, readPosition, removeId } from '../../shared/market/storage.ts'
import { CROSS, LONG, POSITION, type Position } from '../../shared/market/types.ts'
import { bpsOf, checked, fail, mulDiv, positivePart } from '../../shared/values.ts'
import { isSince } from '../build.ts'
import { ERRORS } from './errors.ts'
import type { MarketEnv } from './env.ts'
import { accrueSkew, fundingOwed } from './funding.ts'
import { maintenanceBps } from './risk.ts'
import { changeCount, ADDED_KEYS, readCount } from './storage.ts'

const POSITIONS_MAX = 1000
const POSITIONS_PER_TRADER_MAX = 32

/** The value of a position at a price. */
export interface Valuation {
  /** From the price alone. */
  readonly pnl: bigint
  /** Positive is owed by the trader. */
  readonly funding: bigint
  /** Collateral and PnL less funding. */
  readonly equity: bigint
}

/** Fails with 6 if the PnL overflows. */
export function valuePosition(env: ContractEnv, position: Position, price: bigint): Valuation {
  return valueAt(env, position, pricePnl(position, price))
}

/** Like `valuePosition`, where a PnL that overflows counts as 0: in cross accounts, partial closes, and the check for liquidations. */
export function valueLeniently(env: ContractEnv, position: Position, price: bigint): Valuation {
  return valueAt(env, position, pricePnlOrZero(position, price))
}

export function pricePnlOrZero(position: Position, price: bigint): bigint {
  try {
    return pricePnl(position, price)
  } catch (error) {
    if (error instanceof ContractFailure) return 0n
    throw error
  }
}

function valueAt(env: ContractEnv, position: Position, pnl: bigint): Valuation {
  const funding = fundingOwed(env, position)
  return { pnl, funding, equity: checked(position.collateral + pnl - funding) }
}

/** Stores a new position and adds its open interest; fails with 82 above the number of positions that a trader or the market may have. */
export function storePosition(env: MarketEnv, position: Position): void {
  writePosition(env, position)
  addId(env, KEYS.traderPositions(position.trader), position.id)
  if (isSince(env.build, '2.3')) changeCount(env, ADDED_KEYS.openPositionCount, 1)
  else addId(env, KEYS.allPositions, position.id)
  if (!isSince(env.build, '2.1')) return
  const open = isSince(env.build, '2.3') ? readCount(env, ADDED_KEYS.openPositionCount) : readIds(env, KEYS.allPositions).length
  const ofTrader = readIds(env, KEYS.traderPositions(position.trader)).length
  if (ofTrader > POSITIONS_PER_TRADER_MAX || open > POSITIONS_MAX) fail(ERRORS.OpenInterestCapExceeded)
}

export function writePosition(env: ContractEnv, position: Position): void {
  env.set('persistent', KEYS.position(position.id), POSITION.toVal(position))
}

export function deletePosition(env: MarketEnv, position: Position): void {
  env.remove('persistent', KEYS.position(position.id))
  env.remove('persistent', ADDED_KEYS.partialLiqTs(position.id))
  removeId(env, KEYS.traderPositions(position.trader), position.id)
  if (isSince(env.build, '2.3')) changeCount(env, ADDED_KEYS.openPositionCount, -1)
  else removeId(env, KEYS.allPositions, position.id)
}

/** The trader's open positions, in the order they were opened. */
export function positionsOf(env: ContractEnv, trader: string): readonly Position[] {
  return readIds(env, KEYS.traderPositions(trader))
    .map((id) => readPosition(env, id))
    .filter((position) => position !== undefined)
}

/** Adds a position's open interest and reports the asset's unrealized PnL to the vault. */
export function addOpenInterest(env: ContractEnv, position: Position): void {
  accrueSkew(env, position.asset)
  addExposure(env, position)
}

/** Removes a position's open interest, or that of the part of `size`, reports the unrealized PnL and releases the reservation. */
export function removeOpenInterest(env: ContractEnv, position: Position, price: bigint, size: bigint = position.size): void {
  accrueSkew(env, position.asset)
  removeExposure(env, { ...position, size }, price)
}

/** The liquidation price of an isolated position whose collateral or size changed. Cross positions have none. */
export function liquidationPriceByRatio(env: ContractEnv, position: Position): bigint {
  if (position.margin_mode === CROSS) return 0n
  const distance = mulDiv(position.collateral, ONE_E7, position.size) - bpsOf(ONE_E7, maintenanceBps(env, position))
  const move = mulDiv(position.entry_price, distance, ONE_E7)
  return positivePart(position.direction === LONG ? position.entry_price - move : position.entry_price + move)
}

/** True if a position may be liquidated: the price reached its liquidation price, or the equity is below the maintenance margin. */
export function isLiquidatable(env: ContractEnv, position: Position, price: bigint): boolean {
  const isPriceReached = position.direction === LONG ? price <= position.liquidation_price : price >= position.liquidation_price
  return isPriceReached || valueLeniently(env, position, price).equity < bpsOf(position.size, maintenanceBps(env, position))
}

export function emitReduced(env: ContractEnv, position: Position, closed: { size: bigint; price: bigint; pnl: bigint }): void {
  emit(
    env, 'position_reduced', u64(position.id), address(position.trader), symbol(position.asset), i128(closed.size),
    i128(position.size - closed.size), i128(closed.price), i128(closed.pnl),
  )
}
