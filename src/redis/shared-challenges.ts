// Pending challenges that any instance can take: requested at one, answered at another.

import type { Clock } from '../base/clock.ts'
import type { ChallengeStore } from '../keys/challenges.ts'
import { ChallengesUnavailable } from '../keys/challenges.ts'
import type { Redis } from './redis.ts'

/**
 * Challenges in Redis, which forgets them when they expire. Both functions reject with ChallengesUnavailable when Redis does not answer: whether a
 * challenge was kept or taken is then not known, and the claimant asks for a new one.
 */
export function createSharedChallenges(redis: Redis, clock: Clock): ChallengeStore {
  return {
    async put(address, challengeHex, expiresAtMs) {
      const value = `${expiresAtMs} ${challengeHex}`
      const lifeMs = Math.max(1, expiresAtMs - clock.nowMs())
      const kept = await redis.run((client) => client.set(keyOf(address), value, { expiration: { type: 'PX', value: lifeMs } }))
      if (kept === undefined) throw new ChallengesUnavailable('the challenge cannot be kept')
    },
    async take(address) {
      const taken = await redis.run((client) => client.getDel(keyOf(address)))
      if (taken === undefined) throw new ChallengesUnavailable('the challenge cannot be taken')
      if (taken === null) return undefined
      const [expiresAtMs, challengeHex = ''] = taken.split(' ')
      return { expiresAtMs: Number(expiresAtMs), challengeHex }
    },
  }
}

function keyOf(address: string): string {
  return `challenge:${address}`
}
