// The program under simulated faults. `SIM_SEED=x` runs one seed, `SIM_SEED=x,y` several; `SIM_RUNS=5000 SIM_FROM=1` runs many.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runTasks } from './threads.ts'
import type { SavedRun, Task, TaskResult } from './worker.ts'

const ALL = process.env['TEST_ALL'] === '1'
const SEEDS_DEFAULT = 12
/** Together with the first ones, these have every expected event, and most of them twice: bad debts, liquidated cross accounts, redeployments, rare faults. */
const SEEDS_OF_RARE_EVENTS = ['13', '15', '18', '33', '41', '46', '51', '54', '61', '135', '149', '190']
/** Each of these must occur in the seeds of `npm run test:all`; otherwise the simulation no longer tests it. */
const EXPECTED = [
  'position_opened', 'position_closed', 'position_liquidated', 'cross_liq', 'order_placed', 'order_executed', 'order_cancelled',
  'rpc getEvents: timeout', 'rpc getEvents: http_status', 'rpc getEvents: torn_json', 'rpc getEvents: repeated_page', 'rpc getEvents: cut_page',
  'rpc sendTransaction: try_again_later', 'rpc sendTransaction: duplicate', 'rpc sendTransaction: submission_lost', 'rpc sendTransaction: timeout',
  'store transaction: fail before commit', 'store transaction: fail after commit', 'store transaction: die before commit',
  'api write: fail after commit', 'api notify: lost', 'api notify: late', 'api notify: twice',
  'driver: kill', 'driver: restart', 'time: back', 'time: forward', 'network: reset', 'network: redeploy',
  'network: upgrade', 'network: upgrade the protocol', 'network: drop the transactions', 'network: equal seconds',
  'network: night', 'network: keep or put back',
  'key issued', 'key revoked', 'claim without an answer',
  'submission: success', 'submission: failed', 'submission: rejected', 'submission: open', 'submission: unanswered', 'submission: withdrawn',
  'stored: SUCCESS', 'stored: FAILED', 'stored: REJECTED', 'stored: EXPIRED', 'stored: PREPARED', 'person: look up', 'person: look up by client id',
  'bad_debt_recorded', 'position_reduced', 'frame of an orders channel', 'cash of a wallet', 'cash of a cross balance',
]
const CORPUS = new URL('./corpus/', import.meta.url)
/** Many runs, on a busy machine too. */
const CORPUS_TIMEOUT_MS = 600_000
const COMMAND = 'npm test -- test/sim/simulation.test.ts'

const { SIM_SEED: seed, SIM_RUNS: runs, SIM_FROM: from } = process.env
const isEveryday = seed === undefined && runs === undefined

function seeds(): string[] {
  if (seed !== undefined) return seed.split(',')
  const first = Number(from ?? 1)
  const consecutive = Array.from({ length: Number(runs ?? SEEDS_DEFAULT) }, (_value, index) => String(first + index))
  return isEveryday ? [...consecutive, ...SEEDS_OF_RARE_EVENTS] : consecutive
}

/** The failure, how to repeat it, and the run to add to the corpus. */
function describe({ task, failure, savedRun }: TaskResult): string {
  const repeat = task.kind === 'seed' ? `Repeat with\n  SIM_SEED=${task.seed} ${COMMAND}\n` : ''
  return `${failure}\n${repeat}${savedRun === undefined ? '' : JSON.stringify(savedRun)}`
}

function assertNoFailures(results: readonly TaskResult[]): void {
  const failed = results.filter(({ failure }) => failure !== undefined)
  assert.equal(failed.length, 0, `${failed.length} of ${results.length} simulations failed:\n${failed.map(describe).join('\n\n')}`)
}

if (ALL || !isEveryday) {
  test(`the program survives ${seed === undefined ? `${seeds().length} seeds` : `seed ${seed}`}`, { timeout: 86_400_000 }, async (t) => {
    const tasks = seeds().map((one): Task => ({ kind: 'seed', seed: one }))
    // Reports failures at once: a run may take hours.
    const results = await runTasks(tasks, (one) => {
      if (one.failure !== undefined) console.error(describe(one))
    })
    const counts = new Map<string, number>()
    for (const [name, times] of results.flatMap(({ outcome }) => [...(outcome?.counts ?? [])])) counts.set(name, (counts.get(name) ?? 0) + times)
    const outcomes = results.flatMap(({ outcome }) => outcome ?? [])
    const total = (field: 'events' | 'ledgers' | 'restarts' | 'steps'): number => outcomes.reduce((sum, outcome) => sum + outcome[field], 0)
    t.diagnostic(`${total('events')} events of ${total('ledgers')} ledgers, ${total('restarts')} new processes, ${total('steps')} steps`)
    t.diagnostic([...counts].map(([name, times]) => `${name} ${times}`).sort((a, b) => a.localeCompare(b)).join(', '))
    assertNoFailures(results)
    if (!isEveryday) return
    for (const name of EXPECTED) assert.ok((counts.get(name) ?? 0) > 0, `no simulation had "${name}"`)
  })
}

if (isEveryday) {
  test('the program survives the runs of the corpus', { timeout: CORPUS_TIMEOUT_MS }, async () => {
    const names = readdirSync(CORPUS).filter((file) => file.endsWith('.json'))
    const saved = names.map((name) => JSON.parse(readFileSync(new URL(name, CORPUS), 'utf8')) as SavedRun)
    assertNoFailures(await runTasks(saved.map((savedRun): Task => ({ kind: 'saved', savedRun }))))
  })
}
