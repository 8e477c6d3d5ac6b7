// The fields of each order type, in the units that users enter, and the API request made from them.

import type { TradeRequest } from '../client/src/index.ts'
import { parseAmount } from './format.ts'

export type Operation = Extract<TradeRequest['op'],
  'open_position' | 'open_position_cross' | 'close_position' | 'close_position_cross' | 'place_limit_order' | 'place_stop_limit_order' | 'place_trailing_stop'
  | 'set_stop_loss' | 'set_take_profit' | 'cancel_order' | 'deposit_cross_margin' | 'withdraw_cross_margin' | 'close_position_partial' | 'add_collateral'
  | 'remove_collateral'>

export type FieldName = 'asset' | 'direction' | 'collateral' | 'leverage' | 'triggerPrice' | 'limitPrice' | 'triggerCondition' | 'slippageToleranceBps'
  | 'trailingPercentBps' | 'positionId' | 'orderId' | 'amount' | 'closeSize'

interface OperationForm {
  readonly title: string
  readonly group: string
  readonly description: string
  readonly fields: readonly FieldName[]
  /** Contracts of generation 1 do not have it. */
  readonly needsGeneration2?: true
}

const ENTRY = ['asset', 'direction', 'collateral', 'leverage'] as const
const TRIGGER = ['triggerPrice', 'slippageToleranceBps'] as const

export const OPERATIONS: Readonly<Record<Operation, OperationForm>> = {
  open_position: {
    title: 'Open a position', group: 'Open', fields: ENTRY,
    description: 'Executes now at the market price. Isolated margin: only this position\'s collateral is at risk.',
  },
  open_position_cross: {
    title: 'Open a cross position', group: 'Open', fields: ENTRY,
    description: 'Executes now at the market price. All of the account\'s cross margin backs it: deposit cross margin first.',
  },
  place_limit_order: {
    title: 'Place a limit order', group: 'Open', fields: [...ENTRY, 'triggerPrice', 'triggerCondition', 'slippageToleranceBps'],
    description: 'Rests until the price reaches the trigger. A keeper then opens the position. Until then the market contract holds the collateral.',
  },
  place_stop_limit_order: {
    title: 'Place a stop-limit order', group: 'Open', fields: [...ENTRY, 'triggerPrice', 'triggerCondition', 'limitPrice', 'slippageToleranceBps'],
    description: 'Becomes a limit order at the limit price when the price reaches the trigger.',
  },
  close_position: { title: 'Close a position', group: 'Close', fields: ['positionId'], description: 'Closes the whole position now at the market price.' },
  close_position_cross: {
    title: 'Close a cross position', group: 'Close', fields: ['positionId'],
    description: 'Closes the whole position now at the market price. The proceeds go into the cross margin.',
  },
  close_position_partial: {
    title: 'Close a part of a position', group: 'Close', fields: ['positionId', 'closeSize'], needsGeneration2: true,
    description: 'Closes a part of an isolated position now at the market price. Its orders stay and later close the rest.',
  },
  add_collateral: {
    title: 'Add collateral', group: 'Protect a position', fields: ['positionId', 'amount'], needsGeneration2: true,
    description: 'Adds USDC to an isolated position, which moves its liquidation price away.',
  },
  remove_collateral: {
    title: 'Remove collateral', group: 'Protect a position', fields: ['positionId', 'amount'], needsGeneration2: true,
    description: 'Takes USDC out of an isolated position, which moves its liquidation price closer.',
  },
  set_take_profit: {
    title: 'Set a take-profit', group: 'Protect a position', fields: ['positionId', ...TRIGGER],
    description: 'Closes the position when the price reaches the trigger on the profit side.',
  },
  set_stop_loss: {
    title: 'Set a stop-loss', group: 'Protect a position', fields: ['positionId', ...TRIGGER],
    description: 'Closes the position when the price reaches the trigger on the loss side.',
  },
  place_trailing_stop: {
    title: 'Place a trailing stop', group: 'Protect a position', fields: ['positionId', 'trailingPercentBps', 'slippageToleranceBps'],
    description: 'Closes the position when the price retreats this far from its best.',
  },
  cancel_order: {
    title: 'Cancel an order', group: 'Orders', fields: ['orderId'],
    description: 'Returns the order\'s collateral. Also works while trading is paused.',
  },
  deposit_cross_margin: {
    title: 'Deposit cross margin', group: 'Cross margin', fields: ['amount'], description: 'Adds USDC that backs all of the account\'s cross positions.',
  },
  withdraw_cross_margin: {
    title: 'Withdraw cross margin', group: 'Cross margin', fields: ['amount'], description: 'Withdraws free margin that no cross position needs.',
  },
}

export interface Field {
  readonly label: string
  readonly help?: string
  /** Choices; without them the user types a value. */
  readonly options?: readonly (readonly [value: string, label: string])[]
  readonly initial?: string
  /** The value for the request; null if the text is invalid. */
  readonly parse: (text: string) => string | number | null
  /** Shown if the text is invalid. */
  readonly error: string
}

const BPS_PER_PERCENT = 100
const SLIPPAGE_MAX_BPS = 10_000
/** The contract rejects more. */
const TRAILING_MAX_BPS = 5_000

function parseBps(text: string, max: number): number | null {
  const bps = /^\d{1,3}(\.\d{1,2})?$/.test(text.trim()) ? Math.round(Number(text) * BPS_PER_PERCENT) : 0
  return bps >= 1 && bps <= max ? bps : null
}

function parseInteger(text: string, max: number): number | null {
  const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : 0
  return value >= 1 && value <= max ? value : null
}

function parseId(text: string): string | null {
  return /^\d{1,19}$/.test(text.trim()) ? text.trim() : null
}

function parsePositive(text: string): string | null {
  const value = parseAmount(text)
  return value === null || BigInt(value) === 0n ? null : value
}

const LEVERAGE_MAX = 10

export const FIELDS: Readonly<Record<FieldName, Field>> = {
  asset: { label: 'Market', options: [], parse: (text) => (text === '' ? null : text), error: 'Choose a market.' },
  direction: {
    label: 'Side', help: 'A long position gains when the price rises.', options: [['Long', 'Long'], ['Short', 'Short']], parse: (text) => text,
    error: 'Choose a side.',
  },
  collateral: { label: 'Collateral, USDC', help: 'At least 10.', initial: '100', parse: parsePositive, error: 'Enter an amount, for example 100 or 250.50.' },
  leverage: {
    label: 'Leverage', help: '1 to 10.', initial: '5', parse: (text) => parseInteger(text, LEVERAGE_MAX),
    error: 'Enter a whole number from 1 to 10.',
  },
  triggerPrice: { label: 'Trigger price, USDC', parse: parsePositive, error: 'Enter a price, for example 91500.25.' },
  limitPrice: { label: 'Limit price, USDC', parse: parsePositive, error: 'Enter a price, for example 91500.25.' },
  triggerCondition: {
    label: 'Trigger when the price is', options: [['Below', 'at or below the trigger'], ['Above', 'at or above the trigger']],
    parse: (text) => text, error: 'Choose a condition.',
  },
  slippageToleranceBps: {
    label: 'Slippage tolerance, %', help: 'The order is cancelled if the price moves further.', initial: '1', parse: (text) => parseBps(text, SLIPPAGE_MAX_BPS),
    error: 'Enter a percentage from 0.01 to 100.',
  },
  trailingPercentBps: {
    label: 'Trailing distance, %', help: 'From the best price. At most 50.', initial: '2', parse: (text) => parseBps(text, TRAILING_MAX_BPS),
    error: 'Enter a percentage from 0.01 to 50.',
  },
  positionId: { label: 'Position ID', parse: parseId, error: 'Enter the ID of a position.' },
  orderId: { label: 'Order ID', parse: parseId, error: 'Enter the ID of an order.' },
  amount: { label: 'Amount, USDC', initial: '100', parse: parsePositive, error: 'Enter an amount, for example 100 or 250.50.' },
  closeSize: { label: 'Size to close, USDC', help: 'At most the size of the position.', parse: parsePositive, error: 'Enter an amount, for example 250.' },
}

export type ParsedForm = { readonly request: TradeRequest } | { readonly problems: ReadonlyMap<FieldName, string> }

/** The request for these field values, or the error message of each invalid field. */
export function parseForm(op: Operation, values: ReadonlyMap<FieldName, string>): ParsedForm {
  const problems = new Map<FieldName, string>()
  const request: Record<string, string | number> = { op }
  for (const name of OPERATIONS[op].fields) {
    const value = FIELDS[name].parse(values.get(name) ?? '')
    if (value === null) problems.set(name, FIELDS[name].error)
    else request[name] = value
  }
  return problems.size > 0 ? { problems } : { request: request as unknown as TradeRequest }
}
