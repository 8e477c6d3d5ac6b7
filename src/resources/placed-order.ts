import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, seconds, txHash } from './fields.ts'

const ORDER_STATUSES = ['open', 'executed', 'cancelled'] as const

export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** From the events of an order. Placement events have neither asset, direction nor size. */
export const PlacedOrderRow = Type.Object(
  {
    orderId: Type.Integer({ description: 'On-chain order id.', examples: [17] }),
    trader: address('Account that placed the order.'),
    triggerPrice: amount('Trigger price in USD, 7-decimal.', '1050000000000'),
    status: Type.Unsafe<OrderStatus>({
      type: 'string',
      enum: [...ORDER_STATUSES],
      description: 'State of the order. An order that was cancelled while it was executed is cancelled.',
      examples: ['open'],
    }),
    ledger: Type.Integer({ description: 'Ledger of the placement.', examples: [1_234_567] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: txHash('Transaction that placed the order.'),
  },
  { $id: 'PlacedOrder', description: 'An order as its events report it.' },
)

export type PlacedOrderRow = Static<typeof PlacedOrderRow>
