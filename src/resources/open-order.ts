import { Type } from 'typebox'
import type { Static, TUnsafe } from 'typebox'
import { amountOrNull, EXAMPLE_TRADER, address, integerOrNull, ref, seconds, textOrNull } from './fields.ts'

const oneOf = <Name extends string>(names: readonly Name[], description: string): TUnsafe<Name> =>
  Type.Unsafe<Name>({ type: 'string', enum: [...names], description, examples: [names[0]] })

/** An order that rests, as the ledger has it: stop-limit orders and trailing stops included, whose placement emits no event. */
export const OpenOrder = Type.Object(
  {
    orderId: Type.Integer({ description: 'On-chain order id', examples: [17] }),
    trader: address('Who placed it', EXAMPLE_TRADER),
    orderType: oneOf(
      ['limit', 'stop_limit', 'stop_loss', 'take_profit', 'trailing_stop'],
      'The first two open a position, the others close the one they hang on',
    ),
    asset: Type.String({ description: 'Asset symbol', examples: ['BTC'] }),
    direction: Type.Integer({ description: '0 long, 1 short: of the position that it opens or closes', examples: [0] }),
    positionId: integerOrNull({ description: 'The position that it hangs on; null for an order that opens one', examples: [42] }),
    collateral: amountOrNull('Waits in the market until the order ends, 7-decimal USDC; null for an order that hangs on a position', '100000000'),
    leverage: Type.Integer({ description: 'Of the position', examples: [5] }),
    size: amountOrNull('Collateral times leverage, 7-decimal USDC; null for an order that hangs on a position', '500000000'),
    triggerPrice: amountOrNull('7-decimal; null for a trailing stop', '1050000000000'),
    triggerCondition: oneOf(['Above', 'Below'], 'The side of its price at which it triggers'),
    limitPrice: amountOrNull('7-decimal; null where the order has none', '1051000000000'),
    stopLimitPhase: textOrNull({ description: 'waiting_for_stop or limit_active; null for other types', examples: ['waiting_for_stop'] }),
    trailingPercentBps: integerOrNull({ description: 'Null for other types', examples: [250] }),
    peakPrice: amountOrNull('The best price since the trailing stop was placed, 7-decimal; null for other types', '1090000000000'),
    referencePrice: amountOrNull(
      'What the price is compared with next: trigger, limit, or what the trail has come to; null when that is not known',
      '1050000000000',
    ),
    slippageToleranceBps: Type.Integer({ description: 'Further from the reference price than this, the order is cancelled', examples: [100] }),
    timeInForce: oneOf(['gtc', 'ioc', 'post_only'], 'As it was placed'),
    reduceOnly: Type.Boolean({ description: 'Closes an opposite position and opens none', examples: [false] }),
    createdAt: seconds('Close time of the ledger that it was placed in, unix seconds'),
  },
  { $id: 'OpenOrder', description: 'A resting order' },
)

export type OpenOrder = Static<typeof OpenOrder>

/** All of an account's, and where they were read. */
export const OpenOrders = Type.Object(
  {
    orders: Type.Array(ref(OpenOrder)),
    ledger: Type.Integer({ description: 'The ledger that the orders were read from', examples: [1_234_567] }),
    ledgerCloseTs: integerOrNull({ description: 'When it closed, unix seconds; null when the network did not tell', examples: [1_783_339_200] }),
  },
  { $id: 'OpenOrders', description: 'An account\'s resting orders, newest first' },
)

export type OpenOrders = Static<typeof OpenOrders>

export const EXAMPLE_OPEN_ORDER: OpenOrder = {
  orderId: 17, trader: EXAMPLE_TRADER, orderType: 'stop_limit', asset: 'BTC', direction: 0, positionId: null, collateral: '100000000', leverage: 5,
  size: '500000000', triggerPrice: '1050000000000', triggerCondition: 'Below', limitPrice: '1051000000000', stopLimitPhase: 'waiting_for_stop',
  trailingPercentBps: null, peakPrice: null, referencePrice: '1050000000000', slippageToleranceBps: 100, timeInForce: 'gtc', reduceOnly: false,
  createdAt: 1_783_339_200,
}

