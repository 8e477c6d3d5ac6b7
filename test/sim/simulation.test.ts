// The program under faults. `SIM_SEED=x` repeats one seed; `SIM_RUNS=5000 SIM_FROM=1` runs many.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { testServerUrl } from '../support/database.ts'
import { runTasks } from './threads.ts'
import type { SavedRun, Task, TaskResult } from './worker.ts'

const ALL = process.env['TEST_ALL'] === '1'
/** How many seeds a run tries when it names none. A server is slower with each. */
const SEEDS_DEFAULT = !ALL ? 12 : testServerUrl() === null ? 200 : 6
/** A simulation in which nothing happens finds nothing: each of these must occur in the seeds of `npm run test:all`. */
const EXPECTED = [
  'position_opened', 'position_closed', 'position_liquidated', 'cross_liq', 'order_placed', 'order_executed', 'order_cancelled',
  'rpc getEvents: timeout', 'rpc getEvents: http_status', 'rpc getEvents: torn_json', 'rpc getEvents: repeated_page', 'rpc getEvents: cut_page',
  'rpc sendTransaction: try_again_later', 'rpc sendTransaction: duplicate', 'rpc sendTransaction: submission_lost', 'rpc sendTransaction: timeout',
  'store transaction: fail before commit', 'store transaction: fail after commit', 'store transaction: die before commit',
  'api write: fail after commit', 'api notify: lost', 'api notify: late', 'api notify: twice',
  'driver: kill', 'driver: restart', 'time: back', 'time: forward', 'network: reset', 'network: night', 'network: keep or put back',
  'key issued', 'key revoked', 'claim without an answer',
  'submission: success', 'submission: failed', 'submission: rejected', 'submission: open', 'submission: unanswered',
]
const CORPUS = new URL('./corpus/', import.meta.url)
const COMMAND = 'npm test -- test/sim/simulation.test.ts'

const { SIM_SEED: seed, SIM_RUNS: runs, SIM_FROM: from } = process.env
const isEveryday = seed === undefined && runs === undefined

function seeds(): string[] {
  if (seed !== undefined) return [seed]
  const first = Number(from ?? 1)
  return Array.from({ length: Number(runs ?? SEEDS_DEFAULT) }, (_value, index) => String(first + index))
}

/** What was found, how to repeat it, and what would go into the corpus. */
function describe({ task, failure, savedRun: kept }: TaskResult): string {
  const repeat = task.kind === 'seed' ? `Repeat it with\n  SIM_SEED=${task.seed} ${COMMAND}\n` : ''
  return `${failure}\n${repeat}${kept === undefined ? '' : JSON.stringify(kept)}`
}

function assertNothingFound(told: readonly TaskResult[]): void {
  const found = told.filter(({ failure }) => failure !== undefined)
  assert.equal(found.length, 0, `${found.length} of ${told.length} simulations found something:\n${found.map(describe).join('\n\n')}`)
}

test(`the program survives ${seed === undefined ? `${seeds().length} seeds` : `seed ${seed}`}`, { timeout: 86_400_000 }, async (t) => {
  const tasks = seeds().map((one): Task => ({ kind: 'seed', seed: one }))
  // A long run is not waited for: what is found is told at once.
  const told = await runTasks(tasks, (one) => {
    if (one.failure !== undefined) console.error(describe(one))
  })
  const met = new Map<string, number>()
  for (const [name, times] of told.flatMap(({ outcome }) => [...(outcome?.counts ?? [])])) met.set(name, (met.get(name) ?? 0) + times)
  const outcomes = told.flatMap(({ outcome }) => outcome ?? [])
  const total = (field: 'events' | 'ledgers' | 'restarts' | 'steps'): number => outcomes.reduce((sum, outcome) => sum + outcome[field], 0)
  t.diagnostic(`${total('events')} events of ${total('ledgers')} ledgers, ${total('restarts')} new processes, ${total('steps')} steps`)
  t.diagnostic([...met].map(([name, times]) => `${name} ${times}`).sort((a, b) => a.localeCompare(b)).join(', '))
  assertNothingFound(told)
  if (!ALL || !isEveryday || testServerUrl() !== null) return
  for (const name of EXPECTED) assert.ok((met.get(name) ?? 0) > 0, `no simulation met "${name}": see why it never happens`)
})

if (isEveryday) {
  test('the program survives what was once found', async () => {
    const names = readdirSync(CORPUS).filter((file) => file.endsWith('.json'))
    const kept = names.map((name) => JSON.parse(readFileSync(new URL(name, CORPUS), 'utf8')) as SavedRun)
    assertNothingFound(await runTasks(kept.map((one): Task => ({ kind: 'kept', kept: one }))))
  })
}
