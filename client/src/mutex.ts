// One after another.

/** Runs each piece of work when those before it have ended, however they ended. Rejects when more than `most` wait. */
export function createMutex(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (work) => {
    if (waiting >= most) throw new Error(`More than ${most} trades wait for their turn.`)
    waiting += 1
    const mine = last.then(work)
    last = mine.catch(() => {})
    try {
      return await mine
    } finally {
      waiting -= 1
    }
  }
}
