// The examples of the client's page, run as they are written against a local network of their own.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startMain } from '../support/main-process.ts'
import { temporaryFolder } from '../support/store-child.ts'

const TIMEOUT_MS = 120_000
const DOOR = new URL('../../client/src/index.ts', import.meta.url)
/** What each example prints, in the page's order. */
const PRINTS = [/^\d+ [0-9a-f]{24}\n\d+ \{/, /^[0-9a-f]{64} \d+ \d+\nresting\n$/, /^1 \w+$/m, /^\d+\n$/]

test('the examples of the client\'s page run', async () => {
  const page = readFileSync(new URL('../../client/README.md', import.meta.url), 'utf8')
  const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  assert.equal(examples.length, PRINTS.length)
  await using folder = await temporaryFolder()
  await using main = startMain({ DATA_DIR: folder.path, LOCAL_TRADERS: '2', LOG_LEVEL: 'error' })
  const secret = /S[A-Z2-7]{55}/.exec(await main.said(/S[A-Z2-7]{55}/))?.[0]
  const url = await main.url()
  await main.said(/^Index: follows the chain/)
  for (const [index, example] of examples.entries()) {
    const file = join(folder.path, `example-${index}.ts`)
    writeFileSync(file, example.replaceAll('\'perpetual-exchange-client\'', `'${DOOR.href}'`).replaceAll('http://127.0.0.1:8080', url))
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env: { SECRET: secret }, timeout: TIMEOUT_MS })
    assert.match(stdout, PRINTS[index] ?? /^$/, example)
  }
})
