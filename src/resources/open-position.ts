import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount, EXAMPLE_TX_HASH, integerOrNull, seconds, textOrNull } from './fields.ts'

/** Specification, "Open position". */
export const OpenPosition = Type.Object(
  {
    positionId: Type.Integer({ description: 'On-chain position id.', examples: [42] }),
    trader: address('Owner: an account (G…), or a contract (C…) for trader vaults.'),
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    direction: Type.Integer({ description: '0 is long, 1 is short.', examples: [0] }),
    size: amount('Notional value in USDC, 7-decimal.', '500000000'),
    entryPrice: amount('Entry price in USD, 7-decimal.', '1084215000000'),
    openedAt: seconds('Close time of the ledger that opened the position, Unix seconds.'),
    openedTxHash: textOrNull({
      description: 'Transaction that opened the position. Null if its event is missing and the position was read from the ledger.', examples: [EXAMPLE_TX_HASH],
    }),
  },
  { $id: 'OpenPosition', description: 'An open position.' },
)

export type OpenPosition = Static<typeof OpenPosition>

/** With its place in the auto-deleveraging queue. */
export const ListedPosition = Type.Object(
  {
    ...OpenPosition.properties,
    adlQuintile: integerOrNull({
      description:
        'Fifth of the auto-deleveraging queue of the asset, 1 to 5. Positions in 1 are closed first. Null without a profit, if the contracts have no such ' +
        'queue, and while it is unknown.',
      examples: [3],
    }),
  },
  { $id: 'ListedPosition', description: 'An open position.' },
)

export type ListedPosition = Static<typeof ListedPosition>
