// Database reads on behalf of the callers of requests, which take turns (docs/decisions/fair-shares.md).

import { createTaskContext } from '../base/task-context.ts'
import type { TaskContext } from '../base/task-context.ts'
import type { TurnCaller } from '../base/turns.ts'
import { readsFor, withCallers } from '../store/caller-reads.ts'
import type { Queryable, Store } from '../store/store.ts'

/** Reads whose result all callers get. They wait in turn as if one more caller sent them. */
const SHARED_READS: TurnCaller = { address: 'shared' }

export interface CallerReads {
  /** Receives the caller of each request while its handler runs. */
  readonly reading: TaskContext<TurnCaller>
  /** Reads for the caller of the request; outside of a request, for the program itself. */
  readonly store: Store
  /** For reads that callers share. */
  readonly sharedDb: Queryable
}

export function createCallerReads(store: Store): CallerReads {
  const reading = createTaskContext<TurnCaller>()
  const forCallers = withCallers(store, reading.current)
  return { reading, store: forCallers, sharedDb: readsFor(forCallers.read, SHARED_READS) }
}
