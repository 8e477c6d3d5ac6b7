// Kills a process at every step of indexing, of issuing keys, of a submission, and of driving one without its client. `SIM_CRASHES=all` tries every step and
// also kills the next process, `SIM_CRASHES=7/10` does so from step 7 on with every tenth step; by default the test samples the steps.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServerUrl } from '../support/database.ts'
import type { CrashSweep, Scenario } from './crashes.ts'
import { runTasks } from './threads.ts'
import type { Task } from './worker.ts'

const CHOICE = process.env['SIM_CRASHES']
const [FIRST = 1, EVERY = 1] = CHOICE?.includes('/') === true ? CHOICE.split('/').map(Number) : []
const ALL = CHOICE !== undefined
/** Tries one step out of this many. */
const STRIDE = ALL ? EVERY : testServerUrl() === null ? 480 : 960
/** Kills the next process this many steps after its start; null leaves it alive. */
const SECOND_KILLS = ALL ? [null, 2, 11] : [null]
/** Parts of a sweep, so that threads share it. A long sweep reports each part as it ends. */
const PARTS = ALL ? 20 : 4

for (const scenario of ['index', 'keys', 'submit', 'drive'] satisfies Scenario[]) {
  const steps = STRIDE === 1 ? 'every step' : `every ${STRIDE}th step`
  test(`a process killed at ${steps} of "${scenario}" leaves correct data`, { timeout: 86_400_000 }, async (t) => {
    const parts = Array.from({ length: PARTS }, (_value, part) => FIRST - 1 + part * STRIDE)
    const sweeps = SECOND_KILLS.flatMap((secondKillAfter) =>
      parts.map((part): CrashSweep => ({ scenario, seed: 'crash', part, of: STRIDE * PARTS, secondKillAfter })))
    let kills = 0
    const results = await runTasks(sweeps.map((sweep): Task => ({ kind: 'crashes', sweep })), (result) => {
      kills += result.crashes ?? 0
      if (ALL) console.log(`${scenario}: ${kills} processes killed${result.failure === undefined ? '' : `\n${result.failure}`}`)
    })
    t.diagnostic(`${kills} processes killed`)
    assert.deepEqual(results.flatMap(({ failure }) => failure ?? []), [])
    assert.ok(kills > 0)
  })
}
