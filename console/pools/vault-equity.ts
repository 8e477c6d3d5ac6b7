// The equity of a trader vault: its cash, and its open positions, whose collateral the cash does not contain. Pure. The contracts of generation 1 count the
// cash alone when shares are exchanged, and no event reports the rest, so that it is added up from the vault's trades.

import type { VaultSample, VaultTrade } from '../../client/src/index.ts'
import { profitByPrice } from '../format.ts'
import type { ShareBasis } from './figures.ts'

/** A position as it is left after the closes of its parts. */
export interface VaultPosition {
  readonly positionId: string
  readonly asset: string | null
  readonly direction: number | null
  /** Null if the size of a trade is not known. */
  readonly size: bigint | null
  readonly entryPrice: string | null
  /** In proportion to the size. Of an open with its fee. */
  readonly collateral: bigint
}

/** Open positions after the trades up to a ledger, newest first. `trades`: newest first, back to the oldest of these opens. */
export function positionsAt(trades: readonly VaultTrade[], ledger: number): readonly VaultPosition[] {
  const closed = new Map<string, bigint | null>()
  const open: VaultPosition[] = []
  for (const { action, positionId, asset, direction, size, price, collateral, ledger: at } of trades) {
    if (at > ledger) continue
    const before = closed.get(positionId)
    if (action === 'close') {
      // A close without a size is taken for a close of all.
      closed.set(positionId, size === null || before === null ? null : (before ?? 0n) + BigInt(size))
      continue
    }
    closed.delete(positionId)
    if (before === null) continue
    const part = before ?? 0n
    if (size === null) {
      if (part === 0n) open.push({ positionId, asset, direction, size: null, entryPrice: price, collateral: BigInt(collateral) })
      continue
    }
    const whole = BigInt(size)
    if (part >= whole) continue
    open.push({ positionId, asset, direction, size: whole - part, entryPrice: price, collateral: BigInt(collateral) * (whole - part) / whole })
  }
  return open
}

export interface VaultEquity {
  /** Cash, collateral and unrealised profit, USDC. */
  readonly value: bigint
  readonly positions: number
}

/** The equity at live prices, before funding and fees. Null if a position or its price is not known. `expected`: the number of open positions. */
export function equityOf(
  { cash, expected }: { readonly cash: string; readonly expected: number }, trades: readonly VaultTrade[], priceOf: (asset: string) => string | undefined,
): VaultEquity | null {
  const positions = positionsAt(trades, Infinity)
  if (positions.length !== expected) return null
  let value = BigInt(cash)
  for (const { asset, direction, size, entryPrice, collateral } of positions) {
    if (asset === null || direction === null || size === null || entryPrice === null) return null
    const pnl = profitByPrice({ size: String(size), entryPrice, direction }, priceOf(asset))
    if (pnl === null) return null
    const worth = collateral + BigInt(pnl)
    // An isolated position cannot be worth less than nothing.
    value += worth < 0n ? 0n : worth
  }
  return { value, positions: positions.length }
}

/**
 * The samples with the collateral of the positions that were open, so that an open does not look like a loss. With `hasOlder` trades, samples from before the
 * oldest known one are left out.
 */
export function samplesAtCost(samples: readonly VaultSample[], trades: readonly VaultTrade[], hasOlder: boolean): readonly (VaultSample & ShareBasis)[] {
  const oldest = hasOlder ? trades.at(-1)?.ledger ?? Infinity : 0
  return samples.filter(({ ledger }) => ledger >= oldest).map((sample) => {
    const collateral = positionsAt(trades, sample.ledger).reduce((sum, position) => sum + position.collateral, 0n)
    return { ...sample, value: BigInt(sample.totalUsdc) + collateral, shares: BigInt(sample.circulatingShares) }
  })
}
