// Processes with an embedded database that are killed, and two processes with one data folder.

import { strict as assert } from 'node:assert'
import { existsSync, readdirSync, watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { startScript } from '../../../test/support/program.ts'
import type { Program } from '../../../test/support/program.ts'
import { migrationsFolder, temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openEmbedded } from '../open.ts'

const clock = createSystemClock({ keepAlive: false })
const folder = await temporaryFolder()
const migrations = await migrationsFolder(
  'create table written_key (key int primary key); create table written_row (key int, n int); create table written_cursor as select 0 as key;',
)
after(() => Promise.all([folder[Symbol.asyncDispose](), migrations[Symbol.asyncDispose]()]))

let folders = 0

async function dataFolder(): Promise<string> {
  const path = join(folder.path, `data-${++folders}`)
  await mkdir(path)
  return path
}

function open(dataDir: string) {
  return openEmbedded({ dataDir, clock, log: silentLog, migrationsDirectory: migrations.path })
}

function startStoreProcess(dataDir: string, task: 'open' | 'write'): Program {
  return startScript(new URL('./test-store-process.ts', import.meta.url), [dataDir, task, migrations.path])
}

test('a second process is refused, with the folder and the process that holds it', async () => {
  const dataDir = await dataFolder()
  await using store = await open(dataDir)
  const child = startStoreProcess(dataDir, 'open')
  await child.exited
  assert.equal(child.output(), '', 'it does not open')
  assert.match(child.errors(), new RegExp(`FolderInUse: the folder ${dataDir} is in use by process ${process.pid}`))
  await assert.rejects(open(dataDir), { name: 'FolderInUse', message: /is in use by this process/ })
  await store.write.query('insert into written_key values (1)')
})

test('a first start that was killed midway starts from scratch', async () => {
  const dataDir = await dataFolder()
  const midway = Promise.withResolvers<void>()
  const watcher = watch(dataDir, { recursive: true }, () => existsSync(join(dataDir, 'database.new', 'base')) && midway.resolve())
  const child = startStoreProcess(dataDir, 'open')
  await midway.promise
  watcher.close()
  await child.stop('SIGKILL')
  assert.deepEqual(readdirSync(dataDir).sort(), ['database.new', 'lock.pid', 'lock.sqlite'])
  await using store = await open(dataDir)
  await store.write.query('insert into written_key values (1)')
  assert.equal(existsSync(join(dataDir, 'database.new')), false)
})

test('kill -9 loses nothing acknowledged, and no transaction is incomplete', async () => {
  const dataDir = await dataFolder()
  let acknowledged = 0
  for (const commits of [1, 40, 90]) {
    const child = startStoreProcess(dataDir, 'write')
    await child.waitForLine(/^open$/)
    for (let lines = 0; lines < commits; lines++) acknowledged = Number(await child.waitForLine(/^\d+$/))
    await child.stop('SIGKILL')
    await using store = await open(dataDir)
    const [found] = await store.read.query<{ keys: number; last: number; cursor: number; rows: number }>(`
      select (select count(*) from written_key) as keys, (select max(key) from written_key) as last, (select key from written_cursor) as cursor,
        (select count(*) from written_row) as rows`)
    const { keys = 0, last = 0, cursor = 0, rows = 0 } = found ?? {}
    assert.ok(last >= acknowledged, `found ${last}, acknowledged ${acknowledged}`)
    assert.deepEqual({ keys, cursor, rows }, { keys: last, cursor: last, rows: last * 20 }, 'whole transactions only')
  }
})
