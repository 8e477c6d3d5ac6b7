// Notices that nobody publishes prices any more: they can be read, but the exchange no longer accepts them (docs/operating.md, "PricePublisherStopped").

import type { Log } from '../base/log.ts'
import type { Prices } from './prices.ts'

/** Logs one line when prices become older than the exchange accepts, and one when none is. Call it after each round of reads. */
export function createPublicationWatch({ prices, log }: { readonly prices: Pick<Prices, 'readings' | 'unpublished'>; readonly log: Log }): () => void {
  let isReported = false
  return () => {
    const assets = prices.unpublished()
    if (assets.length > 0 && !isReported) {
      log.warn({ assets }, 'no new prices are published: the exchange no longer accepts the last ones')
      isReported = true
    }
    // While prices cannot be read, it is unknown whether new ones are published.
    if (assets.length === 0 && isReported && prices.readings().some(({ isReadable }) => isReadable)) {
      log.info({}, 'prices are published again')
      isReported = false
    }
  }
}
