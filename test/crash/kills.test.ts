// Kills the process or its database with kill -9 at random moments. No acknowledged write is lost or duplicated, and final results do not change.
// `CRASH_KILLS=200` sets the number of kills; with more than the default, each test runs on contracts of both generations.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '../../src/base/random.ts'
import type { LocalGeneration } from '../../localnet/setup.ts'
import { openCrashFixture } from './crash-fixture.ts'
import type { CrashDatabase, CrashFixture } from './crash-fixture.ts'
import { CHOSEN_GENERATION } from '../support/generation.ts'
import { startPostgres, WITHOUT_OWN_POSTGRES } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const KILLS_DEFAULT = 4
const KILLS = Number(process.env['CRASH_KILLS'] ?? KILLS_DEFAULT)
/** Maximum time that a process serves before it is killed. */
const MAX_SERVING_MS = 900
/** One in this many processes is killed during startup. */
const STARTUP_KILL_RATIO = 4
const MAX_STARTING_MS = 2_500

interface Kills {
  readonly seed: string
  readonly database: CrashDatabase
  readonly generation: LocalGeneration
  readonly kills: number
}

/** The generations of a test. Most of its time is needed to start and verify an exchange, so by default it runs one. */
function generationsOf(byDefault: LocalGeneration): readonly LocalGeneration[] {
  if (CHOSEN_GENERATION !== undefined) return [CHOSEN_GENERATION]
  return KILLS > KILLS_DEFAULT ? ['1', '2'] : [byDefault]
}

async function killProcesses({ seed, database, generation, kills }: Kills, report: (text: string) => void): Promise<void> {
  const random = createSeededRandom(seed)
  await using fixture = await openCrashFixture(seed, database, generation)
  for (let kill = 0; kill < kills; kill++) {
    if (random.integer(STARTUP_KILL_RATIO) === 0) {
      await fixture.startAndKill(random.integer(MAX_STARTING_MS))
      continue
    }
    const run = await fixture.start()
    const trading = fixture.trade(run, () => false)
    await fixture.clock.sleep(random.integer(MAX_SERVING_MS))
    await run.kill()
    await trading
    fixture.check()
  }
  await finish(fixture, report)
}

/** Runs the process once without a fault, then verifies everything. */
async function finish(fixture: CrashFixture, report: (text: string) => void): Promise<void> {
  const run = await fixture.start()
  const keysBefore = fixture.holder.keys.length
  await fixture.trade(run, () => fixture.holder.keys.length >= keysBefore + 3)
  fixture.expectSuccess()
  const verified = await fixture.verify(run)
  report(JSON.stringify(verified))
  assert.ok(verified.events > 0 && verified.keys > 0 && verified.envelopes > 0)
}

for (const generation of generationsOf('1')) {
  test(`survives kill -9 of the process with its embedded database, generation ${generation}, ${KILLS} times`, { timeout: 86_400_000 }, async (t) => {
    await using folder = await temporaryFolder()
    const kills = { seed: 'embedded kills', database: ['folder', folder.path], generation, kills: KILLS } as const
    await killProcesses(kills, (text) => t.diagnostic(text))
  })
}

const POSTGRES = { skip: WITHOUT_OWN_POSTGRES, timeout: 86_400_000 }

for (const generation of generationsOf('2')) {
  test(`survives kill -9 of the process while PostgreSQL keeps running, generation ${generation}, ${KILLS} times`, POSTGRES, async (t) => {
    await using folder = await temporaryFolder()
    await using server = await startPostgres(folder.path)
    await killProcesses({ seed: 'process kills', database: ['server', server.url], generation, kills: KILLS }, (text) => t.diagnostic(text))
  })

  test(`survives kill -9 of PostgreSQL while the process keeps running, generation ${generation}, ${KILLS} times`, POSTGRES, async (t) => {
    await using folder = await temporaryFolder()
    await using server = await startPostgres(folder.path)
    const random = createSeededRandom('database kills')
    await using fixture = await openCrashFixture('database kills', ['server', server.url], generation)
    const run = await fixture.start()
    let isDone = false
    const trading = fixture.trade(run, () => isDone)
    for (let kill = 0; kill < KILLS; kill++) {
      const keysBefore = fixture.holder.keys.length
      await fixture.clock.sleep(random.integer(MAX_SERVING_MS))
      await server.kill()
      await server.start()
      // A new key proves that the process has reconnected.
      while (fixture.holder.keys.length === keysBefore) await fixture.clock.sleep(20)
      fixture.check()
    }
    isDone = true
    await trading
    await run.kill()
    await finish(fixture, (text) => t.diagnostic(text))
  })
}
