// A rate limit that allows bursts.

import type { Clock } from '../base/clock.ts'

export interface TokenBucket {
  /** Takes the tokens; false, and takes none, when there are fewer. */
  take(count?: number): boolean
  /** Takes tokens for what has already happened. The bucket may go into debt. */
  spend(count: number): void
  /** Milliseconds until the bucket is out of debt; 0 when it is. */
  debtMs(): number
  /** Milliseconds until it has a token; 0 when it has. */
  tokenMs(): number
  isFull(): boolean
}

/** A full bucket that holds at most `burst` tokens. */
export function createTokenBucket({ perSecond, burst, clock }: { readonly perSecond: number; readonly burst: number; readonly clock: Clock }): TokenBucket {
  let tokens = burst
  let refilledAtMs = clock.elapsedMs()

  function refill(): void {
    const nowMs = clock.elapsedMs()
    tokens = Math.min(burst, tokens + (Math.max(0, nowMs - refilledAtMs) * perSecond) / 1000)
    refilledAtMs = nowMs
  }

  function untilMs(count: number): number {
    refill()
    return tokens >= count ? 0 : Math.ceil(((count - tokens) * 1000) / perSecond)
  }

  return {
    take(count = 1) {
      refill()
      if (tokens < count) return false
      tokens -= count
      return true
    },
    spend(count) {
      refill()
      tokens -= count
    },
    debtMs: () => untilMs(0),
    tokenMs: () => untilMs(1),
    isFull() {
      refill()
      return tokens >= burst
    },
  }
}
