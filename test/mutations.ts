// Plants one-line bugs in `src` and checks that `npm test` catches each of them.
//
//   npm run test:mutations                      30 bugs, spread over all folders of src
//   npm run test:mutations -- 100 7             100 bugs, drawn from seed 7
//   npm run test:mutations -- src/keys/keys.ts  every bug this script can plant in one file
//
// The bugs are planted in a copy of the project. For each, the tests that import the file run, the nearest first, until one fails; a bug that none of them
// notices survives, is printed as a diff, and fails the script. Set TEST_REDIS_URL and TEST_DATABASE_URL to include the code that only a server exercises.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createSeededRandom } from '../src/base/random.ts'
import type { Random } from '../src/base/random.ts'
import { findMutations } from './support/mutate.ts'
import type { Mutation } from './support/mutate.ts'
import { copyProject } from './support/project-copy.ts'
import { createImportGraph, findTestFiles, isSlow } from './support/test-files.ts'
import { isProduct, readTree } from './tidy/tree.ts'

const DEFAULT_COUNT = 30
const DEFAULT_SEED = '1'
/** Test files per run: the first runs are the most likely to fail, so they are small. */
const RUN_SIZES = [6, 24, 1_000]
const RUN_TIMEOUT_MS = 600_000

interface PlantedBug extends Mutation {
  readonly file: string
}

interface Result {
  readonly bug: PlantedBug
  /** The failing test file's first line of output, or null when the bug survived. */
  readonly caughtBy: string | null
}

const tree = readTree()
/** Only tests with a real server can notice bugs there. */
const NEEDS_SERVER: Readonly<Record<string, string>> = { 'src/redis/': 'TEST_REDIS_URL', 'src/store/server/': 'TEST_DATABASE_URL' }
const withoutServer = Object.entries(NEEDS_SERVER).filter(([, variable]) => process.env[variable] === undefined).map(([folder]) => folder)
const sources = [...tree].filter(([path]) => path.startsWith('src/') && isProduct(path) && !withoutServer.some((folder) => path.startsWith(folder)))

/** Draws bugs folder by folder, so that each folder gets its share before any gets a second. */
function drawBugs(count: number, random: Random): PlantedBug[] {
  const byFolder = new Map<string, PlantedBug[]>()
  for (const [file, source] of sources) {
    const folder = file.split('/').slice(0, 2).join('/').replace(/^src\/[^/]+\.ts$/, 'src')
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), ...findMutations(source).map((mutation) => ({ ...mutation, file }))])
  }
  const folders = [...byFolder.values()].filter((bugs) => bugs.length > 0)
  return Array.from({ length: count }, (_value, index) => {
    const bugs = folders[index % folders.length] ?? []
    const [bug] = bugs.splice(random.integer(bugs.length), 1)
    return bug
  }).filter((bug) => bug !== undefined)
}

/** Runs test files and resolves with the line of the first failing test, or null when all pass. A failure ends the run: a bug makes many tests hang. */
async function firstFailure(copy: string, files: readonly string[]): Promise<string | null> {
  const run = spawn(process.execPath, ['test/run.ts', ...files], { cwd: copy, stdio: ['ignore', 'pipe', 'ignore'], detached: true, timeout: RUN_TIMEOUT_MS })
  const exited = new Promise<number | null>((resolve) => run.once('exit', resolve))
  for await (const line of createInterface({ input: run.stdout })) {
    if (!/^\s*✖ /.test(line)) continue
    // The run starts processes of its own; they are in its group.
    if (run.pid !== undefined) process.kill(-run.pid, 'SIGKILL')
    await exited
    return line.trim()
  }
  const code = await exited
  return code === 0 ? null : `exit code ${code}`
}

/** Runs the tests near the bug until one fails. */
async function hunt(copy: string, bug: PlantedBug, tests: readonly string[]): Promise<Result> {
  const path = join(copy, bug.file)
  const original = readFileSync(path, 'utf8')
  writeFileSync(path, original.slice(0, bug.start) + bug.text + original.slice(bug.end))
  try {
    let waiting = tests
    for (const size of RUN_SIZES) {
      const files = waiting.slice(0, size)
      waiting = waiting.slice(size)
      if (files.length === 0) break
      const caughtBy = await firstFailure(copy, files)
      if (caughtBy !== null) return { bug, caughtBy }
    }
    return { bug, caughtBy: null }
  } finally {
    writeFileSync(path, original)
  }
}

function lineOf({ file, start }: PlantedBug): number {
  return (tree.get(file) ?? '').slice(0, start).split('\n').length
}

function describe(bug: PlantedBug): string {
  const line = (tree.get(bug.file) ?? '').split('\n')[lineOf(bug) - 1] ?? ''
  return `${bug.file}:${lineOf(bug)}  ${line.trim()}\n    ${bug.original} -> ${bug.text}`
}

function selectBugs([first, seed = DEFAULT_SEED]: readonly string[]): PlantedBug[] {
  const only = sources.find(([file]) => file === first)
  if (only !== undefined) return findMutations(only[1]).map((mutation) => ({ ...mutation, file: only[0] }))
  return drawBugs(Number(first ?? DEFAULT_COUNT), createSeededRandom(seed))
}

async function main(): Promise<number> {
  const bugs = selectBugs(process.argv.slice(2))
  const folder = mkdtempSync(join(tmpdir(), 'mutations-'))
  const survivors: PlantedBug[] = []
  try {
    const copy = copyProject(folder)
    const graph = createImportGraph(copy)
    const tests = findTestFiles(copy).filter((file) => !isSlow(file))
    for (const [index, bug] of bugs.entries()) {
      const near = tests.map((test) => ({ test, distance: graph.distance(test, bug.file) })).filter(({ distance }) => distance !== null)
      const files = near.sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0)).map(({ test }) => test)
      const { caughtBy } = await hunt(copy, bug, files)
      if (caughtBy === null) survivors.push(bug)
      console.log(`${index + 1}/${bugs.length} ${caughtBy === null ? 'SURVIVED' : 'caught'}  ${describe(bug)}${caughtBy === null ? '' : `\n    ${caughtBy}`}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(`${bugs.length - survivors.length} of ${bugs.length} planted bugs were caught.`)
  for (const bug of survivors) console.log(`survived: ${describe(bug)}`)
  return survivors.length === 0 ? 0 : 1
}

process.exitCode = await main()
