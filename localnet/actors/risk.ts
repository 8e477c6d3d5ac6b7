// The arithmetic by which a position lives or dies, as anyone outside the contract would compute it. It only finds
// candidates: the contract's own answer in the simulation decides.

import { ONE_E7 } from '../../src/base/fixed-point.ts'
import type { StoredPosition } from './exchange-state.ts'

const MAINTENANCE_MARGIN_BPS = 100n
const BPS = 10_000n

/** Price PnL at this price, truncated toward zero. */
export function positionPnl(position: StoredPosition, price: bigint): bigint {
  const move = position.direction === 0 ? price - position.entryPrice : position.entryPrice - price
  return (position.size * move) / position.entryPrice
}

/** What the position owes for funding; negative when it is owed. */
export function positionFunding(position: StoredPosition, cumulativeFunding: bigint): bigint {
  const owed = (position.size * (cumulativeFunding - position.entryCumulativeFunding)) / ONE_E7
  return position.direction === 0 ? owed : -owed
}

/** True when the market would let a keeper liquidate this isolated position. */
export function isLiquidatable(position: StoredPosition, price: bigint, cumulativeFunding: bigint): boolean {
  if (position.marginMode !== 0 || price <= 0n) return false
  const crossed = position.direction === 0 ? price <= position.liquidationPrice : price >= position.liquidationPrice
  const remaining = position.collateral + positionPnl(position, price) - positionFunding(position, cumulativeFunding)
  return crossed || remaining < (position.size * MAINTENANCE_MARGIN_BPS) / BPS
}
