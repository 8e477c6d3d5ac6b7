// Databases on a shared server: those of killed tests and runs are dropped, those of running ones are not.

import { strict as assert } from 'node:assert'
import test from 'node:test'
import { TEMPLATE_VARIABLE, WITHOUT_SERVER, administer, testServerUrl, withServerTemplate } from './database.ts'
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
