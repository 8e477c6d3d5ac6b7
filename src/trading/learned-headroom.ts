// How much more than simulated a function's transactions declare, after one of them exceeded its budget.

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
/** The oldest are dropped. */
const FUNCTIONS_MAX = 64

export function createLearnedHeadroom(clock: Clock): LearnedHeadroom {
  const raised = new Map<string, { readonly percent: number; readonly untilMs: number }>()

  function percentOf(functionId: string): number {
    const known = raised.get(functionId)
    return known === undefined || clock.elapsedMs() >= known.untilMs ? HEADROOM_PERCENT : known.percent
  }

  return {
    percentOf,
    raise(functionId) {
      const percent = Math.min(HEADROOM_MAX_PERCENT, 2 * percentOf(functionId))
      raised.delete(functionId)
      const [oldest] = raised.keys()
      if (raised.size >= FUNCTIONS_MAX && oldest !== undefined) raised.delete(oldest)
      raised.set(functionId, { percent, untilMs: clock.elapsedMs() + RAISED_FOR_MS })
    },
  }
}
