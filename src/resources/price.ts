import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, seconds } from './fields.ts'

/** Specification, "Price object (oracle)". */
export const Price = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    price: amount('Price in USD, 7-decimal.', '1084215000000'),
    priceFloat: Type.Number({ description: 'The same price as a floating-point number, for display.', examples: [108421.5] }),
    timestamp: seconds('Attestation time of the on-chain price, Unix seconds. Not the time of the request.'),
  },
  { $id: 'Price', description: 'An oracle price from the price shim contract of the exchange.' },
)

export type Price = Static<typeof Price>
