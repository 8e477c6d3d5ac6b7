// The embedded engine has no background processes: nobody checkpoints its log or vacuums its tables but this.

import type { Clock, Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import {
  CHECKPOINT_AFTER_MS, CHECKPOINT_AFTER_ROWS, MAINTENANCE_AFTER_IDLE_MS, MAINTENANCE_OVERDUE_MS, VACUUM_AFTER_ROWS, VACUUM_FIRST_AFTER_ROWS, VACUUM_TRIES,
} from '../bounds.ts'
import { Interrupted } from './scheduler.ts'
import type { Scheduler } from './scheduler.ts'

export interface Maintenance {
  /** Tells how many rows a statement wrote. */
  countRows(rows: number): void
  /** Stops all timers. */
  stop(): void
}

type Run = (sql: string) => Promise<object[]>

/** Keeps the write-ahead log short and the planner informed. `run` sends one statement to the engine, and is only called in a turn of `scheduler`. */
export function createMaintenance(options: { scheduler: Scheduler; run: Run; clock: Clock; log: Log }): Maintenance {
  const { clock } = options
  const timers = new Map<'checkpoint' | 'vacuum', Timer>()
  let rowsSinceCheckpoint = 0
  let rowsSinceVacuum = 0
  let vacuumAfterRows = VACUUM_FIRST_AFTER_ROWS
  const stopping = new AbortController()

  function set(name: 'checkpoint' | 'vacuum', delayMs: number, callback: () => void): void {
    if (stopping.signal.aborted) return
    timers.get(name)?.cancel()
    timers.set(name, clock.setTimer(delayMs, () => {
      timers.delete(name)
      callback()
    }))
  }

  /** A checkpoint that many rows call for goes before everything; the timely one waits for a quiet moment, but not for long. */
  function checkpoint(urgent: boolean): void {
    timers.get('checkpoint')?.cancel()
    timers.delete('checkpoint')
    rowsSinceCheckpoint = 0
    const { scheduler, run, log } = options
    const work = () => run('checkpoint')
    const turn = urgent ? scheduler.write(work) : scheduler.maintenance(work, true)
    turn.catch((cause: unknown) => {
      if (stopping.signal.aborted) return
      if (!(cause instanceof Interrupted)) log.warn({ cause: String(cause) }, 'the embedded database could not be checkpointed')
      set('checkpoint', CHECKPOINT_AFTER_MS, () => checkpoint(false))
    })
  }

  function awaitQuiet(waitedMs: number): void {
    set('vacuum', MAINTENANCE_AFTER_IDLE_MS, () => {
      const overdue = waitedMs >= MAINTENANCE_OVERDUE_MS
      if (!overdue && !options.scheduler.isIdle()) return awaitQuiet(waitedMs + MAINTENANCE_AFTER_IDLE_MS)
      rowsSinceVacuum = 0
      void vacuum(overdue)
    })
  }

  async function vacuum(overdue: boolean): Promise<void> {
    await vacuumChangedTables({ ...options, overdue, stop: stopping.signal })
    vacuumAfterRows = Math.min(VACUUM_AFTER_ROWS, vacuumAfterRows * 2)
    if (rowsSinceVacuum >= vacuumAfterRows) awaitQuiet(0)
  }

  return {
    countRows(rows) {
      rowsSinceCheckpoint += rows
      rowsSinceVacuum += rows
      if (rowsSinceCheckpoint >= CHECKPOINT_AFTER_ROWS) checkpoint(true)
      else if (!timers.has('checkpoint')) set('checkpoint', CHECKPOINT_AFTER_MS, () => checkpoint(false))
      if (rowsSinceVacuum >= vacuumAfterRows && !timers.has('vacuum')) awaitQuiet(0)
    },
    stop() {
      stopping.abort()
      for (const timer of timers.values()) timer.cancel()
      timers.clear()
    },
  }
}

const CHANGED_TABLES = `
  select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where n_mod_since_analyze > 0 or n_dead_tup > 0 order by n_mod_since_analyze desc`

/** One table per turn, so that a writer never waits for more than a part of one. Never raises. */
async function vacuumChangedTables(
  options: { scheduler: Scheduler; run: Run; clock: Clock; log: Log; overdue: boolean; stop: AbortSignal },
): Promise<void> {
  const { scheduler, run, clock, log, overdue, stop } = options
  try {
    // What changed is counted with a delay of up to a second otherwise.
    await scheduler.maintenance(() => run('select pg_stat_force_next_flush()'), overdue)
    const tables = (await scheduler.maintenance(() => run(CHANGED_TABLES), overdue)) as { name: string }[]
    for (const { name } of tables) {
      for (let tries = 0; tries < VACUUM_TRIES && !stop.aborted; tries++) {
        if (await vacuumed(name)) break
        await clock.sleep(MAINTENANCE_AFTER_IDLE_MS, stop)
      }
    }
  } catch (cause) {
    if (!stop.aborted && !(cause instanceof Interrupted)) log.warn({ cause: String(cause) }, 'the embedded database could not be vacuumed')
  }

  async function vacuumed(table: string): Promise<boolean> {
    try {
      await scheduler.maintenance(() => run(`vacuum (analyze) ${table}`), overdue)
      return true
    } catch (cause) {
      if (cause instanceof Interrupted) return false
      throw cause
    }
  }
}
