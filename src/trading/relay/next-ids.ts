// How many ids of a counter a transaction should cover: other traders use some before it is applied.

import type { Clock } from '../../base/clock.ts'

export const NEXT_IDS_MIN = 8
const NEXT_IDS_MAX = 24
/** The time that ids are covered for at the present rate. The rest of a transaction's validity is for slower signers. */
const COVERED_SEC = 30
/** The rate is that of this time. */
const WINDOW_MS = 60_000
const SAMPLES_MAX = 64
const COUNTERS_MAX = 16

export interface NextIds {
  /** Notes that a simulation used this id as the next one of a counter. */
  observe(counter: string, id: bigint): void
  /** Number of ids to cover, the simulated one included. */
  count(): number
}

interface Sample {
  readonly atMs: number
  readonly id: bigint
}

export function createNextIds(clock: Clock): NextIds {
  const counters = new Map<string, Sample[]>()

  /** Ids per second of the fastest counter. */
  function rate(): number {
    const nowMs = clock.elapsedMs()
    const rates = [...counters.values()].map((samples) => {
      const recent = samples.filter(({ atMs }) => nowMs - atMs <= WINDOW_MS)
      const [first, last] = [recent[0], recent.at(-1)]
      if (first === undefined || last === undefined || last.id <= first.id) return 0
      return Number(last.id - first.id) / Math.max(1, (nowMs - first.atMs) / 1_000)
    })
    return Math.max(0, ...rates)
  }

  return {
    observe(counter, id) {
      const samples = counters.get(counter) ?? []
      const last = samples.at(-1)
      // A smaller id is that of another chain, after a reset.
      if (last !== undefined && id < last.id) samples.length = 0
      samples.push({ atMs: clock.elapsedMs(), id })
      if (samples.length > SAMPLES_MAX) samples.shift()
      if (counters.size >= COUNTERS_MAX && !counters.has(counter)) counters.clear()
      counters.set(counter, samples)
    },
    count: () => Math.min(NEXT_IDS_MAX, NEXT_IDS_MIN + Math.ceil(rate() * COVERED_SEC)),
  }
}
