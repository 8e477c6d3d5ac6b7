// PnL, funding, margin, liquidation prices and fees, in the market's own integer arithmetic: division truncates toward zero, like bigint's. Pure.

import { maxAmount, minAmount, ONE_E7 } from '../base/fixed-point.ts'
import type { StoredConfig, StoredFeeTier, StoredOrder, StoredPosition } from '../chain/market-entries.ts'
import { ORDER_TYPES } from '../chain/market-entries.ts'
import type { PricedPosition } from '../exchange/position-pnl.ts'

const BPS = 10_000n
const LONG = 0
/** Tier fees are in tenths of a basis point; this is one tenth with seven decimals. */
const FEE_RATE_PER_UNIT = ONE_E7 / 100_000n

/** Funding accrued since the open: positive is owed by the trader, negative to the trader. */
export function fundingOwed(position: Pick<StoredPosition, 'direction' | 'size' | 'entry_cumulative_funding'>, cumulativeFunding: bigint): bigint {
  const owedByLong = (position.size * (cumulativeFunding - position.entry_cumulative_funding)) / ONE_E7
  return position.direction === LONG ? owedByLong : -owedByLong
}

export function maintenanceMargin(size: bigint, config: Pick<StoredConfig, 'maintenance_margin_bps'>): bigint {
  return (size * BigInt(config.maintenance_margin_bps)) / BPS
}

/**
 * What closing would pay, provided that the liquidity vault can pay profits in full: to the wallet for an isolated position, whose loss and funding are
 * limited to its collateral; to the cross pool for a cross position.
 */
export function closeValue(position: Pick<StoredPosition, 'collateral' | 'margin_mode'>, pnl: bigint, funding: bigint): bigint {
  if (position.margin_mode === 1) return atLeastZero(position.collateral + pnl - funding)
  const left = position.collateral - atLeastZero(-pnl) - atLeastZero(funding)
  return atLeastZero(left) + atLeastZero(pnl) + atLeastZero(-funding)
}

/**
 * The first price at which a keeper may liquidate an isolated position: where the price crosses the stored liquidation price, or where collateral, PnL and
 * funding fall below the maintenance margin, whichever comes first. Null when there is no such positive price.
 */
export function liquidationPrice(
  position: PricedPosition & Pick<StoredPosition, 'collateral' | 'liquidation_price'>,
  funding: bigint,
  config: Pick<StoredConfig, 'maintenance_margin_bps'>,
): bigint | null {
  const { size, entry_price: entry, direction, liquidation_price: stored } = position
  // At this PnL or less, the position can be liquidated.
  const threshold = maintenanceMargin(size, config) - position.collateral + funding - 1n
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
  readonly funding: bigint
}

export interface CrossMarginTotals {
  readonly equity: bigint
  /** Can be withdrawn now. */
  readonly withdrawable: bigint
  /** Equity minus used margin; negative when losses exceed the rest. */
  readonly freeMargin: bigint
  readonly liquidatable: boolean
}

/** The margin requirements of a cross account; they do not depend on prices. */
export function crossRequirements(
  positions: readonly StoredPosition[],
  config: Pick<StoredConfig, 'maintenance_margin_bps'>,
): { readonly maintenance: bigint; readonly used: bigint } {
  return {
    maintenance: sum(positions.map(({ size }) => maintenanceMargin(size, config))),
    used: sum(positions.map(({ size, leverage }) => size / BigInt(leverage))),
  }
}

/** A cross account at these PnLs. While positions are open, a withdrawal must leave more than the maintenance margin. */
export function crossMarginTotals(pool: bigint, legs: readonly CrossLeg[], margins: { maintenance: bigint; used: bigint }): CrossMarginTotals {
  const equity = pool + sum(legs.map(({ position, pnl, funding }) => position.collateral + pnl - funding))
  const spare = legs.length === 0 ? pool : atLeastZero(equity - margins.maintenance - 1n)
  return {
    equity,
    withdrawable: minAmount(pool, spare),
    freeMargin: equity - margins.used,
    liquidatable: equity < margins.maintenance,
  }
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

/** The price that triggers a pending order and that slippage is measured from; undefined for a trailing stop with an unknown peak. */
export function referencePrice(order: StoredOrder, peak: bigint | undefined): bigint | undefined {
  switch (ORDER_TYPES[order.order_type]) {
    case 'stop_limit':
      return order.stop_limit_phase === 1 ? order.limit_price : order.trigger_price
    case 'take_profit':
      return order.limit_price > 0n ? order.limit_price : order.trigger_price
    case 'trailing_stop': {
      if (peak === undefined) return undefined
      const distance = (peak * BigInt(order.trailing_percent_bps)) / BPS
      return order.direction === LONG ? peak - distance : peak + distance
    }
    default:
      return order.trigger_price
  }
}

function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}

const atLeastZero = (value: bigint): bigint => maxAmount(value, 0n)
