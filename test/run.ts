// Runs the tests.
//
//   npm test                          every test that needs no browser, no killed process and no server, with the embedded database
//   npm test -- path/to/x.test.ts     files, folders or patterns
//   npm run test:all                  every test with every seed; then, with TEST_DATABASE_URL, those that touch the store again on that server, with few seeds
//   npm run test:all -- --after-fast  the same after `npm test`: without the tests that it has run in the same way
//   npm test -- --store               only the tests that touch the database or Redis
//   npm run golden                    writes the golden files, of all tests or those named, instead of comparing them
//   npm test -- --generation=2 …      on contracts of generation 2; with `test:all` and no files, every harness of HARNESSES
//   npm test -- --protocol=30 …       on a local network of this protocol; with `test:all` and no files, every harness too
//
// Other arguments that begin with `--test-` go to node's test runner.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { OPENING_TEST_PATTERN, planBatches, writeBatches } from './runner/batches.ts'
import { COMPILE_CACHE, SHORT_RUN_FLAGS } from './support/program.ts'
import { TEMPLATE_VARIABLE, ensureEmbeddedTemplate, testServerUrl, withServerTemplate } from './support/database.ts'
import { testRedisUrl } from './support/redis.ts'
import {
  CHAIN_READERS, createImportGraph, findTestFiles, HARNESSES, isLongest, isSlow, rankByLength, RUN_AGAIN, runsInProcess, runsMoreInAll,
} from './runner/test-files.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WITHOUT_TRACKING = new URL('./runner/without-tracking.ts', import.meta.url).href
/** A file that imports one of these, directly or not, touches a database. */
const DATABASE_MODULES = ['test/support/database.ts', 'test/support/gateway-fixture.ts']
/** A file that imports this compares a golden file. */
const GOLDEN_MODULES = ['test/support/golden.ts']
/** A file that imports this has tests that need a Redis server. */
const REDIS_MODULES = ['test/support/redis.ts']
/** `--store` leaves these out: they start servers of their own, or what they test reads the node and refuses input, for which any database will do. */
const ANY_DATABASE = [
  'test/client/', 'test/console/', 'test/crash/', 'test/docs/', 'test/examples/', 'test/index/hostile-pairs.test.ts', 'src/store/embedded/',
  'test/contract/', 'test/relay/', 'test/attack/bodies.test.ts', 'test/stream/malformed.test.ts',
  ...[
    'actions-prepare', 'asyncapi', 'contract-interfaces', 'docs', 'fuzz', 'llms', 'node-faults', 'oracle', 'orders-matrix', 'orders-prepare', 'previews',
    'quotes', 'refused-orders', 'settings', 'warnings',
  ].map((name) => `test/api/${name}.test.ts`),
]
/** Files that import this read the whole project's sources: together, they parse each only once. */
const PARSER_MODULES = ['test/tidy/syntax.ts']
/** Two cores are what a small machine has; a batch may hold an embedded engine and a network. */
const CONCURRENCY = 2
/** Slow tests also wait for ledgers, timers and exits: two at a time leave about a sixth of two cores idle. */
const SLOW_CONCURRENCY = 3
/** Of a slow file, where a file with a database has 5 and another one 1. */
const SLOW_WEIGHT = 40
/** More batches than processes, so that both finish at about the same time. */
const BATCHES = 5 * CONCURRENCY
/** A test that hangs is stopped after this long. */
const TEST_TIMEOUT_MS = 120_000
/** Kills, browsers and whole sweeps take longer. */
const SLOW_TEST_TIMEOUT_MS = 600_000
const MIN_NODE = 24
const AFTER_FAST = '--after-fast'
const GENERATION_2 = '--generation=2'
const PROTOCOL = '--protocol='
const GOLDEN = '--golden'
const OPTIONS: readonly string[] = ['--store', '--all', AFTER_FAST, GENERATION_2, GOLDEN]
/** Settings that `npm run test:all` adds to the settings of `npm test`. */
const ALL_SETTINGS = { TEST_ALL: '1' }
const GENERATION_2_SETTINGS = { TEST_GENERATION: '2' }
/** The protocol of the legs that repeat tests. The first leg has the local network's default. */
const OTHER_PROTOCOL_SETTINGS = { TEST_LOCAL_PROTOCOL: '30' }

/** Runs node's test runner over the entries, which import the files, and returns its exit code; signals to this process are passed on. */
async function runNode(entries: readonly string[], { files, flags, environment, concurrency = CONCURRENCY }: Leg): Promise<number> {
  const timeoutMs = files.some(isSlow) ? SLOW_TEST_TIMEOUT_MS : TEST_TIMEOUT_MS
  const limits = [`--test-concurrency=${concurrency}`, `--test-timeout=${timeoutMs}`]
  const own = [...SHORT_RUN_FLAGS, `--import=${WITHOUT_TRACKING}`, '--test', ...limits, '--test-reporter=spec']
  const child = spawn(process.execPath, [...own, ...flags, ...entries], {
    cwd: ROOT,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment },
    stdio: 'inherit',
  })
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal)
  process.on('SIGINT', passOn)
  process.on('SIGTERM', passOn)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => resolve(code ?? 1))
    })
  } finally {
    process.removeListener('SIGINT', passOn)
    process.removeListener('SIGTERM', passOn)
  }
}

const graph = createImportGraph(ROOT)

/** The files and settings of one call of the runner. */
interface Leg {
  readonly files: readonly string[]
  readonly flags: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly concurrency?: number
}

/** Runs the files in batches, the longest first in processes of their own. */
async function runLeg({ files, flags, ...settings }: Leg): Promise<number> {
  const { longest = [], alone = [], parsing = [], other = [] } = Object.groupBy(files, kindOf)
  const weighted = other.map((file) => ({ file, weight: isSlow(file) ? SLOW_WEIGHT : touchesDatabase(file) ? 5 : 1 }))
  const each = (some: readonly string[]): string[][] => some.map((file) => [file])
  const batches = [
    ...each(longest.sort((a, b) => rankByLength(a) - rankByLength(b))), ...planBatches(weighted, BATCHES), ...(parsing.length === 0 ? [] : [parsing]),
    ...each(alone),
  ]
  const hasNamePattern = flags.some((flag) => flag.startsWith('--test-name-pattern'))
  using written = writeBatches(batches, { root: ROOT, hasNamePattern, touchesDatabase })
  const patterns = hasNamePattern ? [`--test-name-pattern=${OPENING_TEST_PATTERN}`] : []
  return await runNode(written.entries, { ...settings, files, flags: [...flags, ...patterns] })
}

function kindOf(file: string): 'longest' | 'alone' | 'parsing' | 'other' {
  if (isLongest(file)) return 'longest'
  if (isSlow(file) && !runsInProcess(file)) return 'alone'
  return graph.reaches(file, PARSER_MODULES) && !touchesDatabase(file) ? 'parsing' : 'other'
}

function touchesDatabase(file: string): boolean {
  return graph.reaches(file, DATABASE_MODULES)
}

/** The files of the `--store` selection. */
function storeFiles(files: readonly string[]): string[] {
  return files.filter((file) => !ANY_DATABASE.some((start) => file.startsWith(start)) && (touchesDatabase(file) || graph.reaches(file, REDIS_MODULES)))
}

/** Prepares a template database once for all files of a leg, runs it, and drops what is left of the databases. */
async function runWithDatabases(leg: Leg): Promise<number> {
  const serverUrl = leg.environment['TEST_DATABASE_URL'] === undefined ? null : testServerUrl()
  const databaseFiles = leg.files.filter(touchesDatabase)
  const redisFiles = leg.files.filter((file) => graph.reaches(file, REDIS_MODULES))
  let code: number
  if (databaseFiles.length > 0 && serverUrl !== null) {
    code = await withServerTemplate(serverUrl, (template) => runLeg({ ...leg, environment: { ...leg.environment, [TEMPLATE_VARIABLE]: template } }))
  } else {
    if (databaseFiles.length > 0) await ensureEmbeddedTemplate()
    code = await runLeg(leg)
  }
  console.log(describeDatabase(databaseFiles.length, serverUrl))
  console.log(describeRedis(redisFiles.length, leg.environment['TEST_REDIS_URL'] === undefined ? null : testRedisUrl()))
  return code
}

function describeDatabase(files: number, serverUrl: string | null): string {
  if (files === 0) return 'Database: no selected test file touches the store.'
  if (serverUrl === null) return `Database: ${files} test files that touch the store ran on the embedded engine. Set TEST_DATABASE_URL to run them on a server.`
  return `Database: ${files} test files that touch the store ran on the PostgreSQL server of TEST_DATABASE_URL. Unset it for the embedded engine.`
}

function describeRedis(files: number, redisUrl: string | null): string {
  if (files === 0) return 'Redis: no selected test file needs it.'
  if (redisUrl === null) return `Redis: tests in ${files} files were skipped. Set TEST_REDIS_URL to run them.`
  return `Redis: ${files} test files ran with the server of TEST_REDIS_URL.`
}

/**
 * `npm run test:all`: everything on the embedded engine, some of it again on generation 2 and another protocol, then on the server and that protocol what
 * touches the store.
 */
async function runAll(files: readonly string[], { flags, afterFast }: { readonly flags: readonly string[]; readonly afterFast: boolean }): Promise<number> {
  const { TEST_DATABASE_URL: serverUrl, TEST_REDIS_URL: _redisUrl, DATABASE_URL: _databaseUrl, ...embedded } = process.env
  const legs: Leg[] = []
  const onEmbedded = afterFast ? files.filter((file) => isSlow(file) || runsMoreInAll(ROOT, file)) : files
  const environment = { ...embedded, ...ALL_SETTINGS }
  legs.push({ files: onEmbedded, flags, environment, concurrency: SLOW_CONCURRENCY })
  const again = files.filter((file) => Object.hasOwn(RUN_AGAIN, file))
  const otherProtocol = embedded['TEST_LOCAL_PROTOCOL'] === undefined ? OTHER_PROTOCOL_SETTINGS : {}
  if (again.length > 0 && flags.length === 0 && embedded['TEST_GENERATION'] === undefined) {
    const names = again.flatMap((file) => RUN_AGAIN[file] ?? [])
    const settings = { ...GENERATION_2_SETTINGS, ...otherProtocol }
    legs.push({ files: again, flags: names.map((name) => `--test-name-pattern=${name}`), environment: { ...embedded, ...settings } })
  }
  if (serverUrl !== undefined) legs.push({ files: storeFiles(files), flags, environment: { ...process.env, ...otherProtocol }, concurrency: SLOW_CONCURRENCY })
  let code = 0
  for (const leg of legs) {
    const legCode = await runWithDatabases(leg)
    if (code === 0) code = legCode
  }
  return code
}

/** Returns a filter for the files that a run of all tests has with these options. */
function chooseFiles({ onGeneration2, onProtocol }: { readonly onGeneration2: boolean; readonly onProtocol: boolean }): (file: string) => boolean {
  if (!onGeneration2 && !onProtocol) return () => true
  const starts = onProtocol && !onGeneration2 ? [...HARNESSES, ...CHAIN_READERS] : HARNESSES
  return (file) => starts.some((start) => file.startsWith(start))
}

async function main(): Promise<number> {
  const [major] = process.versions.node.split('.')
  if (Number(major) < MIN_NODE) {
    console.error(`The tests need Node ${MIN_NODE}; this is Node ${process.versions.node}. \`npm ci\` installs the right one, and \`npm test\` uses it.`)
    return 1
  }
  const args = process.argv.slice(2)
  const flags = args.filter((arg) => arg.startsWith('--test-'))
  const named = args.filter((arg) => !arg.startsWith('-'))
  const protocol = args.find((arg) => arg.startsWith(PROTOCOL))?.slice(PROTOCOL.length)
  const options = [...OPTIONS, `${PROTOCOL}N`, '--test-…'].join(', ')
  const isKnown = (arg: string): boolean => OPTIONS.includes(arg) || arg.startsWith(PROTOCOL) || arg.startsWith('--test-')
  const unknown = args.find((arg) => arg.startsWith('-') && !isKnown(arg))
  const found = findTestFiles(ROOT, named)
  if (unknown !== undefined || found.length === 0) {
    console.error(unknown === undefined ? `No test files match: ${named.join(' ')}` : `Unknown option ${unknown}. Options: ${options}`)
    return 1
  }
  if (args.includes(GENERATION_2)) Object.assign(process.env, GENERATION_2_SETTINGS)
  if (protocol !== undefined) process.env['TEST_LOCAL_PROTOCOL'] = protocol
  if (args.includes('--all')) {
    const choose = chooseFiles({ onGeneration2: args.includes(GENERATION_2), onProtocol: protocol !== undefined })
    return await runAll(named.length === 0 ? found.filter(choose) : found, { flags, afterFast: args.includes(AFTER_FAST) })
  }
  if (args.includes(GOLDEN)) {
    // One after the other: some golden files are generated from others.
    return await runWithDatabases({
      files: found.filter((file) => graph.reaches(file, GOLDEN_MODULES)), flags, environment: { ...process.env, UPDATE_GOLDEN: '1' }, concurrency: 1,
    })
  }
  const selected = named.length === 0 && !args.includes('--store') ? found.filter((file) => !isSlow(file)) : found
  return await runWithDatabases({ files: args.includes('--store') ? storeFiles(selected) : selected, flags, environment: process.env })
}

process.exitCode = await main()
