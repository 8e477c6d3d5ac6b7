// A bounded number of things at a time; the rest wait in order of arrival.

export interface Semaphore {
  /** Runs the work when a lane is free. The caller bounds how much is queued. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createSemaphore(permits: number): Semaphore {
  let free = permits
  const waiting: (() => void)[] = []

  async function acquire(): Promise<void> {
    if (free > 0) {
      free -= 1
      return
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  /** Hands the lane to whoever waits longest, or frees it. */
  function release(): void {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  return {
    async run(work) {
      await acquire()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
