// Converts CCXT orders to requests of this exchange.

import type { AccountState } from '../generated/resources.ts'
import type { TradeRequest } from '../calls.ts'
import { ArgumentsRequired, InvalidOrder } from './errors.ts'
import { amountOf, ONE, toUnits } from './numbers.ts'
import type { Market } from './types.ts'

type Amount = number | string

/** The `params` of `createOrder`. */
export interface OrderParams {
  /** By default the value of `setLeverage`, else 1. */
  readonly leverage?: number
  readonly marginMode?: 'isolated' | 'cross'
  /** The size in USDC, instead of an amount of the base. */
  readonly cost?: Amount
  /** Only closes a position. */
  readonly reduceOnly?: boolean
  /** The position to close, or to attach the order to. Required when there are several on that side. */
  readonly positionId?: number | string
  /** Turns a limit order into a stop-limit order. */
  readonly triggerPrice?: Amount
  readonly stopLossPrice?: Amount
  readonly takeProfitPrice?: Amount
  /** The distance of a trailing stop from the best price, in percent. */
  readonly trailingPercent?: number
  /** Overrides the default trigger condition. */
  readonly triggerCondition?: 'Above' | 'Below'
  /** The slippage tolerance at execution; 100 by default. Of market orders, where the contracts take a bound: 50 by default, at most 5,000. */
  readonly slippageToleranceBps?: number
  /** Your own id of the order's transaction: 1 to 64 of `A-Z a-z 0-9 _ - . :`, unique within 24 hours. `fetchOrder` finds the order by it. */
  readonly clientOrderId?: string
  /** Maximum wait for the keeper to execute a resting order, milliseconds; 0 by default. */
  readonly keeperTimeoutMs?: number
}

export interface OrderArguments {
  readonly market: Market
  readonly type: string
  readonly side: string
  readonly amount: Amount | undefined
  readonly price: Amount | undefined
  readonly params: OrderParams
}

type StatePosition = NonNullable<AccountState['positions']>[number]

/** Data that the conversion may need. */
export interface OrderSources {
  /** The current price, in units. */
  price(asset: string): Promise<string>
  positions(): Promise<readonly StatePosition[]>
}

const SLIPPAGE_BPS = 100

/** Converts an order. Rejects with InvalidOrder or ArgumentsRequired for an invalid one. */
export async function toTradeRequest(order: OrderArguments, sources: OrderSources): Promise<TradeRequest> {
  const { side, params } = order
  if (side !== 'buy' && side !== 'sell') throw new InvalidOrder(`side must be buy or sell, not ${side}`)
  const { stopLossPrice, takeProfitPrice, trailingPercent } = params
  const attached = [stopLossPrice, takeProfitPrice, trailingPercent].filter((value) => value !== undefined)
  if (attached.length > 1) throw new InvalidOrder('Set only one of stopLossPrice, takeProfitPrice and trailingPercent per order.')
  if (attached.length === 1) return attachedRequest(order, await positionOf(order, sources))
  if (params.reduceOnly === true || params.positionId !== undefined) return closingRequest(order, await positionOf(order, sources))
  return openingRequest(order, side, sources)
}

/** A stop-loss, take-profit or trailing stop of a position. */
function attachedRequest({ params, amount }: OrderArguments, position: StatePosition): TradeRequest {
  const { slippageToleranceBps = SLIPPAGE_BPS, stopLossPrice, takeProfitPrice, trailingPercent } = params
  const attached = { positionId: position.positionId, slippageToleranceBps }
  if (partOf(position, amount) !== null) throw new InvalidOrder('Attached orders close the whole position. Omit the amount.')
  if (stopLossPrice !== undefined) return { op: 'set_stop_loss', ...attached, triggerPrice: priceOf(stopLossPrice, 'stopLossPrice') }
  if (trailingPercent !== undefined) return { op: 'place_trailing_stop', ...attached, trailingPercentBps: bpsOf(trailingPercent) }
  return { op: 'set_take_profit', ...attached, triggerPrice: priceOf(takeProfitPrice, 'takeProfitPrice') }
}

/** Closes a position or a part of it at the market. */
function closingRequest({ type, amount }: OrderArguments, position: StatePosition): TradeRequest {
  const { positionId, marginMode } = position
  if (type !== 'market') throw new InvalidOrder('Positions can be closed by a market order, stop-loss, take-profit or trailing stop.')
  const closeSize = partOf(position, amount)
  if (closeSize !== null) return { op: 'close_position_partial', positionId, closeSize }
  return { op: marginMode === 'cross' ? 'close_position_cross' : 'close_position', positionId }
}

/** Opens a position at the market, or places an order that does. */
async function openingRequest(order: OrderArguments, side: 'buy' | 'sell', sources: OrderSources): Promise<TradeRequest> {
  const { type, params } = order
  if (type === 'market' && params.triggerPrice !== undefined) throw new InvalidOrder('Market orders cannot have a triggerPrice. Use a limit order.')
  const direction = side === 'buy' ? 'Long' : 'Short'
  const entry = { asset: order.market.id, direction, leverage: leverageOf(params), collateral: await collateralOf(order, sources) } as const
  if (type === 'market') return { op: params.marginMode === 'cross' ? 'open_position_cross' : 'open_position', ...entry }
  if (type !== 'limit') throw new InvalidOrder(`type must be market or limit, not ${type}`)
  if (params.marginMode === 'cross') throw new InvalidOrder('Limit orders can only open isolated positions.')
  const { slippageToleranceBps = SLIPPAGE_BPS } = params
  const limitPrice = priceOf(order.price, 'price')
  const [below, above] = side === 'buy' ? ['Below', 'Above'] as const : ['Above', 'Below'] as const
  if (params.triggerPrice === undefined) {
    return { op: 'place_limit_order', ...entry, triggerPrice: limitPrice, triggerCondition: params.triggerCondition ?? below, slippageToleranceBps }
  }
  const triggerPrice = priceOf(params.triggerPrice, 'triggerPrice')
  return { op: 'place_stop_limit_order', ...entry, triggerPrice, limitPrice, triggerCondition: params.triggerCondition ?? above, slippageToleranceBps }
}

function priceOf(price: Amount | undefined, what: string): string {
  if (price === undefined) throw new ArgumentsRequired(`${what} is required`)
  return String(toUnits(price, what))
}

function leverageOf({ leverage = 1 }: OrderParams): number {
  if (!Number.isInteger(leverage) || leverage < 1) throw new InvalidOrder(`leverage must be a whole number of at least 1, not ${leverage}`)
  return leverage
}

function bpsOf(percent: number): number {
  const bps = Math.round(percent * 100)
  if (Math.abs(bps - percent * 100) > 1e-9) throw new InvalidOrder(`trailingPercent must be whole basis points, not ${percent}`)
  return bps
}

/** The collateral: size divided by leverage, rounded down so that the order never risks more than requested. */
async function collateralOf({ market, amount, price, params, type }: OrderArguments, sources: OrderSources): Promise<string> {
  const leverage = BigInt(leverageOf(params))
  if (params.cost !== undefined) return String(toUnits(params.cost, 'cost') / leverage)
  if (amount === undefined) throw new ArgumentsRequired('amount, in the base currency, or params.cost, in USDC, is required')
  const at = type === 'market' && price === undefined ? BigInt(await sources.price(market.id)) : BigInt(priceOf(price, 'price'))
  return String((toUnits(amount, 'amount') * at) / ONE / leverage)
}

/** The position that an order closes. */
async function positionOf({ market, side, params }: OrderArguments, sources: OrderSources): Promise<StatePosition> {
  const closedDirection = side === 'sell' ? 0 : 1
  const open = (await sources.positions()).filter(({ asset, direction }) => asset === market.id && direction === closedDirection)
  const matching = params.positionId === undefined ? open : open.filter(({ positionId }) => String(positionId) === String(params.positionId))
  const [position, other] = matching
  if (position === undefined) throw new InvalidOrder(`No ${closedDirection === 0 ? 'long' : 'short'} position in ${market.symbol} to close.`)
  if (other !== undefined) throw new ArgumentsRequired(`${matching.length} positions match. Choose one with params.positionId.`)
  return position
}

/** The size to close for an amount of the base currency, in units; null for the whole position. */
function partOf({ positionId, size, entryPrice, marginMode }: StatePosition, amount: Amount | undefined): string | null {
  const whole = amountOf(size, entryPrice)
  if (amount === undefined) return null
  const [part, all] = [toUnits(amount, 'amount'), toUnits(whole, 'amount')]
  if (part === all) return null
  if (part > all || part === 0n) throw new InvalidOrder(`Position ${positionId} has an amount of ${whole}, so ${amount} cannot be closed.`)
  if (marginMode === 'cross') throw new InvalidOrder(`Cross positions cannot be closed in part: position ${positionId} has an amount of ${whole}.`)
  return String((part * BigInt(entryPrice)) / ONE)
}
