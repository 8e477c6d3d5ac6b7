// The progress line on the error output: shown at terminals only, for work that takes longer than a second.

import type { Clock } from '../clock.ts'

export interface Progress {
  /** Runs the task, showing the message and the elapsed time. */
  run<T>(message: string, task: () => Promise<T>): Promise<T>
  /** Replaces the message of the running task. */
  setMessage(message: string): void
}

const INTERVAL_MS = 1000
const CLEAR = '\r\u001B[K'

export function createProgress(parts: { readonly clock: Clock; readonly isShown: boolean; readonly write: (text: string) => void }): Progress {
  const { clock, isShown, write } = parts
  let current = ''
  return {
    setMessage(message) {
      current = message
    },
    async run(message, task) {
      current = message
      if (!isShown) return task()
      const startedMs = clock.nowMs()
      let wasShown = false
      const tick = (): void => {
        write(`${CLEAR}${current} … ${Math.round((clock.nowMs() - startedMs) / 1000)} s`)
        wasShown = true
        cancel = clock.later(INTERVAL_MS, tick)
      }
      let cancel = clock.later(INTERVAL_MS, tick)
      try {
        return await task()
      } finally {
        cancel()
        if (wasShown) write(CLEAR)
      }
    },
  }
}
