// What stored positions, orders and records amount to, by the market's own integer arithmetic: division truncates toward zero, as bigint's does. Pure.

import { ONE_E7 } from '../base/fixed-point.ts'
import type { StoredConfig, StoredFeeTier, StoredOrder, StoredPosition } from '../chain/market-entries.ts'
import { ORDER_TYPES } from '../chain/market-entries.ts'

const BPS = 10_000n
const LONG = 0
/** Fees of tiers are tenths of a basis point: with seven decimals, so many units each. */
const FEE_RATE_PER_UNIT = ONE_E7 / 100_000n

type PricedPart = Pick<StoredPosition, 'direction' | 'size' | 'entry_price'>

/** Profit or loss by price alone, without funding and fees: what position_closed states. */
export function pricePnl(position: PricedPart, price: bigint): bigint {
  const gain = position.direction === LONG ? price - position.entry_price : position.entry_price - price
  return (position.size * gain) / position.entry_price
}

/** Funding run up since the open: positive is owed by the trader, negative to the trader. */
export function fundingOwed(position: Pick<StoredPosition, 'direction' | 'size' | 'entry_cumulative_funding'>, cumulativeFunding: bigint): bigint {
  const owedByLong = (position.size * (cumulativeFunding - position.entry_cumulative_funding)) / ONE_E7
  return position.direction === LONG ? owedByLong : -owedByLong
}

export function maintenanceMargin(size: bigint, config: Pick<StoredConfig, 'maintenance_margin_bps'>): bigint {
  return (size * BigInt(config.maintenance_margin_bps)) / BPS
}

/**
 * What closing would bring as long as the liquidity vault can pay profits whole: to the wallet for an isolated position, whose loss and funding stop at
 * its collateral; to the pool for a cross one.
 */
export function closeValue(position: Pick<StoredPosition, 'collateral' | 'margin_mode'>, pnl: bigint, funding: bigint): bigint {
  if (position.margin_mode === 1) return atLeastZero(position.collateral + pnl - funding)
  const left = position.collateral - atLeastZero(-pnl) - atLeastZero(funding)
  return atLeastZero(left) + atLeastZero(pnl) + atLeastZero(-funding)
}

/**
 * The first price, coming from the healthy side, at which a keeper may liquidate an isolated position: where it crosses the stored liquidation price, or where
 * collateral, PnL and funding leave less than the maintenance margin, whichever is earlier. Null when no positive price does.
 */
export function liquidationPrice(
  position: PricedPart & Pick<StoredPosition, 'collateral' | 'liquidation_price'>,
  funding: bigint,
  config: Pick<StoredConfig, 'maintenance_margin_bps'>,
): bigint | null {
  const { size, entry_price: entry, direction, liquidation_price: stored } = position
  // Too little is left at a PnL of this or less.
  const worst = maintenanceMargin(size, config) - position.collateral + funding - 1n
  // How far the price may be on the winning side of the entry and still give no more than that; negative: how far it must be on the losing side.
  const reach = worst >= 0n ? ceilDiv((worst + 1n) * entry, size) - 1n : -ceilDiv(-worst * entry, size)
  if (direction === LONG) {
    const price = larger(stored, entry + reach)
    return price > 0n ? price : null
  }
  const price = smaller(stored, entry - reach)
  return larger(price, 1n)
}

/** A cross position as far as its account is concerned. */
export interface CrossLeg {
  readonly position: StoredPosition
  readonly pnl: bigint
  readonly funding: bigint
}

export interface CrossMarginTotals {
  readonly equity: bigint
  /** Can be withdrawn now. */
  readonly withdrawable: bigint
  /** Equity less the margin in use; negative when positions have lost into it. */
  readonly freeMargin: bigint
  readonly liquidatable: boolean
}

/** What of a cross account does not depend on prices. */
export function crossRequirements(
  positions: readonly StoredPosition[],
  config: Pick<StoredConfig, 'maintenance_margin_bps'>,
): { readonly maintenance: bigint; readonly used: bigint } {
  return {
    maintenance: sum(positions.map(({ size }) => maintenanceMargin(size, config))),
    used: sum(positions.map(({ size, leverage }) => size / BigInt(leverage))),
  }
}

/** A cross account at these PnLs. Withdrawing must leave more than the maintenance margin while positions are open. */
export function crossMarginTotals(pool: bigint, legs: readonly CrossLeg[], margins: { maintenance: bigint; used: bigint }): CrossMarginTotals {
  const equity = pool + sum(legs.map(({ position, pnl, funding }) => position.collateral + pnl - funding))
  const spare = legs.length === 0 ? pool : atLeastZero(equity - margins.maintenance - 1n)
  return {
    equity,
    withdrawable: smaller(pool, spare),
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
  const tier = tiers.findLastIndex(({ min_volume: least }) => least <= volume)
  const found = tiers[tier]
  return {
    tier: found === undefined ? null : tier,
    makerRate: BigInt(found?.maker_fee_bps ?? config.base_maker_fee_bps) * FEE_RATE_PER_UNIT,
    takerRate: BigInt(found?.taker_fee_bps ?? config.base_taker_fee_bps) * FEE_RATE_PER_UNIT,
    nextTierVolume: tiers[tier + 1]?.min_volume ?? null,
  }
}

/** The price that a pending order triggers at and slips against; undefined for a trailing stop whose peak is not known. */
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

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const atLeastZero = (value: bigint): bigint => larger(value, 0n)
