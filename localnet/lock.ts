// One at a time: the actors' turns and the cheats never overlap, so that each sees a network that nobody else is moving.

/** More than this many waiting are turned away. */
const MAX_WAITING = 256

/** Runs pieces of work one after the other, in the order in which they came. */
export interface Lock {
  /** Runs `work` when all that came before has ended. Throws Error when too many wait. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>
}

/** Builds a lock. */
export function createLock(): Lock {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  return {
    async exclusive(work) {
      if (waiting >= MAX_WAITING) throw new Error('too many calls wait for the local network')
      waiting += 1
      const turn = last.then(work).finally(() => {
        waiting -= 1
      })
      // Those behind come after this work, whatever became of it.
      last = turn.catch(() => undefined)
      return turn
    },
    async idle() {
      for (let seen: Promise<unknown> | null = null; seen !== last; ) {
        seen = last
        await seen
      }
    },
  }
}
