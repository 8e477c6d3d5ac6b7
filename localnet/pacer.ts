// Closes ledgers by the clock.

import type { Clock, Timer } from '../src/base/clock.ts'

/** A beat that can be stopped and started. */
export interface Pacer {
  readonly running: boolean
  start(): void
  stop(): void
}

/**
 * Builds a pacer that calls `beat` every `everyMs`. Beats keep to the clock and do not drift; one that comes late comes once, and what was missed
 * is not made up for.
 */
export function createPacer(options: { clock: Clock; everyMs: number; beat: () => void }): Pacer {
  const { clock, everyMs, beat } = options
  let timer: Timer | null = null
  let dueMs = 0

  function schedule(): void {
    dueMs += everyMs
    const nowMs = clock.nowMs()
    if (dueMs <= nowMs) dueMs = nowMs + everyMs
    timer = clock.setTimer(dueMs - nowMs, () => {
      schedule()
      beat()
    })
  }

  return {
    get running() {
      return timer !== null
    },
    start() {
      if (timer !== null) return
      dueMs = clock.nowMs()
      schedule()
    },
    stop() {
      timer?.cancel()
      timer = null
    },
  }
}
