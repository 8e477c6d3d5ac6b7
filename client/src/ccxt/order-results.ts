// Converts a completed trade to a CCXT order.

import type { TradeRequest } from '../calls.ts'
import type { EventRow } from '../generated/resources.ts'
import type { Traded } from '../trade.ts'
import { amountOf, iso8601, toOptionalNumber } from './numbers.ts'
import { EMPTY_ORDER } from './parse.ts'
import type { Market, Order } from './types.ts'

interface Payload {
  readonly size?: string
  readonly entryPrice?: string
  readonly closePrice?: string
}

/** The order of a trade: filled if it opened or closed a position immediately, else in the state of the resting order. */
export function toOrder({ market, side, request, traded }: {
  readonly market: Market; readonly side: 'buy' | 'sell'; readonly request: TradeRequest; readonly traded: Traded
}): Order {
  const { hash, order, events } = traded
  const fields = request as unknown as Readonly<Record<string, string | undefined>>
  const opened = eventOf(events, 'position_opened')
  const closed = eventOf(events, 'position_closed')
  const timestamp = events?.[0] === undefined ? undefined : events[0].ledgerCloseTs * 1000
  const base = {
    ...EMPTY_ORDER, info: traded, timestamp, datetime: iso8601(timestamp), symbol: market.symbol, side,
    reduceOnly: !request.op.startsWith('open_') && fields['collateral'] === undefined,
  }
  if (order === null) {
    // Market orders have no id, so the transaction's hash serves as one.
    const filled = amountOf(opened?.size, opened?.entryPrice)
    const average = toOptionalNumber(opened?.entryPrice ?? closed?.closePrice)
    const cost = toOptionalNumber(opened?.size)
    return { ...base, id: hash, type: 'market', amount: filled, filled, remaining: filled === undefined ? undefined : 0, average, cost, status: 'closed' }
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

function eventOf(events: readonly EventRow[] | null, topic: string): Payload | undefined {
  return events?.find((event) => event.topic === topic)?.payload as Payload | undefined
}
