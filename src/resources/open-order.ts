import { Type } from 'typebox'
import type { Static, TUnsafe } from 'typebox'
import { amountOrNull, EXAMPLE_TRADER, address, integerOrNull, ref, seconds, textOrNull } from './fields.ts'

const oneOf = <Name extends string>(names: readonly Name[], description: string): TUnsafe<Name> =>
  Type.Unsafe<Name>({ type: 'string', enum: [...names], description, examples: [names[0]] })

const OrderWarning = Type.Object({
  code: Type.Literal('above_headroom', { description: 'What keeps the order from being executed.' }),
  message: Type.String({
    description: 'What it means and what to do, for people.',
    examples: ['The order opens 500 USD of BTC, but only 100 USD can be opened in this direction now.'],
  }),
})

export type OrderWarning = Static<typeof OrderWarning>

/** Read from the ledger, because placing a stop-limit order or trailing stop emits no event. */
export const OpenOrder = Type.Object(
  {
    orderId: Type.Integer({ description: 'On-chain order id.', examples: [17] }),
    trader: address('Account that placed the order.', EXAMPLE_TRADER),
    orderType: oneOf(
      ['limit', 'stop_limit', 'stop_loss', 'take_profit', 'trailing_stop'],
      'Order type. limit and stop_limit open a position. The others close the position they are attached to.',
    ),
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    direction: Type.Integer({ description: 'Direction of the position that the order opens or closes: 0 is long, 1 is short.', examples: [0] }),
    positionId: integerOrNull({ description: 'Position that the order is attached to. Null for orders that open a position.', examples: [42] }),
    collateral: amountOrNull(
      'Collateral that the market contract holds until the order executes or is cancelled, in USDC, 7-decimal. Null for attached orders.', '100000000',
    ),
    leverage: Type.Integer({ description: 'Leverage of the position.', examples: [5] }),
    size: amountOrNull('Collateral times leverage, in USDC, 7-decimal. Null for attached orders.', '500000000'),
    triggerPrice: amountOrNull('Trigger price in USD, 7-decimal. Null for trailing stops.', '1050000000000'),
    triggerCondition: oneOf(['Above', 'Below'], 'Whether the order triggers above or below its trigger price.'),
    limitPrice: amountOrNull('Limit price in USD, 7-decimal. Null if the order has none.', '1051000000000'),
    stopLimitPhase: textOrNull({ description: 'waiting_for_stop or limit_active. Null for other order types.', examples: ['waiting_for_stop'] }),
    trailingPercentBps: integerOrNull({ description: 'Trailing distance in basis points. Null for other order types.', examples: [250] }),
    peakPrice: amountOrNull('Best price since the trailing stop was placed, in USD, 7-decimal. Null for other order types.', '1090000000000'),
    referencePrice: amountOrNull(
      'Price that the market price is compared with: the trigger, the limit or the current trailing stop price. Null if unknown.',
      '1050000000000',
    ),
    slippageToleranceBps: Type.Integer({
      description: 'Slippage tolerance in basis points. The order is cancelled if the price deviates more from referencePrice.', examples: [100],
    }),
    timeInForce: oneOf(['gtc', 'ioc', 'post_only'], 'Time in force.'),
    reduceOnly: Type.Boolean({ description: 'True if the order can only close an opposite position.', examples: [false] }),
    createdAt: seconds('Close time of the ledger in which the order was placed, Unix seconds.'),
    warnings: Type.Optional(Type.Array(OrderWarning, {
      description: 'What keeps the order from being executed now: above_headroom, when it opens more than the pool takes. Absent if no reason is known.',
    })),
  },
  { $id: 'OpenOrder', description: 'An open order.' },
)

export type OpenOrder = Static<typeof OpenOrder>

export const OpenOrders = Type.Object(
  {
    orders: Type.Array(ref(OpenOrder)),
    ledger: Type.Integer({ description: 'Ledger that the orders were read from.', examples: [1_234_567] }),
    ledgerCloseTs: integerOrNull({ description: 'Close time of that ledger, Unix seconds. Null if the network did not report it.', examples: [1_783_339_200] }),
  },
  { $id: 'OpenOrders', description: 'Open orders of an account, newest first.' },
)

export type OpenOrders = Static<typeof OpenOrders>

export const EXAMPLE_OPEN_ORDER: OpenOrder = {
  orderId: 17, trader: EXAMPLE_TRADER, orderType: 'stop_limit', asset: 'BTC', direction: 0, positionId: null, collateral: '100000000', leverage: 5,
  size: '500000000', triggerPrice: '1050000000000', triggerCondition: 'Below', limitPrice: '1051000000000', stopLimitPhase: 'waiting_for_stop',
  trailingPercentBps: null, peakPrice: null, referencePrice: '1050000000000', slippageToleranceBps: 100, timeInForce: 'gtc', reduceOnly: false,
  createdAt: 1_783_339_200,
}

