// A bound on how many calls of one kind run at the same time.

export interface ConcurrencyLimit {
  /** Resolves when there is room, in order of asking; the returned function gives the place back. Rejects when `signal` aborts first. */
  acquire(signal: AbortSignal): Promise<() => void>
  /** How many callers wait. */
  waiting(): number
}

/** Raised when too many callers wait already. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting'
}

/** How many callers may wait at one gate. */
export const MAX_WAITING = 256

export function createConcurrencyLimit(permits: number): ConcurrencyLimit {
  let taken = 0
  const waiting: (() => void)[] = []

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) taken -= 1
    else next()
  }

  /** A place that is given back once, however often its holder says so. */
  function place(): () => void {
    let held = true
    return () => {
      if (held) leave()
      held = false
    }
  }

  return {
    waiting: () => waiting.length,
    async acquire(signal) {
      signal.throwIfAborted()
      if (taken < permits) {
        taken += 1
        return place()
      }
      if (waiting.length >= MAX_WAITING) throw new TooManyWaiting('too many calls are waiting')
      return await new Promise((resolve, reject) => {
        function admit(): void {
          signal.removeEventListener('abort', giveUp)
          resolve(place())
        }
        function giveUp(): void {
          waiting.splice(waiting.indexOf(admit), 1)
          reject(signal.reason as Error)
        }
        waiting.push(admit)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}
