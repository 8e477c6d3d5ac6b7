// `npm run verify` and `npm run rebuild` beside a gateway: with the embedded database, which only the gateway can open, and on a server.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { openEmbedded } from '../../src/store/open.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { startMain } from '../support/main-process.ts'
import { COMPILE_CACHE, startProgram } from '../support/program.ts'
import type { Program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { join } from 'node:path'

function command(name: 'verify' | 'rebuild', environment: Readonly<Record<string, string>>): Program {
  return startProgram([process.execPath, 'main.ts', name], { NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment })
}

/** Runs statements on the embedded database of a stopped gateway. */
async function edit(folder: string, sql: string): Promise<void> {
  await using store = await openEmbedded({ dataDir: join(folder, 'local', 'database'), log: silentLog, clock: createSystemClock() })
  await store.write.query(sql)
}

const NO_DIFFERENCES = /Archive: +no differences\n +Projections: +no differences\n +Not verifiable: 0 /

test('verifies, repairs and rebuilds while the gateway has the embedded database open, and after kill -9', async () => {
  await using folder = await temporaryFolder()
  const environment = { DATA_DIR: folder.path, LOCAL_SEED: 'verify', LOCAL_TRADERS: '4' }
  await using first = startMain(environment)
  await first.waitForLine(/^Indexer in sync/)
  const intact = command('verify', environment)
  assert.equal(await intact.exited, 0, intact.errors())
  assert.match(intact.output(), NO_DIFFERENCES)
  const { events } = await first.get<{ events: { eventId: string }[] }>('/v1/events?limit=100')
  assert.equal(await first.stop('SIGINT'), 0, first.errors())
  const lost = events.slice(10, 20).map(({ eventId }) => eventId)
  await edit(folder.path, `delete from idx.events where event_id in (${lost.map((id) => `'${id}'`).join(', ')}); update idx.traders set pnl = pnl + 1`)

  await using second = startMain(environment)
  await second.waitForLine(/^Indexer in sync/)
  const continued = command('verify', environment)
  await continued.waitForLine(/^Verify: /)
  assert.equal(await second.stop('SIGKILL'), 'SIGKILL')

  await using third = startMain(environment)
  await third.waitForLine(/^Indexer in sync/)
  assert.ok([0, 2].includes(Number(await continued.exited)), continued.errors())
  const served = await third.get<{ events: { eventId: string }[] }>('/v1/events?limit=200')
  const ids = new Set(served.events.map(({ eventId }) => eventId))
  for (const id of lost) assert.ok(ids.has(id), `${id} was repaired`)
  const again = command('verify', environment)
  assert.equal(await again.exited, 0, again.errors())
  const rebuilt = command('rebuild', environment)
  assert.equal(await rebuilt.exited, 0, rebuilt.errors())
  assert.match(rebuilt.output(), /^Rebuild: done\. Replayed \d+ events/m)
  assert.equal(await third.stop('SIGTERM'), 0, third.errors())

  const alone = command('verify', environment)
  assert.equal(await alone.exited, 1)
  assert.match(alone.errors(), /Start the gateway, then verify/)
  const offline = command('rebuild', environment)
  assert.equal(await offline.exited, 0, offline.errors())
})

test('verifies and repairs an index of generation 2', async () => {
  await using folder = await temporaryFolder()
  const environment = { DATA_DIR: folder.path, LOCAL_SEED: 'verify', LOCAL_TRADERS: '4', LOCAL_GENERATION: '2' }
  await using first = startMain(environment)
  await first.waitForLine(/^Indexer in sync/)
  const { events } = await first.get<{ events: { eventId: string; topic: string }[] }>('/v1/events?limit=200')
  const lost = events.filter(({ topic }) => topic === 'position_opened').slice(0, 3).map(({ eventId }) => eventId)
  assert.equal(lost.length, 3)
  assert.equal(await first.stop('SIGINT'), 0, first.errors())
  await edit(folder.path, `delete from idx.events where event_id in (${lost.map((id) => `'${id}'`).join(', ')});
    update idx.event_counts set events = events - 3 where topic = 'position_opened'; update idx.positions set size = size + 1`)

  await using second = startMain(environment)
  await second.waitForLine(/^Indexer in sync/)
  const repairing = command('verify', environment)
  // The records of these transactions may be read before, and then the gateway repairs their ledgers by itself.
  assert.ok([0, 2].includes(Number(await repairing.exited)), repairing.errors())
  const served = await second.get<{ events: { eventId: string }[] }>('/v1/events?limit=200')
  const ids = new Set(served.events.map(({ eventId }) => eventId))
  assert.deepEqual(lost.filter((id) => !ids.has(id)), [], repairing.output())
  const again = command('verify', environment)
  assert.equal(await again.exited, 0, again.errors())
  assert.match(again.output(), NO_DIFFERENCES)
  assert.equal(await second.stop('SIGTERM'), 0, second.errors())
})
