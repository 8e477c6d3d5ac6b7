// PnL, funding, margin, liquidation prices and fees, in the market's own integer arithmetic: division truncates toward zero, like bigint's. Pure.

import { maxAmount, minAmount, ONE_E7 } from '../base/fixed-point.ts'
import type { StoredConfig, StoredFeeTier, StoredPosition, TimedAmount } from '../chain/views/market-entries.ts'
import { isAtLeast } from '../exchange/contracts/generations.ts'
import type { Generation } from '../exchange/contracts/generations.ts'
import { accruedFunding } from '../exchange/settlement/position-pnl.ts'
import type { PricedPosition } from '../exchange/settlement/position-pnl.ts'

const BPS = 10_000n
const LONG = 0
/** Tier fees are in tenths of a basis point; this is one tenth with seven decimals. */
const FEE_RATE_PER_UNIT = ONE_E7 / 100_000n

/** Funding accrued since the open: positive is owed by the trader, negative to the trader. */
export function fundingOwed(position: Pick<StoredPosition, 'direction' | 'size' | 'entry_cumulative_funding'>, cumulativeFunding: bigint): bigint {
  return accruedFunding(position, cumulativeFunding - position.entry_cumulative_funding)
}

function maintenanceMargin(size: bigint, maintenanceBps: number): bigint {
  return (size * BigInt(maintenanceBps)) / BPS
}

/** The last good price limits later prices for this many times the maximum age of a price. */
const LAST_GOOD_AGE_FACTOR = 10

/**
 * The price that a close settles at: close to the last good price while that is recent, unless the limit is 0. Undefined when that depends on an unknown
 * time or setting.
 */
export function settlementPrice(
  price: bigint,
  lastGood: TimedAmount | null,
  config: Pick<StoredConfig, 'lenient_clamp_bps' | 'max_price_staleness'>,
  nowSec: number | null,
): bigint | undefined {
  if (lastGood === null || lastGood.amount <= 0n) return price
  if (config.lenient_clamp_bps === undefined) return undefined
  if (config.lenient_clamp_bps === 0) return price
  const distance = (lastGood.amount * BigInt(config.lenient_clamp_bps)) / BPS
  const clamped = maxAmount(minAmount(price, lastGood.amount + distance), lastGood.amount - distance)
  if (clamped === price) return price
  if (nowSec === null) return undefined
  return nowSec - lastGood.timeSec > config.max_price_staleness * LAST_GOOD_AGE_FACTOR ? price : clamped
}

/**
 * Amount that closing would pay, provided that the liquidity vault can pay profits in full: to the wallet for an isolated position, whose loss and funding are
 * limited to its collateral; to the cross pool for a cross position. Before build 2.2, PnL and funding were settled separately.
 */
export function closeValue(
  position: Pick<StoredPosition, 'collateral' | 'margin_mode'>, { pnl, funding }: { readonly pnl: bigint; readonly funding: bigint }, generation: Generation,
): bigint {
  if (position.margin_mode === 1 || isAtLeast(generation, '2.2')) return atLeastZero(position.collateral + pnl - funding)
  const left = position.collateral - atLeastZero(-pnl) - atLeastZero(funding)
  return atLeastZero(left) + atLeastZero(pnl) + atLeastZero(-funding)
}

/**
 * The cross pool after it settled a position, provided that the liquidity vault can pay profits in full: the loss is limited to the pool and the position's
 * collateral. Before build 2.2, PnL and funding were settled separately.
 */
export function poolAfter(
  pool: bigint, { position, pnl, funding }: { readonly position: Pick<StoredPosition, 'collateral'>; readonly pnl: bigint; readonly funding: bigint },
  generation: Generation,
): bigint {
  const funds = pool + position.collateral
  const [gained, lost] = isAtLeast(generation, '2.2')
    ? [atLeastZero(pnl - funding), atLeastZero(funding - pnl)]
    : [atLeastZero(pnl) + atLeastZero(-funding), atLeastZero(-pnl) + atLeastZero(funding)]
  return funds - minAmount(lost, atLeastZero(funds)) + gained
}

/**
 * The first price at which a keeper may liquidate an isolated position: where the price crosses the stored liquidation price, or where collateral, PnL and
 * funding fall below the maintenance margin, whichever comes first. Null when there is no such positive price.
 */
export function liquidationPrice(
  position: PricedPosition & Pick<StoredPosition, 'collateral' | 'liquidation_price'>,
  funding: bigint,
  maintenanceBps: number,
): bigint | null {
  const { size, entry_price: entry, direction, liquidation_price: stored } = position
  // At this PnL or less, the position can be liquidated.
  const threshold = maintenanceMargin(size, maintenanceBps) - position.collateral + funding - 1n
  // The distance from the entry price at which the PnL reaches the threshold: positive on the winning side, negative on the losing side.
  const reach = threshold >= 0n ? ceilDiv((threshold + 1n) * entry, size) - 1n : -ceilDiv(-threshold * entry, size)
  if (direction === LONG) {
    const price = maxAmount(stored, entry + reach)
    return price > 0n ? price : null
  }
  const price = minAmount(stored, entry - reach)
  return maxAmount(price, 1n)
}

/** A cross position with its PnL and accrued funding. */
export interface CrossLeg {
  readonly position: StoredPosition
  readonly pnl: bigint
  /** At the price that a liquidation settles at. */
  readonly settledPnl: bigint
  readonly funding: bigint
  /** False: no margin can be withdrawn while the price is too old. */
  readonly isPriceFresh: boolean
}

export interface CrossMarginTotals {
  readonly equity: bigint
  /** Can be withdrawn now. */
  readonly withdrawable: bigint
  /** Equity minus used margin; negative when losses exceed the rest. */
  readonly freeMargin: bigint
  readonly liquidatable: boolean
}

export interface CrossRequirements {
  readonly maintenance: bigint
  readonly used: bigint
}

/** The margin requirements of a cross account; they do not depend on prices. */
export function crossRequirements(legs: readonly { readonly position: StoredPosition; readonly maintenanceBps: number }[]): CrossRequirements {
  return {
    maintenance: sum(legs.map(({ position, maintenanceBps }) => maintenanceMargin(position.size, maintenanceBps))),
    used: sum(legs.map(({ position: { size, leverage } }) => size / BigInt(leverage))),
  }
}

/** A cross account at these PnLs. */
export function crossMarginTotals(
  pool: bigint, legs: readonly CrossLeg[], margins: CrossRequirements, generation: Generation,
): CrossMarginTotals {
  const equityAt = (pnlOf: (leg: CrossLeg) => bigint): bigint => pool + sum(legs.map((leg) => leg.position.collateral + pnlOf(leg) - leg.funding))
  const equity = equityAt(({ pnl }) => pnl)
  return {
    equity,
    withdrawable: legs.length === 0 ? pool : minAmount(pool, atLeastZero(spareMargin(equity, legs, margins, generation))),
    freeMargin: equity - margins.used,
    liquidatable: equityAt(({ settledPnl }) => settledPnl) < margins.maintenance,
  }
}

/** With open positions at fresh prices, a withdrawal must leave more than the maintenance margin; from generation 2 on the used margin. */
function spareMargin(equity: bigint, legs: readonly CrossLeg[], { maintenance, used }: CrossRequirements, generation: Generation): bigint {
  if (!legs.every(({ isPriceFresh }) => isPriceFresh)) return 0n
  return isAtLeast(generation, '2.0') ? equity - used : equity - maintenance - 1n
}

export interface FeeRates {
  /** Position in the list of tiers; null where the market has none. */
  readonly tier: number | null
  /** Seven decimals: 5000 is 0.05 %. */
  readonly makerRate: bigint
  readonly takerRate: bigint
  /** The volume at which the next tier begins; null at the last. */
  readonly nextTierVolume: bigint | null
}

/** The fees of the next trade: the last tier that begins at or below the recorded volume. */
export function feeRates(volume: bigint, tiers: readonly StoredFeeTier[], config: StoredConfig): FeeRates {
  if (tiers.length === 0) {
    const rate = (BigInt(config.trading_fee_bps) * ONE_E7) / BPS
    return { tier: null, makerRate: rate, takerRate: rate, nextTierVolume: null }
  }
  const tier = tiers.findLastIndex(({ min_volume: minVolume }) => minVolume <= volume)
  const found = tiers[tier]
  return {
    tier: found === undefined ? null : tier,
    makerRate: BigInt(found?.maker_fee_bps ?? config.base_maker_fee_bps) * FEE_RATE_PER_UNIT,
    takerRate: BigInt(found?.taker_fee_bps ?? config.base_taker_fee_bps) * FEE_RATE_PER_UNIT,
    nextTierVolume: tiers[tier + 1]?.min_volume ?? null,
  }
}

function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}

const atLeastZero = (value: bigint): bigint => maxAmount(value, 0n)
