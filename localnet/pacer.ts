// A periodic timer, for closing ledgers.

import type { Clock, Timer } from '../src/base/clock.ts'

/** A timer that can be stopped and restarted. */
export interface Pacer {
  readonly running: boolean
  start(): void
  stop(): void
}

/** Builds a timer that calls `onTick` every `everyMs`, without drift. Missed ticks are skipped. */
export function createPacer(options: { clock: Clock; everyMs: number; onTick: () => void }): Pacer {
  const { clock, everyMs, onTick } = options
  let timer: Timer | null = null
  let dueMs = 0

  function schedule(): void {
    dueMs += everyMs
    const nowMs = clock.nowMs()
    if (dueMs <= nowMs) dueMs = nowMs + everyMs
    timer = clock.setTimer(dueMs - nowMs, () => {
      schedule()
      onTick()
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
