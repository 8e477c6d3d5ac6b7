import { Type } from 'typebox'
import type { Static } from 'typebox'
import { address, amount } from './fields.ts'

export const AdlRow = Type.Object(
  {
    positionId: Type.Integer({ description: 'On-chain position id.', examples: [42] }),
    trader: address('Owner: an account (G…), or a contract (C…) for trader vaults.'),
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    direction: Type.Integer({ description: '0 is long, 1 is short.', examples: [0] }),
    size: amount('Notional value in USDC, 7-decimal.', '500000000'),
    pnl: amount('Unrealised profit from the price alone, in USDC, 7-decimal.', '2667828'),
    score: amount('Profit in basis points of the collateral, times leverage.', '2665'),
    rank: Type.Integer({ description: 'Place in the queue, from 1.', examples: [1] }),
    quintile: Type.Integer({ description: 'Fifth of the queue, 1 to 5. Positions in 1 are closed first.', examples: [1] }),
  },
  { $id: 'AdlRow', description: 'A profitable position in the order in which auto-deleveraging closes them.' },
)

export type AdlRow = Static<typeof AdlRow>

export const AdlQueue = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    updatedAt: Type.Integer({ description: 'Time the queue was computed, Unix milliseconds.', examples: [1_783_339_202_481] }),
    degraded: Type.Boolean({ description: 'True if the chain could not be read. Then there are no rows.', examples: [false] }),
    rows: Type.Array(Type.Unsafe<AdlRow>({ $ref: 'AdlRow#' }), { description: 'Profitable positions, first to be closed first.' }),
    supported: Type.Boolean({ description: 'False if the contracts have no auto-deleveraging. Then there are no rows.', examples: [true] }),
  },
  { $id: 'AdlQueue', description: 'The auto-deleveraging queue of one asset.' },
)

export type AdlQueue = Static<typeof AdlQueue>
