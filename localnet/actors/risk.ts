// The arithmetic by which a position or a cross account lives or dies, as anyone outside the contract would compute it. It only finds
// candidates: the contract's own answer in the simulation decides.

import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { CROSS_MARGIN } from './stored-entries.ts'
import type { StoredPosition } from './stored-entries.ts'

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
  if (position.marginMode === CROSS_MARGIN || price <= 0n) return false
  const crossed = position.direction === 0 ? price <= position.liquidationPrice : price >= position.liquidationPrice
  const remaining = position.collateral + positionPnl(position, price) - positionFunding(position, cumulativeFunding)
  return crossed || remaining < maintenanceMargin(position)
}

/** What a position must be worth, at the least, to be left alone. */
function maintenanceMargin(position: StoredPosition): bigint {
  return (position.size * MAINTENANCE_MARGIN_BPS) / BPS
}

/**
 * True when the market would let a keeper liquidate a cross account: its pool and positions together are worth less than the maintenance of all of
 * them. A position whose price is not positive counts with no profit or loss; an asset without a price (undefined) ends the market's own calculation,
 * so such an account is no candidate.
 */
export function isCrossLiquidatable(
  account: { readonly pool: bigint; readonly positions: readonly StoredPosition[] },
  priceOf: (asset: string) => bigint | undefined,
  cumulativeFunding: bigint,
): boolean {
  let equity = account.pool
  let required = 0n
  for (const position of account.positions) {
    const price = priceOf(position.asset)
    if (price === undefined) return false
    const pnl = price <= 0n ? 0n : positionPnl(position, price)
    equity += position.collateral + pnl - positionFunding(position, cumulativeFunding)
    required += maintenanceMargin(position)
  }
  return equity < required
}
