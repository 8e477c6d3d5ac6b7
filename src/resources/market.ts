import { Type } from 'typebox'
import type { Static } from 'typebox'
import { ref } from './fields.ts'
import { Price } from './price.ts'

/** Specification, "Market". */
export const Market = Type.Object(
  {
    asset: Type.Object({
      symbol: Type.String({ description: 'Asset symbol', examples: ['BTC'] }),
      name: Type.String({ description: 'Display name', examples: ['Bitcoin'] }),
      decimals: Type.Integer({ description: 'Display metadata only; prices stay 7-decimal', examples: [8] }),
    }),
    oracle: ref(Price),
  },
  { $id: 'Market', description: 'An asset that can be traded, with its oracle price' },
)

export type Market = Static<typeof Market>
