// A rate limit with a burst of one second's allowance.

import type { Clock } from '../base/clock.ts'

export interface TokenBucket {
  /** Takes a token; false when the bucket is empty. */
  take(): boolean
}

export function createTokenBucket(perSecond: number, clock: Clock): TokenBucket {
  let tokens = perSecond
  let refilledAtMs = clock.elapsedMs()
  return {
    take() {
      const nowMs = clock.elapsedMs()
      tokens = Math.min(perSecond, tokens + (Math.max(0, nowMs - refilledAtMs) * perSecond) / 1000)
      refilledAtMs = nowMs
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}
