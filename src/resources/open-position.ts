import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, EXAMPLE_TX_HASH, seconds, textOrNull } from './fields.ts'

/** Specification, "Open position". */
export const OpenPosition = Type.Object(
  {
    positionId: Type.Integer({ description: 'On-chain position id', examples: [42] }),
    trader: address('Owner: an account (G…) or a contract (C…); trader vaults trade as contracts'),
    asset: Type.String({ description: 'Asset symbol', examples: ['BTC'] }),
    direction: Type.Integer({ description: '0 long, 1 short', examples: [0] }),
    size: amount('Notional, 7-decimal USDC', '500000000'),
    entryPrice: amount('7-decimal', '1084215000000'),
    openedAt: seconds('Close time of the opening ledger, unix seconds'),
    openedTxHash: textOrNull({
      description: 'The opening transaction; null when its event was lost and the position was read off the ledger', examples: [EXAMPLE_TX_HASH],
    }),
  },
  { $id: 'OpenPosition', description: 'A position that was opened and neither closed nor liquidated since' },
)

export type OpenPosition = Static<typeof OpenPosition>
