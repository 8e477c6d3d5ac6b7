// The first five minutes of somebody who has just installed the project: the README's commands in their order, copied from it with nothing changed but ports,
// in a copy of the project. They lead to a price, a key and a position, and what the README shows has the shape of what is answered.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from '../../client/src/client.ts'
import { blocksOf, readPage, shape } from '../support/page.ts'
import { PROJECT, startProgram } from '../support/program.ts'
import { freePort } from '../support/proxies.ts'
import { temporaryFolder } from '../support/store-child.ts'

const FIVE_MINUTES_MS = 300_000
const README = readPage('README.md')
const BLOCKS = blocksOf(README)
const NOT_COPIED = new Set(['node_modules', '.git', 'data'])
/** What is run in the shell: the reader's node may be any, here it is the one that runs the tests. */
const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`

const headerNames = (text: string): readonly string[] => text.split('\n').map((line) => line.split(':')[0] ?? '').filter((name) => name !== '').sort()

test('the README leads from the installed project to a price, a key and a filled order within five minutes', { timeout: FIVE_MINUTES_MS }, async (context) => {
  await using folder = await temporaryFolder()
  const clone = join(folder.path, 'clone')
  cpSync(PROJECT, clone, { recursive: true, filter: (path) => !NOT_COPIED.has(relative(PROJECT, path)) })
  symlinkSync(join(PROJECT, 'node_modules'), join(clone, 'node_modules'))
  const [port, rpcPort] = [String(await freePort()), String(await freePort())]
  const startedMs = performance.now()

  const [begin, ...rest] = BLOCKS.filter(({ language }) => language === 'sh')
  const [install = '', start = ''] = begin?.text.split('\n')[0]?.split(' && ') ?? []
  assert.equal(install, 'npm ci', 'the README begins with the installation')
  await using main = startProgram(['sh', '-c', `exec ${start}`], { PATH, HOME: folder.path, PORT: port, LOCAL_RPC_PORT: rpcPort }, { cwd: clone, isGroup: true })
  await main.said(/^Index: follows the chain/)
  const url = `http://127.0.0.1:${port}`
  const shell = async (script: string): Promise<string> => {
    const text = script.replaceAll(':8080', `:${port}`).replaceAll(':8000', `:${rpcPort}`)
    return (await promisify(execFile)('sh', ['-ec', text], { cwd: clone, env: { PATH }, timeout: FIVE_MINUTES_MS })).stdout
  }
  // The README says that traders close positions: whoever reads as fast as this waits for the first.
  const stream = createClient({ url }).stream()
  for await (const { data } of stream.frames('events', { since: 0 })) if (data.topic === 'position_closed') break
  stream.close()

  for (const { text, heading } of rest) {
    // What comes behind the order is another way of asking for its position.
    const script = heading === 'A first order' ? `${text}\necho; ${/`(curl -s \$URL\/v1\/account\/me\/state [^`]*)`/.exec(README)?.[1]}` : text
    const output = await shell(script)
    const at = BLOCKS.findIndex((block) => block.text === text)
    const next = BLOCKS[at + 1]
    const [first = '', second = ''] = output.trim().split('\n')
    if (next?.language === 'http') assert.deepEqual(headerNames(output), headerNames(next.text), text)
    else if (next?.language === 'json') assert.deepEqual(shape(JSON.parse(first)), shape(JSON.parse(next.text)), text)
    else assert.doesNotThrow(() => JSON.parse(first), text)
    if (text.includes('/v1/markets/BTC')) assert.ok(BigInt((JSON.parse(first) as { oracle: { price: string } }).oracle.price) > 0n)
    if (heading !== 'A first order') continue
    assert.equal((JSON.parse(first) as { status: string }).status, 'SUCCESS', first)
    const { positions } = JSON.parse(second) as { positions: readonly Record<string, unknown>[] }
    assert.deepEqual(positions.map(({ asset, direction, leverage }) => ({ asset, direction, leverage })), [{ asset: 'BTC', direction: 0, leverage: 5 }], second)
  }
  assert.ok(rest.some(({ heading }) => heading === 'A first order'))
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs < FIVE_MINUTES_MS, `${Math.round(tookMs / 1000)} s`)
  context.diagnostic(`from \`${start}\` to the position: ${Math.round(tookMs / 1000)} s`)
  assert.equal(await main.end('SIGINT'), 0, main.errors())
})
