import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amountOrNull, integerOrNull, logEpoch, logSeq, olderDeployment, seconds, textOrNull, txHash } from './fields.ts'

const JOINED = 'Null if the position was opened before the index begins, and for cross_liquidation.'

const KINDS = ['open', 'close', 'reduce', 'liquidation', 'partial_liquidation', 'cross_liquidation', 'adl'] as const

export type TradeKind = (typeof KINDS)[number]

/** Specification, "Realized trade". */
export const RealizedTrade = Type.Object(
  {
    positionId: integerOrNull({ description: 'On-chain position id. Null for cross_liquidation, which concerns an account.', examples: [42] }),
    trader: address('Owner of the position.'),
    kind: Type.Unsafe<TradeKind>({
      type: 'string',
      enum: [...KINDS],
      description:
        'What happened to the position. open: only with include_opens. reduce, partial_liquidation: a part was closed. adl: auto-deleveraging, besides the ' +
        'close that it caused. cross_liquidation: the total of an account, besides one liquidation per position. Count only one of the two.',
      examples: ['close'],
    }),
    ledger: Type.Integer({ description: 'Ledger of the trade.', examples: [1234567] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: txHash('Transaction of the trade.'),
    asset: textOrNull({ description: `Asset symbol. ${JOINED}`, examples: ['BTC'] }),
    direction: integerOrNull({ description: `0 is long, 1 is short. ${JOINED}`, examples: [0] }),
    size: amountOrNull(`Notional value in USDC, 7-decimal: of the closed part for reduce and partial_liquidation. ${JOINED}`, '500000000'),
    entryPrice: amountOrNull(`Entry price in USD, 7-decimal. ${JOINED}`, '1084215000000'),
    closePrice: amountOrNull('Close price in USD, 7-decimal. Null for open and cross_liquidation.', '1090000000000'),
    pnl: amountOrNull('Realised profit or loss in USDC, 7-decimal. Null for open, liquidation and partial_liquidation.', '2667828'),
    orderId: integerOrNull({ description: 'Order whose execution caused the trade. Null if none did.', examples: [17] }),
    eventId: Type.String({ description: 'Id of the event, as in GET /v1/events.', examples: ['0005302424969216000-0000000003'] }),
    seq: logSeq('Position of the event in the log: the `seq` of its frame on the channels `trades.<ASSET>` and `events`.'),
    epoch: logEpoch,
    deployment: olderDeployment,
  },
  { $id: 'RealizedTrade', description: 'A closed, reduced or liquidated position, or an opened one.' },
)

export type RealizedTrade = Static<typeof RealizedTrade>
