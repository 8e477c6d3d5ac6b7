// Converts a completed trade to a CCXT order.

import type { TradeRequest } from '../calls.ts'
import type { EventRow, Transaction } from '../generated/resources.ts'
import type { Traded } from '../trade.ts'
import { amountOf, iso8601, toOptionalNumber } from './numbers.ts'
import { EMPTY_ORDER, symbolOf } from './parse.ts'
import type { Market, Order } from './types.ts'

interface Payload {
  readonly asset?: string
  readonly direction?: number
  readonly size?: string
  readonly entryPrice?: string
  readonly closePrice?: string
  readonly closedSize?: string
  readonly price?: string
  readonly pnl?: string
}

/** Something that the trade bought or sold, in the base currency. */
interface Fill {
  readonly amount: number | undefined
  readonly price: number | undefined
  /** In USDC. */
  readonly cost: number | undefined
}

/** The order of a trade: filled if it opened or closed a position immediately, else in the state of the resting order. */
export function toOrder({ market, side, request, traded }: {
  readonly market: Market; readonly side: 'buy' | 'sell'; readonly request: TradeRequest; readonly traded: Traded
}): Order {
  const { hash, order, events } = traded
  const fields = request as unknown as Readonly<Record<string, string | undefined>>
  const timestamp = events?.[0] === undefined ? undefined : events[0].ledgerCloseTs * 1000
  const base = {
    ...EMPTY_ORDER, info: traded, timestamp, datetime: iso8601(timestamp), symbol: market.symbol, side,
    reduceOnly: !request.op.startsWith('open_') && fields['collateral'] === undefined,
  }
  if (order === null) {
    // Market orders have no id, so the transaction's hash serves as one.
    return { ...base, id: hash, type: 'market', ...filledBy((events ?? []).flatMap((event) => fillOf(event, side) ?? [])), status: 'closed' }
  }
  const isLimit = request.op === 'place_limit_order' || request.op === 'place_stop_limit_order'
  const price = request.op === 'place_limit_order' ? fields['triggerPrice'] : fields['limitPrice']
  const size = fields['collateral'] === undefined ? undefined : String(BigInt(fields['collateral']) * BigInt(fields['leverage'] ?? 1))
  const amount = amountOf(size, price)
  const isResting = order.state === 'resting'
  return {
    ...base, id: order.orderId === null ? undefined : String(order.orderId), type: isLimit ? 'limit' : 'market', timeInForce: 'GTC', postOnly: false,
    price: toOptionalNumber(price), triggerPrice: request.op === 'place_limit_order' ? undefined : toOptionalNumber(fields['triggerPrice']),
    stopLossPrice: request.op === 'set_stop_loss' ? toOptionalNumber(fields['triggerPrice']) : undefined,
    takeProfitPrice: request.op === 'set_take_profit' ? toOptionalNumber(fields['triggerPrice']) : undefined,
    amount, filled: isResting ? 0 : undefined, remaining: isResting ? amount : undefined, cost: isResting ? 0 : undefined,
    status: ({ resting: 'open', executed: 'closed', cancelled: 'canceled', unknown: undefined } as const)[order.state],
  }
}

/** True for operations that open or close at once. All others that have an order id place or cancel that order. */
export function isMarketTrade(op: string | null): boolean {
  return op !== null && /^(leader_)?(open|close)_position/.test(op)
}

const TRANSACTION_STATUSES = {
  PREPARED: undefined, PENDING: 'open', SUCCESS: 'closed', FAILED: 'rejected', REJECTED: 'rejected', EXPIRED: 'expired', UNKNOWN: undefined,
} as const

/** The market order of a transaction. Before its ledger is indexed, only the transaction is known of it. */
export function parseTransactionOrder(transaction: Transaction, symbol: string | undefined): Order {
  const { hash, events, ts, status, op, clientId } = transaction
  const fills = (events ?? []).flatMap((event) => fillOf(event) ?? [])
  const main = events?.find((event) => fillOf(event) !== undefined)
  const { asset, direction } = (main?.payload ?? {}) as Payload
  const opens = main?.topic === 'position_opened'
  const timestamp = ts === null ? undefined : ts * 1000
  return {
    ...EMPTY_ORDER, id: hash, clientOrderId: clientId ?? undefined, info: transaction, timestamp, datetime: iso8601(timestamp),
    symbol: asset === undefined ? (symbol ?? '') : symbolOf(asset), type: 'market', reduceOnly: op !== null && !op.startsWith('open_'),
    side: direction === undefined ? undefined : (direction === 0) === opens ? 'buy' : 'sell', ...filledBy(fills), status: TRANSACTION_STATUSES[status],
  }
}

/** The filled part of a market order, which is all of it. */
function filledBy(fills: readonly Fill[]): Pick<Order, 'amount' | 'filled' | 'remaining' | 'average' | 'cost'> {
  const filled = total(fills.map(({ amount }) => amount))
  // All parts of one trade have the same price.
  const average = fills.at(-1)?.price
  return { amount: filled, filled, remaining: filled === undefined ? undefined : 0, average, cost: total(fills.map((fill) => fill.cost)) }
}

/** An open may also close positions in the other direction, which are part of the order. `side`: of the order, where it is known. */
function fillOf({ topic, payload }: EventRow, side?: 'buy' | 'sell'): Fill | undefined {
  const { size, entryPrice, closePrice, closedSize, price, pnl } = payload as Payload
  if (topic === 'position_opened') return { amount: amountOf(size, entryPrice), price: toOptionalNumber(entryPrice), cost: toOptionalNumber(size) }
  if (topic === 'position_closed') {
    const [amount, at] = [amountOf(size, entryPrice), toOptionalNumber(closePrice)]
    return { amount, price: at, cost: amount === undefined || at === undefined ? undefined : amount * at }
  }
  if (topic !== 'position_reduced' || closedSize === undefined) return undefined
  // The event of a partial close lacks entry price and direction. A sell closes a long, whose value at the price is the closed size and its profit.
  const value = side === undefined || pnl === undefined ? undefined : String(BigInt(closedSize) + (side === 'sell' ? BigInt(pnl) : -BigInt(pnl)))
  return { amount: amountOf(value, price), price: toOptionalNumber(price), cost: toOptionalNumber(value) }
}

/** The sum; undefined without parts, or when one is unknown. */
function total(parts: readonly (number | undefined)[]): number | undefined {
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length && known.length > 0 ? known.reduce((sum, part) => sum + part, 0) : undefined
}
