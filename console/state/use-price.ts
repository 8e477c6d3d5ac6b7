// The price of a market with its freshness, up to date with each new price and each second.

import { nowMs } from '../clock.ts'
import { priceFreshness } from '../freshness.ts'
import type { Freshness, ReceivedPrice } from '../freshness.ts'
import { useParts } from '../parts.ts'

export interface CurrentPrice {
  readonly received: ReceivedPrice | undefined
  readonly state: Freshness
  /** Grey unless the price is fresh, as no price is while the connection is lost. */
  readonly className: '' | 'stale'
  /** The time that `state` is of. */
  readonly now: number
}

export function usePrice(asset: string): CurrentPrice {
  const { feed } = useParts()
  // A price may have arrived since the last second.
  const now = Math.max(feed.now.value, nowMs())
  const received = feed.price(asset)
  const state = received !== undefined && feed.connection.value === 'lost' ? 'stale' : priceFreshness(received, now)
  return { received, state, className: state === 'fresh' ? '' : 'stale', now }
}

/** Returns the price of a market while it is fresh. For parts that need those of many markets. */
export function useFreshPrice(): (asset: string) => string | undefined {
  const { feed } = useParts()
  const now = feed.now.value
  return (asset) => {
    const received = feed.price(asset)
    return priceFreshness(received, now) === 'fresh' ? received?.price : undefined
  }
}
