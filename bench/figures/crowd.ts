// The cost of counting a request when a million callers have filled the rate limiter's tables, relative to a fixed bound.

import { createVirtualClock } from '../../src/base/clock.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import type { Caller } from '../../src/http/caller.ts'
import { networkOf } from '../../src/http/client-address.ts'
import { createRequestLimits } from '../../src/http/request-limits.ts'
import { RATE_LIMIT_PER_WINDOW } from '../../src/limits.ts'
import type { Figure, ReportProgress } from '../support/report.ts'

const CROWD = 1_000_000
const QUICK_CROWD = 100_000
const ROUNDS = 5
const REQUESTS = 200_000
/** A small part of the processor time of a request. */
const BOUND_US = 20

export async function measureCrowd(reportProgress: ReportProgress, quick: boolean): Promise<readonly Figure[]> {
  const crowd = quick ? QUICK_CROWD : CROWD
  const roundCount = quick ? 1 : ROUNDS
  measure(QUICK_CROWD)
  const rounds: { ours: number; baseline: number }[] = []
  for (let round = 1; round <= roundCount; round++) {
    rounds.push({ ours: measure(crowd), baseline: BOUND_US })
    await Promise.resolve()
    reportProgress(`${crowd} callers: round ${round} of ${roundCount}`)
  }
  return [{ name: 'counting a request among a million callers', rounds, unit: 'us of processor time', target: { max: 1 } }]
}

/** Microseconds of processor time per request, after one request of each caller. */
function measure(callers: number): number {
  const random = createSystemRandom()
  const limits = createRequestLimits({ clock: createVirtualClock(0), limits: RATE_LIMIT_PER_WINDOW, addressCeiling: REQUESTS })
  for (let caller = 0; caller < callers; caller++) void limits.take(callerAt(caller), 'read')
  const counted = Array.from({ length: REQUESTS }, () => callerAt(random.integer(callers)))
  const before = process.cpuUsage()
  for (const caller of counted) void limits.take(caller, 'read')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / REQUESTS
}

/** Callers in distinct /48 networks, so that both tables overflow. */
function callerAt(index: number): Caller {
  const network = networkOf(`2001:${(index >>> 16).toString(16)}:${(index & 0xffff).toString(16)}::1`)
  return { tier: 'public', bucket: network.bucket, network, key: null, rejection: null }
}
