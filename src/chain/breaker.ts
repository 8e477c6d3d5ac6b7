// A circuit breaker: an endpoint that keeps failing is left alone for a while, then tried with one call.

import type { Clock } from '../base/clock.ts'

export const BREAKER_FAILURES = 5
export const BREAKER_OPEN_MS = 5_000

export interface Breaker {
  /** Asks for leave to make one call. After the pause, exactly one caller gets it until that call has been reported. */
  allow(): boolean
  /** True while nothing is held against the endpoint. Unlike `allow` it takes nothing. */
  isClosed(): boolean
  recordSuccess(): void
  recordFailure(): void
  /** The call ended without telling anything about the endpoint, such as one that its caller gave up. */
  release(): void
}

/** Opens after BREAKER_FAILURES failures in a row; one success closes it. */
export function createBreaker(clock: Clock): Breaker {
  let failures = 0
  let openUntilMs = 0
  let probing = false
  return {
    allow() {
      if (failures < BREAKER_FAILURES) return true
      if (probing || clock.elapsedMs() < openUntilMs) return false
      probing = true
      return true
    },
    isClosed: () => failures < BREAKER_FAILURES,
    recordSuccess() {
      failures = 0
      probing = false
    },
    recordFailure() {
      failures += 1
      probing = false
      if (failures >= BREAKER_FAILURES) openUntilMs = clock.elapsedMs() + BREAKER_OPEN_MS
    },
    release() {
      probing = false
    },
  }
}
