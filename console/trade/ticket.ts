// The order ticket: checks the inputs, derives the side of each trigger, and builds the requests. Pure. Amounts are integers with seven implied
// decimals.

import type { TradeRequest } from '../../client/src/index.ts'
import { amount, parseAmount, price as priceText } from '../format.ts'
import { MARKET_SLIPPAGE_MAX_BPS } from '../state/slippage.ts'
import { unavailable } from './availability.ts'
import type { MarketCondition, TradeAction } from './availability.ts'
import { liquidationAt, nettingOf, nettingProblem } from './costs.ts'
import type { Netting } from './costs.ts'
import { afterNetting, availableFor, crossProblem, missingText } from './funds.ts'
import type { Funds } from './funds.ts'
import { stepProblem } from './market-steps.ts'
import type { MarketSteps } from './market-steps.ts'
import { dangersOf, riskWarnings } from './risk.ts'
import type { Danger } from './risk.ts'
import { atOnceWarning, beyondLiquidation, entryTriggerSide, exitProblem, exitTriggerSide } from './trigger.ts'

export type OrderKind = 'market' | 'limit' | 'stop' | 'take_profit' | 'stop_loss' | 'trailing'
export type Side = 'Long' | 'Short'
export type MarginMode = 'isolated' | 'cross'

/** The inputs as the user typed them. */
export interface TicketInput {
  readonly kind: OrderKind
  readonly side: Side
  readonly marginMode: MarginMode
  /** `USDC`: the amount is collateral. `coin`: it is the size of the position in the asset. */
  readonly unit: 'USDC' | 'coin'
  readonly amount: string
  readonly leverage: string
  readonly limitPrice: string
  readonly triggerPrice: string
  readonly takeProfit: string
  readonly stopLoss: string
  /** Percent. */
  readonly distance: string
  /** Percent. */
  readonly slippage: string
  /** Percent; of market trades. */
  readonly marketSlippage: string
  /** The position that a take-profit, stop-loss or trailing stop closes. */
  readonly positionId: string
}

export type FieldName = Exclude<keyof TicketInput, 'kind' | 'side' | 'marginMode' | 'unit'>

export interface TicketPosition {
  readonly positionId: number
  readonly asset: string
  readonly direction: number
  readonly marginMode: MarginMode
  readonly size: string
  readonly leverage: number
  readonly collateral: string
  readonly entryPrice: string
  /** Null if it is not known, as of a cross position. */
  readonly liquidationPrice: string | null
  /** Amount that closing it would pay; null if it is not known. */
  readonly closeValue: string | null
}

interface AttachedOrder {
  readonly orderId: number
  readonly orderType: string
  readonly positionId: number | null
}

/** Null: unknown. */
export interface TicketContext extends Funds {
  readonly asset: string
  readonly price: string | null
  /** Conditions of the market now. */
  readonly condition: MarketCondition
  readonly minCollateral: string | null
  readonly maxLeverage: number | null
  readonly maxPositionSize: string | null
  readonly marketSteps: MarketSteps | null
  readonly headroom: { readonly long: string | null; readonly short: string | null }
  readonly maxTrailingBps: number | null
  readonly maintenanceMarginBps: number | null
  readonly positions: readonly TicketPosition[]
  /** Open orders that are attached to positions: the contracts accept one of each type. */
  readonly attached: readonly AttachedOrder[]
  /**
   * Contracts of generation 2 attach orders to cross positions, take a worst price with market trades, and close the positions in the other direction before
   * they open one.
   */
  readonly isGeneration2: boolean
}

/** One transaction of a ticket. `opened` is the position that the first step opened. */
export interface TicketStep {
  readonly title: string
  /** A note to read before signing this transaction. */
  readonly note?: string
  /** Says what is missing if an earlier transaction was applied and this one was not. */
  ifNotSent?(opened: number | null): string
  request(opened: number | null): TradeRequest
}

export interface TicketCheck {
  /** Sentences, by the field that each is about. */
  readonly problems: ReadonlyMap<FieldName, string>
  /** The reason why nothing can be sent now, whatever the fields hold; null if nothing prevents it. */
  readonly blocked: string | null
  /** Warnings to read before sending. */
  readonly warnings: readonly string[]
  /** Positions in this market that are near their liquidation, whatever the fields hold. */
  readonly dangers: readonly Danger[]
  /** The transactions in order; empty while there are problems. */
  readonly steps: readonly TicketStep[]
  /** Collateral that an entry puts in, USDC; null while the inputs do not say. */
  readonly collateral: string | null
  /** Collateral times leverage, USDC. */
  readonly size: string | null
  /** The positions that an open closes first; null if nothing. */
  readonly netting: Netting | null
  readonly leverage: number | null
  /** The position that the order closes; null for an entry. */
  readonly closes: TicketPosition | null
  /** Liquidation price of what a market order opens; null if it is not known, as of a cross position. */
  readonly liquidationPrice: string | null
}

const ONE = 10_000_000n
export const BPS_PER_PERCENT = 100
export const TRAILING_MAX_BPS = 5_000
export const SLIPPAGE_MAX_BPS = 10_000

const PRICE_EXAMPLE = 'Enter a price, for example 91500.25.'

export function isEntry(kind: OrderKind): boolean {
  return kind === 'market' || kind === 'limit' || kind === 'stop'
}

/** The inputs of a kind, in the order in which they are shown. */
export function fieldsOf({ kind, marginMode }: Pick<TicketInput, 'kind' | 'marginMode'>, isGeneration2: boolean): readonly FieldName[] {
  if (kind === 'market') {
    if (isGeneration2) return ['amount', 'leverage', 'takeProfit', 'stopLoss', 'marketSlippage']
    return marginMode === 'isolated' ? ['amount', 'leverage', 'takeProfit', 'stopLoss'] : ['amount', 'leverage']
  }
  if (kind === 'limit') return ['limitPrice', 'slippage', 'amount', 'leverage']
  if (kind === 'stop') return ['triggerPrice', 'limitPrice', 'amount', 'leverage', 'slippage']
  const own = kind === 'trailing' ? 'distance' : 'triggerPrice'
  // Contracts of generation 2 store the tolerance of these orders and fill them at any price.
  return isGeneration2 ? ['positionId', own] : ['positionId', own, 'slippage']
}

export function checkTicket(input: TicketInput, context: TicketContext): TicketCheck {
  const problems = new Map<FieldName, string>()
  const entry = isEntry(input.kind) ? checkEntry(input, context, problems) : null
  const closing = entry === null ? checkClosing(input, context, problems) : null
  for (const name of fieldsOf(input, context.isGeneration2)) {
    const problem = problems.has(name) ? null : stepProblem(name, input[name], { unit: input.unit, steps: context.marketSteps })
    if (problem !== null) problems.set(name, problem)
  }
  const steps = problems.size > 0 ? [] : entry !== null ? entrySteps(input, context, entry) : closing !== null ? closingSteps(input, closing, context) : []
  return {
    problems, steps,
    blocked: unavailable(ACTIONS[input.kind], context.condition),
    warnings: problems.size > 0 ? [] : [...warningsOf(input, context, closing), ...entryWarnings(input, context, entry)],
    dangers: dangersOf(context.positions, context.price),
    collateral: entry?.collateral?.toString() ?? null,
    size: entry?.size?.toString() ?? null,
    netting: entry?.netting ?? null,
    leverage: entry?.leverage ?? null,
    closes: closing,
    liquidationPrice: input.kind === 'market' && entry !== null ? liquidationOf(input, context, entry.leverage) : null,
  }
}

const ACTIONS: Readonly<Record<OrderKind, TradeAction>> = {
  market: 'open', limit: 'place_entry', stop: 'place_entry', take_profit: 'place_exit', stop_loss: 'place_exit', trailing: 'place_trailing',
}

interface Entry {
  readonly collateral: bigint | null
  readonly size: bigint | null
  readonly netting: Netting | null
  readonly leverage: number | null
}

function checkEntry(input: TicketInput, context: TicketContext, problems: Map<FieldName, string>): Entry {
  const { kind, side } = input
  const leverage = checkLeverage(input, context, problems)
  const limitPrice = kind === 'limit' || (kind === 'stop' && input.limitPrice.trim() !== '') ? readPrice('limitPrice', input.limitPrice, problems) : null
  const triggerPrice = kind === 'stop' ? readPrice('triggerPrice', input.triggerPrice, problems) : null
  if (kind !== 'market') checkSlippage(input, problems)
  const entryPrice = limitPrice ?? triggerPrice ?? (context.price === null ? null : BigInt(context.price))
  const entry = checkAmount(input, context, { leverage, entryPrice }, problems)
  if (kind === 'market') {
    checkAttached('takeProfit', input.takeProfit, { side, price: entryPrice, liquidationPrice: null }, problems)
    checkAttached('stopLoss', input.stopLoss, { side, price: entryPrice, liquidationPrice: liquidationOf(input, context, leverage) }, problems)
    if (context.isGeneration2 && parseBps(input.marketSlippage, MARKET_SLIPPAGE_MAX_BPS) === null) {
      problems.set('marketSlippage', `Enter a percentage from 0.01 to ${MARKET_SLIPPAGE_MAX_BPS / BPS_PER_PERCENT}.`)
    }
  }
  return { ...entry, leverage }
}

function checkLeverage({ leverage }: TicketInput, { maxLeverage }: TicketContext, problems: Map<FieldName, string>): number | null {
  const value = /^\d{1,4}$/.test(leverage.trim()) ? Number(leverage) : 0
  if (value >= 1 && (maxLeverage === null || value <= maxLeverage)) return value
  problems.set('leverage', maxLeverage === null ? 'Enter a whole number.' : `Enter a whole number from 1 to ${maxLeverage}.`)
  return null
}

function checkAmount(
  { unit, amount: text, side, kind, marginMode }: TicketInput, context: TicketContext,
  { leverage, entryPrice }: { readonly leverage: number | null; readonly entryPrice: bigint | null }, problems: Map<FieldName, string>,
): Pick<Entry, 'collateral' | 'size' | 'netting'> {
  const parsed = parseAmount(text)
  if (parsed === null || BigInt(parsed) === 0n) {
    problems.set('amount', unit === 'USDC' ? 'Enter an amount, for example 100 or 250.50.' : `Enter an amount of ${context.asset}, for example 0.01.`)
    return { collateral: null, size: null, netting: null }
  }
  if (leverage === null) return { collateral: unit === 'USDC' ? BigInt(parsed) : null, size: null, netting: null }
  const collateral = unit === 'USDC' ? BigInt(parsed) : entryPrice === null ? null : (BigInt(parsed) * entryPrice) / ONE / BigInt(leverage)
  if (collateral === null) return { collateral: null, size: null, netting: null }
  const size = collateral * BigInt(leverage)
  // Orders that a keeper executes open a position beside the others.
  const netting = kind === 'market' && context.isGeneration2
    ? nettingOf({ asset: context.asset, side, marginMode }, { collateral, size }, context.positions) : null
  const problem = amountProblem({ collateral, size, netting }, { side, isCross: kind === 'market' && marginMode === 'cross', context })
  if (problem !== null) problems.set('amount', problem)
  return { collateral, size, netting }
}

function amountProblem(
  { collateral, size, netting }: { readonly collateral: bigint; readonly size: bigint; readonly netting: Netting | null },
  { side, isCross, context }: { readonly side: Side; readonly isCross: boolean; readonly context: TicketContext },
): string | null {
  const { minCollateral, maxPositionSize, headroom, asset } = context
  const room = side === 'Long' ? headroom.long : headroom.short
  if (minCollateral !== null && collateral < BigInt(minCollateral)) return `The minimum is ${amount(minCollateral)} USDC of collateral.`
  const unnetted = netting === null ? null : nettingProblem(netting, { asset, side, minCollateral })
  if (unnetted !== null) return unnetted
  const opened = netting ?? { collateral, size }
  const { available: before, cross } = context
  const after = netting === null ? { available: before, cross } : afterNetting({ available: before, cross }, netting, isCross)
  const available = availableFor(isCross, after)
  if (available !== null && opened.collateral > available) return missingText(available, opened.collateral)
  const uncovered = isCross && after.cross !== null ? crossProblem(opened.collateral, after.cross) : null
  if (uncovered !== null) return uncovered
  if (maxPositionSize !== null && size > BigInt(maxPositionSize)) return `The largest position in ${asset} is ${amount(maxPositionSize, 0)} USDC.`
  if (room !== null && opened.size > BigInt(room)) {
    return `The exchange can take ${amount(room, 0)} USDC more ${side === 'Long' ? 'long' : 'short'} in ${asset}. Reduce the amount or the leverage.`
  }
  return null
}

function readPrice(field: FieldName, text: string, problems: Map<FieldName, string>): bigint | null {
  const parsed = parseAmount(text)
  if (parsed !== null && BigInt(parsed) > 0n) return BigInt(parsed)
  problems.set(field, PRICE_EXAMPLE)
  return null
}

/** A take-profit or stop-loss of a position that is opened now must be on its side of the price, or it would close the position at once. */
function checkAttached(
  field: 'takeProfit' | 'stopLoss', text: string,
  { side, price, liquidationPrice }: { readonly side: Side; readonly price: bigint | null; readonly liquidationPrice: string | null },
  problems: Map<FieldName, string>,
): void {
  if (text.trim() === '') return
  const trigger = readPrice(field, text, problems)
  if (trigger === null || price === null) return
  const kind = field === 'takeProfit' ? 'take_profit' : 'stop_loss'
  const direction = side === 'Long' ? 0 : 1
  const problem = exitProblem(kind, trigger, { direction, reference: price, name: 'the price' }) ?? beyondLiquidation(trigger, { direction, liquidationPrice })
  if (problem !== null) problems.set(field, problem)
}

function checkSlippage({ slippage }: TicketInput, problems: Map<FieldName, string>): void {
  if (parseBps(slippage, SLIPPAGE_MAX_BPS) === null) problems.set('slippage', 'Enter a percentage from 0.01 to 100.')
}

/** A percentage with at most two decimals as basis points, from 1 to `max`; null for anything else. */
export function parseBps(text: string, max: number): number | null {
  const bps = /^\d{1,3}(\.\d{1,2})?$/.test(text.trim()) ? Math.round(Number(text) * BPS_PER_PERCENT) : 0
  return bps >= 1 && bps <= max ? bps : null
}

const ORDER_TYPE_OF: Readonly<Partial<Record<OrderKind, string>>> = { take_profit: 'take_profit', stop_loss: 'stop_loss', trailing: 'trailing_stop' }

function checkClosing(input: TicketInput, context: TicketContext, problems: Map<FieldName, string>): TicketPosition | null {
  const position = context.positions.find(({ positionId }) => String(positionId) === input.positionId) ?? null
  if (position === null) problems.set('positionId', context.positions.length === 0 ? 'You have no open position to close.' : 'Choose a position.')
  else if (position.marginMode === 'cross' && !context.isGeneration2) {
    problems.set('positionId', 'The contracts attach no orders to cross positions. Choose an isolated position.')
  }
  if (!context.isGeneration2) checkSlippage(input, problems)
  const other = context.attached.find(({ orderType, positionId }) => positionId === position?.positionId && orderType === ORDER_TYPE_OF[input.kind])
  if (position !== null && other !== undefined) {
    problems.set('positionId', `Position ${position.positionId} already has this order: ${other.orderId}. Move or cancel it in the Orders tab.`)
  }
  const max = context.maxTrailingBps ?? TRAILING_MAX_BPS
  if (input.kind === 'trailing') {
    if (parseBps(input.distance, max) === null) problems.set('distance', `Enter a percentage from 0.01 to ${max / BPS_PER_PERCENT}.`)
    return position
  }
  const trigger = readPrice('triggerPrice', input.triggerPrice, problems)
  if (trigger !== null && position !== null) {
    const { direction, entryPrice, liquidationPrice } = position
    const kind = input.kind === 'take_profit' ? 'take_profit' : 'stop_loss'
    const problem = exitProblem(kind, trigger, { direction, reference: BigInt(entryPrice), name: 'its entry price' })
      ?? (kind === 'stop_loss' ? beyondLiquidation(trigger, { direction, liquidationPrice }) : null)
    if (problem !== null) problems.set('triggerPrice', problem)
  }
  return position
}

/** Liquidation price of what is opened now; null for cross margin, where the account decides. */
function liquidationOf({ side, marginMode }: TicketInput, { price, maintenanceMarginBps }: TicketContext, leverage: number | null): string | null {
  if (marginMode === 'cross' || price === null || leverage === null || maintenanceMarginBps === null) return null
  return liquidationAt(BigInt(price), { side, leverage, maintenanceMarginBps })?.toString() ?? null
}

function entryWarnings(input: TicketInput, context: TicketContext, entry: Entry | null): readonly string[] {
  if (entry === null || entry.size === null) return []
  const { side, kind } = input
  const { asset, price, maxPositionSize, headroom } = context
  const liquidationPrice = kind === 'market' ? liquidationOf(input, context, entry.leverage) : null
  return riskWarnings(
    { asset, side, size: entry.size, opened: entry.netting?.size ?? entry.size, liquidationPrice },
    { price, largest: maxPositionSize, room: side === 'Long' ? headroom.long : headroom.short },
  )
}

/** A trigger that the price has already reached. */
function warningsOf(input: TicketInput, { price }: TicketContext, closing: TicketPosition | null): readonly string[] {
  const { kind, side } = input
  if (kind === 'market' || kind === 'trailing') return []
  const trigger = parseAmount(kind === 'limit' ? input.limitPrice : input.triggerPrice)
  if (trigger === null) return []
  if (kind === 'limit' || kind === 'stop') return listOf(atOnceWarning(BigInt(trigger), entryTriggerSide(kind, side), price))
  return closing === null ? [] : listOf(atOnceWarning(BigInt(trigger), exitTriggerSide(kind, closing.direction), price))
}

const listOf = (text: string | null): readonly string[] => (text === null ? [] : [text])

function entrySteps(input: TicketInput, { asset }: TicketContext, { collateral, leverage }: Entry): readonly TicketStep[] {
  if (collateral === null || leverage === null) return []
  const { kind, side, marginMode } = input
  const terms = { asset, direction: side, collateral: collateral.toString(), leverage }
  if (kind === 'market') {
    const op = marginMode === 'cross' ? 'open_position_cross' : 'open_position'
    const open: TicketStep = { title: `Open a ${side.toLowerCase()} position`, request: () => ({ op, ...terms }) }
    return [open, ...attachedSteps(input)]
  }
  const slippageToleranceBps = parseBps(input.slippage, SLIPPAGE_MAX_BPS) ?? 0
  const resting = { ...terms, triggerCondition: entryTriggerSide(kind === 'limit' ? 'limit' : 'stop', side), slippageToleranceBps } as const
  if (kind === 'limit') {
    const triggerPrice = parseAmount(input.limitPrice) ?? ''
    return [{ title: 'Place a limit order', request: () => ({ op: 'place_limit_order', ...resting, triggerPrice }) }]
  }
  const triggerPrice = parseAmount(input.triggerPrice) ?? ''
  const limitPrice = parseAmount(input.limitPrice)
  if (limitPrice === null) return [{ title: 'Place a stop order', request: () => ({ op: 'place_limit_order', ...resting, triggerPrice }) }]
  return [{ title: 'Place a stop-limit order', request: () => ({ op: 'place_stop_limit_order', ...resting, triggerPrice, limitPrice }) }]
}

/** The slippage tolerance of orders that come with an open, and of those that contracts of generation 2 fill at any price. */
const ATTACHED_SLIPPAGE_BPS = 100

function attachedSteps({ takeProfit, stopLoss }: TicketInput): readonly TicketStep[] {
  const attached = [
    { name: 'take-profit', op: 'set_take_profit', triggerPrice: parseAmount(takeProfit) },
    { name: 'stop-loss', op: 'set_stop_loss', triggerPrice: parseAmount(stopLoss) },
  ] as const
  return attached.flatMap(({ name, op, triggerPrice }) => (triggerPrice === null ? [] : [{
    title: `Set the ${name} at ${priceText(triggerPrice)}`,
    ifNotSent: (opened: number | null) => `Position ${opened === null ? '' : `${opened} `}is open without its ${name}.`,
    request: (opened: number | null) => ({ op, positionId: String(opened), triggerPrice, slippageToleranceBps: ATTACHED_SLIPPAGE_BPS }),
  }]))
}

function closingSteps(input: TicketInput, { positionId }: TicketPosition, { isGeneration2 }: TicketContext): readonly TicketStep[] {
  const slippageToleranceBps = isGeneration2 ? ATTACHED_SLIPPAGE_BPS : parseBps(input.slippage, SLIPPAGE_MAX_BPS) ?? 0
  const terms = { positionId: String(positionId), slippageToleranceBps }
  if (input.kind === 'trailing') {
    const trailingPercentBps = parseBps(input.distance, TRAILING_MAX_BPS) ?? 0
    return [{ title: 'Place a trailing stop', request: () => ({ op: 'place_trailing_stop', ...terms, trailingPercentBps }) }]
  }
  const triggerPrice = parseAmount(input.triggerPrice) ?? ''
  const op = input.kind === 'take_profit' ? 'set_take_profit' : 'set_stop_loss'
  return [{ title: input.kind === 'take_profit' ? 'Set a take-profit' : 'Set a stop-loss', request: () => ({ op, ...terms, triggerPrice }) }]
}
