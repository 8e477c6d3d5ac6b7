// Counts of requests that all instances share. One hash per window, so that a window goes as a whole when it is over.

import type { SharedCounts } from '../http/rate-limit.ts'
import type { Redis } from './redis.ts'

/** A window is kept a little longer than it lasts: instances' clocks differ. */
const KEPT_WINDOWS = 2

/** Counts in Redis; undefined whenever Redis does not answer. `windowSec` is the width of a window. */
export function createSharedCounts(redis: Redis, windowSec: number): SharedCounts {
  let expiring = -1
  return {
    get available() {
      return redis.available
    },
    async add(window, tier, bucket) {
      const key = `requests:${window}`
      const field = `${tier}:${bucket}`
      if (expiring === window) return await redis.run((client) => client.hIncrBy(key, field, 1))
      // The first count of a window says when it goes; both take effect or neither, so that no window stays for ever.
      const answers = await redis.run((client) => client.multi().hIncrBy(key, field, 1).expire(key, KEPT_WINDOWS * windowSec).exec())
      if (answers === undefined) return undefined
      expiring = window
      return Number(answers[0])
    },
  }
}
