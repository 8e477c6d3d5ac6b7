import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount } from './fields.ts'

/** Specification, "Market stats row": one per supported asset, zeros when there is no data. */
export const MarketStats = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol', examples: ['BTC'] }),
    openInterestLong: amount('Open notional of the long side, 7-decimal USDC', '12500000000'),
    openInterestShort: amount('Open notional of the short side, 7-decimal USDC', '9000000000'),
    openInterestNet: amount('Long minus short; may be negative', '3500000000'),
    openPositions: Type.Integer({ description: 'Open positions', examples: [7] }),
    volume24h: amount('Notional of the trailing 24 hours: opened sizes plus realised close and liquidation notional', '48000000000'),
  },
  { $id: 'MarketStats', description: 'Open interest and volume of one asset' },
)

export type MarketStats = Static<typeof MarketStats>
