// kill -9 for real, of the process and of its database, at any moment, again and again: nothing that was acknowledged is lost, nothing is there twice, and
// what is final stays final. `CRASH_KILLS=200` kills that often.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { openCrashFixture } from '../support/crash-fixture.ts'
import { startKillablePostgres } from '../support/killable-postgres.ts'
import { WITHOUT_OWN_POSTGRES } from '../support/own-postgres.ts'
import { temporaryFolder } from '../support/store-child.ts'

/** How often each is killed. */
const KILLS = Number(process.env['CRASH_KILLS'] ?? 4)
/** A process is killed so long after it began to serve, at the latest. */
const SERVES_MS = 900
/** One of so many is killed while it starts. */
const WHILE_STARTING = 4
const STARTS_MS = 2_500
const options = { clock: createSystemClock({ keepAlive: false }), log: silentLog }

type Database = readonly [kind: 'server' | 'folder', where: string]

function open([kind, where]: Database): Promise<Store> {
  return openStore({ databaseUrl: kind === 'server' ? where : null, dataDir: kind === 'server' ? null : where, ...options })
}

async function killProcesses(seed: string, database: Database, told: (text: string) => void): Promise<void> {
  const random = createSeededRandom(seed)
  await using stage = await openCrashFixture(seed, database)
  for (let kill = 0; kill < KILLS; kill++) {
    if (random.integer(WHILE_STARTING) === 0) {
      await stage.startAndKill(random.integer(STARTS_MS))
      continue
    }
    const life = await stage.start()
    const trading = stage.trade(life, () => false)
    await stage.clock.sleep(random.integer(SERVES_MS))
    await life.kill()
    await trading
    stage.check()
  }
  await finish(stage, database, told)
}

/** One more life, in which everything goes well. */
async function finish(stage: Awaited<ReturnType<typeof openCrashFixture>>, database: Database, told: (text: string) => void): Promise<void> {
  const life = await stage.start()
  const known = stage.holder.keys.length
  await stage.trade(life, () => stage.holder.keys.length >= known + 3)
  stage.expectSuccess()
  const judged = await stage.verify(life, () => open(database))
  told(JSON.stringify(judged))
  assert.ok(judged.events > 0 && judged.keys > 0 && judged.envelopes > 0)
}

test(`kill -9 of the process with its embedded database, ${KILLS} times`, { timeout: 86_400_000 }, async (t) => {
  await using folder = await temporaryFolder()
  await killProcesses('embedded kills', ['folder', folder.path], (text) => t.diagnostic(text))
})

test(`kill -9 of the process, ${KILLS} times, its PostgreSQL going on`, { skip: WITHOUT_OWN_POSTGRES, timeout: 86_400_000 }, async (t) => {
  await using folder = await temporaryFolder()
  await using server = await startKillablePostgres(folder.path)
  await killProcesses('process kills', ['server', server.url], (text) => t.diagnostic(text))
})

test(`kill -9 of PostgreSQL, ${KILLS} times, the process going on`, { skip: WITHOUT_OWN_POSTGRES, timeout: 86_400_000 }, async (t) => {
  await using folder = await temporaryFolder()
  await using server = await startKillablePostgres(folder.path)
  const random = createSeededRandom('database kills')
  const database: Database = ['server', server.url]
  await using stage = await openCrashFixture('database kills', database)
  const life = await stage.start()
  let isOver = false
  const trading = stage.trade(life, () => isOver)
  for (let kill = 0; kill < KILLS; kill++) {
    const known = stage.holder.keys.length
    await stage.clock.sleep(random.integer(SERVES_MS))
    await server.kill()
    await server.start()
    // It finds its database again by itself.
    while (stage.holder.keys.length === known) await stage.clock.sleep(20)
    stage.check()
  }
  isOver = true
  await trading
  await life.kill()
  await finish(stage, database, (text) => t.diagnostic(text))
})
