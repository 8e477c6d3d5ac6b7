// The operations as forms: which fields each asks for, in the units of people, and the request that comes of them.

import type { TradeRequest } from '../client/src/index.ts'
import { parseAmount } from './format.ts'

export type Operation = Extract<TradeRequest['op'],
  'open_position' | 'open_position_cross' | 'close_position' | 'close_position_cross' | 'place_limit_order' | 'place_stop_limit_order' | 'place_trailing_stop'
  | 'set_stop_loss' | 'set_take_profit' | 'cancel_order' | 'deposit_cross_margin' | 'withdraw_cross_margin'>

export type FieldName = 'asset' | 'direction' | 'collateral' | 'leverage' | 'triggerPrice' | 'limitPrice' | 'triggerCondition' | 'slippageToleranceBps'
  | 'trailingPercentBps' | 'positionId' | 'orderId' | 'amount'

interface OperationForm {
  readonly title: string
  readonly group: string
  readonly says: string
  readonly fields: readonly FieldName[]
}

const ENTRY = ['asset', 'direction', 'collateral', 'leverage'] as const
const TRIGGER = ['triggerPrice', 'slippageToleranceBps'] as const

export const OPERATIONS: Readonly<Record<Operation, OperationForm>> = {
  open_position: {
    title: 'Open a position', group: 'Open', fields: ENTRY,
    says: 'At the market price, now. Only its own collateral is at risk.',
  },
  open_position_cross: {
    title: 'Open a cross position', group: 'Open', fields: ENTRY,
    says: 'At the market price, now. All of the account\'s cross margin stands behind it: deposit into that first.',
  },
  place_limit_order: {
    title: 'Place a limit order', group: 'Open', fields: [...ENTRY, 'triggerPrice', 'triggerCondition', 'slippageToleranceBps'],
    says: 'Rests until the price is there; a keeper then opens the position. The collateral waits in the market until it does.',
  },
  place_stop_limit_order: {
    title: 'Place a stop-limit order', group: 'Open', fields: [...ENTRY, 'triggerPrice', 'triggerCondition', 'limitPrice', 'slippageToleranceBps'],
    says: 'Becomes a limit order at the limit price once the trigger price is there.',
  },
  close_position: { title: 'Close a position', group: 'Close', fields: ['positionId'], says: 'Whole, at the market price, now.' },
  close_position_cross: {
    title: 'Close a cross position', group: 'Close', fields: ['positionId'],
    says: 'Whole, at the market price, now; what is left goes into the cross margin.',
  },
  set_take_profit: {
    title: 'Set a take-profit', group: 'Guard a position', fields: ['positionId', ...TRIGGER],
    says: 'Closes the position when its price is good enough.',
  },
  set_stop_loss: {
    title: 'Set a stop-loss', group: 'Guard a position', fields: ['positionId', ...TRIGGER],
    says: 'Closes the position when its price is bad enough.',
  },
  place_trailing_stop: {
    title: 'Place a trailing stop', group: 'Guard a position', fields: ['positionId', 'trailingPercentBps', 'slippageToleranceBps'],
    says: 'Closes the position when the price falls back this far from its best.',
  },
  cancel_order: { title: 'Cancel an order', group: 'Orders', fields: ['orderId'], says: 'Its collateral comes back. Works while trading is paused.' },
  deposit_cross_margin: {
    title: 'Deposit cross margin', group: 'Cross margin', fields: ['amount'], says: 'Puts USDC behind all of the account\'s cross positions.',
  },
  withdraw_cross_margin: {
    title: 'Withdraw cross margin', group: 'Cross margin', fields: ['amount'], says: 'Takes out what no cross position needs.',
  },
}

export interface Field {
  readonly label: string
  readonly help?: string
  /** What may be chosen; without it, something is typed. */
  readonly options?: readonly (readonly [value: string, label: string])[]
  readonly initial?: string
  readonly read: (text: string) => string | number | null
  /** What is said of a text that is none. */
  readonly asks: string
}

const BPS = 100
const SHARE_MAX = 10_000
/** The contract refuses more. */
const TRAIL_MAX = 5_000

function bps(text: string, max: number): number | null {
  const share = /^\d{1,3}(\.\d{1,2})?$/.test(text.trim()) ? Math.round(Number(text) * BPS) : 0
  return share >= 1 && share <= max ? share : null
}

function whole(text: string, max: number): number | null {
  const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : 0
  return value >= 1 && value <= max ? value : null
}

function id(text: string): string | null {
  return /^\d{1,19}$/.test(text.trim()) ? text.trim() : null
}

function positive(text: string): string | null {
  const value = parseAmount(text)
  return value === null || BigInt(value) === 0n ? null : value
}

const LEVERAGE_MAX = 10

export const FIELDS: Readonly<Record<FieldName, Field>> = {
  asset: { label: 'Market', options: [], read: (text) => (text === '' ? null : text), asks: 'Choose a market.' },
  direction: {
    label: 'Side', help: 'Long wins when the price rises.', options: [['Long', 'Long'], ['Short', 'Short']], read: (text) => text, asks: 'Choose a side.',
  },
  collateral: { label: 'Collateral, USDC', help: 'At least 10.', initial: '100', read: positive, asks: 'Write an amount such as 100 or 250.50.' },
  leverage: {
    label: 'Leverage', help: '1 to 10 times the collateral.', initial: '5', read: (text) => whole(text, LEVERAGE_MAX),
    asks: 'Write a whole number from 1 to 10.',
  },
  triggerPrice: { label: 'Trigger price, USDC', read: positive, asks: 'Write a price such as 91500.25.' },
  limitPrice: { label: 'Limit price, USDC', read: positive, asks: 'Write a price such as 91500.25.' },
  triggerCondition: {
    label: 'Triggered when the price is', options: [['Below', 'at or below it'], ['Above', 'at or above it']], read: (text) => text, asks: 'Choose one.',
  },
  slippageToleranceBps: {
    label: 'Slippage tolerance, %', help: 'Further off than this, it is cancelled.', initial: '1', read: (text) => bps(text, SHARE_MAX),
    asks: 'Write a share from 0.01 to 100.',
  },
  trailingPercentBps: {
    label: 'Distance from the best price, %', help: 'At most 50.', initial: '2', read: (text) => bps(text, TRAIL_MAX), asks: 'Write a share from 0.01 to 50.',
  },
  positionId: { label: 'Position', help: 'Its number.', read: id, asks: 'Write the position\'s number.' },
  orderId: { label: 'Order', help: 'Its number.', read: id, asks: 'Write the order\'s number.' },
  amount: { label: 'Amount, USDC', initial: '100', read: positive, asks: 'Write an amount such as 100 or 250.50.' },
}

export type Filled = { readonly request: TradeRequest } | { readonly problems: ReadonlyMap<FieldName, string> }

/** The request that a filled form asks for, or what is wrong with which field. */
export function requestOf(op: Operation, values: ReadonlyMap<FieldName, string>): Filled {
  const problems = new Map<FieldName, string>()
  const request: Record<string, string | number> = { op }
  for (const name of OPERATIONS[op].fields) {
    const value = FIELDS[name].read(values.get(name) ?? '')
    if (value === null) problems.set(name, FIELDS[name].asks)
    else request[name] = value
  }
  return problems.size > 0 ? { problems } : { request: request as unknown as TradeRequest }
}
