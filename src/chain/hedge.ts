// A second node is asked for the same when the first takes longer than it nearly always does; who answers first is believed, the other is let go. It is paid
// for out of a budget, so that a network that is slow as a whole is not asked twice as much. Whether it pays: docs/decisions/choosing-a-node.md.

import type { Clock } from '../base/clock.ts'

/** Decides when a second node is to be asked. */
export interface Hedging {
  /** How long to wait for the first node; null: too little is known of how long it takes. Counts the call. */
  delayMs(method: string): number | null
  /** A call was answered after so long. */
  recordDuration(method: string, tookMs: number): void
  /** Takes the price of one second call out of the budget; false when there is not enough in it. */
  takeFromBudget(): boolean
}

/** The share of calls that may be asked twice, and how many of them at a time when none was for a while. */
export const HEDGE_BUDGET_RATIO = 0.04
const HEDGE_BURST_MAX = 4
/** How many answers the patience is measured by, and how many it needs. */
const MAX_SAMPLES = 100
const MIN_SAMPLES = 20
const DELAY_PERCENTILE = 0.95
/** Below this a second call costs more than waiting. */
const MIN_DELAY_MS = 50

export function createHedging(): Hedging {
  const durations = new Map<string, number[]>()
  let budget = 0
  return {
    delayMs(method) {
      budget = Math.min(HEDGE_BURST_MAX, budget + HEDGE_BUDGET_RATIO)
      const measured = durations.get(method) ?? []
      if (measured.length < MIN_SAMPLES) return null
      const sorted = measured.toSorted((a, b) => a - b)
      return Math.max(MIN_DELAY_MS, sorted[Math.ceil(sorted.length * DELAY_PERCENTILE) - 1] ?? MIN_DELAY_MS)
    },
    recordDuration(method, tookMs) {
      const measured = durations.get(method) ?? []
      durations.set(method, measured)
      measured.push(tookMs)
      if (measured.length > MAX_SAMPLES) measured.shift()
    },
    takeFromBudget() {
      if (budget < 1) return false
      budget -= 1
      return true
    },
  }
}

/** One of two calls for the same. */
export type AbortableCall<T> = (signal: AbortSignal) => Promise<T>

/**
 * Runs the first call, and the second as well when the first has not ended after `patienceMs` and `second` has one to give. Resolves with the first answer and
 * aborts the other call. A first call that fails by itself fails the whole: only while both are under way does one wait for the other. Rejects with what the
 * first call failed with.
 */
export async function raceHedged<T>(
  clock: Clock,
  signal: AbortSignal | undefined,
  legs: { readonly first: AbortableCall<T>; readonly patienceMs: number; readonly second: () => AbortableCall<T> | undefined },
): Promise<{ readonly answer: T; readonly winner: 'alone' | 'first' | 'second' }> {
  const ends = [new AbortController(), new AbortController()] as const
  const waited = new AbortController()
  const run = (leg: AbortableCall<T>, end: AbortController): Promise<T> => leg(signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]))
  const first = run(legs.first, ends[0])
  const settled = first.then(() => true, () => true)
  const isOver = await Promise.race([settled, clock.sleep(legs.patienceMs, waited.signal).then(() => false)])
  waited.abort()
  const other = isOver ? undefined : legs.second()
  if (other === undefined) return { answer: await first, winner: 'alone' }
  const second = run(other, ends[1])
  try {
    return await Promise.any([first.then((answer) => ({ answer, winner: 'first' as const })), second.then((answer) => ({ answer, winner: 'second' as const }))])
  } catch {
    return { answer: await first, winner: 'first' }
  } finally {
    for (const end of ends) end.abort(LET_GO)
  }
}

const LET_GO = new Error('another node was faster')
