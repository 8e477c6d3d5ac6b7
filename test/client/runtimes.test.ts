// The compiled client in every supported runtime, against the whole program: a price, a login, a trade, and the stream with its account channel.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '../../client/src/client.ts'
import { holdPrices, startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TIMEOUT_MS = 120_000
const SETTLED_LEDGER = 12
const run = promisify(execFile)

/** The program that each runtime runs. Only reading the environment differs between them. */
const SCRIPT = `import { createClient, secretSigner } from 'perpetual-exchange-client'
const { URL: url, SECRET } = (globalThis.Deno?.env.toObject() ?? globalThis.process.env)
const client = createClient({ url, signer: await secretSigner(SECRET) })
const price = (await client.getMarketPrice({ asset: 'BTC' })).body.asset
const { owner } = await client.login()
const stream = client.stream()
const problems = []
stream.onProblem((problem) => problems.push(problem))
const mine = stream.frames('account.events.' + owner, { since: 0 })
const ticker = stream.frames('ticker.BTC')
const opened = await client.trade({ op: 'open_position', asset: 'BTC', collateral: '200000000', leverage: 2, direction: 'Long' })
let topic
for await (const { data } of mine) {
  if (data.txHash !== opened.hash) continue
  topic = data.topic
  break
}
let asset
for await (const { data } of ticker) {
  asset = data.asset
  break
}
stream.close()
const closed = await client.trade({ op: 'close_position', positionId: opened.positionId })
console.log(JSON.stringify([price, opened.positionId === closed.positionId, topic, asset, problems]))
`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let main: MainProcess
let environment: Readonly<Record<string, string | undefined>>
let script: string

before(async () => {
  folder = await temporaryFolder()
  const installed = join(folder.path, 'project/node_modules/perpetual-exchange-client')
  mkdirSync(installed, { recursive: true })
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', join(ROOT, 'client'), '--outDir', join(installed, 'dist')])
  copyFileSync(join(ROOT, 'client/package.json'), join(installed, 'package.json'))
  writeFileSync(join(folder.path, 'project/package.json'), '{"private":true,"type":"module"}')
  script = join(folder.path, 'project/script.js')
  writeFileSync(script, SCRIPT)
  main = startMain({ DATA_DIR: join(folder.path, 'data'), LOCAL_TRADERS: '0', LOG_LEVEL: 'error', LOCAL_SEED: 'runtimes' })
  const secret = /S[A-Z2-7]{55}/.exec(await main.waitForLine(/S[A-Z2-7]{55}/))?.[0]
  environment = { PATH: process.env['PATH'], HOME: folder.path, URL: await main.url(), SECRET: secret, NO_COLOR: '1' }
  await main.waitForLine(/^Indexer in sync/)
  await holdPrices(main, 'BTC')
  // The local network is set up in its first ledgers. A trade prepared before may refer to state that changes.
  await createClient({ url: await main.url() }).listEvents({ limit: 1 }, { minLedger: SETTLED_LEDGER })
})
after(async () => {
  await main[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

/** The executable of a runtime: from the packages in TEST_RUNTIMES_DIR, which need no install scripts, or from the PATH. */
function findRuntime(name: string): string | undefined {
  const path = process.env['TEST_RUNTIMES_DIR']
  const patterns = [`node_modules/@deno/*/${name}`, `node_modules/@oven/*/bin/${name}`]
  const packed = path === undefined ? [] : globSync(patterns, { cwd: path }).map((file) => join(path, file))
  return [...packed, ...(process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, name))].find((file) => existsSync(file))
}

const RUNTIMES: readonly (readonly [name: string, flags: readonly string[]])[] = [
  ['node', []], ['deno', ['run', '--allow-net', '--allow-env', '--node-modules-dir=manual']], ['bun', ['run']],
]

for (const [name, flags] of RUNTIMES) {
  test(`${name}: a price, a login, a trade, and the stream`, async (context: TestContext) => {
    const program = name === 'node' ? process.execPath : findRuntime(name)
    if (program === undefined) return context.skip(`${name} is not installed: set TEST_RUNTIMES_DIR to a folder that has it, like the one .ci/run makes`)
    const { stdout } = await run(program, [...flags, script], { env: environment, cwd: join(folder.path, 'project'), timeout: TIMEOUT_MS })
    assert.deepEqual(JSON.parse(stdout), ['BTC', true, 'position_opened', 'BTC', []])
  })
}
