// Moving an open order: contracts cannot change one, so it is cancelled and placed again. Which orders can be moved follows from the contracts'
// operations. Pure.

import type { OpenOrder, TradeRequest } from '../../client/src/index.ts'
import { amount, parseAmount, percent, plain, price as priceText } from '../format.ts'
import type { TradeAction } from './availability.ts'
import { atOnceWarning, beyondLiquidation, entryTriggerSide, exitProblem } from './trigger.ts'
import type { TicketStep } from './ticket.ts'

/** The value that is moved: `price` can also be dragged on the chart. */
export interface Movable {
  readonly kind: 'price' | 'distance'
  readonly label: 'Trigger price' | 'Limit price' | 'Trailing distance, %'
  /** As the user would type it. */
  readonly value: string
  /** Advice before moving it; null if nothing. */
  readonly help: string | null
  /** The action of placing it again. */
  readonly action: TradeAction
}

export interface Move {
  /** A sentence; null if the input is accepted. */
  readonly problem: string | null
  readonly warning: string | null
  /** The expected result, in a sentence. */
  readonly effect?: string | null
  /** Empty if there is a problem. */
  readonly steps: readonly TicketStep[]
}

export interface MoveContext {
  /** The current price; null if unknown. */
  readonly price: string | null
  /** The position that the order belongs to; null without one. */
  readonly position: { readonly entryPrice: string; readonly liquidationPrice: string | null } | null
  readonly maxTrailingBps: number | null
}

const TRAILING_MAX_BPS = 5_000
const BPS_PER_PERCENT = 100
const TIME_IN_FORCE = { gtc: 0, ioc: 1, post_only: 2 } as const

/** Null for an order that cannot be placed again as it is: one that was to execute at once or not at all, and one whose terms are not known. */
export function movableOf(order: OpenOrder): Movable | null {
  const { orderType, referencePrice, timeInForce, reduceOnly } = order
  if (orderType === 'trailing_stop') {
    const value = order.trailingPercentBps === null ? null : String(order.trailingPercentBps / BPS_PER_PERCENT)
    const help = 'The distance counts from the price at which the order is placed again.'
    return value === null ? null : { kind: 'distance', label: 'Trailing distance, %', value, help, action: 'place_trailing' }
  }
  const isEntry = orderType === 'limit' || orderType === 'stop_limit'
  if (referencePrice === null || timeInForce === 'ioc' || (isEntry && (order.collateral === null || order.leverage === null))) return null
  return {
    kind: 'price', label: isAtLimit(order) || isLimitOrder(order) ? 'Limit price' : 'Trigger price', value: plain(referencePrice), help: helpOf(order),
    action: isEntry && !reduceOnly ? 'place_entry' : 'place_exit',
  }
}

/** Contracts have one type for orders that wait for a better price and for those that wait for a worse one. The ticket calls them limit and stop. */
function isLimitOrder({ orderType, direction, triggerCondition }: OpenOrder): boolean {
  return orderType === 'limit' && triggerCondition === entryTriggerSide('limit', direction === 0 ? 'Long' : 'Short')
}

/** A stop-limit order whose stop was reached waits for its limit price, as does a take-profit with one. */
function isAtLimit({ orderType, stopLimitPhase, limitPrice }: OpenOrder): boolean {
  return (orderType === 'stop_limit' && stopLimitPhase === 'limit_active') || (orderType === 'take_profit' && limitPrice !== null && limitPrice !== '0')
}

function helpOf({ orderType, stopLimitPhase, limitPrice }: OpenOrder): string | null {
  if (orderType !== 'stop_limit') return null
  return stopLimitPhase === 'limit_active' ? 'Its stop was reached, so it is placed again as a limit order.' : `Its limit price stays ${priceText(limitPrice)}.`
}

/** `text`: as the user typed it, or the price at which a dragged order was dropped. */
export function moveOrder(order: OpenOrder, text: string, context: MoveContext): Move {
  const movable = movableOf(order)
  if (movable === null) return { problem: 'This order cannot be moved. Cancel it, then place another.', warning: null, steps: [] }
  return movable.kind === 'distance' ? moveTrailing(order, text, context) : movePrice(order, text, context)
}

function moveTrailing(order: OpenOrder, text: string, { maxTrailingBps }: MoveContext): Move {
  const max = maxTrailingBps ?? TRAILING_MAX_BPS
  const bps = /^\d{1,2}(\.\d{1,2})?$/.test(text.trim()) ? Math.round(Number(text) * BPS_PER_PERCENT) : 0
  if (bps < 1 || bps > max) return { problem: `Enter a percentage from 0.01 to ${max / BPS_PER_PERCENT}.`, warning: null, steps: [] }
  if (bps === order.trailingPercentBps) return { problem: 'This is the distance that the order has.', warning: null, steps: [] }
  const { positionId, slippageToleranceBps } = order
  const request: TradeRequest = { op: 'place_trailing_stop', positionId: String(positionId), trailingPercentBps: bps, slippageToleranceBps }
  return { problem: null, warning: null, steps: sequence(order, `Place it again, ${percent(bps)} from the best price`, request) }
}

function movePrice(order: OpenOrder, text: string, { price, position }: MoveContext): Move {
  const parsed = parseAmount(text)
  if (parsed === null || parsed === '0') return { problem: 'Enter a price, for example 91500.25.', warning: null, steps: [] }
  if (parsed === order.referencePrice) return { problem: 'This is the price that the order has.', warning: null, steps: [] }
  const { orderType, direction, triggerCondition } = order
  if ((orderType === 'take_profit' || orderType === 'stop_loss') && position !== null) {
    const { entryPrice, liquidationPrice } = position
    const problem = exitProblem(orderType, BigInt(parsed), { direction, reference: BigInt(entryPrice), name: 'its entry price' })
      ?? (orderType === 'stop_loss' ? beyondLiquidation(BigInt(parsed), { direction, liquidationPrice }) : null)
    if (problem !== null) return { problem, warning: null, steps: [] }
  }
  const warning = atOnceWarning(BigInt(parsed), triggerCondition, price)
  return { problem: null, warning, steps: sequence(order, `Place it again at ${priceText(parsed)}`, placementAt(order, parsed)) }
}

/** The request that places the order again at another price, with the terms that it has. */
function placementAt(order: OpenOrder, price: string): TradeRequest {
  const { orderType, asset, direction, leverage, triggerCondition, slippageToleranceBps, timeInForce, reduceOnly, limitPrice } = order
  const positionId = String(order.positionId)
  if (orderType === 'stop_loss') return { op: 'set_stop_loss', positionId, triggerPrice: price, slippageToleranceBps }
  if (orderType === 'take_profit') {
    return { op: 'set_take_profit', positionId, slippageToleranceBps, ...(isAtLimit(order) ? limitTerms(order, price) : { triggerPrice: price }) }
  }
  const entry = {
    asset, direction: direction === 0 ? 'Long' : 'Short', collateral: order.collateral ?? '', leverage: leverage ?? 0, triggerCondition, slippageToleranceBps,
    ...(timeInForce === 'gtc' ? {} : { timeInForce: TIME_IN_FORCE[timeInForce] }), ...(reduceOnly ? { reduceOnly } : {}),
  } as const
  if (orderType === 'limit' || isAtLimit(order) || limitPrice === null) return { op: 'place_limit_order', ...entry, triggerPrice: price }
  return { op: 'place_stop_limit_order', ...entry, triggerPrice: price, limitPrice }
}

/** The limit price of a take-profit must not be beyond its trigger price. */
function limitTerms({ triggerPrice, triggerCondition }: OpenOrder, limitPrice: string): { readonly limitPrice: string; readonly triggerPrice: string } {
  const trigger = BigInt(triggerPrice ?? limitPrice)
  const isBeyond = triggerCondition === 'Above' ? BigInt(limitPrice) > trigger : BigInt(limitPrice) < trigger
  return { limitPrice, triggerPrice: isBeyond ? limitPrice : trigger.toString() }
}

function sequence(order: OpenOrder, title: string, request: TradeRequest): readonly TicketStep[] {
  const { orderId } = order
  const missing = withoutIt(order)
  return [
    {
      title: `Cancel order ${orderId}`, request: () => ({ op: 'cancel_order', orderId: String(orderId) }),
      note: `An order cannot be changed: it is cancelled, then placed again. If the second transaction fails, the order stays cancelled. ${missing}`,
    },
    { title, request: () => request, ifNotSent: () => `Order ${orderId} was cancelled, and was not placed again. ${missing}` },
  ]
}

const EXIT_NAMES: Readonly<Partial<Record<OpenOrder['orderType'], string>>> = {
  stop_loss: 'stop-loss', take_profit: 'take-profit', trailing_stop: 'trailing stop',
}

/** The state between cancelling the order and placing it again. */
function withoutIt({ orderType, positionId, collateral }: OpenOrder): string {
  const name = EXIT_NAMES[orderType]
  if (name !== undefined) return `Without it, position ${positionId} has no ${name}.`
  return collateral === null ? '' : `Its collateral of ${amount(collateral)} USDC is then back in your wallet.`
}
