// Runs the tests: `npm test`, `npm test -- path/to/x.test.ts`, `npm test -- --store` for those that touch a database or Redis. Other arguments that begin with
// `--test-` go to node's own runner.

import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from './support/compile-cache.ts'
import { TEMPLATE_VARIABLE, ensureEmbeddedTemplate, testServerUrl, withServerTemplate } from './support/database.ts'
import { testRedisUrl } from './support/redis.ts'
import { findImports } from './tidy/imports.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PATTERNS = ['src/**/*.test.ts', 'localnet/**/*.test.ts', 'test/**/*.test.ts']
/** Who imports one of these, however indirectly, touches a database. */
const DATABASE_MODULES = ['test/support/database.ts', 'test/support/world.ts']
/** Who imports this has tests that need a Redis server. */
const REDIS_MODULES = ['test/support/redis.ts']
/**
 * `--store` leaves these out: what is tested from them is how the gateway is used and described, over a database of any kind, and processes and servers that
 * are killed, which bring servers of their own.
 */
const OTHER_FOLDERS = ['test/client/', 'test/console/', 'test/crash/', 'test/docs/', 'test/examples/']
/** Test files at the same time: each may hold an embedded engine, and two cores are what a small machine has. */
const CONCURRENCY = 2
/** A test that hangs is ended after this long. */
const TEST_TIMEOUT_MS = 600_000
const LEAST_NODE = 24

/** All test files, or those that `named` names: files, folders or patterns. Relative to the project. */
function findTestFiles(named: readonly string[]): string[] {
  const patterns = named.length === 0 ? PATTERNS : named.flatMap((name) => [name, `${name.replace(/\/$/, '')}/**/*.test.ts`])
  const files = globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] }).filter((file) => file.endsWith('.test.ts'))
  return [...new Set(files)].sort()
}

/** The project's own modules that a file imports. */
function importsOf(file: string): string[] {
  const specifiers = findImports(readFileSync(join(ROOT, file), 'utf8')).map(({ specifier }) => specifier ?? '')
  return specifiers.filter((specifier) => specifier.startsWith('.')).map((specifier) => normalize(join(dirname(file), specifier)))
}

/** True when `file` reaches one of `modules`. */
function reaches(modules: readonly string[], file: string): boolean {
  const seen = new Set<string>()
  const waiting = [file]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (modules.includes(next)) return true
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...readImports(next))
  }
  return false
}

const importsByFile = new Map<string, string[]>()

function readImports(file: string): string[] {
  const known = importsByFile.get(file)
  if (known !== undefined) return known
  let imports: string[] = []
  try {
    imports = importsOf(file)
  } catch (cause) {
    // A file that a test names but that is not there: the test itself will say so.
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
  }
  importsByFile.set(file, imports)
  return imports
}

/** Runs node's own runner over the files and answers with its exit code; a signal to this process is handed on. */
async function runNode(files: readonly string[], flags: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const own = ['--test', `--test-concurrency=${CONCURRENCY}`, `--test-timeout=${TEST_TIMEOUT_MS}`, '--test-reporter=spec']
  const child = spawn(process.execPath, [...own, ...flags, ...files], {
    cwd: ROOT,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment },
    stdio: 'inherit',
  })
  const handOn = (signal: NodeJS.Signals): void => void child.kill(signal)
  process.on('SIGINT', handOn)
  process.on('SIGTERM', handOn)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => resolve(code ?? 1))
    })
  } finally {
    process.removeListener('SIGINT', handOn)
    process.removeListener('SIGTERM', handOn)
  }
}

/** Prepares a template database once for all files of this run, runs `work`, and drops what is left of them. */
async function withDatabases(needed: boolean, work: (environment: NodeJS.ProcessEnv) => Promise<number>): Promise<number> {
  const serverUrl = testServerUrl()
  if (serverUrl === null) {
    if (needed) await ensureEmbeddedTemplate()
    return work(process.env)
  }
  if (!needed) return work(process.env)
  return withServerTemplate(serverUrl, (template) => work({ ...process.env, [TEMPLATE_VARIABLE]: template }))
}

/** Says on which database the store-touching tests ran. */
function describeDatabase(databaseFiles: number): string {
  const leg = `${databaseFiles} test files that touch the store`
  if (databaseFiles === 0) return 'Database: none of these test files touches the store.'
  if (testServerUrl() === null) return `Database: ${leg} ran on the embedded engine; the server leg did not run (set TEST_DATABASE_URL for it).`
  return `Database: ${leg} ran on the PostgreSQL server of TEST_DATABASE_URL (unset it for the embedded engine).`
}

/** Says whether the tests that need Redis ran. */
function describeRedis(redisFiles: number): string {
  if (redisFiles === 0) return 'Redis: none of these test files needs it.'
  if (testRedisUrl() === null) return `Redis: tests in ${redisFiles} files did not run (set TEST_REDIS_URL for them).`
  return `Redis: ${redisFiles} test files ran with the server of TEST_REDIS_URL.`
}

async function main(): Promise<number> {
  const [major] = process.versions.node.split('.')
  if (Number(major) < LEAST_NODE) {
    console.error(`The tests need Node ${LEAST_NODE}; this is Node ${process.versions.node}. \`npm ci\` installs the right one, and \`npm test\` uses it.`)
    return 1
  }
  const args = process.argv.slice(2)
  const flags = args.filter((arg) => arg.startsWith('--test-'))
  const named = args.filter((arg) => !arg.startsWith('-'))
  const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--store' && !arg.startsWith('--test-'))
  const found = findTestFiles(named)
  const databaseFiles = found.filter((file) => reaches(DATABASE_MODULES, file))
  const redisFiles = found.filter((file) => reaches(REDIS_MODULES, file))
  const storeFiles = [...new Set([...databaseFiles, ...redisFiles])].filter((file) => !OTHER_FOLDERS.some((folder) => file.startsWith(folder))).sort()
  const files = args.includes('--store') ? storeFiles : found
  if (unknown !== undefined || files.length === 0) {
    console.error(unknown === undefined ? `No test files: ${named.join(' ')}` : `Unknown option ${unknown}: there are --store and node's own --test-…`)
    return 1
  }
  const code = await withDatabases(databaseFiles.length > 0, (environment) => runNode(files, flags, environment))
  console.log(describeDatabase(databaseFiles.filter((file) => files.includes(file)).length))
  console.log(describeRedis(redisFiles.filter((file) => files.includes(file)).length))
  return code
}

process.exitCode = await main()
