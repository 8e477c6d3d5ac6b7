import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, booleanOrNull, seconds } from './fields.ts'

/** Specification, "Price object (oracle)". */
export const Price = Type.Object(
  {
    asset: Type.String({ description: 'Asset symbol.', examples: ['BTC'] }),
    price: amount('Price in USD, 7-decimal.', '1084215000000'),
    priceFloat: Type.Number({ description: 'The same price as a floating-point number, for display.', examples: [108421.5] }),
    timestamp: seconds('Attestation time of the on-chain price, Unix seconds. Not the time of the request.'),
    stale: booleanOrNull('True if the price is older than the market accepts now for opening positions. Null while that limit is unknown.'),
    ageSec: Type.Integer({
      minimum: 0, description: 'Seconds since the attestation, by the gateway\'s clock or the last indexed ledger, whichever is later.', examples: [4],
    }),
    ledger: Type.Integer({ description: 'Ledger that the price was last read at.', examples: [1_234_567] }),
  },
  { $id: 'Price', description: 'An oracle price from the price shim contract of the exchange.' },
)

export type Price = Static<typeof Price>
