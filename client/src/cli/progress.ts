// What goes on while somebody waits: one line on the error output, from the second second on, and only where a person sees it.

import type { Clock } from '../clock.ts'

export interface Progress {
  /** Does the work; tells `what` and how long it has taken when that is more than a second. */
  run<T>(what: string, work: () => Promise<T>): Promise<T>
  /** What is being waited for from now on. */
  setMessage(what: string): void
}

const EVERY_MS = 1000
const CLEAR = '\r\u001B[K'

export function createProgress(parts: { readonly clock: Clock; readonly isShown: boolean; readonly write: (text: string) => void }): Progress {
  const { clock, isShown, write } = parts
  let current = ''
  return {
    setMessage(what) {
      current = what
    },
    async run(what, work) {
      current = what
      if (!isShown) return work()
      const beganMs = clock.nowMs()
      let wasShown = false
      const tick = (): void => {
        write(`${CLEAR}${current} … ${Math.round((clock.nowMs() - beganMs) / 1000)} s`)
        wasShown = true
        cancel = clock.later(EVERY_MS, tick)
      }
      let cancel = clock.later(EVERY_MS, tick)
      try {
        return await work()
      } finally {
        cancel()
        if (wasShown) write(CLEAR)
      }
    },
  }
}
