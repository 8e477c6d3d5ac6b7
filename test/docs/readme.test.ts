// The README's promises: its calls are made as they are written, and its answers have the shape of real ones.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { createWorld } from '../support/world.ts'
import type { World } from '../support/world.ts'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const BASE_URL = 'http://127.0.0.1:8080'
const CALL_TIMEOUT_MS = 10_000
/** So that something has been opened and closed. */
const LEDGERS = 120

let world: World
let url: string

before(async () => {
  world = await createWorld({ seed: 'readme' })
  await world.closeLedgers(LEDGERS)
  await world.settle()
  url = await world.gateway.listen({ host: '127.0.0.1', port: 0 })
})
after(() => world[Symbol.asyncDispose]())

/** A command and the block that follows it, when that is an answer. */
function calls(): { readonly command: string; readonly language: string | undefined; readonly answer: string | undefined }[] {
  const blocks = [...README.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({ language, text: text?.trim() ?? '' }))
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'sh' || !text.startsWith('curl')) return []
    const next = blocks[index + 1]
    const answered = next !== undefined && next.language !== 'sh'
    return [{ command: text, language: answered ? next.language : undefined, answer: answered ? next.text : undefined }]
  })
}

async function run(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replaceAll(BASE_URL, url)], { timeout: CALL_TIMEOUT_MS })
  return stdout
}

/** Names and kinds of everything in a JSON value; an array by its first element. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return [shape(value[0])]
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
}

test('each call of the README answers in the shape that it shows', async () => {
  const all = calls()
  assert.ok(all.length >= 4, `the README has its calls (${all.length} found)`)
  for (const { command, language, answer } of all) {
    const output = await run(command)
    if (language === undefined) assert.doesNotThrow(() => JSON.parse(output), command)
    if (language === 'json') assert.deepEqual(shape(JSON.parse(output)), shape(JSON.parse(answer ?? '')), command)
    if (language === 'http') assert.deepEqual(headerNames(output), headerNames(answer ?? ''), command)
  }
})

function headerNames(text: string): readonly string[] {
  return text.split('\n').map((line) => line.split(':')[0] ?? '').filter((name) => name !== '').sort()
}

test('the table of the configuration lists the variables that are read, and no others', () => {
  const source = readFileSync(new URL('../../src/config.ts', import.meta.url), 'utf8')
  const read = [...source.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|PORT|HOST|NETWORK|ROLE|ALLOWLIST)'/g)]
    .map(([, name]) => name)
  const told = README.split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name))
  assert.deepEqual(new Set(told), new Set(read))
})
