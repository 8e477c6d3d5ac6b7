// Checkpoints and vacuums the embedded engine, which has no background processes that would.

import type { Clock, Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import {
  CHECKPOINT_AFTER_MS, CHECKPOINT_AFTER_ROWS, CHECKPOINT_AT_ONCE_AFTER_ROWS, MAINTENANCE_AFTER_IDLE_MS, MAINTENANCE_OVERDUE_MS, VACUUM_AFTER_ROWS,
  VACUUM_FIRST_AFTER_ROWS,
} from '../bounds.ts'
import type { Scheduler } from './scheduler.ts'

export interface Maintenance {
  /** Counts rows that a statement wrote. */
  countRows(rows: number): void
  /** Stops all timers. */
  stop(): void
}

type Run = (sql: string) => Promise<object[]>

/** Keeps the write-ahead log short and the planner's statistics fresh. `run` sends one statement; it is only called in a turn of `scheduler`. */
export function createMaintenance(options: { scheduler: Scheduler; run: Run; clock: Clock; log: Log }): Maintenance {
  const { clock, scheduler, run, log } = options
  const timers = new Map<'checkpoint' | 'idle checkpoint' | 'vacuum', Timer>()
  let rowsSinceCheckpoint = 0
  let rowsSinceVacuum = 0
  let vacuumAfterRows = VACUUM_FIRST_AFTER_ROWS
  const stopping = new AbortController()

  function setTimer(name: 'checkpoint' | 'idle checkpoint' | 'vacuum', delayMs: number, callback: () => void): void {
    if (stopping.signal.aborted) return
    timers.get(name)?.cancel()
    timers.set(name, clock.setTimer(delayMs, () => {
      timers.delete(name)
      callback()
    }))
  }

  function cancelTimer(name: 'checkpoint' | 'idle checkpoint'): void {
    timers.get(name)?.cancel()
    timers.delete(name)
  }

  /** After very many rows it runs as a write, before everything else, and otherwise as overdue maintenance, after the writes. */
  async function checkpoint(isUrgent: boolean): Promise<void> {
    cancelTimer('checkpoint')
    cancelTimer('idle checkpoint')
    rowsSinceCheckpoint = 0
    const work = () => run('checkpoint')
    try {
      await (isUrgent ? scheduler.write(work) : scheduler.maintenance(work, true))
    } catch (cause) {
      if (stopping.signal.aborted) return
      log.warn({ cause: String(cause) }, 'checkpoint of the embedded database failed')
      setTimer('checkpoint', CHECKPOINT_AFTER_MS, () => void checkpoint(false))
    }
  }

  /** A checkpoint takes as long as a page of events, so pages that follow one another go first. */
  function checkpointWhenIdle(): void {
    setTimer('idle checkpoint', MAINTENANCE_AFTER_IDLE_MS, () => {
      if (scheduler.isIdle()) void checkpoint(false)
      else checkpointWhenIdle()
    })
  }

  function vacuumWhenIdle(waitedMs: number): void {
    setTimer('vacuum', MAINTENANCE_AFTER_IDLE_MS, () => {
      const overdue = waitedMs >= MAINTENANCE_OVERDUE_MS
      if (!overdue && !scheduler.isIdle()) return vacuumWhenIdle(waitedMs + MAINTENANCE_AFTER_IDLE_MS)
      rowsSinceVacuum = 0
      void vacuum(overdue)
    })
  }

  async function vacuum(overdue: boolean): Promise<void> {
    try {
      await vacuumChangedTables((sql) => scheduler.maintenance(() => run(sql), overdue), stopping.signal)
    } catch (cause) {
      if (!stopping.signal.aborted) log.warn({ cause: String(cause) }, 'vacuum of the embedded database failed')
    }
    vacuumAfterRows = Math.min(VACUUM_AFTER_ROWS, vacuumAfterRows * 2)
    if (rowsSinceVacuum >= vacuumAfterRows) vacuumWhenIdle(0)
  }

  return {
    countRows(rows) {
      rowsSinceCheckpoint += rows
      rowsSinceVacuum += rows
      if (rowsSinceCheckpoint >= CHECKPOINT_AT_ONCE_AFTER_ROWS) void checkpoint(true)
      else {
        if (!timers.has('checkpoint')) setTimer('checkpoint', CHECKPOINT_AFTER_MS, () => void checkpoint(false))
        if (rowsSinceCheckpoint >= CHECKPOINT_AFTER_ROWS && !timers.has('idle checkpoint')) checkpointWhenIdle()
      }
      if (rowsSinceVacuum >= vacuumAfterRows && !timers.has('vacuum')) vacuumWhenIdle(0)
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

/** One turn per table, so that a write waits for one table at most. */
async function vacuumChangedTables(runInTurn: Run, stop: AbortSignal): Promise<void> {
  // The counters of changed rows are flushed up to a second late otherwise.
  await runInTurn('select pg_stat_force_next_flush()')
  const tables = (await runInTurn(CHANGED_TABLES)) as { name: string }[]
  for (const { name } of tables) {
    if (stop.aborted) return
    await runInTurn(`vacuum (analyze) ${name}`)
  }
}
