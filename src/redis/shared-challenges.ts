// Pending challenges in Redis: requested from one instance, used at another.

import type { Clock } from '../base/clock.ts'
import type { ChallengeStore } from '../keys/challenges.ts'
import { ChallengesUnavailable } from '../keys/challenges.ts'
import type { Redis } from './redis.ts'

/** Redis expires the challenges. Both functions reject with ChallengesUnavailable when Redis does not respond; the client then requests a new challenge. */
export function createSharedChallenges(redis: Redis, clock: Clock): ChallengeStore {
  return {
    async put(address, challengeHex, expiresAtMs) {
      const value = `${expiresAtMs} ${challengeHex}`
      const ttlMs = Math.max(1, expiresAtMs - clock.nowMs())
      const stored = await redis.run((client) => client.set(keyOf(address), value, { expiration: { type: 'PX', value: ttlMs } }))
      if (stored === undefined) throw new ChallengesUnavailable('the challenge cannot be stored')
    },
    async take(address) {
      const taken = await redis.run((client) => client.getDel(keyOf(address)))
      if (taken === undefined) throw new ChallengesUnavailable('the challenge cannot be read')
      if (taken === null) return undefined
      const [expiresAtMs, challengeHex = ''] = taken.split(' ')
      return { expiresAtMs: Number(expiresAtMs), challengeHex }
    },
  }
}

function keyOf(address: string): string {
  return `challenge:${address}`
}
