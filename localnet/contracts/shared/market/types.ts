// The market's structs, enumerations and error codes, named as on the wire.

import { type CodecRecord, structCodec } from '../values.ts'

/** Error codes that the market raises itself (specification, "Shared contract errors"). */
export const ERRORS = {
  NotInitialized: 1, AlreadyInitialized: 2, Paused: 4, InvalidParameter: 5, Overflow: 6, DivisionByZero: 7, PositionNotFound: 20, InvalidLeverage: 21,
  InsufficientCollateral: 22, PositionTooLarge: 23, NotPositionOwner: 24, PriceStale: 30, InvalidPrice: 31, InvalidAmount: 41,
  NotLiquidatable: 50, FundingIntervalNotElapsed: 55, OrderNotFound: 60, OrderNotPending: 61, OrderNotTriggered: 62, NotOrderOwner: 64,
  InvalidTriggerPrice: 65, InvalidSlippageTolerance: 66, OrderAlreadyExists: 67, InvalidTrailingPercent: 69, PostOnlyViolation: 70,
  CrossMarginInsufficientBalance: 76, CrossMarginInsufficientFreeMargin: 77, CrossMarginNotLiquidatable: 78,
  CrossMarginOrderNotSupported: 80, PriceDeviationTooHigh: 81,
} as const

export const LONG = 0
export const SHORT = 1

export const ISOLATED = 0
export const CROSS = 1

export const POSITION = structCodec({
  asset: 'symbol', collateral: 'i128', direction: 'u32', entry_cumulative_funding: 'i128', entry_price: 'i128', id: 'u64', leverage: 'u32',
  liquidation_price: 'i128', margin_mode: 'u32', size: 'i128', timestamp: 'u64', trader: 'address',
})

/** An open position. `collateral` is net of the opening fee, `size` is gross. Prices and amounts have 7 decimals, `timestamp` is in seconds. */
export type Position = CodecRecord<typeof POSITION>

export const LIMIT_ENTRY = 0
export const STOP_LOSS = 1
export const TAKE_PROFIT = 2
export const STOP_LIMIT = 3
export const TRAILING_STOP = 4

export const ABOVE = 0
export const BELOW = 1

export const PENDING = 0
export const EXECUTED = 1
export const CANCELLED = 2
export const CANCELLED_SLIPPAGE = 3

/** Phases of a stop-limit order. */
export const WAITING_FOR_STOP = 0
export const LIMIT_ACTIVE = 1

export const ORDER = structCodec({
  asset: 'symbol', collateral: 'i128', created_at: 'u64', direction: 'u32', has_position: 'bool', id: 'u64', leverage: 'u32',
  limit_price: 'i128', order_type: 'u32', position_id: 'u64', slippage_tolerance_bps: 'u32', status: 'u32', stop_limit_phase: 'u32',
  time_in_force: 'u32', trader: 'address', trailing_percent_bps: 'u32', trigger_condition: 'u32', trigger_price: 'i128',
})

/** An order; never deleted. Attached orders have no collateral, trailing stops no trigger price. */
export type Order = CodecRecord<typeof ORDER>

export const MARKET_CONFIG = structCodec({
  base_funding_rate_bps: 'u32', base_maker_fee_bps: 'u32', base_taker_fee_bps: 'u32', liquidation_fee_bps: 'u32',
  maintenance_margin_bps: 'u32', max_leverage: 'u32', max_oracle_deviation_bps: 'u32', max_position_size: 'i128',
  max_price_staleness: 'u64',
  min_collateral: 'i128', trading_fee_bps: 'u32',
})

export type MarketConfig = CodecRecord<typeof MARKET_CONFIG>

export const FEE_TIER = structCodec({ maker_fee_bps: 'u32', min_volume: 'i128', taker_fee_bps: 'u32' })

/** A fee tier. Despite their names, the fees are tenths of a basis point. */
export type FeeTier = CodecRecord<typeof FEE_TIER>
