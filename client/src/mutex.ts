// Runs asynchronous tasks one at a time.

/** Runs each task after the ones before it have settled. Rejects when more than `maxWaiting` tasks wait. */
export function createMutex(maxWaiting: number): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (task) => {
    if (waiting >= maxWaiting) throw new Error(`More than ${maxWaiting} trades are waiting.`)
    waiting += 1
    const result = last.then(task)
    last = result.catch(() => {})
    try {
      return await result
    } finally {
      waiting -= 1
    }
  }
}
