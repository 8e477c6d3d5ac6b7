// A cached state of the index for health, probes and metrics, which poll often and must not wait.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import type { Queryable } from '../store/store.ts'
import { readIndexState } from './index-state.ts'
import type { IndexState } from './index-state.ts'

/** The state is read at most this often, because its readers are exempt from the rate limit. */
const STATE_CACHE_MS = 500
/** How long a reader waits for the database. */
const STATE_TIMEOUT_MS = 1_000

export interface IndexSnapshot {
  /** The last state that was read; null while nothing is indexed or nothing could be read yet. */
  readonly state: IndexState | null
  /** False when the database did not respond in time. */
  readonly fresh: boolean
}

/** Reads the state of the index. Never rejects; takes at most one second. */
export type IndexSnapshotReader = () => Promise<IndexSnapshot>

export function createIndexSnapshotReader({ db, clock, log }: { readonly db: Queryable; readonly clock: Clock; readonly log: Log }): IndexSnapshotReader {
  const states = createTtlCache<{ readonly state: IndexState | null }>({ clock, ttlMs: STATE_CACHE_MS, maxEntries: 1 })
  let state: IndexState | null = null

  async function refresh(): Promise<boolean> {
    try {
      const read = await states.get('', async () => ({ state: await readIndexState(db) }))
      state = read.state
      return true
    } catch (error) {
      log.warn({ err: error }, 'the state of the index could not be read')
      return false
    }
  }

  return async () => {
    const timeout = new AbortController()
    const fresh = await Promise.race([refresh(), clock.sleep(STATE_TIMEOUT_MS, timeout.signal).then(() => false)])
    timeout.abort()
    return { state, fresh }
  }
}
