// Engines that fail or die: what was acknowledged is there afterwards.

import { strict as assert } from 'node:assert'
import { fsyncSync, truncateSync, writeFileSync } from 'node:fs'
import { cp, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import type { Worker } from 'node:worker_threads'
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
/** The id of a thread that has ended. */
const ENDED = -1
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
      assert.match(error.message, failure === 'fsync' ? /fsync failed/ : /the disk is full/)
      assert.equal(error.problem, failure === 'fsync' ? 'unreachable' : 'full')
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

test('an engine that ends in a statement is killed: no later statement has a result without rows', async () => {
  const directory = await copyCluster('ending')
  const script = new URL('./test-failing-disk-thread.ts', import.meta.url)
  const thread = await startEngineThread({ directory, template: null, clock, onNotification: () => {}, script })
  const run = (sql: string, params: readonly string[] | null = null) => thread.run({ access: 'write', sql, params }, LIMIT_MS)
  await run('create table kept as select 1 as id')
  // A checkpoint that cannot write its files ends PostgreSQL.
  writeFileSync(`${directory}.fails`, 'full, except its log')
  const outcomes = await Promise.allSettled([run('checkpoint'), run('select id from kept'), run('select id from kept where id = $1', ['1'])])
  await thread.kill()
  await unlink(`${directory}.fails`)
  const problems = outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as StoreUnavailable).problem : outcome.value))
  assert.deepEqual(problems, ['full', 'full', 'full'])
})

test('a refused start and an abandoned one leave no thread', async () => {
  const directory = await copyCluster('damaged')
  truncateSync(join(directory, 'global', 'pg_control'), 100)
  const workers: Worker[] = []
  const remember = (worker: Worker): void => void workers.push(worker)
  process.on('worker', remember)
  const settings = { directory, template: null, clock, onNotification: () => {} }
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(startEngineThread(settings), (error) => error instanceof StoreUnavailable && /does not open/.test(error.message))
    assert.deepEqual(workers.map(({ threadId }) => threadId), workers.map(() => ENDED))
  }
  const stop = new AbortController()
  const hanging = startEngineThread({ ...settings, stop: stop.signal, script: new URL('./test-silent-thread.ts', import.meta.url) })
  while (workers.length < 3) await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await assert.rejects(hanging, { name: 'AbortError' })
  process.off('worker', remember)
  assert.deepEqual(workers.map(({ threadId }) => threadId), [ENDED, ENDED, ENDED])
})

test('closing ends an engine that does not finish its start', async () => {
  const directory = await copyCluster('silent')
  const script = new URL('./test-silent-thread.ts', import.meta.url)
  let starts = 0
  const supervisor = await superviseEngine({
    start: (stop) => startEngineThread({ directory, template: null, clock, stop, onNotification: () => {}, ...(starts++ === 0 ? {} : { script }) }),
    recovers: true, clock, log: silentLog,
    onDown() {},
  })
  await supervisor.engine().kill()
  await supervisor.close()
  assert.equal(starts, 2)
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
