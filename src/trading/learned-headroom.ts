// How much more than simulated a function's transactions declare, after one of them exceeded its budget.

import { createCache } from '../base/cache.ts'
import type { Clock } from '../base/clock.ts'
import { HEADROOM_PERCENT } from '../exchange/contracts/resource-headroom.ts'

export interface LearnedHeadroom {
  /** A transaction of this function exceeded its budget. */
  raise(functionId: string): void
  percentOf(functionId: string): number
}

const HEADROOM_MAX_PERCENT = 100
/** Contracts that need more may be replaced, and users pay for what is declared. */
const RAISED_FOR_MS = 24 * 60 * 60_000
const FUNCTIONS_MAX = 64

export function createLearnedHeadroom(clock: Clock): LearnedHeadroom {
  const raised = createCache<string, number>(FUNCTIONS_MAX, { clock, ttlMs: RAISED_FOR_MS })
  const percentOf = (functionId: string): number => raised.get(functionId) ?? HEADROOM_PERCENT

  return {
    percentOf,
    raise(functionId) {
      raised.set(functionId, Math.min(HEADROOM_MAX_PERCENT, 2 * percentOf(functionId)))
    },
  }
}
