// Engines that fail or die: what was acknowledged is there afterwards.

import { strict as assert } from 'node:assert'
import { fsyncSync, writeFileSync } from 'node:fs'
import { cp, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { StoreUnavailable } from '../store.ts'
import { createCluster } from './engine.ts'
import { startEngineThread } from './engine-thread.ts'
import type { EngineThread } from './engine-thread.ts'
import { superviseEngine } from './supervisor.ts'

const clock = createSystemClock({ keepAlive: false })
const LIMIT_MS = 60_000
const folder = await temporaryFolder()
after(() => folder[Symbol.asyncDispose]())

const cluster = join(folder.path, 'pristine')
await createCluster({ directory: cluster }, fsyncSync)

/** A cluster as after a first start. */
async function copyCluster(name: string): Promise<string> {
  const directory = join(folder.path, name)
  await cp(cluster, directory, { recursive: true })
  return directory
}

test('an engine whose disk fails acknowledges nothing more and is killed at once', async () => {
  const directory = await copyCluster('failing')
  const script = new URL('./test-failing-disk-thread.ts', import.meta.url)
  for (const failure of ['fsync', 'full']) {
    const settings = { directory, template: null, clock, onNotification: () => {} }
    const thread = await startEngineThread({ ...settings, script })
    const run = (sql: string) => thread.run({ access: 'write', sql, params: null }, LIMIT_MS)
    await run('drop table if exists kept; create table kept as select 1 as id')
    writeFileSync(`${directory}.fails`, failure)
    await assert.rejects(run('insert into kept values (2)'), (error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, failure === 'fsync' ? /fsync failed/ : /is the disk full/)
      return true
    })
    await assert.rejects(run('select 1'), StoreUnavailable)
    await thread.ended
    await unlink(`${directory}.fails`)
    const repaired = await startEngineThread(settings)
    const { rows } = await repaired.run({ access: 'read', sql: 'select min(id) as id from kept', params: null }, LIMIT_MS)
    await repaired.close()
    // The row that was not acknowledged may exist or not.
    assert.deepEqual(rows, [{ id: 1 }])
  }
})

test('an engine that dies fails its running statement, and a new one has what was acknowledged', async () => {
  const directory = await copyCluster('dying')
  let downs = 0
  const supervisor = await superviseEngine({
    start: () => startEngineThread({ directory, template: null, clock, onNotification: () => {} }),
    recovers: true, clock, log: silentLog,
    onDown: () => downs++,
  })
  const first = supervisor.engine()
  const send = (engine: EngineThread, sql: string) => engine.run({ access: 'write', sql, params: null }, LIMIT_MS)
  await send(first, 'create table kept as select 1 as id')
  await send(first, 'begin')
  await send(first, 'insert into kept values (2)')
  const running = assert.rejects(send(first, 'select count(*) from generate_series(1, 1000000000)'), StoreUnavailable)
  await first.kill()
  await running
  assert.throws(() => supervisor.engine(), StoreUnavailable)
  assert.equal(await supervisor.restarting(), true)
  await assert.rejects(send(first, 'commit'), StoreUnavailable, 'the transaction does not continue on the new engine')
  assert.deepEqual((await send(supervisor.engine(), 'select id from kept')).rows, [{ id: 1 }])
  assert.equal(downs, 1)
  await supervisor.close()
})
