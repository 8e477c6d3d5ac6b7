// The state of the index for those who ask often and must not wait: health, probes, metrics.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import type { Queryable } from '../store/store.ts'
import { readIndexState } from './index-state.ts'
import type { IndexState } from './index-state.ts'

/** The state is read at most this often, however many ask: they are exempt from the rate limit. */
const STATE_CACHE_MS = 500
/** Nobody waits longer for the database. */
const STATE_TIMEOUT_MS = 1_000

/** What was seen. */
export interface IndexSnapshot {
  /** As last known; null while nothing is indexed, or while nothing could be read yet. */
  readonly state: IndexState | null
  /** True when the database said so now; false when it did not answer in time. */
  readonly fresh: boolean
}

/** Looks at the state of the index. Never rejects, and never takes longer than a second. */
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
      log.warn({ err: error }, 'the state of the index cannot be read')
      return false
    }
  }

  return async () => {
    const waited = new AbortController()
    const answered = await Promise.race([refresh(), clock.sleep(STATE_TIMEOUT_MS, waited.signal).then(() => false)])
    waited.abort()
    return { state, fresh: answered }
  }
}
