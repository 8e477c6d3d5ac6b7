import { Type } from 'typebox'
import type { Static, TSchema, TUnsafe } from 'typebox'
import { amount, amountOrNull, EXAMPLE_TRADER, EXAMPLE_TX_HASH, integerOrNull, seconds, textOrNull, txHash } from './fields.ts'
import { EXAMPLE_OPEN_ORDER, OpenOrder } from './open-order.ts'

export const ORDER_LIFE_STATUSES = ['pending', 'executed', 'cancelled'] as const

export type OrderLifeStatus = (typeof ORDER_LIFE_STATUSES)[number]

const { orderId, positionId, collateral, size, triggerPrice, limitPrice, stopLimitPhase, trailingPercentBps, peakPrice, referencePrice } = OpenOrder.properties

const UNREAD = 'Null while the placement details are unknown.'

/** The member of an open order, which is null while the placement details are unknown. */
function orNull<S extends TSchema>(member: S, note = UNREAD): TUnsafe<Static<S> | null> {
  const { type, enum: names, description, ...rest } = member as unknown as {
    readonly type: string; readonly enum?: readonly string[]; readonly description: string
  }
  return Type.Unsafe<Static<S> | null>({
    ...rest, description: `${description} ${note}`, type: [type, 'null'], ...(names === undefined ? {} : { enum: [...names, null] }),
  })
}

/** The same of a member that an open order may have as null. */
function orUnread<S extends TSchema>(member: S): S {
  return { ...member, description: `${(member as unknown as { readonly description: string }).description} ${UNREAD}` }
}

const Placement = Type.Unsafe<{ readonly ledger: number | null; readonly ts: number; readonly txHash: string | null; readonly seq: number | null } | null>({
  type: ['object', 'null'],
  description:
    'When the order was placed. The market of generation 1 reports no event when a stop-limit order or a trailing stop is placed: then only `ts` is known, ' +
    'from the order itself, until the indexer has found the transaction, and for good if no node has it any more. Null if no event reported the placement ' +
    'and the ledger no longer has the order, so that its end is all that is known.',
  properties: {
    ledger: integerOrNull({ description: 'Ledger. Null while the transaction is unknown.', examples: [1_234_567] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: textOrNull({ description: 'Transaction hash. Null while the transaction is unknown.', examples: [EXAMPLE_TX_HASH] }),
    seq: integerOrNull({
      description: 'Position in the log: of the event, or of what reported the placement instead. Null while the transaction is unknown.', examples: [4_711],
    }),
  },
  required: ['ledger', 'ts', 'txHash', 'seq'],
  additionalProperties: false,
})

const End = Type.Unsafe<{ readonly ledger: number; readonly ts: number; readonly txHash: string; readonly seq: number; readonly reason: string } | null>({
  type: ['object', 'null'],
  description: 'When and why the order ended. Null while it is pending, and if it ended without an event: with a reset of its chain, or in missing ledgers.',
  properties: {
    ledger: Type.Integer({ description: 'Ledger.', examples: [1_234_890] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: txHash('Transaction that ended the order.'),
    seq: Type.Integer({ description: 'Position of the event in the log.', examples: [4_815] }),
    reason: Type.String({
      description:
        'executed, or the reason of the cancellation as the contract reports it: user, slippage, ioc_not_filled, pos_closed, reduce_only_no_position, ' +
        'asset_unconfigured, risk_config.',
      examples: ['executed'],
    }),
  },
  required: ['ledger', 'ts', 'txHash', 'seq', 'reason'],
  additionalProperties: false,
})

const Execution = Type.Unsafe<{
  readonly price: string
  readonly size: string
  readonly fee: string | null
  readonly keeperReward: string | null
  readonly positionId: number
  readonly pnl: string | null
} | null>({
  type: ['object', 'null'],
  description: 'What the execution did. Null unless `status` is executed, and if the event of the position is missing.',
  properties: {
    price: amount('Price at which the position was opened or closed, in USD, 7-decimal.', '1050000000000'),
    size: amount('Size that was opened or closed, in USDC, 7-decimal.', '500000000'),
    fee: amountOrNull('Trading fee in USDC, 7-decimal. Null if unknown.', '350000'),
    keeperReward: amountOrNull('What the keeper was paid in USDC, 7-decimal. Null if unknown.', '5250000'),
    positionId: Type.Integer({ description: 'Position that was opened or closed.', examples: [43] }),
    pnl: amountOrNull('Profit by price alone, in USDC, 7-decimal. Null if the order opened the position.', '25000000'),
  },
  required: ['price', 'size', 'fee', 'keeperReward', 'positionId', 'pnl'],
  additionalProperties: false,
})

/** The whole life of an order: what its events report, and its placement details from the ledger. */
export const Order = Type.Object(
  {
    orderId,
    trader: textOrNull({ description: 'Account that placed the order. Null if neither an event nor the ledger has reported it.', examples: [EXAMPLE_TRADER] }),
    orderType: orNull(OpenOrder.properties.orderType),
    asset: textOrNull({ description: `Asset symbol. ${UNREAD}`, examples: ['BTC'] }),
    direction: orNull(OpenOrder.properties.direction),
    positionId: orUnread(positionId),
    collateral: orUnread(collateral),
    leverage: orNull(OpenOrder.properties.leverage),
    size: orUnread(size),
    triggerPrice,
    triggerCondition: orNull(OpenOrder.properties.triggerCondition),
    limitPrice: orUnread(limitPrice),
    stopLimitPhase: orUnread(stopLimitPhase),
    trailingPercentBps: orUnread(trailingPercentBps),
    peakPrice: orUnread(peakPrice),
    referencePrice: orUnread(referencePrice),
    slippageToleranceBps: orNull(OpenOrder.properties.slippageToleranceBps),
    timeInForce: orNull(OpenOrder.properties.timeInForce),
    reduceOnly: orNull(OpenOrder.properties.reduceOnly),
    createdAt: orNull(OpenOrder.properties.createdAt, 'Null while neither an event nor the ledger has reported it.'),
    warnings: OpenOrder.properties.warnings,
    status: Type.Unsafe<OrderLifeStatus>({
      type: 'string',
      enum: [...ORDER_LIFE_STATUSES],
      description: 'State of the order. An order that was cancelled while it was executed is cancelled.',
      examples: ['executed'],
    }),
    placed: Placement,
    ended: End,
    execution: Execution,
  },
  {
    $id: 'Order',
    description:
      'An order from its placement to its end. The placement details (the members from orderType to createdAt) are read from the ledger shortly after the ' +
      'placement was indexed, and kept; they are unknown until then, and for good if the ledger no longer has them. ' +
      'stopLimitPhase, peakPrice and referencePrice are as of that reading.',
  },
)

export type Order = Static<typeof Order>

export const EXAMPLE_ORDER: Order = {
  ...EXAMPLE_OPEN_ORDER, orderType: 'limit', limitPrice: null, stopLimitPhase: null, status: 'executed',
  placed: { ledger: 1_234_567, ts: 1_783_339_200, txHash: EXAMPLE_TX_HASH, seq: 4_711 },
  ended: { ledger: 1_234_890, ts: 1_783_340_815, txHash: EXAMPLE_TX_HASH, seq: 4_815, reason: 'executed' },
  execution: { price: '1050000000000', size: '500000000', fee: '250000', keeperReward: '5250000', positionId: 43, pnl: null },
}
