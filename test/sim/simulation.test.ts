// The index under faults. `SIM_SEED=x` repeats one seed; `SIM_RUNS=500 SIM_FROM=1` runs many.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { decisionsOfRecord, decisionsOfSeed } from './decisions.ts'
import type { Decision, Decisions } from './decisions.ts'
import { profileOfSeed } from './profile.ts'
import type { Profile } from './profile.ts'
import { simulate } from './simulation.ts'
import type { Outcome } from './simulation.ts'

/** What every run of the tests tries: few seeds that together meet everything in EXPECTED; long runs say more. */
const SEEDS_DEFAULT = ['3', '11', '14', '15']
/** A simulation in which nothing happens finds nothing. */
const EXPECTED = [
  'position_opened', 'position_closed', 'position_liquidated', 'cross_liq', 'order_placed', 'order_executed', 'order_cancelled',
  'rpc getEvents: timeout', 'rpc getEvents: http_status', 'rpc getEvents: torn_json', 'rpc getEvents: repeated_page', 'rpc getEvents: cut_page',
  'store transaction: fail before commit', 'store transaction: fail after commit', 'driver: kill', 'driver: restart', 'network: reset', 'network: night',
  'network: keep or put back',
]
const CORPUS = new URL('./corpus/', import.meta.url)
const COMMAND = 'node_modules/.bin/node --test test/sim/simulation.test.ts'

/** A run worth keeping. */
interface Kept {
  /** One sentence: what it caught. */
  readonly caught: string
  readonly seed: string
  readonly profile: Profile
  readonly decisions: readonly Decision[]
}

function seeds(): string[] {
  const { SIM_SEED: seed, SIM_RUNS: runs, SIM_FROM: from } = process.env
  if (seed !== undefined) return [seed]
  if (runs === undefined) return SEEDS_DEFAULT
  const first = Number(from ?? 1)
  return Array.from({ length: Number(runs) }, (_value, index) => String(first + index))
}

/** Runs a simulation; what it throws says how to repeat it, and holds what would go into the corpus. */
async function run(seed: string, profile: Profile, decisions: Decisions): Promise<Outcome> {
  try {
    const outcome = await simulate(seed, profile, decisions)
    assert.ok(outcome.events > 0, 'nothing was indexed: the simulation says nothing')
    return outcome
  } catch (error) {
    const kept: Kept = { caught: '', seed, profile, decisions: decisions.record }
    throw new Error(`seed ${seed} found something. Repeat it with\n  SIM_SEED=${seed} ${COMMAND}\n${JSON.stringify(kept)}`, { cause: error })
  }
}

const met = new Map<string, number>()

for (const seed of seeds()) {
  test(`the index survives seed ${seed}`, async (t) => {
    const outcome = await run(seed, profileOfSeed(seed), decisionsOfSeed(seed))
    for (const [name, times] of outcome.met) met.set(name, (met.get(name) ?? 0) + times)
    t.diagnostic(`${outcome.events} events of ${outcome.ledgers} ledgers, ${outcome.restarts} new indexers, met ${JSON.stringify([...outcome.met])}`)
  })
}

if (process.env['SIM_SEED'] === undefined && process.env['SIM_RUNS'] === undefined) {
  test('the simulations met what they are for', () => {
    for (const name of EXPECTED) assert.ok((met.get(name) ?? 0) > 0, `no simulation met "${name}": choose other seeds, or see why it never happens`)
  })

  for (const name of readdirSync(CORPUS).filter((file) => file.endsWith('.json'))) {
    const kept = JSON.parse(readFileSync(new URL(name, CORPUS), 'utf8')) as Kept
    test(`the index survives ${name}: ${kept.caught}`, async () => {
      await run(kept.seed, kept.profile, decisionsOfRecord(kept.decisions))
    })
  }
}
