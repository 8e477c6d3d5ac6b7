/** Runs `task` after all earlier tasks have ended, however they ended. */
export type Mutex = <T>(task: () => Promise<T>) => Promise<T>

/** For a connection that takes one statement at a time. The queue holds at most one task per waiting caller. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(task: () => Promise<T>) => {
    const next = last.then(task)
    last = next.catch(() => {})
    return next
  }
}
