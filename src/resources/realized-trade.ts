import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, amountOrNull, integerOrNull, seconds, textOrNull, txHash } from './fields.ts'

const JOINED = 'Null if the position was opened before the index begins.'

/** Specification, "Realized trade". */
export const RealizedTrade = Type.Object(
  {
    positionId: Type.Integer({ description: 'On-chain position id.', examples: [42] }),
    trader: address('Owner of the position.'),
    kind: Type.Unsafe<'close' | 'liquidation'>({ type: 'string', enum: ['close', 'liquidation'], description: 'How the position was closed.' }),
    ledger: Type.Integer({ description: 'Ledger of the close or liquidation.', examples: [1234567] }),
    ts: seconds('Close time of that ledger, Unix seconds.'),
    txHash: txHash('Transaction that closed or liquidated the position.'),
    asset: textOrNull({ description: `Asset symbol. ${JOINED}`, examples: ['BTC'] }),
    direction: integerOrNull({ description: `0 is long, 1 is short. ${JOINED}`, examples: [0] }),
    size: amountOrNull(`Notional value in USDC, 7-decimal. ${JOINED}`, '500000000'),
    entryPrice: amountOrNull(`Entry price in USD, 7-decimal. ${JOINED}`, '1084215000000'),
    closePrice: amount('Close price in USD, 7-decimal.', '1090000000000'),
    pnl: amountOrNull('Realised profit or loss in USDC, 7-decimal. Always null for liquidations.', '2667828'),
  },
  { $id: 'RealizedTrade', description: 'A closed or liquidated position.' },
)

export type RealizedTrade = Static<typeof RealizedTrade>
