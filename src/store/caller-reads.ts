// Reads on behalf of callers, which take turns (docs/decisions/fair-shares.md).

import type { TurnCaller } from '../base/turns.ts'
import type { Queryable, Store } from './store.ts'

/** Runs the reads for this caller. */
export function readsFor(db: Queryable, caller: TurnCaller): Queryable {
  return { query: (statement, params) => db.query(statement, params, caller) }
}

/** The store whose reads run for the caller that `current` returns when they are sent; without one they are the program's own. */
export function withCallers(store: Store, current: () => TurnCaller | undefined): Store {
  return { ...store, read: { query: (statement, params, caller = current()) => store.read.query(statement, params, caller) } }
}
