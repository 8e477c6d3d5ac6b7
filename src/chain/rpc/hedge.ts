// Hedged calls: when the first node takes longer than it nearly always does, a second one is called as well, and the first response wins. A budget bounds the
// extra calls, so that a slow network does not get twice the load. A node that takes far longer than usual may be stuck: then the second call needs no budget.
// Measurements: docs/decisions/choosing-a-node.md.

import type { Clock } from '../../base/clock.ts'

/** Decides when to call a second node. */
export interface Hedging {
  /** Time to wait for the first node; null while there are too few measurements. Counts the call. */
  delayMs(method: string): number | null
  /** Time that a node may take before it counts as stuck: less than callers wait, unless responses usually take long. */
  patienceMs(method: string): number
  /** Records how long a successful call took. */
  recordDuration(method: string, tookMs: number): void
  /** Takes one extra call from the budget. Returns false when the budget is used up. */
  takeFromBudget(): boolean
}

/** The share of calls that may be made twice, and how many extra calls may accumulate. */
export const HEDGE_BUDGET_RATIO = 0.04
const HEDGE_BURST_MAX = 4
/** Number of durations from which the delay is computed. */
const MAX_SAMPLES = 100
const MIN_SAMPLES = 20
const DELAY_PERCENTILE = 0.95
/** Below this a second call costs more than waiting. */
const MIN_DELAY_MS = 50
/** A slow network must not look stuck, so a node may also take this many times the percentile. */
const PATIENCE_MIN_MS = 750
const PATIENCE_FACTOR = 2

export function createHedging(): Hedging {
  const samplesByMethod = new Map<string, number[]>()
  let budget = 0

  /** Null while there are too few measurements. */
  function percentileMs(method: string): number | null {
    const samples = samplesByMethod.get(method) ?? []
    if (samples.length < MIN_SAMPLES) return null
    return samples.toSorted((a, b) => a - b)[Math.ceil(samples.length * DELAY_PERCENTILE) - 1] ?? null
  }

  return {
    delayMs(method) {
      budget = Math.min(HEDGE_BURST_MAX, budget + HEDGE_BUDGET_RATIO)
      const usualMs = percentileMs(method)
      return usualMs === null ? null : Math.max(MIN_DELAY_MS, usualMs)
    },
    patienceMs: (method) => Math.max(PATIENCE_MIN_MS, PATIENCE_FACTOR * (percentileMs(method) ?? 0)),
    recordDuration(method, tookMs) {
      const samples = samplesByMethod.get(method) ?? []
      samplesByMethod.set(method, samples)
      samples.push(tookMs)
      if (samples.length > MAX_SAMPLES) samples.shift()
    },
    takeFromBudget() {
      if (budget < 1) return false
      budget -= 1
      return true
    },
  }
}

/** One of two equal calls. */
export type AbortableCall<T> = (signal: AbortSignal) => Promise<T>

interface SecondCall<T> {
  /** Times at which to ask `second` for a call, ascending, from the start of the first. */
  readonly delaysMs: readonly number[]
  readonly second: (waitedMs: number) => AbortableCall<T> | undefined
}

/**
 * Runs the first call, and also the second, at the first of `delaysMs` at which `second` returns one. Resolves with the first success and aborts the other
 * call. A failure of the first call rejects at once, unless both are running: then the other may still succeed. Always rejects with the first call's error.
 */
export async function raceHedged<T>(
  clock: Clock,
  signal: AbortSignal | undefined,
  calls: SecondCall<T> & { readonly first: AbortableCall<T> },
): Promise<{ readonly value: T; readonly winner: 'alone' | 'first' | 'second' }> {
  const controllers = [new AbortController(), new AbortController()] as const
  const run = (call: AbortableCall<T>, own: AbortController): Promise<T> => call(signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]))
  const first = run(calls.first, controllers[0])
  const settled = first.then(() => true, () => true)
  const secondCall = await secondWhenDue(clock, settled, calls)
  if (secondCall === undefined) return { value: await first, winner: 'alone' }
  const second = run(secondCall, controllers[1])
  try {
    return await Promise.any([first.then((value) => ({ value, winner: 'first' as const })), second.then((value) => ({ value, winner: 'second' as const }))])
  } catch {
    return { value: await first, winner: 'first' }
  } finally {
    for (const controller of controllers) controller.abort(SUPERSEDED)
  }
}

/** Undefined when the first call settles before. */
async function secondWhenDue<T>(clock: Clock, settled: Promise<boolean>, { delaysMs, second }: SecondCall<T>): Promise<AbortableCall<T> | undefined> {
  let passedMs = 0
  for (const delayMs of delaysMs) {
    const delay = new AbortController()
    const isOver = await Promise.race([settled, clock.sleep(delayMs - passedMs, delay.signal).then(() => false)])
    delay.abort()
    if (isOver) return undefined
    passedMs = delayMs
    const call = second(delayMs)
    if (call !== undefined) return call
  }
  return undefined
}

const SUPERSEDED = new Error('another node responded first')
