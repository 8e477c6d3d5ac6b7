// The README's first order, run as it is written against a local network of its own: from a wallet's secret to an open position.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startMain } from '../support/main-process.ts'
import { temporaryFolder } from '../support/store-child.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TIMEOUT_MS = 120_000

/** The code blocks of the README's section of this name. */
function blocks(heading: string): readonly string[] {
  const section = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').split(/^## /m).find((text) => text.startsWith(`${heading}\n`))
  assert.ok(section, `the README has a section "${heading}"`)
  return [...section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? '')
}

test('the README\'s first order is filled', async () => {
  const [script = '', answer = ''] = blocks('A first order')
  await using folder = await temporaryFolder()
  await using main = startMain({ DATA_DIR: folder.path, LOCAL_TRADERS: '0', LOG_LEVEL: 'error' })
  await main.said(/^Index: follows the chain/)
  const lines = `${script.replace('http://127.0.0.1:8080', await main.url())}\necho; curl -s $URL/v1/account/me/state -H "$KEY"`
  // The reader's node may be any; here it is the one that runs the tests.
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` }
  const { stdout } = await promisify(execFile)('sh', ['-ec', lines], { cwd: ROOT, env, timeout: TIMEOUT_MS })
  const [submitted = '', state = ''] = stdout.trim().split('\n')
  const result = JSON.parse(submitted) as Record<string, unknown>
  assert.equal(result['status'], 'SUCCESS', submitted)
  assert.deepEqual(Object.keys(result), Object.keys(JSON.parse(answer) as object), 'the answer that the README shows')
  const { positions } = JSON.parse(state) as { positions: readonly Record<string, unknown>[] }
  assert.deepEqual(positions.map(({ asset, direction, leverage }) => ({ asset, direction, leverage })), [{ asset: 'BTC', direction: 0, leverage: 5 }], state)
})
