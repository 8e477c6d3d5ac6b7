// A store that tells whether anybody waits for it. A test moves its clock on when nothing more happens by itself, and a database takes real time: one that is
// asked right now is not one that has nothing more to say.

import type { Queryable, Store, Writer } from '../../src/store/store.ts'
import { createCallsUnderWay } from './calls-under-way.ts'

export interface BusyStore {
  readonly store: Store
  /** Statements and transactions that were begun and have not ended. */
  busy(): number
}

/** Counts what is asked of a store outside its locks. */
export function busyStore(real: Store): BusyStore {
  const { busy, hold } = createCallsUnderWay()
  const queries = (db: Queryable): Queryable => ({ query: (sql, params) => hold(() => db.query(sql, params)) })
  const writes = (db: Writer): Writer => ({ ...queries(db), transaction: (work) => hold(() => db.transaction(work)) })
  return { store: { ...real, read: queries(real.read), write: writes(real.write) }, busy }
}
