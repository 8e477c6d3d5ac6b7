// Without maintenance the embedded engine's log grows without limit and its planner has no statistics.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { openTestEmbedded } from '../../../test/support/database.ts'
import {
  CHECKPOINT_AFTER_MS, CHECKPOINT_AFTER_ROWS, CHECKPOINT_AT_ONCE_AFTER_ROWS, MAINTENANCE_AFTER_IDLE_MS, MAINTENANCE_OVERDUE_MS, VACUUM_AFTER_ROWS,
  VACUUM_FIRST_AFTER_ROWS,
} from '../bounds.ts'
import { StatementTimeout } from '../store.ts'
import { createMaintenance } from './maintenance.ts'
import type { Scheduler } from './scheduler.ts'

/** An engine that runs every turn at once. The test sets whether it is idle and which statements fail. */
function setUp() {
  const clock = createVirtualClock(0)
  const turns: string[] = []
  const warnings: string[] = []
  const failing: { sql: string; error: Error }[] = []
  let idle = true
  const run = async (sql: string): Promise<object[]> => {
    turns.push(sql.includes('pg_stat_user_tables') ? 'list' : sql)
    const at = failing.findIndex((failure) => sql.startsWith(failure.sql))
    const [failure] = at < 0 ? [] : failing.splice(at, 1)
    if (failure !== undefined) throw failure.error
    return sql.includes('pg_stat_user_tables') ? [{ name: 'idx.events' }, { name: 'idx.trades' }] : []
  }
  const scheduler = {
    write: (work) => (turns.push('turn of a write'), work()),
    maintenance: (work, overdue) => (turns.push(overdue ? 'overdue' : 'when idle'), work()),
    isIdle: () => idle,
  } as Scheduler
  const maintenance = createMaintenance({ scheduler, run, clock, log: { ...silentLog, warn: (_fields, message) => void warnings.push(message) } })
  return {
    clock, maintenance, turns, warnings, failing,
    setIdle: (value: boolean) => void (idle = value),
    /** Advances the clock in steps and runs promise callbacks after each. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += MAINTENANCE_AFTER_IDLE_MS) {
        clock.advance(Math.min(MAINTENANCE_AFTER_IDLE_MS, ms - passed))
        await settled()
      }
    },
    count: (turn: string) => turns.filter((one) => one === turn).length,
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('many rows are checkpointed once the engine is idle', async () => {
  const { maintenance, setIdle, pass, turns, count } = setUp()
  setIdle(false)
  maintenance.countRows(CHECKPOINT_AFTER_ROWS)
  await pass(MAINTENANCE_AFTER_IDLE_MS * 4)
  assert.equal(count('checkpoint'), 0)
  setIdle(true)
  await pass(MAINTENANCE_AFTER_IDLE_MS)
  assert.deepEqual(turns.slice(turns.indexOf('checkpoint') - 1, turns.indexOf('checkpoint') + 1), ['overdue', 'checkpoint'])
  await pass(MAINTENANCE_AFTER_IDLE_MS * 4)
  assert.equal(count('checkpoint'), 1)
})

test('very many rows are checkpointed at once in the turn of a write, however busy the engine is', async () => {
  const { maintenance, turns, setIdle } = setUp()
  setIdle(false)
  maintenance.countRows(CHECKPOINT_AT_ONCE_AFTER_ROWS - 1)
  assert.deepEqual(turns, [])
  maintenance.countRows(1)
  assert.deepEqual(turns, ['turn of a write', 'checkpoint'])
  maintenance.countRows(CHECKPOINT_AT_ONCE_AFTER_ROWS - 1)
  assert.equal(turns.length, 2, 'the count starts again')
  maintenance.countRows(1)
  assert.equal(turns.length, 4)
  await settled()
})

test('few rows are checkpointed after a minute, once', async () => {
  const { maintenance, clock, pass, count } = setUp()
  maintenance.countRows(1)
  maintenance.countRows(1)
  await pass(CHECKPOINT_AFTER_MS - MAINTENANCE_AFTER_IDLE_MS)
  assert.equal(count('checkpoint'), 0)
  await pass(CHECKPOINT_AFTER_MS * 10)
  assert.equal(count('checkpoint'), 1)
  assert.equal(count('overdue'), 1, 'it goes before reads')
  assert.equal(clock.pendingTimers(), 0)
})

test('a failed checkpoint is logged and repeated', async () => {
  const { maintenance, failing, pass, count, warnings } = setUp()
  failing.push({ sql: 'checkpoint', error: new StatementTimeout('slow') })
  maintenance.countRows(1)
  await pass(CHECKPOINT_AFTER_MS * 3)
  assert.equal(count('checkpoint'), 2)
  assert.equal(warnings.length, 1)
})

test('changed tables are vacuumed and analyzed when the engine is idle, one turn each', async () => {
  const { maintenance, setIdle, pass, turns } = setUp()
  maintenance.countRows(VACUUM_FIRST_AFTER_ROWS - 1)
  await pass(MAINTENANCE_AFTER_IDLE_MS * 4)
  assert.deepEqual(turns, [])
  setIdle(false)
  maintenance.countRows(1)
  await pass(MAINTENANCE_AFTER_IDLE_MS * 4)
  assert.deepEqual(turns, [])
  setIdle(true)
  await pass(MAINTENANCE_AFTER_IDLE_MS)
  assert.deepEqual(turns, [
    'when idle', 'select pg_stat_force_next_flush()', 'when idle', 'list', 'when idle',
    'vacuum (analyze) idx.events', 'when idle', 'vacuum (analyze) idx.trades',
  ])
})

test('an engine that is never idle is vacuumed when that is overdue', async () => {
  const { maintenance, setIdle, pass, turns } = setUp()
  setIdle(false)
  maintenance.countRows(VACUUM_FIRST_AFTER_ROWS)
  await pass(MAINTENANCE_OVERDUE_MS + MAINTENANCE_AFTER_IDLE_MS)
  assert.ok(turns.includes('vacuum (analyze) idx.events'))
  assert.ok(turns.includes('overdue') && !turns.includes('when idle'))
})

test('the first rounds of vacuum come early, later ones after 50 000 rows', async () => {
  const { maintenance, pass, count } = setUp()
  let rows = 0
  const roundsAt: number[] = []
  while (rows < 4 * VACUUM_AFTER_ROWS) {
    const before = count('list')
    maintenance.countRows(500)
    rows += 500
    await pass(MAINTENANCE_AFTER_IDLE_MS)
    if (count('list') > before) roundsAt.push(rows)
  }
  const steps = roundsAt.map((at, index) => at - (roundsAt[index - 1] ?? 0))
  assert.deepEqual(steps.slice(0, 4), [1_000, 2_000, 4_000, 8_000])
  assert.equal(Math.max(...steps), VACUUM_AFTER_ROWS)
})

test('a failed vacuum is logged and ends its round; the next round runs', async () => {
  const { maintenance, failing, pass, count, warnings } = setUp()
  failing.push({ sql: 'vacuum', error: new StatementTimeout('slow') })
  maintenance.countRows(VACUUM_FIRST_AFTER_ROWS)
  await pass(MAINTENANCE_AFTER_IDLE_MS * 2)
  assert.equal(warnings.length, 1)
  assert.deepEqual([count('vacuum (analyze) idx.events'), count('vacuum (analyze) idx.trades')], [1, 0])
  maintenance.countRows(VACUUM_AFTER_ROWS)
  await pass(MAINTENANCE_AFTER_IDLE_MS * 2)
  assert.equal(warnings.length, 1)
  assert.deepEqual([count('vacuum (analyze) idx.events'), count('vacuum (analyze) idx.trades')], [2, 1])
})

test('stopping cancels all timers and starts nothing more', async () => {
  const { maintenance, clock, pass, turns } = setUp()
  maintenance.countRows(VACUUM_FIRST_AFTER_ROWS)
  maintenance.stop()
  assert.equal(clock.pendingTimers(), 0)
  maintenance.countRows(VACUUM_FIRST_AFTER_ROWS)
  await pass(CHECKPOINT_AFTER_MS)
  assert.deepEqual(turns, [])
})

test('on the real engine: many rows cause a checkpoint, then fresh statistics', async () => {
  const clock = createVirtualClock(0)
  await using store = await openTestEmbedded({ clock })
  await store.write.query('create table wide (id int, body text)')
  const readState = () => store.read.query<{ redo: string; rows: number }>(
    "select redo_lsn::text as redo, (select reltuples from pg_class where relname = 'wide') as rows from pg_control_checkpoint()",
  )
  const [before] = await readState()
  assert.equal(before?.rows, -1, 'the planner has no statistics yet')
  await store.write.query("insert into wide select n, 'x' from generate_series(1, $1::int) n", [CHECKPOINT_AFTER_ROWS])
  const [written] = await readState()
  assert.equal(written?.redo, before?.redo)
  clock.advance(MAINTENANCE_AFTER_IDLE_MS)
  const [checkpointed] = await readState()
  assert.notEqual(checkpointed?.redo, before?.redo, 'overdue maintenance runs before the reads')
  clock.advance(MAINTENANCE_AFTER_IDLE_MS)
  let rows = -1
  // Maintenance runs after the reads, so each read here ends before the next turn of the vacuum.
  while (rows < 0) rows = (await readState())[0]?.rows ?? -1
  assert.equal(rows, CHECKPOINT_AFTER_ROWS)
})
