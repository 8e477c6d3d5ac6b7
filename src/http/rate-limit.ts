// Fixed one-minute windows aligned to the wall clock (specification, "Rate limits"). The common Fastify plugin does not fit: it starts a window at each
// client's first request and drops counts when its table is full.

import type { Clock } from '../base/clock.ts'
import { RATE_LIMIT_WINDOW_SEC } from '../limits.ts'
import type { Tier } from './caller.ts'

/** Requests per window for each tier. */
export type RateLimits = Readonly<Record<Tier, number>>

/** Callers counted separately per window. Further callers share one bucket, so that a flood cannot exhaust memory. */
export const MAX_COUNTED_CALLERS = 100_000

const OVERFLOW_BUCKET = 'overflow'
const WINDOW_MS = RATE_LIMIT_WINDOW_SEC * 1000

/** Counts shared by several instances. */
export interface SharedCounts {
  /** Increments a count and returns the new value, or undefined if the shared store is unavailable. Never rejects. */
  add(window: number, tier: Tier, bucket: string): Promise<number | undefined>
  readonly available: boolean
}

export interface RateLimiter {
  /**
   * Counts one request and returns the number of requests left in this window, or -1 if the limit is exceeded. Synchronous without shared counts, and for
   * callers that this process already knows to be over the limit.
   */
  take(tier: Tier, bucket: string): number | Promise<number>
  /** Seconds until the window ends, rounded up, at least 1. */
  retryAfterSec(): number
  /** Number of callers counted in this window. */
  size(): number
}

export interface RateLimiterOptions {
  readonly clock: Clock
  readonly limits: RateLimits
  readonly maxCallers?: number
  /** Without it this process counts alone. */
  readonly shared?: SharedCounts | null
}

/** Also counts shared requests locally, so that local counting can take over when the shared store is unavailable. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { clock, limits, maxCallers = MAX_COUNTED_CALLERS, shared = null } = options
  let window = Math.floor(clock.nowMs() / WINDOW_MS)
  const counts: Record<Tier, Map<string, number>> = { public: new Map(), standard: new Map(), market_maker: new Map() }

  function size(): number {
    return counts.public.size + counts.standard.size + counts.market_maker.size
  }

  /** The shared count decides. It is stored locally, so that callers over the limit cause no further calls to the shared store. */
  async function takeShared(sharedCounts: SharedCounts, taken: { window: number; tier: Tier; key: string; remaining: number }): Promise<number> {
    const count = await sharedCounts.add(taken.window, taken.tier, taken.key)
    if (count === undefined) return taken.remaining
    if (taken.window === window) {
      const ofTier = counts[taken.tier]
      ofTier.set(taken.key, Math.max(ofTier.get(taken.key) ?? 0, Math.min(count, limits[taken.tier])))
    }
    return Math.max(-1, limits[taken.tier] - count)
  }

  return {
    size,
    take(tier, bucket) {
      const current = Math.floor(clock.nowMs() / WINDOW_MS)
      if (current !== window) {
        window = current
        for (const counted of Object.values(counts)) counted.clear()
      }
      const ofTier = counts[tier]
      const limit = limits[tier]
      let used = ofTier.get(bucket)
      const key = used === undefined && size() >= maxCallers ? OVERFLOW_BUCKET : bucket
      if (key === OVERFLOW_BUCKET) used = ofTier.get(OVERFLOW_BUCKET)
      used ??= 0
      if (used >= limit) return -1
      ofTier.set(key, used + 1)
      const remaining = limit - used - 1
      return shared === null ? remaining : takeShared(shared, { window, tier, key, remaining })
    },
    retryAfterSec() {
      const nowMs = clock.nowMs()
      const endMs = (Math.floor(nowMs / WINDOW_MS) + 1) * WINDOW_MS
      return Math.max(1, Math.ceil((endMs - nowMs) / 1000))
    },
  }
}
