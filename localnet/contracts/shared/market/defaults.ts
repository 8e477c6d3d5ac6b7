// The market's configuration as deployed (contracts, "Default config values").

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import type { Val } from '../host.ts'
import { type FeeTier, MARKET_CONFIG, type MarketConfig } from './types.ts'

export const DEFAULT_MARKET_CONFIG: MarketConfig = {
  base_funding_rate_bps: 1,
  base_maker_fee_bps: 20,
  base_taker_fee_bps: 50,
  liquidation_fee_bps: 500,
  maintenance_margin_bps: 100,
  max_leverage: 10,
  max_oracle_deviation_bps: 100,
  max_position_size: 100_000n * ONE_E7,
  max_price_staleness: 60n,
  min_collateral: 10n * ONE_E7,
  trading_fee_bps: 10,
}

/** The default configuration as the argument of `initialize`. */
export function defaultMarketConfig(): Val {
  return MARKET_CONFIG.toVal(DEFAULT_MARKET_CONFIG)
}

/** Fee tiers by the trader's volume of the last 14 days. */
export const FEE_TIERS: readonly FeeTier[] = [
  { min_volume: 0n, maker_fee_bps: 20, taker_fee_bps: 50 },
  { min_volume: 20_000n * ONE_E7, maker_fee_bps: 15, taker_fee_bps: 40 },
  { min_volume: 50_000n * ONE_E7, maker_fee_bps: 10, taker_fee_bps: 30 },
  { min_volume: 100_000n * ONE_E7, maker_fee_bps: 5, taker_fee_bps: 20 },
]
