// Runs the console's browser tests on every display and prints one line for each display.
//   npm run test:console                               all six
//   npm run test:console -- 390-dark 390-light         these
//   npm run test:console -- 390-dark test/console/quiet.test.ts

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { DISPLAY_NAMES } from './console/display.ts'
import type { DisplayName } from './console/display.ts'
import { createImportGraph, findTestFiles } from './runner/test-files.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The module that reads `TEST_DISPLAY`. Its own test does not depend on it. */
const SELECTED_BY = 'test/console/display.ts'
/** The golden pictures have all displays in one run. */
const ON_EVERY_DISPLAY = ['test/console/display.test.ts', 'test/console/screenshot.test.ts']

interface Outcome {
  readonly passed: number
  readonly failed: readonly string[]
  readonly isComplete: boolean
  readonly seconds: number
}

/** Runs the files on one display. The output is shown only if something fails. */
async function runOn(display: DisplayName, files: readonly string[]): Promise<Outcome> {
  const started = performance.now()
  const child = spawn(process.execPath, ['test/run.ts', ...files], { cwd: ROOT, env: { ...process.env, TEST_DISPLAY: display } })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) => resolve(exitCode ?? 1))
  })
  const output = Buffer.concat(chunks).toString()
  if (code !== 0) console.log(output)
  const passed = Number(/^ℹ pass (\d+)$/m.exec(output)?.[1] ?? 0)
  // The report lists each failure again, with its file, after the tests.
  const failed = [...output.matchAll(/^test at (\S+?):\d+:\d+\n✖ (.*?) \([\d.]+ms\)$/gm)].map(([, file = '', name = '']) => `${file}: ${name}`)
  return { passed, failed, isComplete: code === 0 || failed.length > 0, seconds: Math.round((performance.now() - started) / 1_000) }
}

async function main(): Promise<number> {
  const args = process.argv.slice(2)
  const displays = DISPLAY_NAMES.filter((name) => args.includes(name))
  const named = args.filter((arg) => !DISPLAY_NAMES.some((name) => name === arg))
  const graph = createImportGraph(ROOT)
  const files = findTestFiles(ROOT, named.length === 0 ? ['test/console'] : named)
    .filter((file) => graph.reaches(file, [SELECTED_BY]) && !ON_EVERY_DISPLAY.includes(file))
  if (files.length === 0) {
    console.error(`No browser test of the console matches: ${named.join(' ')}. Displays: ${DISPLAY_NAMES.join(', ')}`)
    return 1
  }
  let exitCode = 0
  for (const display of displays.length === 0 ? DISPLAY_NAMES : displays) {
    const { passed, failed, isComplete, seconds } = await runOn(display, files)
    const failures = isComplete ? `${failed.length} failed` : 'the run ended early'
    console.log([`${display.padEnd(10)} ${passed} passed, ${failures}, ${seconds} s`, ...failed.map((name) => `  ${name}`)].join('\n'))
    if (failed.length > 0 || !isComplete) exitCode = 1
  }
  return exitCode
}

process.exitCode = await main()
