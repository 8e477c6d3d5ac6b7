// A bound on how many tasks run at the same time. Waiting tasks of one caller run in order of arrival. Callers take turns, so that one with many tasks does
// not delay the others.

export interface Semaphore {
  /** Resolves with a function that releases the permit; calling it twice is harmless. Rejects when `signal` aborts first or too many tasks wait. */
  acquire(signal?: AbortSignal, caller?: string): Promise<() => void>
  /** Runs the work while holding a permit. */
  run<T>(work: () => Promise<T>, caller?: string): Promise<T>
  /** The number of tasks that wait for a permit. */
  waiting(): number
}

/** Raised when the queue of a semaphore is full. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting'
  /** True when the caller's own tasks are the many. */
  readonly isOwnShare: boolean

  constructor(message: string, isOwnShare: boolean) {
    super(message)
    this.isOwnShare = isOwnShare
  }
}

interface Waiter {
  grant(): void
  reject(reason: Error): void
}

/**
 * Without `maxWaiting` the queue has no bound: the caller must bound how much work it submits. When the queue is full, a caller with fewer waiting tasks than
 * another takes the place of that one's newest task. Tasks without a caller belong to the program itself and go first.
 */
export function createSemaphore(permits: number, maxWaiting = Number.POSITIVE_INFINITY): Semaphore {
  let available = permits
  let count = 0
  /** By caller, in order of their turns. Callers without waiting tasks are removed. */
  const queues = new Map<string, Waiter[]>()

  function release(): void {
    const next = takeNext()
    if (next === undefined) available += 1
    else next.grant()
  }

  function takeNext(): Waiter | undefined {
    const caller = queues.has(OWN) ? OWN : queues.keys().next().value
    if (caller === undefined) return undefined
    const queue = queues.get(caller)
    const next = queue?.shift()
    queues.delete(caller)
    if (queue !== undefined && queue.length > 0) queues.set(caller, queue)
    count -= 1
    return next
  }

  function remove(caller: string, waiter: Waiter): void {
    const queue = queues.get(caller)
    const index = queue?.indexOf(waiter) ?? -1
    if (queue === undefined || index === -1) return
    queue.splice(index, 1)
    if (queue.length === 0) queues.delete(caller)
    count -= 1
  }

  /** Removes the newest task of the caller with the most waiting tasks, if that is more than this caller would have. */
  function makeRoom(caller: string): boolean {
    let longest: { readonly caller: string; readonly queue: readonly Waiter[] } | undefined
    for (const [other, queue] of queues) {
      if (other !== OWN && queue.length > (longest?.queue.length ?? 0)) longest = { caller: other, queue }
    }
    const newest = longest?.queue.at(-1)
    if (longest === undefined || newest === undefined) return false
    if (caller !== OWN && longest.queue.length <= (queues.get(caller)?.length ?? 0) + 1) return false
    remove(longest.caller, newest)
    newest.reject(new TooManyWaiting('a caller with fewer waiting tasks took the place', true))
    return true
  }

  function releaseOnce(): () => void {
    let isHeld = true
    return () => {
      if (isHeld) release()
      isHeld = false
    }
  }

  async function acquire(signal?: AbortSignal, caller = OWN): Promise<() => void> {
    signal?.throwIfAborted()
    if (available > 0) {
      available -= 1
      return releaseOnce()
    }
    if (count >= maxWaiting && !makeRoom(caller)) throw new TooManyWaiting(`${count} tasks are already waiting`, (queues.get(caller)?.length ?? 0) > 1)
    return await new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant() {
          signal?.removeEventListener('abort', giveUp)
          resolve(releaseOnce())
        },
        reject(reason) {
          signal?.removeEventListener('abort', giveUp)
          reject(reason)
        },
      }
      function giveUp(): void {
        remove(caller, waiter)
        reject(signal?.reason as Error)
      }
      const queue = queues.get(caller)
      if (queue === undefined) queues.set(caller, [waiter])
      else queue.push(waiter)
      count += 1
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    acquire,
    async run(work, caller) {
      const done = await acquire(undefined, caller)
      try {
        return await work()
      } finally {
        done()
      }
    },
    waiting: () => count,
  }
}

/** The queue of tasks without a caller. */
const OWN = ''
