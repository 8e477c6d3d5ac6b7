// A server that tests share with others: whatever is killed in the middle, its databases go, and nobody's who is still alive.

import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { TEMPLATE_VARIABLE, WITHOUT_SERVER, administer, testServerUrl, withServerTemplate } from './database.ts'

const skip = WITHOUT_SERVER
const serverUrl = testServerUrl() ?? ''

/** Starts the program and answers with the database that it made. */
async function start(kind: 'store' | 'run', template: string): Promise<{ child: ChildProcess; database: string }> {
  const script = fileURLToPath(new URL('./database-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script, kind], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, [TEMPLATE_VARIABLE]: template } })
  const [database] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, database }
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function exist(...names: readonly string[]): Promise<boolean[]> {
  const rows = (await administer(serverUrl, 'select datname as name from pg_database')) as { name: string }[]
  return names.map((name) => rows.some((row) => row.name === name))
}

test('a test file that is killed leaves no database behind when its run ends', { skip }, async () => {
  const names = await withServerTemplate(serverUrl, async (template) => {
    const { child, database } = await start('store', template)
    await kill(child)
    assert.deepEqual(await exist(template, database), [true, true])
    return [template, database]
  })
  assert.deepEqual(await exist(...names), [false, false])
})

test('a run that is killed is tidied up by the next one, which leaves those alone that are still running', { skip }, async () => {
  const killed = await start('run', '')
  const running = await start('run', '')
  const copy = await start('store', killed.database)
  await kill(killed.child)
  await kill(copy.child)
  assert.deepEqual(await exist(killed.database, copy.database, running.database), [true, true, true])
  await withServerTemplate(serverUrl, async (template) => {
    assert.deepEqual(await exist(killed.database, copy.database, running.database, template), [false, false, true, true])
  })
  assert.deepEqual(await exist(running.database), [true])
  await kill(running.child)
  await withServerTemplate(serverUrl, async () => {})
  assert.deepEqual(await exist(running.database), [false])
})
