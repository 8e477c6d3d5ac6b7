import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, amountOrNull, integerOrNull, seconds, textOrNull, txHash } from './fields.ts'

const JOINED = 'from the opening leg; null when the open predates the index'

/** Specification, "Realized trade". */
export const RealizedTrade = Type.Object(
  {
    positionId: Type.Integer({ description: 'On-chain position id', examples: [42] }),
    trader: address('Owner of the position'),
    kind: Type.Unsafe<'close' | 'liquidation'>({ type: 'string', enum: ['close', 'liquidation'], description: 'How the position ended' }),
    ledger: Type.Integer({ description: 'Ledger of the realising event', examples: [1234567] }),
    ts: seconds('Close time of that ledger, unix seconds'),
    txHash: txHash('The realising transaction'),
    asset: textOrNull({ description: `Asset symbol, ${JOINED}`, examples: ['BTC'] }),
    direction: integerOrNull({ description: `0 long, 1 short, ${JOINED}`, examples: [0] }),
    size: amountOrNull(`Notional, 7-decimal USDC, ${JOINED}`, '500000000'),
    entryPrice: amountOrNull(`7-decimal, ${JOINED}`, '1084215000000'),
    closePrice: amount('7-decimal', '1090000000000'),
    pnl: amountOrNull('Realised profit or loss, 7-decimal USDC; always null for liquidations', '2667828'),
  },
  { $id: 'RealizedTrade', description: 'A closed or liquidated position' },
)

export type RealizedTrade = Static<typeof RealizedTrade>
