// A cached state of the index for health, probes and metrics, which poll often and must not wait.

import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { createOutageLog } from '../../base/outage-log.ts'
import { createTtlCache } from '../../base/ttl-cache.ts'
import { StoreUnavailable } from '../../store/store.ts'
import type { DatabaseProblem, Store } from '../../store/store.ts'
import { readIndexState } from './index-state.ts'
import type { IndexState } from './index-state.ts'

/** The state is read at most this often, because its readers are exempt from the rate limit. */
const STATE_CACHE_MS = 500
/** Time for which a reader waits for the database. */
const STATE_TIMEOUT_MS = 1_000

export interface IndexSnapshot {
  /** The last state that was read; null while nothing is indexed or nothing could be read yet. */
  readonly state: IndexState | null
  /** False when the database did not respond in time. */
  readonly fresh: boolean
  /** The problem of the database. Not null while `fresh` is false; otherwise reads work, and the problem is one of writes. */
  readonly database: DatabaseProblem | null
}

/** Reads the state of the index. Never rejects; takes at most one second. */
export type IndexSnapshotReader = () => Promise<IndexSnapshot>

export function createIndexSnapshotReader(
  { store, clock, log }: { readonly store: Pick<Store, 'read' | 'writeProblem'>; readonly clock: Clock; readonly log: Log },
): IndexSnapshotReader {
  const states = createTtlCache<{ readonly state: IndexState | null }>({ clock, ttlMs: STATE_CACHE_MS, maxEntries: 1 })
  const writes = createTtlCache<{ readonly problem: DatabaseProblem | null }>({ clock, ttlMs: STATE_CACHE_MS, maxEntries: 1 })
  const failures = createOutageLog({
    clock, log, level: 'warn', message: 'the state of the index could not be read', endMessage: 'the state of the index can be read again',
  })
  let state: IndexState | null = null
  /** As of the last check of writes that ended in time. */
  let writeProblem: DatabaseProblem | null = null

  /** Null when the state was read. */
  async function refresh(): Promise<DatabaseProblem | null> {
    try {
      const read = await states.get('', async () => ({ state: await readIndexState(store.read) }))
      state = read.state
      failures.succeeded()
      return null
    } catch (error) {
      const { name, message } = error as Error
      failures.failed(name, () => ({ cause: `${name}: ${message}` }))
      return error instanceof StoreUnavailable ? error.problem : 'unreachable'
    }
  }

  async function checkWrites(): Promise<void> {
    writeProblem = (await writes.get('', async () => ({ problem: await store.writeProblem() }))).problem
  }

  return async () => {
    const timeout = new AbortController()
    const late = clock.sleep(STATE_TIMEOUT_MS, timeout.signal).then(() => 'late' as const)
    const [read] = await Promise.all([Promise.race([refresh(), late]), Promise.race([checkWrites(), late])])
    timeout.abort()
    if (read === 'late') failures.failed('late', () => ({ cause: 'no response in time' }))
    const readProblem = read === 'late' ? 'unreachable' : read
    // A read that fails for an unknown reason, such as the restart of an engine, fails for the known reason of writes.
    const database = readProblem === null || readProblem === 'unreachable' ? writeProblem ?? readProblem : readProblem
    return { state, fresh: readProblem === null, database }
  }
}
