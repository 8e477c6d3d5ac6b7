// Request counts in Redis, shared by all instances. One hash per window, which expires as a whole.

import type { SharedCounts } from '../http/rate-limit.ts'
import type { Redis } from './redis.ts'

/** Longer than one window, because the instances' clocks differ. */
const TTL_WINDOWS = 2

/** `add` returns undefined while Redis does not respond. */
export function createSharedCounts(redis: Redis, windowSec: number): SharedCounts {
  /** The window whose expiry this instance has set. */
  let expiringWindow = -1
  return {
    get available() {
      return redis.available
    },
    async add(window, tier, bucket) {
      const key = `requests:${window}`
      const field = `${tier}:${bucket}`
      if (expiringWindow === window) return await redis.run((client) => client.hIncrBy(key, field, 1))
      // The first count of a window sets its expiry, in one transaction: no window stays forever.
      const responses = await redis.run((client) => client.multi().hIncrBy(key, field, 1).expire(key, TTL_WINDOWS * windowSec).exec())
      if (responses === undefined) return undefined
      expiringWindow = window
      return Number(responses[0])
    },
  }
}
