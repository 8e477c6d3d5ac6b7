// Fixed one-minute windows aligned to the wall clock (specification, "Rate limits"). The common Fastify plugin does not fit: it starts a window at each
// client's first request and drops counts when its table is full. A request counts in several buckets, or in none if one of them is used up.

import type { Clock } from '../base/clock.ts'
import { RATE_LIMIT_WINDOW_SEC } from '../limits.ts'
import { createCounts } from './counts.ts'
import type { Counts } from './counts.ts'

const WINDOW_MS = RATE_LIMIT_WINDOW_SEC * 1000

/** A limit that a request counts against. */
export interface Bucket {
  /** Each table bounds its callers separately, so that a flood of one kind does not affect the others. */
  readonly table: string
  /** The caller within the table. */
  readonly key: string
  readonly limit: number
}

/** The outcome for one request. */
export interface Outcome {
  readonly allowed: boolean
  /** The bucket with the fewest requests left. */
  readonly bucket: Bucket
  /** Requests left in that bucket. */
  readonly remaining: number
  /** Seconds until the window ends, rounded up, at least 1. */
  readonly resetSec: number
}

/** The count of each bucket, in the order of the buckets. */
export interface SharedOutcome {
  readonly allowed: boolean
  readonly used: readonly number[]
}

/** Counts shared by several instances. */
export interface SharedCounts {
  /**
   * Adds `amount` to every bucket and returns the new counts; adds nothing if a bucket is used up. Undefined if the shared store is unavailable. Never
   * rejects.
   */
  take(window: number, buckets: readonly Bucket[], amount: number): Promise<SharedOutcome | undefined>
  readonly available: boolean
}

export interface RateLimiter {
  /**
   * Adds `amount` to the buckets, the caller's own first. Synchronous without shared counts, and for callers that this process already knows to be over a
   * limit.
   */
  take(buckets: readonly Bucket[], amount?: number): Outcome | Promise<Outcome>
  /** Returns what is left in each bucket without counting. */
  remaining(buckets: readonly Bucket[]): Promise<readonly number[]>
  /** Seconds until the window ends, rounded up, at least 1. */
  resetSec(): number
}

export interface RateLimiterOptions {
  readonly clock: Clock
  /** Callers per table. */
  readonly maxCallers?: number
  /** Without it this process counts alone. */
  readonly shared?: SharedCounts | null
}

/** Also counts shared requests locally, so that local counting can take over when the shared store is unavailable. */
export function createRateLimiter({ clock, maxCallers, shared = null }: RateLimiterOptions): RateLimiter {
  const tables = new Map<string, Counts>()
  let window = Math.floor(clock.nowMs() / WINDOW_MS)

  /** Starts a new window if the last one is over. Returns the seconds until the current one ends. */
  function enterWindow(): number {
    const nowMs = clock.nowMs()
    const current = Math.floor(nowMs / WINDOW_MS)
    if (current !== window) {
      window = current
      tables.clear()
    }
    return Math.max(1, Math.ceil(((current + 1) * WINDOW_MS - nowMs) / 1000))
  }

  function tableOf({ table }: Bucket): Counts {
    const known = tables.get(table)
    if (known !== undefined) return known
    const created = createCounts(maxCallers)
    tables.set(table, created)
    return created
  }

  function readCounts(buckets: readonly Bucket[]): readonly number[] {
    return buckets.map((bucket) => tableOf(bucket).get(bucket.key))
  }

  function raiseCounts(buckets: readonly Bucket[], used: readonly number[], amount: number): void {
    for (const [index, bucket] of buckets.entries()) tableOf(bucket).raise(bucket.key, (used[index] ?? 0) + amount)
  }

  /** The shared count decides. It is stored locally, so that callers over the limit cause no further calls to the shared store. */
  async function takeShared(store: SharedCounts, buckets: readonly Bucket[], amount: number, local: Outcome): Promise<Outcome> {
    const countedIn = window
    const outcome = await store.take(window, buckets, amount)
    if (outcome === undefined) return local
    if (countedIn === window) raiseCounts(buckets, outcome.used, 0)
    return outcomeOf(buckets, outcome.used, { allowed: outcome.allowed, resetSec: local.resetSec })
  }

  return {
    take(buckets, amount = 1) {
      const resetSec = enterWindow()
      const used = readCounts(buckets)
      const { bucket, remaining } = outcomeOf(buckets, used, { allowed: true, resetSec })
      if (remaining <= 0) return { allowed: false, bucket, remaining, resetSec }
      raiseCounts(buckets, used, amount)
      const local = { allowed: true, bucket, remaining: Math.max(0, remaining - amount), resetSec }
      return shared === null ? local : takeShared(shared, buckets, amount, local)
    },
    async remaining(buckets) {
      enterWindow()
      const counted = await shared?.take(window, buckets, 0)
      const used = counted?.used ?? readCounts(buckets)
      return buckets.map(({ limit }, index) => Math.max(0, limit - (used[index] ?? 0)))
    },
    resetSec: enterWindow,
  }
}

/** Reports the bucket with the fewest requests left. */
function outcomeOf(
  buckets: readonly Bucket[], used: readonly number[], { allowed, resetSec }: Pick<Outcome, 'allowed' | 'resetSec'>,
): Outcome {
  let outcome: Outcome | undefined
  for (const [index, bucket] of buckets.entries()) {
    const remaining = Math.max(0, bucket.limit - (used[index] ?? 0))
    if (outcome === undefined || remaining < outcome.remaining) outcome = { allowed, bucket, remaining, resetSec }
  }
  if (outcome === undefined) throw new RangeError('A request counts in at least one bucket')
  return outcome
}
