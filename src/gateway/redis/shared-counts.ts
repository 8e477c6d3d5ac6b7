// Request counts in Redis, shared by all instances. One script counts a request in all its buckets or in none. Each table is a hash of bounded size that
// expires with its window; a new caller of a full table replaces one that is drawn.

import { hash } from 'node:crypto'
import type { Bucket, SharedCounts, SharedOutcome } from '../../http/rate-limit.ts'
import { COUNTED_CALLERS_MAX } from '../../limits.ts'
import type { Redis } from './redis.ts'

/** Longer than one window, because the instances' clocks differ. */
const TTL_WINDOWS = 2

/**
 * KEYS: for each bucket the table with its counts. ARGV: lifetime in seconds, callers per table, amount to add, then for each bucket caller and limit.
 *
 * Returns 1 or 0 for allowed, then the count of each bucket.
 */
const SCRIPT = `
local lifetime, max, amount = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local counts, allowed = {}, 1
for i, tbl in ipairs(KEYS) do
  counts[i] = tonumber(redis.call('HGET', tbl, ARGV[2 * i + 2]) or 0)
  if counts[i] >= tonumber(ARGV[2 * i + 3]) then allowed = 0 end
end
if allowed == 1 and amount > 0 then
  for i, tbl in ipairs(KEYS) do
    if counts[i] == 0 and redis.call('HLEN', tbl) >= max then redis.call('HDEL', tbl, redis.call('HRANDFIELD', tbl)) end
    counts[i] = redis.call('HINCRBY', tbl, ARGV[2 * i + 2], amount)
    if counts[i] == amount and redis.call('HLEN', tbl) == 1 then redis.call('EXPIRE', tbl, lifetime) end
  end
end
return {allowed, unpack(counts)}
`
const SCRIPT_SHA1 = hash('sha1', SCRIPT)

export interface SharedCountsOptions {
  readonly windowSec: number
  /** Callers per table. */
  readonly maxCallers?: number
}

/** `take` returns undefined while Redis does not respond. */
export function createSharedCounts(redis: Redis, { windowSec, maxCallers = COUNTED_CALLERS_MAX }: SharedCountsOptions): SharedCounts {
  return {
    get available() {
      return redis.available
    },
    async take(window, buckets, amount) {
      const options = {
        keys: buckets.map(({ table }) => `requests:${window}:${table}`),
        arguments: [
          String(TTL_WINDOWS * windowSec), String(maxCallers), String(amount), ...buckets.flatMap(({ key, limit }: Bucket) => [key, String(limit)]),
        ],
      }
      const reply = await redis.run((client) => client.evalSha(SCRIPT_SHA1, options).catch(async (error: unknown) => {
        if (!String(error).includes('NOSCRIPT')) throw error
        return await client.eval(SCRIPT, options)
      }))
      return reply === undefined ? undefined : toOutcome(reply)
    },
  }
}

function toOutcome(reply: unknown): SharedOutcome {
  const [allowed, ...counts] = reply as readonly number[]
  return { allowed: allowed === 1, used: counts }
}
