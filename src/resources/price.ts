import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, seconds } from './fields.ts'

/** Specification, "Price object (oracle)". */
export const Price = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol', examples: ['BTC'] }),
    price: amount('Price in US dollars, 7-decimal fixed point', '1084215000000'),
    priceFloat: Type.Number({ description: 'The same price as a float', examples: [108421.5] }),
    timestamp: seconds('Attestation time of the price that is stored on chain, unix seconds; not the time of the request'),
  },
  { $id: 'Price', description: 'An oracle price, as the exchange\'s price shim answers it' },
)

export type Price = Static<typeof Price>
