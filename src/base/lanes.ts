// A bounded number of things at a time; the rest wait in order of arrival.

export interface Lanes {
  /** Runs the work when a lane is free. The caller bounds how much is queued. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createLanes(count: number): Lanes {
  let free = count
  const waiting: (() => void)[] = []

  async function enter(): Promise<void> {
    if (free > 0) {
      free -= 1
      return
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  /** Hands the lane to whoever waits longest, or frees it. */
  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  return {
    async run(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
