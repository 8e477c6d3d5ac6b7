// A bound on how many tasks run at the same time. Waiting tasks of one caller run in order of arrival, and callers take turns.

import { createTurns } from './turns.ts'
import type { TurnCaller } from './turns.ts'

export interface Semaphore {
  /**
   * Resolves with a function that releases the permit; calling it twice is harmless. Rejects when `signal` aborts first or too many tasks wait. `caller` is
   * an address, or more about who asks.
   */
  acquire(signal?: AbortSignal, caller?: string | TurnCaller): Promise<() => void>
  /** As `acquire`, when a permit is free now. */
  tryAcquire(caller?: string | TurnCaller): (() => void) | undefined
  /** Runs the work while holding a permit. */
  run<T>(work: () => Promise<T>, caller?: string | TurnCaller): Promise<T>
  /** The number of tasks that wait for a permit. */
  waiting(): number
}

/** Raised when the queue of a semaphore is full. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting'
}

interface Waiter {
  grant(): void
  reject(reason: Error): void
}

/**
 * Without `maxWaiting` the queue has no bound: the caller must bound how much work it submits. When the queue is full, a caller with fewer waiting tasks than
 * another takes the place of that one's newest task. Tasks without a caller belong to the program itself and go first. Large tasks hold at most
 * `largePermits` at the same time.
 */
export function createSemaphore(permits: number, maxWaiting = Number.POSITIVE_INFINITY, largePermits = permits): Semaphore {
  let available = permits
  let largeHeld = 0
  const turns = createTurns<Waiter>()

  function makeRoom(caller: TurnCaller | undefined): boolean {
    const waiter = turns.makeRoom(caller)
    waiter?.reject(new TooManyWaiting('a caller with fewer waiting tasks took the place'))
    return waiter !== undefined
  }

  function hold(isLarge: boolean): () => void {
    let isHeld = true
    available -= 1
    if (isLarge) largeHeld += 1
    return () => {
      if (!isHeld) return
      isHeld = false
      available += 1
      if (isLarge) largeHeld -= 1
      if (available > 0) turns.take(largeHeld < largePermits)?.grant()
    }
  }

  function tryHold(caller: TurnCaller | undefined): (() => void) | undefined {
    const isLarge = caller?.isLarge === true
    return available > 0 && (!isLarge || largeHeld < largePermits) ? hold(isLarge) : undefined
  }

  async function acquire(signal?: AbortSignal, caller?: string | TurnCaller): Promise<() => void> {
    signal?.throwIfAborted()
    const known = toCaller(caller)
    const release = tryHold(known)
    if (release !== undefined) return release
    if (turns.size() >= maxWaiting && !makeRoom(known)) throw new TooManyWaiting(`${turns.size()} tasks are already waiting`)
    return await new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant() {
          signal?.removeEventListener('abort', giveUp)
          resolve(hold(known?.isLarge === true))
        },
        reject(reason) {
          signal?.removeEventListener('abort', giveUp)
          reject(reason)
        },
      }
      function giveUp(): void {
        turns.remove(waiter)
        reject(signal?.reason as Error)
      }
      turns.add(waiter, known)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    acquire,
    tryAcquire: (caller) => tryHold(toCaller(caller)),
    async run(work, caller) {
      const done = await acquire(undefined, caller)
      try {
        return await work()
      } finally {
        done()
      }
    },
    waiting: turns.size,
  }
}

function toCaller(caller: string | TurnCaller | undefined): TurnCaller | undefined {
  return typeof caller === 'string' ? { address: caller } : caller
}
