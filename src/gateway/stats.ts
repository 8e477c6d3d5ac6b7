// What the gateway holds for its clients, for the metrics.

import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { Agreement } from '../chain/agreement.ts'
import type { SharedCounts } from '../http/rate-limit.ts'
import type { GatewayStats } from '../metrics/sources.ts'
import type { Prices } from '../oracle/prices.ts'
import type { IndexWaiter } from '../projections/index-waiter.ts'
import type { Relay } from '../relay/relay.ts'
import type { SubmissionService } from '../submissions/submissions.ts'
import type { Stream } from '../stream/stream.ts'

export function statsOf(parts: {
  readonly stream: Stream
  readonly indexWaiter: IndexWaiter
  readonly relay: Relay
  readonly submissions: Pick<SubmissionService, 'stats'>
  readonly sharedCounts: SharedCounts | null
  readonly prices: Prices
  readonly deployment: CurrentDeployment
  readonly agreement: Pick<Agreement, 'counts'>
}): GatewayStats {
  return {
    stream: parts.stream.stats(),
    indexWaiters: parts.indexWaiter.waiterCount(),
    submissions: parts.relay.submissions.stats(),
    storedSubmissions: parts.submissions.stats(),
    agreement: parts.agreement.counts(),
    sharedCounts: parts.sharedCounts?.available ?? null,
    stalePrices: stalePricesOf(parts.prices, parts.deployment.current.assets.symbols.length),
  }
}

/** Number of assets without a fresh price. Null before the first price snapshot. */
function stalePricesOf(prices: Prices, assets: number): number | null {
  const snapshot = prices.cachedSnapshot()
  if (snapshot === undefined) return null
  return assets - [...snapshot.prices.values()].filter(({ outdated }) => !outdated).length
}
