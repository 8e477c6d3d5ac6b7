// Describes a change of the account in a sentence.

import type { DataOf, Fill, Order, Transaction } from '../client/src/index.ts'
import { amount, price, sideOf, signed } from './format.ts'

/** A change of an order, a position or a submission. */
export type OrderChange = DataOf<`account.orders.${string}`>

/** `urgent`: money was lost without an action of the user. */
export type Tone = 'good' | 'bad' | 'neutral' | 'urgent'

export interface Sentence {
  readonly tone: Tone
  readonly text: string
}

export const ORDER_TYPES: Readonly<Record<string, string>> = {
  limit: 'Limit order', stop_limit: 'Stop-limit order', stop_loss: 'Stop-loss', take_profit: 'Take-profit', trailing_stop: 'Trailing stop',
}

/** Kinds of changes of a position, as in fills and prints. */
export const FILL_KINDS: Readonly<Record<Fill['kind'], string>> = {
  open: 'Open', close: 'Close', reduce: 'Reduce', liquidation: 'Liquidation', partial_liquidation: 'Part. liquidation', adl: 'ADL',
}

/** Reasons why an order ended without being executed. */
export const END_REASONS: Readonly<Record<string, string>> = {
  user: 'you cancelled it', slippage: 'the price moved further than its slippage tolerance', pos_closed: 'its position was closed',
  reduce_only_no_position: 'there was no position to reduce', asset_unconfigured: 'the market is not configured', risk_config: 'the market\'s limits changed',
}

/** The transaction that caused the change; null if it is not known. */
export function transactionOf(change: OrderChange): string | null {
  if (change.kind === 'submission') return change.row.hash
  return change.kind === 'fill' ? change.row.txHash : (change.row.ended ?? change.row.placed)?.txHash ?? null
}

/** Identifies a change: the stream and the lists report the same one. */
export function identityOf(change: OrderChange): string {
  if (change.kind === 'submission') return `submission ${change.row.hash} ${change.row.status}`
  if (change.kind === 'order') return `order ${change.row.orderId} ${change.row.status}`
  return `fill ${change.row.seq} ${change.row.positionId} ${change.row.kind}`
}

/** Unix seconds of the ledger that made the change; null if none did. */
export function timeOf(change: OrderChange): number | null {
  return change.kind === 'order' ? (change.row.ended ?? change.row.placed)?.ts ?? null : change.row.ts
}

/** Null for a change that another sentence covers. */
export function describeChange(change: OrderChange): Sentence | null {
  if (change.kind === 'order') return describeOrder(change.row)
  return change.kind === 'fill' ? describeFill(change.row) : describeSubmission(change.row)
}

/** Returns the state of an order as text that follows its id. */
export function orderState({ status, ended, execution }: Order): string {
  if (status === 'executed') return execution === null ? 'executed' : `executed at ${price(execution.price)}`
  return status === 'cancelled' && ended !== null ? `cancelled: ${END_REASONS[ended.reason] ?? ended.reason}` : status
}

function describeOrder({ orderId, orderType, asset, status, ended, execution }: Order): Sentence | null {
  const name = `${orderType === null ? 'Order' : ORDER_TYPES[orderType] ?? 'Order'} ${orderId}${asset === null ? '' : ` in ${asset}`}`
  if (status === 'pending') return { tone: 'neutral', text: `${name} was placed.` }
  if (status === 'cancelled') {
    const reason = ended === null ? null : END_REASONS[ended.reason] ?? ended.reason
    return { tone: ended?.reason === 'user' ? 'neutral' : 'bad', text: `${name} was cancelled${reason === null ? '' : `: ${reason}`}.` }
  }
  return { tone: 'good', text: `${name} was executed${execution === null ? '' : ` at ${price(execution.price)}`}.` }
}

const VERBS: Readonly<Partial<Record<Fill['kind'], string>>> = {
  open: 'opened', close: 'closed', reduce: 'reduced', liquidation: 'liquidated', partial_liquidation: 'partly liquidated', adl: 'closed by auto-deleveraging',
}

function describeFill({ kind, asset, direction, size, price: at, pnl }: Fill): Sentence {
  const side = direction === null ? '' : `${sideOf(direction).toLowerCase()} `
  const what = `Your ${side}${asset ?? ''} position`.replace(/ +/g, ' ')
  const isForced = kind === 'liquidation' || kind === 'partial_liquidation' || kind === 'adl'
  const details = [
    at === null ? '' : ` at ${price(at)}`,
    size === null ? '' : `, ${amount(size)} USDC`,
    pnl === null || kind === 'open' ? '' : isForced && BigInt(pnl) < 0n ? `. Loss: ${amount((-BigInt(pnl)).toString())} USDC` : `. PnL: ${signed(pnl)} USDC`,
  ]
  const tone = isForced ? 'urgent' : pnl !== null && BigInt(pnl) < 0n ? 'bad' : 'good'
  return { tone, text: `${what} was ${VERBS[kind] ?? kind}${details.join('')}.` }
}

/** Their success shows itself as an order or a fill. */
const SHOWN_BY_EVENTS = /^(open_position|close_position|place_|set_stop_loss|set_take_profit|cancel_)/

function describeSubmission({ hash, status, op, contractError, ledger }: Transaction): Sentence | null {
  const name = `Transaction ${hash.slice(0, 8)}${op === null ? '' : ` (${op.replaceAll('_', ' ')})`}`
  if (status === 'FAILED') {
    const reason = contractError === null ? '' : `: ${contractError.name} (${contractError.code})`
    return { tone: 'bad', text: `${name} failed in a ledger${reason}. Its fee was charged.` }
  }
  if (status === 'REJECTED') return { tone: 'bad', text: `${name} was rejected by the network. Nothing was charged.` }
  if (status === 'EXPIRED') return { tone: 'bad', text: `${name} expired without being applied. It is safe to send it again.` }
  if (status === 'UNKNOWN') return { tone: 'bad', text: `${name} has no known outcome yet. Check it before you trade again.` }
  if (status === 'SUCCESS' && (op === null || !SHOWN_BY_EVENTS.test(op))) {
    return { tone: 'good', text: `${name} is final${ledger === null ? '' : ` in ledger ${ledger}`}.` }
  }
  return null
}
