// A process that dies at every step of indexing, of the issuance of keys, and of a submission. `SIM_CRASHES=all` takes every step, and has the next process
// die, too; by itself a run of the tests takes every few steps.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServerUrl } from '../support/database.ts'
import type { CrashSweep, Scenario } from './crashes.ts'
import { runTasks } from './threads.ts'
import type { Task } from './worker.ts'

const ALL = process.env['SIM_CRASHES'] === 'all'
/** Of how many steps one is taken. */
const EVERY = ALL ? 1 : testServerUrl() === null ? 60 : 240
/** So many steps after its start the next process dies as well. */
const AGAIN = ALL ? [null, 2, 11] : [null]
/** A sweep is shared among threads in so many parts; a long one tells of each as it ends. */
const PARTS = ALL ? 20 : 4

for (const story of ['index', 'keys', 'submit'] satisfies Scenario[]) {
  test(`a process killed at ${ALL ? 'every step' : `every ${EVERY}th step`} of "${story}" leaves correct data`, { timeout: 86_400_000 }, async (t) => {
    const parts = Array.from({ length: PARTS }, (_value, part) => part * EVERY)
    const sweeps = AGAIN.flatMap((again) => parts.map((part): CrashSweep => ({ scenario: story, seed: 'crash', part, of: EVERY * PARTS, secondKillAfter: again })))
    let crashes = 0
    const told = await runTasks(sweeps.map((sweep): Task => ({ kind: 'crashes', sweep })), (one) => {
      crashes += one.crashes ?? 0
      if (ALL) console.log(`${story}: ${crashes} processes died${one.failure === undefined ? '' : `\n${one.failure}`}`)
    })
    t.diagnostic(`${crashes} processes died`)
    assert.deepEqual(told.flatMap(({ failure }) => failure ?? []), [])
    assert.ok(crashes > 0)
  })
}
