import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amountOrNull, integerOrNull, olderDeployment, seconds, textOrNull, txHash } from './fields.ts'

const KINDS = ['open', 'close', 'reduce', 'liquidation', 'partial_liquidation', 'adl'] as const

export type FillKind = (typeof KINDS)[number]

/** A change of a position, as in GET /v1/account/me/fills. */
export const Fill = Type.Object(
  {
    seq: Type.Integer({ description: 'Position of the event in the log.', examples: [1_042] }),
    kind: Type.Unsafe<FillKind>({
      type: 'string',
      enum: [...KINDS],
      description: 'What happened to the position. reduce and partial_liquidation close a part of it. adl: closed to deleverage the exchange.',
      examples: ['close'],
    }),
    positionId: Type.Integer({ description: 'On-chain position id.', examples: [42] }),
    orderId: integerOrNull({ description: 'The order that caused it. Null if there was none.', examples: [17] }),
    asset: textOrNull({ description: 'Asset symbol.', examples: ['BTC'] }),
    direction: integerOrNull({ description: '0 is long, 1 is short.', examples: [0] }),
    price: amountOrNull('Price in USD, 7-decimal.', '1090000000000'),
    size: amountOrNull('Notional value in USDC, 7-decimal, that was opened or closed.', '500000000'),
    pnl: amountOrNull('Profit or loss by price alone, USDC, 7-decimal. 0 for open.', '2667828'),
    fee: amountOrNull('Trading fee that was paid, after any discount, USDC, 7-decimal. Only opens have one.', '250000'),
    funding: amountOrNull('Funding that was settled, USDC, 7-decimal. Positive when the trader paid.', '12000'),
    payout: amountOrNull(
      'USDC, 7-decimal, that the wallet (isolated margin) or the cross balance (cross margin) received. Negative when a cross balance paid.', '102655828',
    ),
    ledger: Type.Integer({ description: 'Ledger of the change.', examples: [1234567] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: txHash('Transaction of the change.'),
    deployment: olderDeployment,
  },
  { $id: 'Fill', description: 'A change of a position. Null means unknown: what only a transaction\'s result shows is added when it has been read.' },
)

export type Fill = Static<typeof Fill>
