// The terms of an order's ledger entry, with the names and units of the API.

import { amountText } from '../../base/fixed-point.ts'
import type { StoredOrder } from './market-entries.ts'
import { ORDER_TYPES } from './market-entries.ts'

/** By the low byte of time_in_force; a flag is beside it. */
const MODES = ['gtc', 'ioc', 'post_only'] as const
const REDUCE_ONLY_FLAG = 0x100
const PHASES = ['waiting_for_stop', 'limit_active'] as const
const BPS = 10_000n
const LONG = 0

/** The members of an open order. Amounts and prices are 7-decimal digits, times are Unix seconds. */
export interface OrderTerms {
  readonly orderId: number
  readonly trader: string
  readonly orderType: 'limit' | 'stop_limit' | 'stop_loss' | 'take_profit' | 'trailing_stop'
  readonly asset: string
  readonly direction: number
  readonly positionId: number | null
  readonly collateral: string | null
  readonly leverage: number
  readonly size: string | null
  readonly triggerPrice: string | null
  readonly triggerCondition: 'Above' | 'Below'
  readonly limitPrice: string | null
  readonly stopLimitPhase: string | null
  readonly trailingPercentBps: number | null
  readonly peakPrice: string | null
  readonly referencePrice: string | null
  readonly slippageToleranceBps: number
  readonly timeInForce: (typeof MODES)[number]
  readonly reduceOnly: boolean
  readonly createdAt: number
}

/** The terms of a stored order. `peak` is the best price since a trailing stop was placed; undefined: unknown. */
export function orderTerms(order: StoredOrder, peak: bigint | undefined): OrderTerms {
  const type = ORDER_TYPES[order.order_type] ?? 'limit'
  const [isTrailing, isEntry] = [type === 'trailing_stop', !order.has_position]
  return {
    orderId: order.id,
    trader: order.trader,
    orderType: type,
    asset: order.asset,
    direction: order.direction,
    positionId: isEntry ? null : order.position_id,
    collateral: isEntry ? String(order.collateral) : null,
    leverage: order.leverage,
    size: isEntry ? String(order.collateral * BigInt(order.leverage)) : null,
    triggerPrice: isTrailing ? null : String(order.trigger_price),
    triggerCondition: order.trigger_condition === 0 ? 'Above' : 'Below',
    limitPrice: order.limit_price > 0n ? String(order.limit_price) : null,
    stopLimitPhase: type === 'stop_limit' ? PHASES[order.stop_limit_phase] ?? null : null,
    trailingPercentBps: isTrailing ? order.trailing_percent_bps : null,
    peakPrice: isTrailing ? amountText(peak) : null,
    referencePrice: amountText(referencePrice(order, peak)),
    slippageToleranceBps: order.slippage_tolerance_bps,
    timeInForce: MODES[order.time_in_force & 0xff] ?? 'gtc',
    reduceOnly: isEntry && (order.time_in_force & REDUCE_ONLY_FLAG) !== 0,
    createdAt: order.created_at,
  }
}

/** The price that triggers a pending order and that slippage is measured from; undefined for a trailing stop with an unknown peak. */
function referencePrice(order: StoredOrder, peak: bigint | undefined): bigint | undefined {
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
