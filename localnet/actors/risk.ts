// Liquidation arithmetic, computed from public state. It only finds candidates: the contract decides in the simulation.

import { ONE_E7 } from '../../src/base/fixed-point.ts'
import { MAINTENANCE_MARGIN_BPS } from './exchange-state.ts'
import { CROSS_MARGIN } from './stored-entries.ts'
import type { StoredPosition } from './stored-entries.ts'

const BPS = 10_000n

/** Price PnL at this price, truncated toward zero. */
export function positionPnl(position: StoredPosition, price: bigint): bigint {
  const move = position.direction === 0 ? price - position.entryPrice : position.entryPrice - price
  return (position.size * move) / position.entryPrice
}

/** The funding that the position owes; negative when it receives funding. */
export function positionFunding(position: StoredPosition, cumulativeFunding: bigint): bigint {
  const owed = (position.size * (cumulativeFunding - position.entryCumulativeFunding)) / ONE_E7
  return position.direction === 0 ? owed : -owed
}

/** True when the market would allow a keeper to liquidate this isolated position. */
export function isLiquidatable(position: StoredPosition, price: bigint, cumulativeFunding: bigint, maintenanceBps = MAINTENANCE_MARGIN_BPS): boolean {
  if (position.marginMode === CROSS_MARGIN || price <= 0n) return false
  const crossed = position.direction === 0 ? price <= position.liquidationPrice : price >= position.liquidationPrice
  const remaining = position.collateral + positionPnl(position, price) - positionFunding(position, cumulativeFunding)
  return crossed || remaining < maintenanceMargin(position, maintenanceBps)
}

/** The minimum equity of a position. */
function maintenanceMargin(position: StoredPosition, maintenanceBps: bigint): bigint {
  return (position.size * maintenanceBps) / BPS
}

/**
 * True when the market would allow a keeper to liquidate a cross account: the equity of its pool and positions is below their maintenance margin. A position
 * with a non-positive price counts without PnL. An asset without a price makes the market's own calculation fail, so the account is not a candidate.
 */
export function isCrossLiquidatable(
  account: { readonly pool: bigint; readonly positions: readonly StoredPosition[] },
  priceOf: (asset: string) => bigint | undefined,
  cumulativeFundingOf: (asset: string) => bigint,
  maintenanceBpsOf: (asset: string) => bigint,
): boolean {
  let equity = account.pool
  let required = 0n
  for (const position of account.positions) {
    const price = priceOf(position.asset)
    if (price === undefined) return false
    const pnl = price <= 0n ? 0n : positionPnl(position, price)
    equity += position.collateral + pnl - positionFunding(position, cumulativeFundingOf(position.asset))
    required += maintenanceMargin(position, maintenanceBpsOf(position.asset))
  }
  return equity < required
}
