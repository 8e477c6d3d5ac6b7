// Counts addresses by whether they stay within their rate limits, so that one caller that exceeds its own does not look like many.

import type { Clock } from '../base/clock.ts'
import { COUNTED_CALLERS_MAX, RATE_LIMIT_WINDOW_SEC } from '../limits.ts'

/** True for the first decision of this kind for an address within a minute. The addresses of a crowd beyond COUNTED_CALLERS_MAX are not distinguished. */
export type IsFirstDecision = (address: string, allowed: boolean) => boolean

export function createFirstDecisions(clock: Clock): IsFirstDecision {
  const windowMs = RATE_LIMIT_WINDOW_SEC * 1000
  const seen = { allowed: new Set<string>(), refused: new Set<string>() }
  let windowEndsAtMs = clock.elapsedMs() + windowMs

  return (address, allowed) => {
    const nowMs = clock.elapsedMs()
    if (nowMs >= windowEndsAtMs) {
      seen.allowed.clear()
      seen.refused.clear()
      windowEndsAtMs = nowMs + windowMs
    }
    const addresses = allowed ? seen.allowed : seen.refused
    if (addresses.size >= COUNTED_CALLERS_MAX || addresses.has(address)) return false
    addresses.add(address)
    return true
  }
}
