// Figures of a position besides those that the gateway serves. Pure. Amounts are integers with seven implied decimals.

import type { Fill } from '../../client/src/index.ts'
import { amount, percent, priceDecimals, profitByPrice, signed } from '../format.ts'
import { feeAt } from './costs.ts'

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

/** A position with the funding that its trader owes since the last settlement; null: not known. */
type Funded = Priced & { readonly positionId: number; readonly accruedFunding: string | null }
type PositionFill = Pick<Fill, 'positionId' | 'kind' | 'size' | 'fee' | 'funding'>

export interface PositionCosts {
  /** The part of the opening fee that belongs to what is still open; null while it is not known. */
  readonly openingFee: bigint | null
  /** Funding over the position's life, paid and owed; negative if the trader received it. Null: not known. */
  readonly funding: bigint | null
}

/**
 * The costs of a position from its fills, of which the oldest may be missing: then the fee is that of `takerRate`, a share with seven implied decimals.
 */
export function costsOf({ positionId, size, accruedFunding }: Funded, fills: readonly PositionFill[], takerRate: string | null): PositionCosts {
  const own = fills.filter((fill) => fill.positionId === positionId)
  const opened = own.find(({ kind }) => kind === 'open')
  const settled = own.reduce((sum, { funding }) => sum + BigInt(funding ?? 0), 0n)
  const isKnown = opened !== undefined && opened.fee !== null && opened.size !== null && BigInt(opened.size) > 0n
  return {
    openingFee: isKnown ? (BigInt(opened.fee ?? 0) * BigInt(size)) / BigInt(opened.size ?? 1) : feeAt(BigInt(size), takerRate),
    funding: accruedFunding === null ? null : settled + BigInt(accruedFunding),
  }
}

/** The price at which a close pays the opening fee and the funding that is owed. Null: one of them is not known. */
export function breakEven({ size, entryPrice, direction, accruedFunding }: Omit<Funded, 'positionId'>, openingFee: bigint | null): string | null {
  if (accruedFunding === null || openingFee === null || BigInt(size) === 0n) return null
  const move = (BigInt(entryPrice) * (openingFee + BigInt(accruedFunding))) / BigInt(size)
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
