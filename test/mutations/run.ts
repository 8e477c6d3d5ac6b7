// Plants one-line bugs in `src` and checks that `npm test` catches each of them.
//
//   npm run test:mutations                              30 bugs, spread over all folders of src
//   npm run test:mutations -- 100 7                     100 bugs, drawn from seed 7
//   npm run test:mutations -- src/keys/keys.ts          every bug this script can plant in one file
//   npm run test:mutations -- src/keys src/trading 20 7   20 bugs in two folders, drawn from seed 7
//   npm run test:mutations -- src/keys/keys.ts:42       every bug in one line
//   … --seconds=300                                     the time for each bug, by default 120 s
//   … --tests=src/keys,test/keys                        only these test files and folders
//
// The bugs are planted in a copy of the project, one at a time. For each, the test files that import its file run, the nearest and fastest first, until one
// fails that passes without the bug. A bug that none of them catches within its time fails the script. Set TEST_REDIS_URL and TEST_DATABASE_URL to include the
// code that only a server exercises.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSeededRandom } from '../../src/base/random.ts'
import type { Random } from '../../src/base/random.ts'
import { TEMPLATE_VARIABLE, ensureEmbeddedTemplate, testServerUrl, withServerTemplate } from '../support/database.ts'
import { findMutations } from './find-mutations.ts'
import { createMutationRuns } from './mutation-runs.ts'
import type { Hunt, PlantedBug } from './mutation-runs.ts'
import { isProduct, readTree } from '../tidy/tree.ts'

const DEFAULT_COUNT = 30
const DEFAULT_SEED = '1'
const DEFAULT_LIMIT_SECONDS = 120

const tree = readTree()
/** Only tests with a real server can notice bugs there. */
const NEEDS_SERVER: Readonly<Record<string, string>> = { 'src/gateway/redis/': 'TEST_REDIS_URL', 'src/store/server/': 'TEST_DATABASE_URL' }
const withoutServer = Object.entries(NEEDS_SERVER).filter(([, variable]) => process.env[variable] === undefined).map(([folder]) => folder)
const sources = [...tree].filter(([path]) => path.startsWith('src/') && isProduct(path) && !withoutServer.some((folder) => path.startsWith(folder)))

function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/').replace(/^src\/[^/]+\.ts$/, 'src')
}

/** Draws bugs folder by folder, so that each folder gets its share before any gets a second. */
function drawBugs(all: readonly PlantedBug[], count: number, random: Random): PlantedBug[] {
  const folders = [...Map.groupBy(all, ({ file }) => folderOf(file)).values()]
  const drawn: PlantedBug[] = []
  while (drawn.length < Math.min(count, all.length)) {
    for (const bugs of folders.filter(({ length }) => length > 0).slice(0, count - drawn.length)) drawn.push(...bugs.splice(random.integer(bugs.length), 1))
  }
  return drawn
}

function lineOf({ file, start }: PlantedBug): number {
  return (tree.get(file) ?? '').slice(0, start).split('\n').length
}

/** The line with the bug as it is, and as it was planted. */
function describe(bug: PlantedBug): string {
  const source = tree.get(bug.file) ?? ''
  const first = source.lastIndexOf('\n', bug.start - 1) + 1
  const end = source.indexOf('\n', bug.start)
  const before = source.slice(first, Math.max(end, bug.end))
  const after = source.slice(first, bug.start) + bug.text + source.slice(bug.end, Math.max(end, bug.end))
  return `    - ${before.trim()}\n    + ${after.trim()}`
}

type Verdict = 'caught' | 'SURVIVED' | 'NOT CAUGHT IN TIME'

function verdictOf({ failure, left }: Hunt): Verdict {
  if (failure !== null) return 'caught'
  return left === 0 ? 'SURVIVED' : 'NOT CAUGHT IN TIME'
}

function describeHunt({ failure, passed, left, seconds }: Hunt): string {
  if (failure !== null) return `    ${failure.file}: ${failure.test} (${seconds.toFixed(1)} s)`
  return `    passed in ${seconds.toFixed(1)} s: ${passed.length === 0 ? 'nothing' : passed.join(', ')}${left === 0 ? '' : `; ${left} files did not run`}`
}

interface Arguments {
  readonly bugs: readonly PlantedBug[]
  readonly limitSeconds: number
  /** The test files and folders that may run; null for all. */
  readonly tests: readonly string[] | null
}

/** Reads the command line. Returns what is wrong with it as text. */
function readArguments(args: readonly string[]): Arguments | string {
  const option = (name: string): string | undefined => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  const rest = args.filter((arg) => !/^--(?:seconds|tests)=/.test(arg))
  const paths = rest.filter((arg) => arg.startsWith('src'))
  const [count, seed = DEFAULT_SEED, ...unknown] = rest.filter((arg) => !arg.startsWith('src'))
  const limitSeconds = Number(option('seconds') ?? DEFAULT_LIMIT_SECONDS)
  if (unknown.length > 0 || !(Number(count ?? 1) > 0) || !(limitSeconds > 0)) return `Invalid arguments: ${args.join(' ')}`
  const selected = selectBugs(paths)
  if (selected.length === 0) return `No bug can be planted in ${paths.join(', ')}`
  const isEvery = paths.length > 0 && count === undefined
  const bugs = isEvery ? selected : drawBugs(selected, Number(count ?? DEFAULT_COUNT), createSeededRandom(seed))
  return { bugs, limitSeconds, tests: option('tests')?.split(',') ?? null }
}

/** Every bug in these files, folders and lines; in all of `src` without any. */
function selectBugs(paths: readonly string[]): PlantedBug[] {
  return sources.flatMap(([file, source]) => {
    const lines = paths.filter((path) => path.startsWith(`${file}:`)).map((path) => Number(path.slice(file.length + 1)))
    const isWhole = paths.length === 0 || paths.some((path) => path === file || file.startsWith(`${path.replace(/\/$/, '')}/`))
    if (!isWhole && lines.length === 0) return []
    return findMutations(source).map((mutation) => ({ ...mutation, file })).filter((bug) => isWhole || lines.includes(lineOf(bug)))
  })
}

function summarize(results: readonly { readonly bug: PlantedBug; readonly verdict: Verdict }[]): string {
  const folders = [...Map.groupBy(results, ({ bug }) => folderOf(bug.file))].map(([folder, found]) => {
    const caught = found.filter(({ verdict }) => verdict === 'caught').length
    return `${folder.padEnd(20)} ${String(caught).padStart(4)} of ${String(found.length).padStart(4)} caught`
  })
  const others = results.filter(({ verdict }) => verdict !== 'caught').map(({ bug, verdict }) => `${verdict}: ${bug.file}:${lineOf(bug)}\n${describe(bug)}`)
  const caught = results.length - others.length
  return [...folders, `${caught} of ${results.length} planted bugs were caught.`, ...others].join('\n')
}

/** Plants the bugs one after the other and returns the exit code. A signal ends the run with the report of what has run. */
async function plantAll({ bugs, limitSeconds, tests }: Arguments): Promise<number> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  const results: { bug: PlantedBug; verdict: Verdict }[] = []
  using runs = createMutationRuns({ folder: mkdtempSync(join(tmpdir(), 'mutations-')), limitSeconds, tests, signal: stop.signal })
  for (const [index, bug] of bugs.entries()) {
    const hunt = await runs.hunt(bug)
    if (stop.signal.aborted) break
    const verdict = verdictOf(hunt)
    results.push({ bug, verdict })
    console.log(`${index + 1}/${bugs.length} ${verdict}  ${bug.file}:${lineOf(bug)}\n${describe(bug)}\n${describeHunt(hunt)}`)
  }
  console.log(summarize(results))
  for (const file of runs.broken) console.log(`Fails without any bug, and was left out: ${file}`)
  return !stop.signal.aborted && results.every(({ verdict }) => verdict === 'caught') ? 0 : 1
}

async function main(): Promise<number> {
  const parsed = readArguments(process.argv.slice(2))
  if (typeof parsed === 'string') {
    console.error(parsed)
    return 1
  }
  await ensureEmbeddedTemplate()
  const serverUrl = testServerUrl()
  if (serverUrl === null) return await plantAll(parsed)
  return await withServerTemplate(serverUrl, async (template) => {
    process.env[TEMPLATE_VARIABLE] = template
    return await plantAll(parsed)
  })
}

process.exitCode = await main()
