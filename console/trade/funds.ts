// The USDC that a position can be opened with: the wallet, and for cross positions the cross margin first. Pure. Amounts are integers with seven implied
// decimals.

import { amount } from '../format.ts'
import type { Netting } from './costs.ts'

/** USDC of the account's cross margin. An open takes its collateral from the pool first, and what is missing from the wallet. */
export interface CrossMargin {
  readonly pool: string
  /** Pool, collateral and PnL of the open cross positions, minus funding; null without open cross positions. */
  readonly equity: string | null
  /** Amount that the equity must cover besides the new collateral. */
  readonly required: string
}

/** Null: unknown. */
export interface Funds {
  /** USDC in the wallet. */
  readonly available: string | null
  readonly cross: CrossMargin | null
}

/** Returns the amount that a position can be opened with, USDC; null if it is not known. */
export function availableFor(isCross: boolean, { available, cross }: Funds): bigint | null {
  return available === null ? null : BigInt(available) + (isCross && cross !== null ? BigInt(cross.pool) : 0n)
}

/** Returns the funds of the account once the positions in the other direction are closed. */
export function afterNetting({ available, cross }: Funds, { payout, freedMargin }: Netting, isCross: boolean): Funds {
  if (payout === null) return { available: null, cross: null }
  if (!isCross) return { available: available === null ? null : String(BigInt(available) + payout), cross }
  if (cross === null) return { available, cross }
  const required = BigInt(cross.required) - freedMargin
  return { available, cross: { pool: String(BigInt(cross.pool) + payout), equity: required > 0n ? cross.equity : null, required: String(required) } }
}

/** Says what an account lacks. */
export function missingText(available: bigint, wanted: bigint): string {
  return `You have ${amount(available.toString())} USDC: ${amount((wanted - available).toString())} USDC are missing.`
}

/** Returns what is missing to the collateral, in a sentence; null if nothing. The equity, with what the wallet adds to it, must cover all cross positions. */
export function crossProblem(collateral: bigint, { pool, equity, required }: CrossMargin): string | null {
  if (equity === null) return null
  const fromWallet = collateral > BigInt(pool) ? collateral - BigInt(pool) : 0n
  const missing = BigInt(required) + collateral - BigInt(equity) - fromWallet
  if (missing <= 0n) return null
  const lack = `${amount(missing.toString())} USDC are missing`
  return `Your cross margin does not cover this position with the others: ${lack}. Deposit them below, or use isolated margin.`
}
