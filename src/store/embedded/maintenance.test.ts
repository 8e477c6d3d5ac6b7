// Nobody else checkpoints the log or vacuums the tables of the embedded engine: without this the log grows for ever and the planner is blind.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { createVirtualClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { openTestEmbedded } from '../../../test/support/database.ts'
import {
  CHECKPOINT_AFTER_MS, CHECKPOINT_AFTER_ROWS, MAINTENANCE_AFTER_IDLE_MS, MAINTENANCE_OVERDUE_MS, VACUUM_AFTER_ROWS, VACUUM_FIRST_AFTER_ROWS, VACUUM_TRIES,
} from '../bounds.ts'
import { StatementTimeout } from '../store.ts'
import { createMaintenance } from './maintenance.ts'
import { Interrupted } from './scheduler.ts'
import type { Scheduler } from './scheduler.ts'

/** An engine whose turns are granted at once; the test says whether it is idle, and which statements fail. */
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
    write: (work) => (turns.push('turn of a writer'), work()),
    maintenance: (work, overdue) => (turns.push(overdue ? 'overdue chore' : 'chore'), work()),
    isIdle: () => idle,
  } as Scheduler
  const maintenance = createMaintenance({ scheduler, run, clock, log: { ...silentLog, warn: (_fields, message) => void warnings.push(message) } })
  return {
    clock, maintenance, turns, warnings, failing,
    setIdle: (value: boolean) => void (idle = value),
    /** Lets the clock move, in steps that leave promises their time. */
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

test('many rows are checkpointed at once, in a writer’s turn: the log is bounded, however busy it is', async () => {
  const { maintenance, turns, setIdle } = setUp()
  setIdle(false)
  maintenance.countRows(CHECKPOINT_AFTER_ROWS - 1)
  assert.deepEqual(turns, [])
  maintenance.countRows(1)
  assert.deepEqual(turns, ['turn of a writer', 'checkpoint'])
  maintenance.countRows(CHECKPOINT_AFTER_ROWS - 1)
  assert.equal(turns.length, 2, 'the count begins anew')
  maintenance.countRows(1)
  assert.equal(turns.length, 4)
  await settled()
})

test('few rows are checkpointed after a minute, and a quiet store is left alone', async () => {
  const { maintenance, clock, pass, count } = setUp()
  maintenance.countRows(1)
  maintenance.countRows(1)
  await pass(CHECKPOINT_AFTER_MS - MAINTENANCE_AFTER_IDLE_MS)
  assert.equal(count('checkpoint'), 0)
  await pass(CHECKPOINT_AFTER_MS * 10)
  assert.equal(count('checkpoint'), 1)
  assert.equal(count('overdue chore'), 1, 'it goes before reads')
  assert.equal(clock.pendingTimers(), 0)
})

test('a checkpoint that had to make room, or failed, is made up for', async () => {
  for (const [error, warned] of [[new Interrupted('a writer'), 0], [new StatementTimeout('slow'), 1]] as const) {
    const { maintenance, failing, pass, count, warnings } = setUp()
    failing.push({ sql: 'checkpoint', error })
    maintenance.countRows(1)
    await pass(CHECKPOINT_AFTER_MS * 3)
    assert.equal(count('checkpoint'), 2)
    assert.equal(warnings.length, warned)
  }
})

test('changed tables are vacuumed and analyzed in a quiet moment, a turn each', async () => {
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
    'chore', 'select pg_stat_force_next_flush()', 'chore', 'list', 'chore', 'vacuum (analyze) idx.events', 'chore', 'vacuum (analyze) idx.trades',
  ])
})

test('a store that is never quiet is vacuumed all the same', async () => {
  const { maintenance, setIdle, pass, turns } = setUp()
  setIdle(false)
  maintenance.countRows(VACUUM_FIRST_AFTER_ROWS)
  await pass(MAINTENANCE_OVERDUE_MS + MAINTENANCE_AFTER_IDLE_MS)
  assert.ok(turns.includes('vacuum (analyze) idx.events'))
  assert.ok(turns.includes('overdue chore') && !turns.includes('chore'))
})

test('the first rounds come early and the later ones at their pace', async () => {
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

test('a table whose vacuum must make room is tried again some times, then left; a failure is told and goes no further', async () => {
  const { maintenance, failing, pass, count, warnings } = setUp()
  for (let tries = 0; tries < VACUUM_TRIES; tries++) failing.push({ sql: 'vacuum (analyze) idx.events', error: new Interrupted('a writer') })
  maintenance.countRows(VACUUM_FIRST_AFTER_ROWS)
  await pass(MAINTENANCE_AFTER_IDLE_MS * (VACUUM_TRIES + 2))
  assert.equal(count('vacuum (analyze) idx.events'), VACUUM_TRIES)
  assert.equal(count('vacuum (analyze) idx.trades'), 1)
  assert.deepEqual(warnings, [])
  failing.push({ sql: 'vacuum', error: new StatementTimeout('slow') })
  maintenance.countRows(VACUUM_AFTER_ROWS)
  await pass(MAINTENANCE_AFTER_IDLE_MS * 2)
  assert.equal(warnings.length, 1)
})

test('a store that closes leaves no timer behind and starts nothing more', async () => {
  const { maintenance, clock, pass, turns } = setUp()
  maintenance.countRows(VACUUM_FIRST_AFTER_ROWS)
  maintenance.stop()
  assert.equal(clock.pendingTimers(), 0)
  maintenance.countRows(VACUUM_FIRST_AFTER_ROWS)
  await pass(CHECKPOINT_AFTER_MS)
  assert.deepEqual(turns, [])
})

test('on the engine itself: rows are counted, the log is cut, the planner is told', async () => {
  const clock = createVirtualClock(0)
  await using store = await openTestEmbedded({ clock })
  await store.write.query('create table wide (id int, body text)')
  const look = () => store.read.query<{ redo: string; rows: number }>(
    "select redo_lsn::text as redo, (select reltuples from pg_class where relname = 'wide') as rows from pg_control_checkpoint()",
  )
  const [before] = await look()
  assert.equal(before?.rows, -1, 'the planner knows nothing yet')
  await store.write.query("insert into wide select n, 'x' from generate_series(1, $1::int) n", [CHECKPOINT_AFTER_ROWS])
  const [checkpointed] = await look()
  assert.notEqual(checkpointed?.redo, before?.redo)
  clock.advance(MAINTENANCE_AFTER_IDLE_MS)
  let rows = -1
  // Chores wait for reads: this one is over before the vacuum's turn comes, and there is nothing else to wait for.
  while (rows < 0) rows = (await look())[0]?.rows ?? -1
  assert.equal(rows, CHECKPOINT_AFTER_ROWS)
})
