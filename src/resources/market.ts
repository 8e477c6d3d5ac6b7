import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amountOrNull, ref } from './fields.ts'
import { Price } from './price.ts'

/** Null: there is no price of 24 hours ago, neither an own one nor one of the external history that candles fall back to. */
export const DAY_RANGE = {
  change24h: Type.Unsafe<number | null>({
    type: ['number', 'null'], description: 'Change of the oracle price in the past 24 hours, percent. Null without a price of 24 hours ago.', examples: [1.25],
  }),
  high24h: amountOrNull('Highest oracle price of the past 24 hours, in USD, 7-decimal. Null without a price of 24 hours ago.', '1091000000000'),
  low24h: amountOrNull('Lowest oracle price of the past 24 hours, in USD, 7-decimal. Null without a price of 24 hours ago.', '1068000000000'),
}

/** Specification, "Market". */
export const Market = Type.Object(
  {
    asset: Type.Object({
      symbol: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
      name: Type.String({ description: 'Display name.', examples: ['Bitcoin'] }),
      decimals: Type.Integer({ description: 'Display metadata only. Prices always have 7 decimals.', examples: [8] }),
    }),
    oracle: ref(Price),
    ...DAY_RANGE,
  },
  { $id: 'Market', description: 'A tradable asset with its oracle price.' },
)

export type Market = Static<typeof Market>
