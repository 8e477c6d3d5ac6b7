// Request counts in Redis, shared by all instances. One script counts a request in all its buckets or in none. It bounds memory like src/http/counts.ts: a hash
// with the first callers of a table, and a count-min sketch in a string for all others. All keys expire with their window.

import { hash } from 'node:crypto'
import type { Random } from '../../base/random.ts'
import type { Bucket, SharedCounts, SharedOutcome } from '../../http/rate-limit.ts'
import { COUNTED_CALLERS_MAX, SKETCH_COLUMNS, SKETCH_ROWS } from '../../limits.ts'
import type { Redis } from './redis.ts'

/** Longer than one window, because the instances' clocks differ. */
const TTL_WINDOWS = 2
const SEED_BYTES = 16

/**
 * KEYS: the seed of the sketches, then for each bucket its exact and its approximate counts. ARGV: lifetime in seconds, exact callers per table, amount to add,
 * seed for new sketches, then for each bucket caller, limit and whether it counts only if the bucket before it is approximate.
 *
 * Returns 1 or 0 for allowed, then the count of each bucket, -1 if it does not count.
 */
const SCRIPT = `
local lifetime, max, amount = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local counts, cells, allowed, full, seed = {}, {}, 1, false, nil
local function locate(caller)
  if not seed then
    if redis.call('SET', KEYS[1], ARGV[4], 'NX', 'EX', lifetime) then seed = ARGV[4] else seed = redis.call('GET', KEYS[1]) end
  end
  local digest, found = redis.sha1hex(seed .. caller), {}
  for row = 0, ${SKETCH_ROWS - 1} do
    found[row + 1] = '#' .. string.format('%d', row * ${SKETCH_COLUMNS} + tonumber(string.sub(digest, 8 * row + 1, 8 * row + 8), 16) % ${SKETCH_COLUMNS})
  end
  return found
end
for i = 1, (#KEYS - 1) / 2 do
  local exact, sketch, caller, limit = KEYS[2 * i], KEYS[2 * i + 1], ARGV[3 * i + 2], tonumber(ARGV[3 * i + 3])
  if ARGV[3 * i + 4] == '1' and not full then
    counts[i] = -1
  else
    local known = redis.call('HGET', exact, caller)
    full = not known and redis.call('HLEN', exact) >= max
    counts[i] = tonumber(known or 0)
    if full then
      cells[i] = locate(caller)
      local command = {'BITFIELD', sketch}
      for _, cell in ipairs(cells[i]) do
        for _, word in ipairs({'GET', 'u32', cell}) do command[#command + 1] = word end
      end
      counts[i] = math.min(unpack(redis.call(unpack(command))))
    end
    if counts[i] >= limit then allowed = 0 end
  end
end
if allowed == 1 and amount > 0 then
  for i = 1, #counts do
    local exact, sketch, caller = KEYS[2 * i], KEYS[2 * i + 1], ARGV[3 * i + 2]
    if counts[i] >= 0 then
      counts[i] = counts[i] + amount
      local isNew
      if cells[i] then
        isNew = redis.call('EXISTS', sketch) == 0
        for _, cell in ipairs(cells[i]) do
          if redis.call('BITFIELD', sketch, 'GET', 'u32', cell)[1] < counts[i] then redis.call('BITFIELD', sketch, 'SET', 'u32', cell, counts[i]) end
        end
        if isNew then redis.call('EXPIRE', sketch, lifetime) end
      else
        isNew = redis.call('HINCRBY', exact, caller, amount) == amount and redis.call('HLEN', exact) == 1
        if isNew then redis.call('EXPIRE', exact, lifetime) end
      end
    end
  end
end
return {allowed, unpack(counts)}
`
const SCRIPT_SHA1 = hash('sha1', SCRIPT)

export interface SharedCountsOptions {
  readonly windowSec: number
  readonly random: Pick<Random, 'bytes'>
  /** Callers counted exactly per table. */
  readonly maxExact?: number
}

/** `take` returns undefined while Redis does not respond. */
export function createSharedCounts(redis: Redis, { windowSec, random, maxExact = COUNTED_CALLERS_MAX }: SharedCountsOptions): SharedCounts {
  const seed = Buffer.from(random.bytes(SEED_BYTES)).toString('hex')
  return {
    get available() {
      return redis.available
    },
    async take(window, buckets, amount) {
      const prefix = `requests:${window}`
      const options = {
        keys: [`${prefix}:seed`, ...buckets.flatMap(({ table }) => [`${prefix}:${table}`, `${prefix}:${table}:approximate`])],
        arguments: [
          String(TTL_WINDOWS * windowSec), String(maxExact), String(amount), seed,
          ...buckets.flatMap(({ key, limit, onlyIfFull }: Bucket) => [key, String(limit), onlyIfFull === true ? '1' : '0']),
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
  return { allowed: allowed === 1, used: counts.map((count) => (count < 0 ? null : count)) }
}
