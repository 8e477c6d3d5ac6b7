// Databases for tests: each test gets a fresh, migrated one of its own. Embedded ones start from an archive of a migrated database; with
// TEST_DATABASE_URL they are databases on that server, made from a template and dropped afterwards.

import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { threadId } from 'node:worker_threads'
import { createSystemClock } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'
import { MIGRATIONS_DIRECTORY, readMigrations } from '../../src/store/migrate.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { openEmbedded, openStore } from '../../src/store/open.ts'
import { createServerStore } from '../../src/store/server/server-store.ts'
import type { Store } from '../../src/store/store.ts'
import { createStorePool } from './store-pool.ts'
import type { StorePool } from './store-pool.ts'

export interface TestStoreOptions {
  readonly clock?: Clock
  readonly log?: Log
  readonly readTimeoutMs?: number
  /** For tests of the store itself: never an embedded engine that another test has used. */
  readonly newEngine?: boolean
}

/** A fresh, migrated database; gone when it is disposed. On the server named by TEST_DATABASE_URL, else embedded and in memory. */
export async function openTestStore(options: TestStoreOptions = {}): Promise<Store> {
  const serverUrl = testServerUrl()
  return serverUrl === null ? openTestEmbedded(options) : openServerTestStore(serverUrl, options)
}

/** The server to test on, or null. */
export function testServerUrl(): string | null {
  const url = process.env['TEST_DATABASE_URL'] ?? ''
  return url === '' ? null : url
}

/** For `test(name, { skip })`: why a test that needs a server does not run here, or false. */
export const WITHOUT_SERVER = testServerUrl() === null ? 'needs a PostgreSQL server: set TEST_DATABASE_URL' : false

const BACKGROUND = { clock: createSystemClock({ keepAlive: false }), log: silentLog }

let pool: StorePool | undefined

/** From now on the embedded engines of disposed stores are used again. Returns the function that stops them. For processes that run many test files. */
export function reuseEmbeddedEngines(): () => Promise<void> {
  const own = createStorePool()
  pool = own
  return async () => {
    pool = undefined
    await own[Symbol.asyncDispose]()
  }
}

/** A fresh, migrated embedded database in memory, whatever the others run on. */
export async function openTestEmbedded({ newEngine = false, ...options }: TestStoreOptions = {}): Promise<EmbeddedStore> {
  async function open(): Promise<EmbeddedStore> {
    const template = new Uint8Array(await readFile(await ensureEmbeddedTemplate()))
    return openEmbedded({ ...BACKGROUND, ...options, dataDir: null, template })
  }
  const isOwn = newEngine || options.clock !== undefined || options.log !== undefined
  return isOwn || pool === undefined ? await open() : await pool.take(String(options.readTimeoutMs), open)
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/store-template', import.meta.url))
/** Raise it when the archive changes for a reason that its key does not see. */
const ARCHIVE_VERSION = 1

/**
 * The archive of a migrated embedded database: made when it is not there, which takes some seconds. Its name is a digest of the migrations and of the
 * engine's version, so that it can never be an old one.
 */
export async function ensureEmbeddedTemplate(): Promise<string> {
  const name = `${await templateKey()}.tar`
  const path = join(CACHE, name)
  await mkdir(CACHE, { recursive: true })
  const present = await readdir(CACHE)
  if (present.includes(name)) return path
  await using store = await openEmbedded({ ...BACKGROUND, dataDir: null })
  const unfinished = join(CACHE, `${name}.${process.pid}.${threadId}`)
  await writeFile(unfinished, await store.dump())
  await rename(unfinished, path)
  await Promise.all(present.filter((old) => old.endsWith('.tar')).map((old) => rm(join(CACHE, old), { force: true })))
  return path
}

async function templateKey(): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { dependencies: Record<string, string> }
  const migrations = await readMigrations(MIGRATIONS_DIRECTORY)
  const parts = [ARCHIVE_VERSION, manifest.dependencies['@electric-sql/pglite'], ...migrations.map(({ sha256 }) => sha256)]
  return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 32)
}

/** The variable by which the runner tells its test files which database on the server is the template. */
export const TEMPLATE_VARIABLE = 'TEST_TEMPLATE_DATABASE'

let databases = 0
let ownTemplate: Promise<string> | undefined

async function openServerTestStore(serverUrl: string, { newEngine: _newEngine, ...options }: TestStoreOptions): Promise<Store> {
  const template = process.env[TEMPLATE_VARIABLE] ?? (await (ownTemplate ??= createOwnTemplate(serverUrl)))
  const name = `${template.slice(0, 40)}_${process.pid}_${threadId}_${++databases}`
  await administer(serverUrl, `create database "${name}" template "${template}"`)
  const store = await openStore({ ...BACKGROUND, ...options, databaseUrl: databaseUrl(serverUrl, name), dataDir: null })
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await dropDatabase(serverUrl, name)
    },
  }
}

/** For a test file that is run without the runner: a template of its own, dropped when the process has nothing left to do. */
async function createOwnTemplate(serverUrl: string): Promise<string> {
  const name = `perp_test_${process.pid}_template`
  await createServerTemplate(serverUrl, name)
  process.once('beforeExit', () => void dropDatabase(serverUrl, name))
  return name
}

/** The names of a run's databases begin with this and the run's own number. */
const RUN_PREFIX = 'perp_test_run'

/**
 * Runs `work` with the name of a template database on the server, and drops the template and all its copies afterwards, also those of test files that
 * were killed. A run that is killed itself leaves its databases behind: the next run drops them. A lock tells whether a run is still alive, whatever
 * machine it is on.
 */
export async function withServerTemplate<T>(serverUrl: string, work: (template: string) => Promise<T>): Promise<T> {
  await using server = createServerStore({ ...BACKGROUND, databaseUrl: serverUrl, readUrl: null, readTimeoutMs: 60_000 })
  const lock = await takeRun(server)
  await using _ = lock
  await dropAbandoned(server, serverUrl)
  const template = `${lock.prefix}_template`
  try {
    await createServerTemplate(serverUrl, template)
    return await work(template)
  } finally {
    await dropDatabases(serverUrl, lock.prefix)
  }
}

/** What the runs of one database have in common: a lock is seen within its database only, so that only these can tell of each other who is alive. */
async function commonPrefix(server: Store): Promise<string> {
  const [row] = await server.write.query<{ name: string }>('select current_database() as name')
  return `${RUN_PREFIX}_${(row?.name ?? '').replaceAll(/\W/g, '')}_`
}

/** Takes a number that no other run has. */
async function takeRun(server: Store): Promise<AsyncDisposable & { prefix: string }> {
  const common = await commonPrefix(server)
  for (let run = process.pid; ; run++) {
    const prefix = `${common}${run}`
    const lock = await server.tryLock(prefix)
    if (lock !== undefined) return { prefix, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() }
  }
}

async function dropAbandoned(server: Store, serverUrl: string): Promise<void> {
  // Another role's are for another role to drop.
  const found = await server.write.query<{ prefix: string }>(
    'select distinct substring(datname from $1) as prefix from pg_database where datname ~ $1 and pg_get_userbyid(datdba) = current_user',
    [`^(${await commonPrefix(server)}\\d+)_`],
  )
  for (const { prefix } of found) {
    await using lock = await server.tryLock(prefix)
    if (lock !== undefined) await dropDatabases(serverUrl, prefix)
  }
}

/** Makes a migrated database that others are copied from. */
async function createServerTemplate(serverUrl: string, name: string): Promise<void> {
  await dropDatabase(serverUrl, name)
  await administer(serverUrl, `create database "${name}"`)
  await using _ = await openStore({ ...BACKGROUND, databaseUrl: databaseUrl(serverUrl, name), dataDir: null })
}

/** Drops a database, whoever is still connected to it. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await administer(serverUrl, `drop database if exists "${name}" with (force)`)
}

/** Drops all databases whose names begin with `prefix`. */
async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const found = await administer(serverUrl, `select datname as name from pg_database where starts_with(datname, '${prefix}_')`)
  for (const { name } of found as { name: string }[]) await dropDatabase(serverUrl, name)
}

/** Sends one statement to the server's own database. */
export async function administer(serverUrl: string, sql: string): Promise<object[]> {
  await using store = createServerStore({ ...BACKGROUND, databaseUrl: serverUrl, readUrl: null, readTimeoutMs: 60_000 })
  return await store.write.query(sql)
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
