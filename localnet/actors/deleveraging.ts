// The keeper's work when the vault can no longer pay the traders' profits: it sets or clears an asset's flag, and closes profitable positions.

import type { MarketOverview } from './exchange-state.ts'
import { positionFunding, positionPnl } from './risk.ts'
import type { StoredPosition } from './stored-entries.ts'

/** Coverage over payable profit at which the market sets an asset's flag, and at which it clears it. */
const TRIGGER_BPS = 12_500n
const CLEAR_BPS = 15_000n
const BPS = 10_000n

interface DeleveragingCall {
  readonly name: string
  readonly functionName: 'check_adl_trigger' | 'adl_close'
  readonly asset: string
  /** The position to close. */
  readonly position: bigint | null
}

/** The calls that are due, those that close positions first. */
export function deleveragingCalls(market: { readonly overview: MarketOverview; readonly positions: readonly StoredPosition[] }): readonly DeleveragingCall[] {
  const { overview, positions } = market
  const { deleveraging } = overview
  if (deleveraging === null) return []
  const byAsset = Map.groupBy(positions, ({ asset }) => asset)
  const closes: DeleveragingCall[] = []
  const checks: DeleveragingCall[] = []
  for (const asset of new Set([...byAsset.keys(), ...deleveraging.activeAssets])) {
    const open = byAsset.get(asset) ?? []
    const price = overview.oraclePrices.get(asset)?.price ?? 0n
    const isActive = deleveraging.activeAssets.has(asset)
    const profit = price > 0n ? payableProfit(open, price) : 0n
    const ratio = deleveraging.coverage * BPS
    const isTriggered = isActive ? profit !== 0n && ratio < profit * CLEAR_BPS : ratio < profit * TRIGGER_BPS
    if (isTriggered !== isActive) checks.push({ name: asset, functionName: 'check_adl_trigger', asset, position: null })
    else if (isActive) closes.push(...closeOf(open, price, overview))
  }
  return [...closes, ...checks]
}

/** The unrealized profit of each side that is in profit. */
function payableProfit(positions: readonly StoredPosition[], price: bigint): bigint {
  const sides = [0n, 0n]
  for (const position of positions) sides[position.direction] = (sides[position.direction] ?? 0n) + positionPnl(position, price)
  return sides.reduce((total, pnl) => (pnl > 0n ? total + pnl : total), 0n)
}

/** Closes the profitable position with the highest score: return on collateral times leverage. */
function closeOf(positions: readonly StoredPosition[], price: bigint, overview: MarketOverview): readonly DeleveragingCall[] {
  const scored = positions
    .filter((position) => positionPnl(position, price) > positionFunding(position, overview.cumulativeFundingOf(position.asset)))
    .map((position) => ({ position, score: ((positionPnl(position, price) * BPS) / position.collateral) * BigInt(position.leverage) }))
    .toSorted((a, b) => (a.score > b.score ? -1 : 1))
  const [first] = scored
  if (first === undefined) return []
  const { id, asset } = first.position
  return [{ name: String(id), functionName: 'adl_close', asset, position: id }]
}
