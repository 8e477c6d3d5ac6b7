// Reads the state on which the warnings of a prepared transaction depend.

import type { Prices } from '../markets/prices.ts'
import type { ReadConditions } from '../trading/relay/warnings.ts'
import type { Venue } from '../markets/venue.ts'

/** Prices are those that were last read, which costs no time. */
export function conditionsReader(venue: Venue, prices: Prices): ReadConditions {
  return async () => {
    const known = await venue.conditions()
    if (known === null) return null
    return {
      ...known,
      price(asset) {
        const price = prices.current(asset)?.price
        return price === undefined ? null : { price: BigInt(price.price), timestampSec: price.timestamp }
      },
    }
  }
}
