// Counts running database calls. A test that moves a virtual clock must first wait for them: they take real time.

import { setImmediate } from 'node:timers/promises'
import type { Queryable, Store, Writer } from '../../src/store/store.ts'

interface CallCounter {
  running(): number
  /** Resolves when no call has run for this many turns of the event loop. */
  idle(quietTurns: number): Promise<void>
  track<T>(work: () => Promise<T>): Promise<T>
}

export function createCallCounter(): CallCounter {
  let calls = 0
  let ended = Promise.withResolvers<void>()
  return {
    running: () => calls,
    async idle(quietTurns) {
      for (let quiet = 0; quiet < quietTurns; quiet++) {
        await setImmediate()
        if (calls === 0) continue
        // Turning the event loop instead would take a core from the database.
        await ended.promise
        quiet = -1
      }
    },
    async track(work) {
      calls += 1
      try {
        return await work()
      } finally {
        calls -= 1
        if (calls === 0) {
          ended.resolve()
          ended = Promise.withResolvers<void>()
        }
      }
    },
  }
}

/** The store with every statement, transaction and lock passed through `run`. Calls within the writer lock are not. */
export function wrapStore(real: Store, run: <T>(work: () => Promise<T>) => Promise<T>): Store {
  const queries = (db: Queryable): Queryable => ({ query: (sql, params, caller) => run(() => db.query(sql, params, caller)) })
  const writer: Writer = {
    ...queries(real.write), run: (statement, params) => run(() => real.write.run(statement, params)),
    transaction: (work) => run(() => real.write.transaction(work)),
  }
  return {
    ...real, read: queries(real.read), lookups: queries(real.lookups), write: writer,
    isLocked: (name) => run(() => real.isLocked(name)), tryLock: (name) => run(() => real.tryLock(name)),
  }
}

export function trackCalls(real: Store): Pick<CallCounter, 'running' | 'idle'> & { readonly store: Store } {
  const { running, idle, track } = createCallCounter()
  return { store: wrapStore(real, track), running, idle }
}
