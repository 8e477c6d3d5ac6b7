// A store that tells whether anybody waits for it. A test moves its clock on when nothing more happens by itself, and a database takes real time: one that is
// asked right now is not one that has nothing more to say.

import type { Queryable, Store, Writer } from '../../src/store/store.ts'

export interface BusyStore {
  readonly store: Store
  /** Statements and transactions that were begun and have not ended. */
  busy(): number
}

/** Counts what is asked of a store outside its locks. */
export function busyStore(real: Store): BusyStore {
  let underWay = 0

  async function count<T>(work: () => Promise<T>): Promise<T> {
    underWay += 1
    try {
      return await work()
    } finally {
      underWay -= 1
    }
  }

  const queries = (db: Queryable): Queryable => ({ query: (sql, params) => count(() => db.query(sql, params)) })
  const writes = (db: Writer): Writer => ({ ...queries(db), transaction: (work) => count(() => db.transaction(work)) })
  return { store: { ...real, read: queries(real.read), write: writes(real.write) }, busy: () => underWay }
}
