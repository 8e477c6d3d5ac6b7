// The order that the leader's form asks for: its inputs, and its request. Pure.

import type { TradeRequest } from '../../client/src/index.ts'
import { parseAmount } from '../format.ts'
import { parseBps, SLIPPAGE_MAX_BPS, TRAILING_MAX_BPS } from '../trade/ticket.ts'
import { entryTriggerSide } from '../trade/trigger.ts'

export type LeaderKind = 'open' | 'close' | 'limit' | 'stop_limit' | 'stop_loss' | 'take_profit' | 'trailing' | 'cancel'

/** The inputs as the user typed them. */
export interface LeaderInput {
  readonly kind: LeaderKind
  readonly asset: string
  readonly side: 'Long' | 'Short'
  readonly collateral: string
  readonly leverage: string
  readonly triggerPrice: string
  readonly limitPrice: string
  readonly positionId: string
  /** Percent. */
  readonly distance: string
  /** Percent. */
  readonly slippage: string
  readonly orderId: string
}

export type LeaderField = 'asset' | 'side' | 'collateral' | 'leverage' | 'positionId' | 'triggerPrice' | 'limitPrice' | 'distance' | 'slippage' | 'orderId'

const ENTRY = ['asset', 'side', 'collateral', 'leverage'] as const

/** The inputs of each kind, in the order in which they are shown. */
export const LEADER_FIELDS: Readonly<Record<LeaderKind, readonly LeaderField[]>> = {
  open: ENTRY,
  close: ['positionId'],
  limit: [...ENTRY, 'limitPrice', 'slippage'],
  stop_limit: [...ENTRY, 'triggerPrice', 'limitPrice', 'slippage'],
  stop_loss: ['positionId', 'triggerPrice', 'slippage'],
  take_profit: ['positionId', 'triggerPrice', 'limitPrice', 'slippage'],
  trailing: ['positionId', 'distance', 'slippage'],
  cancel: ['orderId'],
}

/** Explains what the slippage tolerance does, in a sentence. Contracts of generation 2 apply it only to orders with a limit price. */
export function slippageHelp({ kind, limitPrice }: Pick<LeaderInput, 'kind' | 'limitPrice'>): string {
  return kind === 'limit' || kind === 'stop_limit' || (kind === 'take_profit' && limitPrice.trim() !== '')
    ? 'The order is cancelled if the price is further from its limit price than this when a keeper executes it.'
    : 'Without a limit price, the order is filled at any price once it triggers. The contracts store this value but do not use it.'
}

/** The request, or what is missing, in a sentence. */
export function leaderRequest(vaultId: number, input: LeaderInput): TradeRequest | string {
  const { kind, positionId } = input
  if (kind === 'cancel') return /^\d{1,18}$/.test(input.orderId) ? { op: 'leader_cancel_order', vaultId, orderId: input.orderId } : 'Enter the ID of an order.'
  if (kind === 'open' || kind === 'limit' || kind === 'stop_limit') return entryRequest(vaultId, input, kind)
  if (positionId === '') return 'Choose a position.'
  if (kind === 'close') return { op: 'leader_close_position', vaultId, positionId }
  const slippageToleranceBps = parseBps(input.slippage, SLIPPAGE_MAX_BPS)
  if (kind === 'trailing') {
    const trailingPercentBps = parseBps(input.distance, TRAILING_MAX_BPS)
    if (trailingPercentBps === null) return 'Enter a trailing distance from 0.01 to 50 percent.'
    if (slippageToleranceBps === null) return SLIPPAGE_PROBLEM
    return { op: 'leader_place_trailing_stop', vaultId, positionId, trailingPercentBps, slippageToleranceBps }
  }
  const triggerPrice = priceOf(input.triggerPrice)
  if (triggerPrice === null) return 'Enter the trigger price.'
  if (slippageToleranceBps === null) return SLIPPAGE_PROBLEM
  const order = { vaultId, positionId, triggerPrice, slippageToleranceBps }
  if (kind === 'stop_loss') return { op: 'leader_set_stop_loss', ...order }
  if (input.limitPrice.trim() === '') return { op: 'leader_set_take_profit', ...order }
  const limitPrice = priceOf(input.limitPrice)
  return limitPrice === null ? 'Enter the limit price as a number, or leave it empty.' : { op: 'leader_set_take_profit', ...order, limitPrice }
}

const SLIPPAGE_PROBLEM = 'Enter a slippage tolerance from 0.01 to 100 percent.'

function entryRequest(vaultId: number, input: LeaderInput, kind: 'open' | 'limit' | 'stop_limit'): TradeRequest | string {
  const { asset, side } = input
  const collateral = priceOf(input.collateral)
  const leverage = /^\d{1,4}$/.test(input.leverage.trim()) ? Number(input.leverage) : 0
  if (asset === '') return 'Choose a market.'
  if (collateral === null) return 'Enter the collateral in USDC.'
  if (leverage < 1) return 'Enter the leverage as a whole number.'
  const terms = { vaultId, asset, collateral, leverage, direction: side }
  if (kind === 'open') return { op: 'leader_open_position', ...terms }
  const triggerPrice = kind === 'stop_limit' ? priceOf(input.triggerPrice) : null
  if (kind === 'stop_limit' && triggerPrice === null) return 'Enter the trigger price.'
  const limitPrice = priceOf(input.limitPrice)
  const slippageToleranceBps = parseBps(input.slippage, SLIPPAGE_MAX_BPS)
  if (limitPrice === null) return 'Enter the limit price.'
  if (slippageToleranceBps === null) return SLIPPAGE_PROBLEM
  if (triggerPrice === null) {
    return { op: 'leader_place_limit_order', ...terms, triggerPrice: limitPrice, triggerCondition: entryTriggerSide('limit', side), slippageToleranceBps }
  }
  return { op: 'leader_place_stop_limit', ...terms, triggerPrice, limitPrice, triggerCondition: entryTriggerSide('stop', side), slippageToleranceBps }
}

function priceOf(text: string): string | null {
  const parsed = parseAmount(text)
  return parsed === '0' ? null : parsed
}
