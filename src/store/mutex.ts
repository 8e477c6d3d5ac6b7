// One after the other: for a connection that can do one thing at a time.

/** Runs `task` after all tasks before it have ended, however they ended. */
export type Mutex = <T>(task: () => Promise<T>) => Promise<T>

/** Builds a queue of one. Its callers wait for what they queue, so that it holds no more than there are callers. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(task: () => Promise<T>) => {
    const next = last.then(task)
    last = next.catch(() => {})
    return next
  }
}
