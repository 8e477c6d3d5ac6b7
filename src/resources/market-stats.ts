import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount } from './fields.ts'

/** Specification, "Market stats row": one per supported asset, zeros without data. */
export const MarketStats = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    openInterestLong: amount('Open interest of longs in USDC, 7-decimal.', '12500000000'),
    openInterestShort: amount('Open interest of shorts in USDC, 7-decimal.', '9000000000'),
    openInterestNet: amount('Long minus short open interest in USDC, 7-decimal. Can be negative.', '3500000000'),
    openPositions: Type.Integer({ description: 'Number of open positions.', examples: [7] }),
    volume24h: amount('Notional of opens, closes and liquidations in the past 24 hours, in USDC, 7-decimal.', '48000000000'),
  },
  { $id: 'MarketStats', description: 'Open interest and volume of one asset.' },
)

export type MarketStats = Static<typeof MarketStats>
