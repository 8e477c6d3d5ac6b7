// Challenges that are requested from one instance and used at another: the secret that authenticates them, and the table of those used or replaced.

import { ChallengesUnavailable } from '../../keys/challenges.ts'
import type { ChallengeState } from '../../keys/challenges.ts'
import { CHALLENGE_TTL_MS } from '../../limits.ts'
import type { Redis } from './redis.ts'

const SECRET_KEY = 'challenge-secret'
/** A hash with one field per slot, so its size is bounded: tag, nonce and restrictions. */
const SLOTS_KEY = 'challenge-slots'
/** Longer than a challenge is valid, because the instances' clocks differ. */
const SLOTS_TTL_SEC = String((2 * CHALLENGE_TTL_MS) / 1000)
/** The nonce of a used challenge. */
const USED = 'used'

/** Arguments: slot, tag, nonce, `used`, lifetime. */
const USE_SCRIPT = `
local held = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
if held and string.sub(held, 1, #ARGV[2] + 1) == ARGV[2] .. ' ' and held ~= ARGV[2] .. ' ' .. ARGV[3]
  and string.sub(held, 1, #ARGV[2] + #ARGV[3] + 2) ~= ARGV[2] .. ' ' .. ARGV[3] .. ' ' then return 0 end
return 1`

/** The methods reject with ChallengesUnavailable when Redis does not respond; the client then requests a new challenge. */
export function createSharedChallengeState(redis: Redis): ChallengeState {
  return {
    async secret(proposed) {
      // Read each time: when Redis has lost the secret, all instances must agree on the next one.
      const responses = await redis.run((client) =>
        client.multi().set(SECRET_KEY, Buffer.from(proposed).toString('hex'), { condition: 'NX' }).get(SECRET_KEY).exec())
      const secret = responses?.[1] as unknown
      if (typeof secret !== 'string') throw new ChallengesUnavailable('the secret of challenges cannot be read')
      return Buffer.from(secret, 'hex')
    },
    async set(slot, { tag, nonce, restrictions }) {
      const entry = [tag, nonce ?? USED, ...(restrictions === undefined ? [] : [restrictions])].join(' ')
      const stored = await redis.run((client) =>
        client.multi().hSet(SLOTS_KEY, String(slot), entry).expire(SLOTS_KEY, Number(SLOTS_TTL_SEC)).exec())
      if (stored === undefined) throw new ChallengesUnavailable('the challenge cannot be stored')
    },
    async use(slot, { tag, nonce }) {
      const used = await redis.run((client) =>
        client.eval(USE_SCRIPT, { keys: [SLOTS_KEY], arguments: [String(slot), tag, nonce ?? USED, USED, SLOTS_TTL_SEC] }))
      if (used === undefined) throw new ChallengesUnavailable('the challenge cannot be read')
      return used === 1
    },
    async restrictions(slot, { tag, nonce }) {
      const held = await redis.run((client) => client.hGet(SLOTS_KEY, String(slot)).then((found) => found ?? ''))
      if (held === undefined) throw new ChallengesUnavailable('the challenge cannot be read')
      const start = `${tag} ${nonce ?? USED} `
      return held.startsWith(start) ? held.slice(start.length) : ''
    },
  }
}
