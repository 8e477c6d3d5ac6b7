// Counts failures by code and logs each code once a minute, so that neither a hostile client nor an outage can flood the log.

import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

const FAILURE_WINDOW_MS = 60_000
/** Codes counted separately per window. Further codes share one line. */
export const FAILURE_CODES_MAX = 64
const OTHER_CODES = 'other'

export interface FailureLog extends Disposable {
  /** Counts a failure. `example` describes it; most failures need none. */
  record(code: string, example: () => Record<string, unknown>): void
}

export interface FailureLogOptions {
  readonly clock: Clock
  readonly log: Log
  readonly level: 'info' | 'warn' | 'error'
  /** The message of each line. */
  readonly message: string
  /** Number of failures of one code and window that get a line of their own, at once. The others are counted only. */
  readonly individually?: number
}

/** Lines that end a window have the code, the number of failures in the window, and an example. Disposing ends the window. */
export function createFailureLog({ clock, log, level, message, individually = 0 }: FailureLogOptions): FailureLog {
  const counted = new Map<string, { count: number; readonly example: Record<string, unknown> }>()
  let timer: { cancel(): void } | null = null

  function flush(): void {
    timer?.cancel()
    timer = null
    for (const [code, { count, example }] of counted) if (count > individually) log[level]({ code, count, ...example }, message)
    counted.clear()
  }

  return {
    record(code, example) {
      const key = counted.has(code) || counted.size < FAILURE_CODES_MAX ? code : OTHER_CODES
      const entry = counted.get(key) ?? { count: 0, example: example() }
      counted.set(key, entry)
      entry.count += 1
      if (entry.count <= individually) log[level]({ code, ...(entry.count === 1 ? entry.example : example()) }, message)
      // Whole minutes of the wall clock, as the rate limits.
      timer ??= clock.setTimer(FAILURE_WINDOW_MS - (clock.nowMs() % FAILURE_WINDOW_MS), flush)
    },
    [Symbol.dispose]: flush,
  }
}
