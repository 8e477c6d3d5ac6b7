// Fixed windows of one minute, aligned to the wall clock (specification, "Rate limits"). Written here because the common plugin starts a window at each
// client's first request and forgets a client's count when its table is full.

import type { Clock } from '../base/clock.ts'
import { RATE_LIMIT_WINDOW_SEC } from '../limits.ts'
import type { Tier } from './caller.ts'

/** Requests per window for each tier. */
export type RateLimits = Readonly<Record<Tier, number>>

/** This many callers are told apart in one window; those that come later share one allowance, so that a flood cannot fill the memory. */
export const MAX_COUNTED_CALLERS = 100_000

const OVERFLOW = 'overflow'
const WINDOW_MS = RATE_LIMIT_WINDOW_SEC * 1000

/** Counts that several instances share. */
export interface SharedCounts {
  /** Adds one to a caller's count of a window and answers the new count; undefined when that cannot be told right now. Never rejects. */
  add(window: number, tier: Tier, bucket: string): Promise<number | undefined>
  readonly available: boolean
}

export interface RateLimiter {
  /**
   * Counts one request and returns how many remain in this window, or -1 when the caller has used up its allowance. Answers at once where nothing is
   * shared, and always for a caller that this process knows to have used up its allowance.
   */
  take(tier: Tier, bucket: string): number | Promise<number>
  /** Seconds until the window ends: rounded up, at least 1. */
  retryAfterSec(): number
  /** How many callers this window remembers. */
  size(): number
}

export interface RateLimiterOptions {
  readonly clock: Clock
  readonly limits: RateLimits
  readonly maxCallers?: number
  /** Counts of all instances; without it this process counts alone. */
  readonly shared?: SharedCounts | null
}

/** Builds the limiter. What is counted together is counted here as well, so that counting goes on from there when the shared counts are away. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { clock, limits, maxCallers = MAX_COUNTED_CALLERS, shared = null } = options
  let window = Math.floor(clock.nowMs() / WINDOW_MS)
  const counts: Record<Tier, Map<string, number>> = { public: new Map(), standard: new Map(), market_maker: new Map() }

  function size(): number {
    return counts.public.size + counts.standard.size + counts.market_maker.size
  }

  /** What all instances have counted decides; it is remembered here, so that a caller who is refused costs no more questions. */
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
      const key = used === undefined && size() >= maxCallers ? OVERFLOW : bucket
      if (key === OVERFLOW) used = ofTier.get(OVERFLOW)
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
