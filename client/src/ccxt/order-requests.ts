// From an order as CCXT has it to what an account signs here.

import type { AccountState } from '../generated/resources.ts'
import type { TradeRequest } from '../calls.ts'
import { ArgumentsRequired, InvalidOrder } from './errors.ts'
import { amountOf, ONE, toUnits } from './numbers.ts'
import type { Market } from './types.ts'

type Amount = number | string

/** What `createOrder` takes beside its arguments. */
export interface OrderParams {
  /** Times the collateral; 1, or what `setLeverage` was told. */
  readonly leverage?: number
  readonly marginMode?: 'isolated' | 'cross'
  /** The size in USDC, instead of an amount of the base. */
  readonly cost?: Amount
  /** Closes a position, and opens none. */
  readonly reduceOnly?: boolean
  /** Which position is closed, or has the order hung on it; needed where there are several on that side. */
  readonly positionId?: number | string
  /** Where a limit order begins to rest. */
  readonly triggerPrice?: Amount
  readonly stopLossPrice?: Amount
  readonly takeProfitPrice?: Amount
  /** How far from the best price, in percent. */
  readonly trailingPercent?: number
  /** On which side of its trigger an order waits, where that is not the usual one. */
  readonly triggerCondition?: 'Above' | 'Below'
  /** How far the price may be off at execution; 100 by default. */
  readonly slippageToleranceBps?: number
  /** How long to wait for the keeper to execute an order that rests, milliseconds; not at all by default. */
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

/** What else has to be known of the world. */
export interface OrderSources {
  /** The price now, in units. */
  price(asset: string): Promise<string>
  positions(): Promise<readonly StatePosition[]>
}

const SLIPPAGE_BPS = 100

/** The request that an order asks for. Rejects with InvalidOrder or ArgumentsRequired where it asks for none. */
export async function toTradeRequest(order: OrderArguments, sources: OrderSources): Promise<TradeRequest> {
  const { type, side, params } = order
  if (side !== 'buy' && side !== 'sell') throw new InvalidOrder(`side is ${side}, and has to be buy or sell`)
  const { slippageToleranceBps = SLIPPAGE_BPS } = params
  const { stopLossPrice, takeProfitPrice, trailingPercent } = params
  if ([stopLossPrice, takeProfitPrice, trailingPercent].filter((given) => given !== undefined).length > 1) {
    throw new InvalidOrder('An order is one of stop-loss, take-profit and trailing stop: place each of them by itself.')
  }
  const closes = stopLossPrice !== undefined || takeProfitPrice !== undefined || trailingPercent !== undefined
  if (closes || params.reduceOnly === true || params.positionId !== undefined) {
    const { positionId, marginMode } = await positionOf(order, sources)
    const attached = { positionId, slippageToleranceBps }
    if (stopLossPrice !== undefined) return { op: 'set_stop_loss', ...attached, triggerPrice: priceOf(stopLossPrice, 'stopLossPrice') }
    if (takeProfitPrice !== undefined) return { op: 'set_take_profit', ...attached, triggerPrice: priceOf(takeProfitPrice, 'takeProfitPrice') }
    if (trailingPercent !== undefined) return { op: 'place_trailing_stop', ...attached, trailingPercentBps: bpsOf(trailingPercent) }
    if (type !== 'market') throw new InvalidOrder('A position is closed by a market order, a stop-loss, a take-profit or a trailing stop.')
    return { op: marginMode === 'cross' ? 'close_position_cross' : 'close_position', positionId }
  }
  if (type === 'market' && params.triggerPrice !== undefined) throw new InvalidOrder('What waits for a price is a limit order here: give it a price.')
  const direction = side === 'buy' ? 'Long' : 'Short'
  const entry = { asset: order.market.id, direction, leverage: leverageOf(params), collateral: await collateralOf(order, sources) } as const
  if (type === 'market') return { op: params.marginMode === 'cross' ? 'open_position_cross' : 'open_position', ...entry }
  if (type !== 'limit') throw new InvalidOrder(`type is ${type}, and has to be market or limit`)
  if (params.marginMode === 'cross') throw new InvalidOrder('Orders that rest open isolated positions.')
  const limitPrice = priceOf(order.price, 'price')
  const [below, above] = side === 'buy' ? ['Below', 'Above'] as const : ['Above', 'Below'] as const
  if (params.triggerPrice === undefined) {
    return { op: 'place_limit_order', ...entry, triggerPrice: limitPrice, triggerCondition: params.triggerCondition ?? below, slippageToleranceBps }
  }
  const triggerPrice = priceOf(params.triggerPrice, 'triggerPrice')
  return { op: 'place_stop_limit_order', ...entry, triggerPrice, limitPrice, triggerCondition: params.triggerCondition ?? above, slippageToleranceBps }
}

function priceOf(price: Amount | undefined, what: string): string {
  if (price === undefined) throw new ArgumentsRequired(`${what} is missing`)
  return String(toUnits(price, what))
}

function leverageOf({ leverage = 1 }: OrderParams): number {
  if (!Number.isInteger(leverage) || leverage < 1) throw new InvalidOrder(`leverage is ${leverage}, and has to be a whole number from 1 on`)
  return leverage
}

function bpsOf(percent: number): number {
  const bps = Math.round(percent * 100)
  if (Math.abs(bps - percent * 100) > 1e-9) throw new InvalidOrder(`trailingPercent is ${percent}, and has to be whole basis points`)
  return bps
}

/** What is put in: the size over the leverage, rounded down, so that never more is at stake than was asked for. */
async function collateralOf({ market, amount, price, params, type }: OrderArguments, sources: OrderSources): Promise<string> {
  const leverage = BigInt(leverageOf(params))
  if (params.cost !== undefined) return String(toUnits(params.cost, 'cost') / leverage)
  if (amount === undefined) throw new ArgumentsRequired('amount is missing: how much of the base, or params.cost, how much USDC')
  const at = type === 'market' && price === undefined ? BigInt(await sources.price(market.id)) : BigInt(priceOf(price, 'price'))
  return String((toUnits(amount, 'amount') * at) / ONE / leverage)
}

/** The position that an order closes. There are no parts of positions to be closed. */
async function positionOf({ market, side, amount, params }: OrderArguments, sources: OrderSources): Promise<StatePosition> {
  const closed = side === 'sell' ? 0 : 1
  const there = (await sources.positions()).filter(({ asset, direction }) => asset === market.id && direction === closed)
  const found = params.positionId === undefined ? there : there.filter(({ positionId }) => String(positionId) === String(params.positionId))
  const [position, other] = found
  if (position === undefined) throw new InvalidOrder(`There is no ${closed === 0 ? 'long' : 'short'} position in ${market.symbol} to close.`)
  if (other !== undefined) throw new ArgumentsRequired(`There are ${found.length} such positions: say which by params.positionId.`)
  const whole = amountOf(position.size, position.entryPrice)
  if (amount !== undefined && toUnits(amount, 'amount') !== toUnits(whole, 'amount')) {
    throw new InvalidOrder(`A position is closed whole: position ${position.positionId} is ${whole}, not ${amount}.`)
  }
  return position
}
