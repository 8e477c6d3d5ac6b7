// Counts running database calls. A test that moves a virtual clock must first wait for them: they take real time.

import type { Queryable, Store, Writer } from '../../src/store/store.ts'

interface CallCounter {
  running(): number
  track<T>(work: () => Promise<T>): Promise<T>
}

export function createCallCounter(): CallCounter {
  let calls = 0
  return {
    running: () => calls,
    async track(work) {
      calls += 1
      try {
        return await work()
      } finally {
        calls -= 1
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

export function trackCalls(real: Store): { readonly store: Store; running(): number } {
  const { running, track } = createCallCounter()
  return { store: wrapStore(real, track), running }
}
