// The buckets that a request counts in (specification, "Rate limits", and docs/decisions/fair-rate-limits.md). Keys have one each for reads and for trading.
// Keys are free, so all keys used from one client address share a ceiling. Callers without a key are counted by address.

import type { Clock } from '../base/clock.ts'
import { DOCUMENT_UNIT_BYTES, DOCUMENT_UNITS_PER_WINDOW, WIDE_NETWORK_FACTOR } from '../limits.ts'
import type { Caller, Tier } from './caller.ts'
import type { ClientNetwork } from './client-address.ts'
import { createRateLimiter } from './rate-limit.ts'
import type { Bucket, Outcome, SharedCounts } from './rate-limit.ts'

/** Requests per window for each tier. */
export type RateLimits = Readonly<Record<Tier, number>>

/** Kind of a request: a read, trading, or a request that counts by client address whatever key is presented. */
export type RequestKind = 'read' | 'trading' | 'address'

/** A bucket as GET /v1/account/me/limits lists it. */
interface BucketState {
  readonly name: 'read' | 'trading' | 'keys' | 'public' | 'documents'
  readonly countedPer: 'key' | 'address' | 'network'
  readonly limit: number
  readonly remaining: number
}

export interface RequestLimits {
  take(caller: Caller, kind: RequestKind): Outcome | Promise<Outcome>
  /** Counts a public document of this size by client address. */
  takeDocument(caller: Caller, bytes: number): Outcome | Promise<Outcome>
  /** Every bucket of a caller with a key, without counting. */
  list(caller: Caller): Promise<readonly BucketState[]>
  /** Seconds until all buckets are full again. */
  resetSec(): number
}

export interface RequestLimitsOptions {
  readonly clock: Clock
  readonly limits: RateLimits
  /** Requests per window of all keys used from one client address. */
  readonly addressCeiling: number
  /** Units of public documents per window and client address. */
  readonly documentUnits?: number
  readonly shared?: SharedCounts | null
}

export function createRequestLimits(options: RequestLimitsOptions): RequestLimits {
  const { clock, limits, addressCeiling, documentUnits = DOCUMENT_UNITS_PER_WINDOW, shared = null } = options
  const limiter = createRateLimiter({ clock, shared })

  /** The bucket of a client address and, where one subscriber has the network around it, that of the network, which has ten times the limit. */
  function addressBuckets(table: string, limit: number): (network: ClientNetwork) => readonly Bucket[] {
    const networks = `${table}-networks`
    return ({ bucket, wide, isWideOneSubscriber }) => [
      { table, key: bucket, limit },
      ...(isWideOneSubscriber ? [{ table: networks, key: wide, limit: limit * WIDE_NETWORK_FACTOR }] : []),
    ]
  }

  const publicBuckets = addressBuckets('public', limits.public)
  const keysBuckets = addressBuckets('keys', addressCeiling)
  const documentBuckets = addressBuckets('documents', documentUnits)
  const keyBucket = ({ tier, bucket }: Caller, kind: 'read' | 'trading'): Bucket => ({ table: `${tier}-${kind}`, key: bucket, limit: limits[tier] })

  return {
    take(caller, kind) {
      if (caller.key === null || kind === 'address') return limiter.take(publicBuckets(caller.network))
      return limiter.take([keyBucket(caller, kind), ...keysBuckets(caller.network)])
    },
    takeDocument: ({ network }, bytes) => limiter.take(documentBuckets(network), Math.max(1, Math.ceil(bytes / DOCUMENT_UNIT_BYTES))),
    async list(caller) {
      const listed = [
        { name: 'read', countedPer: 'key', bucket: keyBucket(caller, 'read') } as const,
        { name: 'trading', countedPer: 'key', bucket: keyBucket(caller, 'trading') } as const,
        ...addressEntries('keys', keysBuckets(caller.network)),
        ...addressEntries('public', publicBuckets(caller.network)),
        ...addressEntries('documents', documentBuckets(caller.network)),
      ]
      const remaining = await limiter.remaining(listed.map(({ bucket }) => bucket))
      return listed.map(({ name, countedPer, bucket }, index) => ({ name, countedPer, limit: bucket.limit, remaining: remaining[index] ?? 0 }))
    },
    resetSec: limiter.resetSec,
  }
}

function addressEntries<Name extends BucketState['name']>(name: Name, buckets: readonly Bucket[]) {
  return buckets.map((bucket, index) => ({ name, countedPer: index === 0 ? 'address' as const : 'network' as const, bucket }))
}
