// A bound on how many tasks run at the same time. The others wait in order of arrival.

export interface Semaphore {
  /** Resolves with a function that releases the permit; calling it twice is harmless. Rejects when `signal` aborts first or too many callers wait. */
  acquire(signal?: AbortSignal): Promise<() => void>
  /** Runs the work while holding a permit. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** The number of callers that wait for a permit. */
  waiting(): number
}

/** Raised when the queue of a semaphore is full. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting'
}

/** Without `maxWaiting` the queue has no bound: the caller must bound how much work it submits. */
export function createSemaphore(permits: number, maxWaiting = Number.POSITIVE_INFINITY): Semaphore {
  let available = permits
  const queue: (() => void)[] = []

  function release(): void {
    const next = queue.shift()
    if (next === undefined) available += 1
    else next()
  }

  function releaseOnce(): () => void {
    let isHeld = true
    return () => {
      if (isHeld) release()
      isHeld = false
    }
  }

  async function acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (available > 0) {
      available -= 1
      return releaseOnce()
    }
    if (queue.length >= maxWaiting) throw new TooManyWaiting(`${queue.length} callers are already waiting`)
    return await new Promise((resolve, reject) => {
      function grant(): void {
        signal?.removeEventListener('abort', giveUp)
        resolve(releaseOnce())
      }
      function giveUp(): void {
        queue.splice(queue.indexOf(grant), 1)
        reject(signal?.reason as Error)
      }
      queue.push(grant)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    acquire,
    async run(work) {
      const done = await acquire()
      try {
        return await work()
      } finally {
        done()
      }
    },
    waiting: () => queue.length,
  }
}
