// The forms of a position: checks the input and builds the requests. Pure.

import type { AccountState, OpenOrder } from '../../client/src/index.ts'
import { amount, parseAmount, plain } from '../format.ts'
import type { TradeAction } from './availability.ts'
import { missingText } from './funds.ts'
import { priceAtReturn, resultAt } from './position-figures.ts'
import { moveOrder } from './replace-order.ts'
import type { Move } from './replace-order.ts'
import type { TicketStep } from './ticket.ts'
import { atOnceWarning, beyondLiquidation, exitProblem, exitTriggerSide } from './trigger.ts'

export type Position = NonNullable<AccountState['positions']>[number]
export type PositionFormKind = 'take_profit' | 'stop_loss' | 'part' | 'add' | 'remove'

export interface PositionFormContext {
  /** The current price; null if unknown. */
  readonly price: string | null
  /** USDC in the wallet; null if unknown. */
  readonly available: string | null
  readonly orders: readonly OpenOrder[]
}

export const POSITION_FORMS: Readonly<Record<PositionFormKind, { readonly label: string; readonly action: TradeAction }>> = {
  take_profit: { label: 'Trigger price', action: 'place_exit' },
  stop_loss: { label: 'Trigger price', action: 'place_exit' },
  part: { label: 'Size to close, USDC', action: 'close' },
  add: { label: 'Collateral to add, USDC', action: 'add_collateral' },
  remove: { label: 'Collateral to remove, USDC', action: 'remove_collateral' },
}

/** The slippage tolerance of orders that come with a position. */
const ATTACHED_SLIPPAGE_BPS = 100
const PERCENT = 100n
const problemMove = (problem: string): Move => ({ problem, warning: null, steps: [] })

/** The order of this type that is attached to the position; the contracts accept one. */
export function attachedOrder(orders: readonly OpenOrder[], positionId: number, kind: OpenOrder['orderType']): OpenOrder | undefined {
  return orders.find((order) => order.positionId === positionId && order.orderType === kind)
}

/** Returns the transaction that closes a position. */
export function closeMove({ positionId, marginMode }: Pick<Position, 'positionId' | 'marginMode'>): Move {
  const op = marginMode === 'cross' ? 'close_position_cross' : 'close_position'
  return { problem: null, warning: null, steps: [{ title: 'Close the position', request: () => ({ op, positionId: String(positionId) }) }] }
}

/** Returns the transactions that close all of these positions. */
export function closeAllSteps(positions: readonly Pick<Position, 'positionId' | 'marginMode'>[]): readonly TicketStep[] {
  return positions.flatMap((position) => closeMove(position).steps.map((step) => ({ ...step, title: `Close position ${position.positionId}` })))
}

/** Returns the transactions that close a position and open one of its size in the other direction. */
export function reverseSteps(position: Pick<Position, 'positionId' | 'marginMode' | 'asset' | 'direction' | 'size' | 'leverage'>): readonly TicketStep[] {
  const { positionId, marginMode, asset, direction, size, leverage } = position
  const side = direction === 0 ? 'short' : 'long'
  const collateral = (BigInt(size) / BigInt(leverage)).toString()
  const op = marginMode === 'cross' ? 'open_position_cross' : 'open_position'
  return [...closeMove(position).steps, {
    title: `Open a ${side} position of ${amount(size)} USDC`,
    ifNotSent: () => `Position ${positionId} is closed, and no ${side} position was opened.`,
    request: () => ({ op, asset, direction: side === 'short' ? 'Short' : 'Long', collateral, leverage }),
  }]
}

/** `text`: as the user typed it. */
export function checkPositionForm(kind: PositionFormKind, text: string, position: Position, context: PositionFormContext): Move {
  if (kind === 'take_profit' || kind === 'stop_loss') return checkExit(kind, text, position, context)
  const parsed = parseAmount(text)
  if (parsed === null || parsed === '0') return problemMove('Enter an amount, for example 100 or 250.50.')
  const problem = amountProblem(kind, BigInt(parsed), position, context)
  if (problem !== null) return problemMove(problem)
  const positionId = String(position.positionId)
  const steps = {
    part: { title: 'Close a part of the position', request: () => ({ op: 'close_position_partial', positionId, closeSize: parsed } as const) },
    add: { title: 'Add collateral', request: () => ({ op: 'add_collateral', positionId, amount: parsed } as const) },
    remove: { title: 'Remove collateral', request: () => ({ op: 'remove_collateral', positionId, amount: parsed } as const) },
  }
  return { problem: null, warning: null, steps: [steps[kind]] }
}

function amountProblem(kind: 'part' | 'add' | 'remove', value: bigint, { size, collateral }: Position, { available }: PositionFormContext): string | null {
  if (kind === 'part' && value >= BigInt(size)) return `Enter less than the position's size, ${amount(size)} USDC. Close closes all of it.`
  if (kind === 'remove' && value >= BigInt(collateral)) return `Enter less than the position's collateral, ${amount(collateral)} USDC.`
  return kind === 'add' && available !== null && value > BigInt(available) ? missingText(BigInt(available), value) : null
}

function checkExit(kind: 'take_profit' | 'stop_loss', text: string, position: Position, { price, orders }: PositionFormContext): Move {
  const { positionId, direction, entryPrice, liquidationPrice } = position
  const existing = attachedOrder(orders, positionId, kind)
  const parsed = parseAmount(text)
  const effect = parsed === null ? null : resultAt(parsed, position)
  if (existing !== undefined) return { ...moveOrder(existing, text, { price, position, maxTrailingBps: null }), effect }
  if (parsed === null || parsed === '0') return problemMove('Enter a price, for example 91500.25.')
  const problem = exitProblem(kind, BigInt(parsed), { direction, reference: BigInt(entryPrice), name: 'its entry price' })
    ?? (kind === 'stop_loss' ? beyondLiquidation(BigInt(parsed), { direction, liquidationPrice }) : null)
  if (problem !== null) return problemMove(problem)
  const op = kind === 'take_profit' ? 'set_take_profit' : 'set_stop_loss'
  const request = { op, positionId: String(positionId), triggerPrice: parsed, slippageToleranceBps: ATTACHED_SLIPPAGE_BPS } as const
  const title = kind === 'take_profit' ? 'Set a take-profit' : 'Set a stop-loss'
  const warning = atOnceWarning(BigInt(parsed), exitTriggerSide(kind, direction), price)
  return { problem: null, warning, effect, steps: [{ title, request: () => request }] }
}

/** Prices at which the position has gained or lost a share of its margin, and is not liquidated before. */
export function exitSuggestions(
  kind: 'take_profit' | 'stop_loss', position: Pick<Position, 'direction' | 'entryPrice' | 'leverage' | 'liquidationPrice'>,
): readonly (readonly [text: string, value: string])[] {
  const { direction, liquidationPrice } = position
  return [10, 25, 50].flatMap((share) => {
    const trigger = priceAtReturn(kind === 'take_profit' ? share : -share, position)
    const isUseful = trigger > 0n && (kind === 'take_profit' || beyondLiquidation(trigger, { direction, liquidationPrice }) === null)
    return isUseful ? [[`${kind === 'take_profit' ? '+' : '−'}${share}%`, plain(trigger.toString())] as const] : []
  })
}

/** Shares of the size, for a part to close. */
export function shareSuggestions({ size }: Pick<Position, 'size'>): readonly (readonly [text: string, value: string])[] {
  return [25n, 50n, 75n].map((share) => [`${share}%`, plain(((BigInt(size) * share) / PERCENT).toString())] as const)
}
