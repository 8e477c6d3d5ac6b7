// The costs of an entry, what it closes first, and its liquidation price. Pure. Amounts are integers with seven implied decimals.

import type { Instrument, MarketLimits } from '../../client/src/index.ts'
import { priceBounds } from '../../client/src/price-bound.ts'
import { amount, signed } from '../format.ts'

type Side = 'Long' | 'Short'

export interface NettedPosition {
  readonly asset: string
  readonly direction: number
  readonly marginMode: string
  readonly size: string
  readonly leverage: number
  /** Amount that closing it would pay; null if it is not known. */
  readonly closeValue: string | null
}

/** Result of closing the positions in the other direction before an open. */
export interface Netting {
  /** Number of positions that are closed. */
  readonly count: number
  readonly closedSize: bigint
  /** Size and collateral of the position that is opened; not positive if nothing is left to open. */
  readonly size: bigint
  readonly collateral: bigint
  /** Amount that the closed positions pay, to the wallet or into the cross margin; null if it is not known. */
  readonly payout: bigint | null
  /** The initial margin of the closed positions. */
  readonly freedMargin: bigint
}

const ONE = 10_000_000n
const BPS = 10_000n
const RATE_PER_DECI_BPS = 100
/** A constant of the contracts' code. */
const NETTED_MAX = 4

/** From generation 2 on, an open first closes the positions of its margin mode in the other direction. Null without one. */
export function nettingOf(
  { asset, side, marginMode }: { readonly asset: string; readonly side: Side; readonly marginMode: string },
  { collateral, size }: { readonly collateral: bigint; readonly size: bigint }, positions: readonly NettedPosition[],
): Netting | null {
  const opposite = positions.filter((position) =>
    position.asset === asset && position.marginMode === marginMode && (position.direction === 0) !== (side === 'Long'))
  if (opposite.length === 0) return null
  const closedSize = sum(opposite.map((position) => BigInt(position.size)))
  const rest = size - closedSize
  const values = opposite.map(({ closeValue }) => closeValue).filter((value) => value !== null)
  return {
    count: opposite.length, closedSize, size: rest, collateral: rest <= 0n ? 0n : (collateral * rest) / size,
    payout: values.length < opposite.length ? null : sum(values.map(BigInt)),
    freedMargin: sum(opposite.map((position) => BigInt(position.size) / BigInt(position.leverage))),
  }
}

/**
 * Returns the size that can be opened, for use before there is a quote. The headroom of generation 1 leaves out the largest position. Null while it is unknown.
 */
export function roomToOpen(side: Side, limits: Pick<MarketLimits, 'headroom' | 'maxPositionSize'> | null): string | null {
  const room = (side === 'Long' ? limits?.headroom.long : limits?.headroom.short) ?? null
  const largest = limits?.maxPositionSize ?? null
  return room === null || largest === null || BigInt(room) <= BigInt(largest) ? room : largest
}

/** Returns the reason why the contracts refuse to net, in a sentence; null if they do not. */
export function nettingProblem(
  { count, closedSize, size, collateral }: Netting,
  { asset, side, minCollateral }: { readonly asset: string; readonly side: Side; readonly minCollateral: string | null },
): string | null {
  const [own, other] = side === 'Long' ? ['long', 'short'] : ['short', 'long']
  const closed = `your ${other}${count > 1 ? ` positions (${count})` : ''} of ${amount(closedSize.toString())} USDC in ${asset}`
  if (count > NETTED_MAX) return `The exchange would close ${closed} first, and it closes at most ${NETTED_MAX}. Close some of them below.`
  if (size <= 0n) return `This would only close ${closed}. Close it below, or enter a larger position.`
  if (minCollateral === null || collateral >= BigInt(minCollateral)) return null
  const left = `${amount(collateral.toString())} USDC of collateral would be left for the ${own}`
  return `This first closes ${closed}. ${left}; the minimum is ${amount(minCollateral)} USDC.`
}

/** `pnl`: the result of what is closed; null if it is not known. */
export function nettingText({ count, closedSize, size }: Netting, side: Side, pnl: string | null): string {
  const [own, other] = side === 'Long' ? ['long', 'short'] : ['short', 'long']
  const closed = count > 1 ? `your ${count} ${other} positions` : `your ${other} position`
  const result = pnl === null ? '' : ` with a PnL of ${signed(pnl)} USDC`
  return `First closes ${closed} of ${amount(closedSize.toString())} USDC${result}, then opens a ${own} of ${amount(size.toString())} USDC.`
}

/** Returns the payment of the keeper who executes an order of this size; null while the contracts' settings are not known. */
export function keeperReward(size: bigint, keeperFee: Instrument['keeperFee'] | null): bigint | null {
  const rate = rateOf(keeperFee?.deciBps ?? undefined)
  return keeperFee === null || keeperFee.base === null || rate === null ? null : BigInt(keeperFee.base) + (size * BigInt(rate)) / ONE
}

/** Tenths of a basis point as a share with seven implied decimals. */
export function rateOf(deciBps: number | undefined): string | null {
  return deciBps === undefined ? null : String(Math.round(deciBps * RATE_PER_DECI_BPS))
}

/** `rate`: a share with seven implied decimals; null if it is not known. */
export function feeAt(size: bigint, rate: string | null): bigint | null {
  return rate === null ? null : (size * BigInt(rate)) / ONE
}

/** Of an isolated position that is opened at this price, without the fee, funding and later changes. Null if there is none. */
export function liquidationAt(
  entry: bigint, { side, leverage, maintenanceMarginBps }: { readonly side: Side; readonly leverage: number; readonly maintenanceMarginBps: number },
): bigint | null {
  const distance = ONE / BigInt(leverage) - (ONE * BigInt(maintenanceMarginBps)) / BPS
  const move = (entry * distance) / ONE
  const at = side === 'Long' ? entry - move : entry + move
  return at > 0n ? at : null
}

/** The worst price of a market open, at most this far from the price. */
export function worstPrice(price: bigint, side: Side, slippageBps: number): bigint {
  const { highest, lowest } = priceBounds(price, slippageBps)
  return side === 'Long' ? highest : lowest
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}
