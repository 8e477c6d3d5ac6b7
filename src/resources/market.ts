import { Type } from 'typebox'
import type { Static } from 'typebox'
import { ref } from './fields.ts'
import { Price } from './price.ts'

/** Specification, "Market". */
export const Market = Type.Object(
  {
    asset: Type.Object({
      symbol: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
      name: Type.String({ description: 'Display name.', examples: ['Bitcoin'] }),
      decimals: Type.Integer({ description: 'Display metadata only. Prices always have 7 decimals.', examples: [8] }),
    }),
    oracle: ref(Price),
  },
  { $id: 'Market', description: 'A tradable asset with its oracle price.' },
)

export type Market = Static<typeof Market>
