// The market contract's storage: its documented keys, and the structs that they hold, with fields named as on the wire.

import { contractDataKey, contractDataValue } from '../codec/ledger-keys.ts'
import type { ScArgument, ScValue } from '../codec/scval.ts'
import { structField } from '../codec/scval.ts'
import { readField, readList, readStruct } from '../codec/structs.ts'
import type { Struct } from '../codec/structs.ts'

/** Entries that exist once. */
type SingleEntry =
  | 'FeeTiers' | 'CurrentFundingRate' | 'CumulativeFundingRate' | 'LastFundingTime' | 'TotalLongSize' | 'TotalShortSize'
  | 'AllPositions' | 'PositionCounter' | 'OpenPositionCount' | 'AllOrders' | 'OrderCounter' | 'OpenOrderCount' | 'RiskEpochTs'
/** Entries of one account. */
type AccountEntry = 'TraderPositions' | 'TraderOrders' | 'TraderVolume' | 'CrossMarginBalance' | 'CrossMarginPositions' | 'OrderCountOf'
/** Entries of one asset, besides its open interest. */
type AssetEntry = 'AssetRisk' | 'FundingState' | 'SkewIntegral' | 'LastGoodPrice' | 'AssetHalted' | 'AdlActive'
/** Entries of one position or order. */
type NumberedEntry = 'Position' | 'Order' | 'TrailingStopPeak'

/** The base64 LedgerKey of an entry that exists once. */
export function singleKey(market: string, name: SingleEntry): string {
  return marketKey(market, name)
}

/** The base64 LedgerKey of an account's entry; the account may be a contract. */
export function accountEntryKey(market: string, name: AccountEntry, account: string): string {
  return marketKey(market, name, { type: 'address', value: account })
}

/** The base64 LedgerKey of a position's or an order's entry. */
export function numberedKey(market: string, name: NumberedEntry, id: number): string {
  return marketKey(market, name, { type: 'u64', value: BigInt(id) })
}

/** The base64 LedgerKey of an asset's open interest. */
export function exposureKey(market: string, asset: string): string {
  return marketKey(market, 'AssetExposure', { type: 'symbol', value: asset })
}

/** The base64 LedgerKey of an asset's entry. */
export function assetKey(market: string, name: AssetEntry, asset: string): string {
  return marketKey(market, name, { type: 'symbol', value: asset })
}

function marketKey(market: string, name: string, argument?: ScArgument): string {
  const symbol: ScArgument = { type: 'symbol', value: name }
  return contractDataKey(market, { type: 'vec', value: argument === undefined ? [symbol] : [symbol, argument] })
}

const POSITION = {
  asset: 'symbol', collateral: 'i128', direction: 'u32', entry_cumulative_funding: 'i128', entry_price: 'i128', id: 'count', leverage: 'u32',
  liquidation_price: 'i128', margin_mode: 'u32', size: 'i128', timestamp: 'count', trader: 'address',
} as const

/** An open position. `collateral` is net of the open fee, `size` is not; `margin_mode` is 0 isolated, 1 cross. */
export type StoredPosition = Struct<typeof POSITION>

const ORDER = {
  asset: 'symbol', collateral: 'i128', created_at: 'count', direction: 'u32', has_position: 'bool', id: 'count', leverage: 'u32', limit_price: 'i128',
  order_type: 'u32', position_id: 'count', slippage_tolerance_bps: 'u32', status: 'u32', stop_limit_phase: 'u32', time_in_force: 'u32', trader: 'address',
  trailing_percent_bps: 'u32', trigger_condition: 'u32', trigger_price: 'i128',
} as const

/** An order in any state: orders are never deleted. */
export type StoredOrder = Struct<typeof ORDER>

const CONFIG = {
  base_funding_rate_bps: 'u32', base_maker_fee_bps: 'u32', base_taker_fee_bps: 'u32', maintenance_margin_bps: 'u32', max_leverage: 'u32',
  max_oracle_deviation_bps: 'u32',
  max_position_size: 'i128', max_price_staleness: 'count', min_collateral: 'i128', trading_fee_bps: 'u32',
} as const

/** The market's configuration: the fields that the gateway uses. */
export type StoredConfig = Struct<typeof CONFIG> & {
  /** Maximum distance from the last good price at which a close settles. Undefined in generation 1, which does not limit it. */
  readonly lenient_clamp_bps: number | undefined
  /** Fee of the keeper that executes an order, besides the share, 7-decimal USDC. Undefined in generation 1, whose code has it as a constant. */
  readonly keeper_fee_base: bigint | undefined
  /** The share of the size that the keeper is paid, in tenths of a basis point. Undefined in generation 1. */
  readonly keeper_fee_deci_bps: number | undefined
  /** The share of a liquidated size that is taken beyond its loss, basis points. Undefined in generation 1, which takes all that is left. */
  readonly liquidation_penalty_bps: number | undefined
}

const ASSET_RISK = {
  funding_clamp_bps: 'u32', im_bps: 'u32', max_funding_velocity_bps: 'u32', max_leverage: 'u32', max_position_size: 'i128', mm_bps: 'u32', skew_scale: 'i128',
} as const

/** The risk parameters of one asset: the fields that the gateway uses. */
export type StoredAssetRisk = Struct<typeof ASSET_RISK>

const FEE_TIER = { maker_fee_bps: 'u32', min_volume: 'i128', taker_fee_bps: 'u32' } as const

/** A fee tier. The fees are tenths of a basis point, despite their names. */
export type StoredFeeTier = Struct<typeof FEE_TIER>

/** Order types by their number in storage. */
export const ORDER_TYPES = ['limit', 'stop_loss', 'take_profit', 'stop_limit', 'trailing_stop'] as const
export const ORDER_PENDING = 0
const ORDER_STATES = ['pending', 'executed'] as const
const STATUSES = 5

/** Reads a position's entry. Undefined for anything else, including invalid XDR. */
export function readPosition(dataXdr: string): StoredPosition | undefined {
  return positionOf(contractDataValue(dataXdr))
}

/** A position in a contract value. Undefined for anything else. */
export function positionOf(value: ScValue | undefined): StoredPosition | undefined {
  const position = readStruct(value, POSITION)
  if (position === undefined || position.margin_mode > 1 || position.direction > 1) return undefined
  return position.entry_price > 0n && position.size > 0n && position.leverage > 0 ? position : undefined
}

/** Reads an order's entry. Undefined for anything else. */
export function readOrder(dataXdr: string): StoredOrder | undefined {
  return orderOf(contractDataValue(dataXdr))
}

/** An order in a contract value. Undefined for anything else. */
export function orderOf(value: ScValue | undefined): StoredOrder | undefined {
  const order = readStruct(value, ORDER)
  if (order === undefined || order.direction > 1 || order.order_type >= ORDER_TYPES.length || order.status >= STATUSES) return undefined
  return order.trigger_condition <= 1 && order.stop_limit_phase <= 1 ? order : undefined
}

/** Reads the margin mode of a position's entry. Undefined for anything else. */
export function readMarginMode(dataXdr: string): { readonly positionId: number; readonly marginMode: 'isolated' | 'cross' } | undefined {
  const position = readStruct(contractDataValue(dataXdr), { id: 'count', margin_mode: 'u32' })
  if (position === undefined || position.margin_mode > 1) return undefined
  return { positionId: position.id, marginMode: position.margin_mode === 0 ? 'isolated' : 'cross' }
}

/** The fields of an order that every build stores. */
export interface StoredOrderState {
  readonly orderId: number
  readonly trader: string
  readonly placedSec: number
  readonly status: 'pending' | 'executed' | 'cancelled'
}

/** Reads the owner and the state of an order's entry. Undefined for anything else. */
export function readOrderState(dataXdr: string): StoredOrderState | undefined {
  const order = readStruct(contractDataValue(dataXdr), { id: 'count', trader: 'address', created_at: 'count', status: 'u32' })
  if (order === undefined) return undefined
  return { orderId: order.id, trader: order.trader, placedSec: order.created_at, status: orderStatus(order.status) }
}

/** The status of an order by its number in storage. Besides a cancellation there are the codes of one for slippage, and of an expiry. */
export function orderStatus(stored: number): StoredOrderState['status'] {
  return ORDER_STATES[stored] ?? 'cancelled'
}

/** Reads the configuration from the market's instance storage. */
export function readConfig(value: ScValue | undefined): StoredConfig | undefined {
  const config = readStruct(value, CONFIG)
  if (value === undefined || config === undefined) return undefined
  return {
    ...config,
    lenient_clamp_bps: readField(structField(value, 'lenient_clamp_bps'), 'u32'),
    keeper_fee_base: readField(structField(value, 'keeper_fee_base'), 'i128'),
    keeper_fee_deci_bps: readField(structField(value, 'keeper_fee_deci_bps'), 'u32'),
    liquidation_penalty_bps: readField(structField(value, 'liquidation_penalty_bps'), 'u32'),
  }
}

/** Reads the risk parameters of an asset. */
export function readAssetRisk(dataXdr: string): StoredAssetRisk | undefined {
  return readStruct(contractDataValue(dataXdr), ASSET_RISK)
}

/** Reads the pause state from the market's instance storage. `mode`: 0 is trading, 1 closes only, 2 is frozen. */
export function readPauseState(value: ScValue | undefined): { readonly mode: number; readonly since: number } | undefined {
  if (value?.type !== 'vec') return undefined
  const [mode, since] = [readField(value.value[0], 'u32'), readField(value.value[1], 'count')]
  return mode === undefined || since === undefined ? undefined : { mode, since }
}

/** Reads whether the market is paused. `mode` is null while only the flag of generation 1 is stored. Null: cannot be read. */
export function readPause(storage: ReadonlyMap<string, ScValue>): { readonly paused: boolean; readonly mode: number | null; readonly since: number } | null {
  // Generation 2 stores the state when it is first paused, and never the flag.
  const state = storage.get('PauseState')
  if (state !== undefined) {
    const pause = readPauseState(state)
    return pause === undefined ? null : { paused: pause.mode !== 0, ...pause }
  }
  const paused = storage.get('Paused')
  if (paused === undefined) return { paused: false, mode: null, since: 0 }
  return paused.type === 'bool' ? { paused: paused.value, mode: null, since: 0 } : null
}

/** An asset's funding in generation 2. The rate is per hour. */
export interface StoredFunding {
  readonly cumulative: bigint
  readonly rate: bigint
  readonly lastSec: number
}

/** Reads an asset's funding. */
export function readFundingState(dataXdr: string): StoredFunding | undefined {
  const value = contractDataValue(dataXdr)
  if (value?.type !== 'vec') return undefined
  const [cumulative, rate, lastSec] = [readField(value.value[0], 'i128'), readField(value.value[1], 'i128'), readField(value.value[2], 'count')]
  return cumulative === undefined || rate === undefined || lastSec === undefined ? undefined : { cumulative, rate, lastSec }
}

/** An amount, and when it was stored in Unix seconds. */
export interface TimedAmount {
  readonly amount: bigint
  readonly timeSec: number
}

/** Reads a last good price, or notional seconds of skew. */
export function readTimedAmount(dataXdr: string): TimedAmount | undefined {
  const value = contractDataValue(dataXdr)
  if (value?.type !== 'vec') return undefined
  const [amount, timeSec] = [readField(value.value[0], 'i128'), readField(value.value[1], 'count')]
  return amount === undefined || timeSec === undefined ? undefined : { amount, timeSec }
}

/** Reads a bare flag. */
export function readFlag(dataXdr: string): boolean | undefined {
  return readField(contractDataValue(dataXdr), 'bool')
}

/** Reads a bare u64 within the safe integers: an id or Unix seconds. */
export function readU64(dataXdr: string): number | undefined {
  return readField(contractDataValue(dataXdr), 'count')
}

/** Reads a bare u32. */
export function readU32(dataXdr: string): number | undefined {
  return readField(contractDataValue(dataXdr), 'u32')
}

/** Reads the fee tiers' entry. */
export function readFeeTiers(dataXdr: string): readonly StoredFeeTier[] | undefined {
  return readList(contractDataValue(dataXdr), (tier) => readStruct(tier, FEE_TIER))
}

/** Reads a list of ids. */
export function readIds(dataXdr: string): readonly number[] | undefined {
  return readList(contractDataValue(dataXdr), (id) => readField(id, 'count'))
}

/** Reads a bare amount. */
export function readAmount(dataXdr: string): bigint | undefined {
  return readField(contractDataValue(dataXdr), 'i128')
}

/** A trader's volume by day: fourteen slots, of which day `d` uses the one at `d % 14`. */
export interface VolumeDays {
  readonly slots: readonly bigint[]
  /** The last day that was recorded, in days since 1970. */
  readonly lastDay: number
}

/** Reads a trader's volume by day. */
export function readVolumeDays(dataXdr: string): VolumeDays | undefined {
  const record = contractDataValue(dataXdr)
  const slots = record === undefined ? undefined : readList(structField(record, 'daily_volumes'), (slot) => readField(slot, 'i128'))
  const lastDay = record === undefined ? undefined : readField(structField(record, 'last_update_day'), 'count')
  return slots === undefined || lastDay === undefined ? undefined : { slots, lastDay }
}

/** Reads a trader's volume: the sum of its daily slots. */
export function readVolume(dataXdr: string): bigint | undefined {
  return readVolumeDays(dataXdr)?.slots.reduce((sum, slot) => sum + slot, 0n)
}
