// The store on a PostgreSQL server.

import type { Clock, Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { LOOKUP_POOL_SIZE, READ_POOL_SIZE, REPLICA_NOTIFY_AGAIN_MS, WRITE_POOL_SIZE, WRITE_STATEMENT_TIMEOUT_MS } from '../bounds.ts'
import { StoreUnavailable } from '../store.ts'
import type { Store } from '../store.ts'
import { createWriteProblems } from '../write-problems.ts'
import { createListener } from './listener.ts'
import { createPool } from './connection-pool.ts'
import { isWriterLockHeld, tryWriterLock } from './writer-lock.ts'

export interface ServerOptions {
  readonly databaseUrl: string
  /** A replica for the reads; null reads from the same server. */
  readonly readUrl: string | null
  readonly readTimeoutMs: number
  readonly clock: Clock
  readonly log: Log
}

/** Builds the store. Connections are opened on demand. */
export function createServerStore(options: ServerOptions): Store {
  const { databaseUrl, readUrl, readTimeoutMs, clock, log } = options
  const reads = createPool({ url: readUrl ?? databaseUrl, readOnly: true, size: READ_POOL_SIZE, limitMs: readTimeoutMs, clock, log })
  const lookups = createPool({ url: databaseUrl, readOnly: true, size: LOOKUP_POOL_SIZE, limitMs: readTimeoutMs, clock, log })
  const writes = createPool({ url: databaseUrl, readOnly: false, size: WRITE_POOL_SIZE, limitMs: WRITE_STATEMENT_TIMEOUT_MS, clock, log })
  const listener = createListener({ url: databaseUrl, clock, log })
  const problems = createWriteProblems(clock)
  return {
    engine: 'server',
    readsLag: readUrl !== null,
    // Only `query`: the pool's `transaction` is not part of a Queryable.
    read: { query: (sql, params, caller) => reads.query(sql, params, caller) },
    lookups: { query: (sql, params) => lookups.query(sql, params) },
    write: problems.observe(writes),
    async writeProblem() {
      // While writes wait, their outcome shows it, and a check would only wait behind them.
      if (writes.waiting() > 0) return problems.current()
      try {
        await writes.checkWritable()
      } catch (cause) {
        return cause instanceof StoreUnavailable ? cause.problem : problems.current()
      }
      const problem = problems.current()
      return problem === 'read_only' ? null : problem
    },
    waiting: () => ({ reads: reads.waiting(), writes: writes.waiting() }),
    isLocked: (name) => isWriterLockHeld(lookups, name),
    async tryLock(name) {
      const lock = await tryWriterLock(databaseUrl, name, clock, { listeners: { prepare: listener.prepare } })
      return lock === undefined ? undefined : { db: problems.observe(lock.db), lost: lock.lost, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() }
    },
    async listen(channel, callback, listening) {
      if (readUrl === null) return await listener.listen(channel, callback, listening)
      const repeater = createRepeater(callback, clock)
      const stop = await listener.listen(channel, repeater.notify, listening)
      return async () => {
        repeater.stop()
        await stop()
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([reads, lookups, writes, listener].map((part) => part[Symbol.asyncDispose]()))
    },
  }
}

/**
 * Delivers a notification at once, and again after REPLICA_NOTIFY_AGAIN_MS, because a replica may not have the new rows at first. A new notification replaces
 * the repetitions of the previous one.
 */
function createRepeater(callback: (payload: string) => void, clock: Clock): { readonly notify: (payload: string) => void; readonly stop: () => void } {
  let timers: readonly Timer[] = []
  const stop = (): void => timers.forEach((timer) => timer.cancel())
  return {
    notify(payload) {
      stop()
      timers = REPLICA_NOTIFY_AGAIN_MS.map((afterMs) => clock.setTimer(afterMs, () => callback(payload)))
      callback(payload)
    },
    stop,
  }
}
