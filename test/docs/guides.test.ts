// Runs every code block of each guide in order, against a local network. The output must have the shape that the guide shows.

import assert from 'node:assert/strict'
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertOutputMatches, blocksOf, readPage } from './markdown.ts'
import type { CodeBlock } from './markdown.ts'
import { PROJECT_ROOT } from '../support/program.ts'
import { createDocumentedRun } from './documented-run.ts'
import type { DocumentedRun } from './documented-run.ts'

const GUIDES = ['account-ledger', 'analyst', 'bot-author', 'first-order', 'front-end', 'operator', 'verifying'] as const
/** Run by python/tests/test_package.py. */
const PYTHON_GUIDE = 'python'
const STARTS = /^(?:[A-Z_]+=\S+ )*npm start$/
/** Commands that need exclusive access to the embedded database, as the operator's guide says. */
const EXCLUSIVE = /^npm run keys\b|^cp -a data /

/** Creates a reader's project with the client and the Stellar SDK. */
function createReaderProject(run: DocumentedRun): string {
  const folder = join(run.project, '..', 'reader')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(join(PROJECT_ROOT, 'client'), join(folder, 'node_modules/perpetual-exchange-client'))
  symlinkSync(join(PROJECT_ROOT, 'node_modules/@stellar'), join(folder, 'node_modules/@stellar'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

/** Runs a page's blocks and compares the output with the JSON or HTTP block that follows. */
async function runBlocks(run: DocumentedRun, blocks: readonly CodeBlock[]): Promise<void> {
  const reader = createReaderProject(run)
  const environment: Record<string, string> = {}
  let isRunning = false
  for (const [index, { language, text }] of blocks.entries()) {
    const shown = blocks[index + 1]
    const isShown = shown !== undefined && ['json', 'http'].includes(shown.language)
    if (language === 'json' || language === 'http') continue
    if (language === 'sh' && STARTS.test(text)) {
      await run.start(text)
      isRunning = true
      continue
    }
    const isExclusive = language === 'sh' && EXCLUSIVE.test(text)
    if (isExclusive && isRunning) await run.stop()
    else if (!isExclusive && !isRunning) await run.start('npm start')
    isRunning = !isExclusive
    const [, name, value] = /^export ([A-Z_]+)=(\S+)$/.exec(text) ?? []
    if (name !== undefined) environment[name] = value ?? ''
    else if (language === 'ts') {
      const [, given] = /^\/\/ ([\w-]+\.ts)\n/.exec(text) ?? []
      const file = given ?? `block-${index}.ts`
      writeFileSync(join(reader, file), run.translate(text))
      if (given !== undefined) continue
      const output = await run.shell(`cd '${reader}' && node --conditions=perpetual-exchange-source ${file}`, environment)
      if (isShown) assertOutputMatches(output.trim().split('\n').at(-1) ?? '', shown, text)
    } else if (language === 'sh') {
      const output = await run.shell(text, environment)
      if (isShown) assertOutputMatches(output.trim(), shown, text)
    } else assert.fail(`cannot run a ${language} block`)
  }
}

for (const guide of GUIDES) {
  test(`the commands of ${guide}.md work`, async () => {
    await using run = await createDocumentedRun()
    await runBlocks(run, blocksOf(readPage(`docs/guides/${guide}.md`)))
  })
}

test('the commands of generations.md work on contracts of generation 2', async () => {
  await using run = await createDocumentedRun()
  await runBlocks(run, blocksOf(readPage('docs/generations.md')))
})

test('the tests run every guide, and the README links it', () => {
  assert.deepEqual(globSync('docs/guides/*.md', { cwd: PROJECT_ROOT }).toSorted(), [...GUIDES, PYTHON_GUIDE].map((name) => `docs/guides/${name}.md`).toSorted())
  for (const guide of [...GUIDES, PYTHON_GUIDE]) assert.ok(readPage('README.md').includes(`](docs/guides/${guide}.md)`), guide)
})
