// Figures of a position besides those that the gateway serves. Pure. Amounts are integers with seven implied decimals.

import { amount, percent, priceDecimals, profitByPrice, signed } from '../format.ts'

interface Priced {
  readonly size: string
  readonly entryPrice: string
  /** 0 long, 1 short. */
  readonly direction: number
}

const ONE = 10_000_000n
const DECIMALS = 7
const BPS = 10_000n

/** Decimals of a price of this size. */
const decimalsOf = (price: bigint): number => priceDecimals(Number(price) / Number(ONE))

/** The size in the asset, with about as many digits as the price leaves. */
export function coinSize({ size, entryPrice }: Pick<Priced, 'size' | 'entryPrice'>): string {
  const entry = BigInt(entryPrice)
  return entry === 0n ? '' : amount(((BigInt(size) * ONE) / entry).toString(), DECIMALS - decimalsOf(entry))
}

/** The price at which a close pays the funding that is owed. The opening fee left the collateral when the position was opened. Null: funding is not known. */
export function breakEven({ size, entryPrice, direction, accruedFunding }: Priced & { readonly accruedFunding: string | null }): string | null {
  if (accruedFunding === null || BigInt(size) === 0n) return null
  const move = (BigInt(entryPrice) * BigInt(accruedFunding)) / BigInt(size)
  return (BigInt(entryPrice) + (direction === 0 ? move : -move)).toString()
}

/** A return on the margin: `+12.50%`. */
export function signedPercent(bps: number): string {
  return `${bps > 0 ? '+' : bps < 0 ? '−' : ''}${percent(Math.abs(bps))}`
}

/** The return on the margin, basis points; null without a margin. */
export function returnOnMargin(pnl: string | null, collateral: string): number | null {
  return pnl === null || BigInt(collateral) === 0n ? null : Number((BigInt(pnl) * BPS) / BigInt(collateral))
}

/** The result by price of closing at the trigger, in a sentence. */
export function resultAt(trigger: string, position: Priced & { readonly collateral: string }): string | null {
  const pnl = profitByPrice(position, trigger)
  const bps = returnOnMargin(pnl, position.collateral)
  if (pnl === null || bps === null) return null
  return `Expected: ${signed(pnl)} USDC, ${signedPercent(bps)} on margin.`
}

/** The price at which the position has gained this share of its margin, percent; negative for a loss. */
export function priceAtReturn(share: number, { entryPrice, direction, leverage }: Omit<Priced, 'size'> & { readonly leverage: number }): bigint {
  const entry = BigInt(entryPrice)
  const move = (entry * BigInt(direction === 0 ? share : -share)) / (100n * BigInt(leverage))
  const unit = 10n ** BigInt(DECIMALS - decimalsOf(entry))
  return ((entry + move) / unit) * unit
}
