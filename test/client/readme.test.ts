// Runs the examples and commands of the client's README against a local network.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startMain } from '../support/main-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const TIMEOUT_MS = 120_000
const COMMAND = fileURLToPath(new URL('../../client/src/cli/main.ts', import.meta.url))
/** The output of each block of commands. */
const COMMANDS_PRINT = [
  /^asset +price .*\nBTC .*\nETH .*\n[^]*begin \(UTC\) +open[^]*^entry price +\d+\.\d+\n[^]*(?:^(?:ticker\.BTC|events) .*\n){5}$/m,
  new RegExp([
    /^Wrote key nk_\w+ of G\w{55} to \.\/exchange\.key\n/, /transaction [^]*\nstate +resting\n/, /order +type +asset [^]* below 50000\.00 [^]*\n/,
    /dry run +the network would accept it now[^]*\nUSDC +\d+\.\d+\n[^]*cancelled \(user\)[^]* order_refund +wallet +100\.00 /,
  ].map(({ source }) => source).join('')),
]
const ENTRY_POINTS = {
  '\'perpetual-exchange-client\'': new URL('../../client/src/index.ts', import.meta.url),
  '\'perpetual-exchange-client/ccxt\'': new URL('../../client/src/ccxt/index.ts', import.meta.url),
}
/** The output of each example, in the README's order. */
const PRINTS = [
  /^\d+ [0-9a-f]{24}\n\d+ \{/, /^[0-9a-f]{64} \d+ \d+\nresting\n$/,
  /^true\npending\ncancelled\n\d+ \d+ -?\d+\n$/, /^\d+ \w+$/m, /^\d+(?:\.\d+)?\nopen \d\n$/, /^\d+\n$/,
]

test('the examples and commands of the client\'s README run', async () => {
  const page = readFileSync(new URL('../../client/README.md', import.meta.url), 'utf8')
  const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  assert.equal(examples.length, PRINTS.length)
  await using folder = await temporaryFolder()
  await using main = startMain({ DATA_DIR: folder.path, LOCAL_TRADERS: '2', LOG_LEVEL: 'error' })
  const secret = /S[A-Z2-7]{55}/.exec(await main.waitForLine(/S[A-Z2-7]{55}/))?.[0]
  const url = await main.url()
  await main.waitForLine(/^Indexer in sync/)
  for (const [index, example] of examples.entries()) {
    const file = join(folder.path, `example-${index}.ts`)
    const source = Object.entries(ENTRY_POINTS).reduce((text, [name, entry]) => text.replaceAll(name, `'${entry.href}'`), example)
    writeFileSync(file, source.replaceAll('http://127.0.0.1:8080', url))
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env: { SECRET: secret }, timeout: TIMEOUT_MS })
    assert.match(stdout, PRINTS[index] ?? /^$/, example)
  }
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text).filter((text) => text.includes('npx perpetual-exchange-client'))
  assert.equal(blocks.length, COMMANDS_PRINT.length)
  for (const [index, block] of blocks.entries()) {
    const script = block.replaceAll('npx perpetual-exchange-client', `node ${COMMAND}`).replaceAll('http://127.0.0.1:8080', url)
    const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`, URL: url, SECRET: secret }
    const { stdout, stderr } = await promisify(execFile)('sh', ['-e', '-c', script], { cwd: folder.path, env, timeout: TIMEOUT_MS })
    assert.match(stdout, COMMANDS_PRINT[index] ?? /^$/, stderr)
  }
})
