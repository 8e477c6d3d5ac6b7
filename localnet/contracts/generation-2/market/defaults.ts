// The configuration and the risk parameters as deployed (generation 2, "Configuration").

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import { SYMBOLS } from './symbols.ts'
import type { AssetRisk, MarketConfig } from './types.ts'

export const DEFAULT_MARKET_CONFIG: MarketConfig = {
  adl_clear_ratio_bps: 15_000,
  adl_compensation_bps: 0,
  adl_trigger_ratio_bps: 12_500,
  base_funding_rate_bps: 1,
  base_maker_fee_bps: 2,
  base_taker_fee_bps: 5,
  cross_close_out_bps: 6667,
  cross_liq_restore_target_bps: 15_000,
  insurance_buffer_share_bps: 1000,
  keeper_fee_base: 0n,
  keeper_fee_deci_bps: 10,
  lenient_clamp_bps: 300,
  liquidation_fee_bps: 500,
  liquidation_penalty_bps: 100,
  maintenance_margin_bps: 100,
  max_leverage: 10,
  max_oracle_deviation_bps: 100,
  max_position_size: 100_000n * ONE_E7,
  max_price_staleness: 60n,
  min_collateral: 10n * ONE_E7,
  min_liq_bounty: 5n * ONE_E7,
  partial_liq_cooldown_secs: 30n,
  partial_liq_min_notional: 1000n * ONE_E7,
  partial_liq_tranche_bps: 2000,
  penalty_keeper_share_bps: 5000,
  trading_fee_bps: 10,
  twap_max_age_secs: 300n,
  twap_records: 4,
}

const STANDARD_RISK: AssetRisk = {
  close_out_bps: 133,
  funding_clamp_bps: 5,
  im_bps: 400,
  max_funding_velocity_bps: 120,
  max_leverage: 10,
  max_position_size: 100_000n * ONE_E7,
  mm_bps: 200,
  skew_scale: 200_000n * ONE_E7,
}

const PUMP_RISK: AssetRisk = {
  ...STANDARD_RISK, close_out_bps: 666, im_bps: 2000, max_leverage: 5, max_position_size: 25_000n * ONE_E7, mm_bps: 1000,
  skew_scale: 50_000n * ONE_E7,
}

/** Known to market and shim, but closed until the admin sets risk parameters. */
const WITHOUT_RISK: readonly string[] = ['PAXG', 'XAUT']

/** The risk parameters that the admin sets after deployment. */
export const ASSET_RISKS: ReadonlyMap<string, AssetRisk> = new Map(
  SYMBOLS.filter((symbol) => !WITHOUT_RISK.includes(symbol)).map((symbol) => [symbol, symbol === 'PUMP' ? PUMP_RISK : STANDARD_RISK]),
)
