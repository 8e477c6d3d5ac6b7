// The structs of generation 2. Position, Order and FeeTier are those of generation 1.

import { type CodecRecord, structCodec } from '../../shared/values.ts'

export const MARKET_CONFIG = structCodec({
  adl_clear_ratio_bps: 'u32', adl_compensation_bps: 'u32', adl_trigger_ratio_bps: 'u32', base_funding_rate_bps: 'u32',
  base_maker_fee_bps: 'u32', base_taker_fee_bps: 'u32', cross_close_out_bps: 'u32', cross_liq_restore_target_bps: 'u32',
  insurance_buffer_share_bps: 'u32', keeper_fee_base: 'i128', keeper_fee_deci_bps: 'u32', lenient_clamp_bps: 'u32',
  liquidation_fee_bps: 'u32', liquidation_penalty_bps: 'u32', maintenance_margin_bps: 'u32', max_leverage: 'u32',
  max_oracle_deviation_bps: 'u32', max_position_size: 'i128', max_price_staleness: 'u64', min_collateral: 'i128', min_liq_bounty: 'i128',
  partial_liq_cooldown_secs: 'u64', partial_liq_min_notional: 'i128', partial_liq_tranche_bps: 'u32', penalty_keeper_share_bps: 'u32',
  trading_fee_bps: 'u32', twap_max_age_secs: 'u64', twap_records: 'u32',
})

export type MarketConfig = CodecRecord<typeof MARKET_CONFIG>

export const ASSET_RISK = structCodec({
  close_out_bps: 'u32', funding_clamp_bps: 'u32', im_bps: 'u32', max_funding_velocity_bps: 'u32', max_leverage: 'u32',
  max_position_size: 'i128', mm_bps: 'u32', skew_scale: 'i128',
})

/** The limits and rates of one asset. An asset without them opens no position. */
export type AssetRisk = CodecRecord<typeof ASSET_RISK>

export const TRADER_FEE_INFO = structCodec({
  maker_fee_bps: 'u32', next_tier_volume: 'i128', taker_fee_bps: 'u32', tier: 'u32', volume_14d: 'i128',
})
