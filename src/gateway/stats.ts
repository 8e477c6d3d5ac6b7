// The number of things that the gateway holds for its clients, for the metrics.

import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { Agreement } from '../chain/rpc/agreement.ts'
import type { SharedCounts } from '../http/rate-limit.ts'
import type { GatewayStats } from '../observability/sources.ts'
import type { Prices } from '../markets/prices.ts'
import type { IndexWaiter } from '../projections/state/index-waiter.ts'
import type { Relay } from '../trading/relay/relay.ts'
import type { SubmissionService } from '../trading/submission-service.ts'
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
    submissions: parts.relay.flights.stats(),
    storedSubmissions: parts.submissions.stats(),
    agreement: parts.agreement.counts(),
    sharedCounts: parts.sharedCounts?.available ?? null,
    ...pricesOf(parts.prices, parts.deployment.current.assets.symbols.length),
  }
}

/** Numbers of assets. Null before the first price snapshot. */
function pricesOf(prices: Prices, assets: number): Pick<GatewayStats, 'stalePrices' | 'unpublishedPrices'> {
  const snapshot = prices.cachedSnapshot()
  if (snapshot === undefined) return { stalePrices: null, unpublishedPrices: null }
  const unpublished = new Set(prices.unpublished())
  const usable = [...snapshot.prices].filter(([asset, { outdated }]) => !outdated && !unpublished.has(asset))
  return { stalePrices: assets - usable.length, unpublishedPrices: unpublished.size }
}
