// Databases on a shared server: those of killed tests and runs are dropped, those of running ones are not.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { TEMPLATE_VARIABLE, WITHOUT_SERVER, administer, databaseServer, testServerUrl, withServerTemplate } from './database.ts'
import { createDatabasePool } from './database-pool.ts'
import { startScript } from './program.ts'
import type { Program } from './program.ts'

const skip = WITHOUT_SERVER
const serverUrl = testServerUrl() ?? ''

async function start(kind: 'store' | 'run', template: string): Promise<{ program: Program; database: string }> {
  const environment = { ...process.env, [TEMPLATE_VARIABLE]: template }
  const program = startScript(new URL('./database-process.ts', import.meta.url), [kind], environment)
  return { program, database: await program.waitForLine(/^perp_test/) }
}

async function exist(...names: readonly string[]): Promise<boolean[]> {
  const rows = (await administer(serverUrl, 'select datname as name from pg_database')) as { name: string }[]
  return names.map((name) => rows.some((row) => row.name === name))
}

test('drops the database of a killed test file when its run ends', { skip }, async () => {
  const names = await withServerTemplate(serverUrl, async (template) => {
    const { program, database } = await start('store', template)
    await program.stop('SIGKILL')
    assert.deepEqual(await exist(template, database), [true, true])
    return [template, database]
  })
  assert.deepEqual(await exist(...names), [false, false])
})

test('drops the databases of a killed run in the next run and keeps those of running ones', { skip }, async () => {
  const killed = await start('run', '')
  const running = await start('run', '')
  const copy = await start('store', killed.database)
  await killed.program.stop('SIGKILL')
  await copy.program.stop('SIGKILL')
  assert.deepEqual(await exist(killed.database, copy.database, running.database), [true, true, true])
  await withServerTemplate(serverUrl, async (template) => {
    assert.deepEqual(await exist(killed.database, copy.database, running.database, template), [false, false, true, true])
  })
  assert.deepEqual(await exist(running.database), [true])
  await running.program.stop('SIGKILL')
  await withServerTemplate(serverUrl, async () => {})
  assert.deepEqual(await exist(running.database), [false])
})

test('a database from the pool has the rows of a migrated one and no connection of its last user; one with another schema is dropped', { skip }, async () => {
  const server = databaseServer(serverUrl)
  await using pool = createDatabasePool(server)
  const name = await pool.take()
  const first = server.connect(name)
  const baseline = await first.write.query('select * from idx.cursor')
  await first.write.query('update idx.cursor set last_seq = 7')
  await first.write.query('insert into idx.ledgers values (1, 2, 3, 4, 5)')
  await pool.giveBack(name)
  assert.equal(await pool.take(), name)
  {
    await using second = server.connect(name)
    assert.deepEqual(await second.write.query('select * from idx.cursor'), baseline)
    assert.deepEqual(await second.write.query('select * from idx.ledgers'), [])
    const connections = 'select count(*)::int as count from pg_stat_activity where datname = current_database()'
    assert.deepEqual(await second.write.query(connections), [{ count: 1 }])
    await second.write.query('create table public.extra (id int)')
  }
  await first[Symbol.asyncDispose]()
  await pool.giveBack(name)
  assert.deepEqual(await exist(name), [false])
})
