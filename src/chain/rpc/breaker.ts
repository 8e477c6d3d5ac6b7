// A circuit breaker: an endpoint that keeps failing is not called for a while, then tested with one call.

import type { Clock } from '../../base/clock.ts'

export const BREAKER_FAILURES = 5
export const BREAKER_OPEN_MS = 5_000

export interface Breaker {
  /** True when a call may be made. After the pause only one caller gets true, until the result of its call is recorded. */
  allow(): boolean
  /** True while calls are not restricted. Unlike `allow` it does not reserve a call. */
  isClosed(): boolean
  /** Resolves when the call that tests the endpoint has ended, with any result; null when there is no such call. */
  testEnded(): Promise<void> | null
  recordSuccess(): void
  recordFailure(): void
  /** The call ended without a result for the endpoint, for example because its caller aborted it. */
  release(): void
}

/** Opens after BREAKER_FAILURES failures in a row; one success closes it. */
export function createBreaker(clock: Clock): Breaker {
  let failures = 0
  let openUntilMs = 0
  let test: PromiseWithResolvers<void> | null = null

  function endTest(): void {
    test?.resolve()
    test = null
  }

  return {
    allow() {
      if (failures < BREAKER_FAILURES) return true
      if (test !== null || clock.elapsedMs() < openUntilMs) return false
      test = Promise.withResolvers()
      return true
    },
    isClosed: () => failures < BREAKER_FAILURES,
    testEnded: () => test?.promise ?? null,
    recordSuccess() {
      failures = 0
      endTest()
    },
    recordFailure() {
      failures += 1
      if (failures >= BREAKER_FAILURES) openUntilMs = clock.elapsedMs() + BREAKER_OPEN_MS
      endTest()
    },
    release: endTest,
  }
}
