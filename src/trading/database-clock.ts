// A clock with the database's time of day. Instances share submissions: who drives one until when, and when it is due, must not depend on the clock of the
// machine that wrote it.

import type { Clock } from '../base/clock.ts'
import type { Queryable } from '../store/store.ts'

export interface DatabaseClock extends Clock {
  /** Reads the database's time, unless that was done a moment ago. */
  refresh(): Promise<void>
}

/** Reads the database's time, in milliseconds. */
export type ReadDatabaseTime = () => Promise<number>

/** Machines drift by far less in this time. */
const REFRESH_INTERVAL_MS = 10_000

/** Until the first refresh its time of day is that of `clock`. */
export function createDatabaseClock(clock: Clock, readTime: ReadDatabaseTime): DatabaseClock {
  let offsetMs: number | null = null
  let refreshedAtMs = Number.NEGATIVE_INFINITY
  return {
    ...clock,
    nowMs: () => (offsetMs === null ? clock.nowMs() : Math.floor(clock.elapsedMs() + offsetMs)),
    async refresh() {
      const startedAtMs = clock.elapsedMs()
      if (startedAtMs - refreshedAtMs < REFRESH_INTERVAL_MS) return
      const timeMs = await readTime()
      refreshedAtMs = clock.elapsedMs()
      // The database read its clock between the two.
      offsetMs = timeMs - (startedAtMs + refreshedAtMs) / 2
    },
  }
}

export async function readDatabaseTime(db: Queryable): Promise<number> {
  const [row] = await db.query<{ ms: number }>('select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms')
  return row?.ms ?? Number.NaN
}
