// Databases for tests: each test gets a new, migrated one. Embedded databases start from an archive of a migrated one. With TEST_DATABASE_URL they are
// databases on that server, copied from a template and dropped afterwards.

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
import { createDatabasePool } from './database-pool.ts'
import type { DatabasePool, DatabaseServer } from './database-pool.ts'
import { createStorePool } from './store-pool.ts'
import type { StorePool } from './store-pool.ts'

interface TestStoreOptions {
  readonly clock?: Clock
  readonly log?: Log
  readonly readTimeoutMs?: number
  /** For tests of the store itself: never an embedded engine that another test has used. */
  readonly newEngine?: boolean
}

/** A new, migrated database, removed when disposed. On the server of TEST_DATABASE_URL, or embedded and in memory. */
export async function openTestStore(options: TestStoreOptions = {}): Promise<Store> {
  const serverUrl = testServerUrl()
  return serverUrl === null ? openTestEmbedded(options) : openServerTestStore(serverUrl, options)
}

/** The server to test on, or null. */
export function testServerUrl(): string | null {
  const url = process.env['TEST_DATABASE_URL'] ?? ''
  return url === '' ? null : url
}

/** The reason to skip a test that needs a server, or false. */
export const WITHOUT_SERVER = testServerUrl() === null ? 'needs a PostgreSQL server: set TEST_DATABASE_URL' : false

const BACKGROUND = { clock: createSystemClock({ keepAlive: false }), log: silentLog }

let pool: StorePool | undefined
let databasePool: DatabasePool | undefined

/**
 * From now on the embedded engines and the server's databases of disposed stores are used again. Returns the function that removes them. For processes that
 * run many test files.
 */
export function reuseDatabases(): () => Promise<void> {
  const serverUrl = testServerUrl()
  const engines = createStorePool()
  const databases = serverUrl === null ? undefined : createDatabasePool(databaseServer(serverUrl))
  pool = engines
  databasePool = databases
  return async () => {
    pool = undefined
    databasePool = undefined
    await engines[Symbol.asyncDispose]()
    await databases?.[Symbol.asyncDispose]()
  }
}

/** A new, migrated embedded database in memory, also with TEST_DATABASE_URL. */
export async function openTestEmbedded({ newEngine = false, ...options }: TestStoreOptions = {}): Promise<EmbeddedStore> {
  async function open(): Promise<EmbeddedStore> {
    const template = new Uint8Array(await readFile(await ensureEmbeddedTemplate()))
    return openEmbedded({ ...BACKGROUND, ...options, dataDir: null, template })
  }
  const isOwn = newEngine || options.clock !== undefined || options.log !== undefined
  return isOwn || pool === undefined ? await open() : await pool.take(String(options.readTimeoutMs), open)
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/store-template', import.meta.url))
/** Increase it when the archive changes for a reason that is not part of its key. */
const ARCHIVE_VERSION = 1

/**
 * The archive of a migrated embedded database: made when it is not there, which takes some seconds. Its name is a digest of the migrations and of the
 * engine's version, so that it can never be an old one.
 */
export async function ensureEmbeddedTemplate(): Promise<string> {
  const name = `${await templateKey()}.tar`
  const path = join(CACHE, name)
  await mkdir(CACHE, { recursive: true })
  const existing = await readdir(CACHE)
  if (existing.includes(name)) return path
  await using store = await openEmbedded({ ...BACKGROUND, dataDir: null })
  const unfinished = join(CACHE, `${name}.${process.pid}.${threadId}`)
  await writeFile(unfinished, await store.dump())
  await rename(unfinished, path)
  await Promise.all(existing.filter((old) => old.endsWith('.tar')).map((old) => rm(join(CACHE, old), { force: true })))
  return path
}

async function templateKey(): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { dependencies: Record<string, string> }
  const migrations = await readMigrations(MIGRATIONS_DIRECTORY)
  const parts = [ARCHIVE_VERSION, manifest.dependencies['@electric-sql/pglite'], ...migrations.map(({ sha256 }) => sha256)]
  return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 32)
}

/** The runner names the template database in this variable. */
export const TEMPLATE_VARIABLE = 'TEST_TEMPLATE_DATABASE'

let databases = 0
let ownTemplate: Promise<string> | undefined

async function openServerTestStore(serverUrl: string, { newEngine = false, ...options }: TestStoreOptions): Promise<Store> {
  const server = databaseServer(serverUrl)
  const shared = newEngine ? undefined : databasePool
  const name = await (shared === undefined ? server.create() : shared.take())
  const store = await openStore({ ...BACKGROUND, ...options, databaseUrl: databaseUrl(serverUrl, name), dataDir: null })
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await (shared === undefined ? server.drop(name) : shared.giveBack(name))
    },
  }
}

/** Creates, drops and connects to copies of the template on the server. */
export function databaseServer(serverUrl: string): DatabaseServer {
  return {
    async create() {
      const template = process.env[TEMPLATE_VARIABLE] ?? (await (ownTemplate ??= createOwnTemplate(serverUrl)))
      const name = `${template.slice(0, 40)}_${process.pid}_${threadId}_${++databases}`
      await administer(serverUrl, `create database "${name}" template "${template}"`)
      return name
    },
    drop: (name) => dropDatabase(serverUrl, name),
    connect: (name) => createServerStore({ ...BACKGROUND, databaseUrl: databaseUrl(serverUrl, name), readUrl: null, readTimeoutMs: 60_000 }),
  }
}

/** A template for a test file that runs without the runner, dropped at the end of the process. */
async function createOwnTemplate(serverUrl: string): Promise<string> {
  const name = `perp_test_${process.pid}_template`
  await createServerTemplate(serverUrl, name)
  process.once('beforeExit', () => void dropDatabase(serverUrl, name))
  return name
}

/** The names of a run's databases start with this and the run's number. */
const RUN_PREFIX = 'perp_test_run'

/**
 * Runs `work` with the name of a template database on the server. Afterwards drops the template and all copies, including those of killed test files. The next
 * run drops the databases of a killed run. A lock shows whether a run is still alive, on any machine.
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

/** The common prefix of all runs on one database. A lock is visible within its database only, so only these runs can check each other. */
async function commonPrefix(server: Store): Promise<string> {
  const [row] = await server.write.query<{ name: string }>('select current_database() as name')
  return `${RUN_PREFIX}_${(row?.name ?? '').replaceAll(/\W/g, '')}_`
}

/** Takes a number that no other run uses. */
async function takeRun(server: Store): Promise<AsyncDisposable & { prefix: string }> {
  const common = await commonPrefix(server)
  for (let run = process.pid; ; run++) {
    const prefix = `${common}${run}`
    const lock = await server.tryLock(prefix)
    if (lock !== undefined) return { prefix, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() }
  }
}

async function dropAbandoned(server: Store, serverUrl: string): Promise<void> {
  // Databases of another role are not ours to drop.
  const found = await server.write.query<{ prefix: string }>(
    'select distinct substring(datname from $1) as prefix from pg_database where datname ~ $1 and pg_get_userbyid(datdba) = current_user',
    [`^(${await commonPrefix(server)}\\d+)_`],
  )
  for (const { prefix } of found) {
    await using lock = await server.tryLock(prefix)
    if (lock !== undefined) await dropDatabases(serverUrl, prefix)
  }
}

/** Creates the migrated database that tests copy. */
async function createServerTemplate(serverUrl: string, name: string): Promise<void> {
  await dropDatabase(serverUrl, name)
  await administer(serverUrl, `create database "${name}"`)
  await using _ = await openStore({ ...BACKGROUND, databaseUrl: databaseUrl(serverUrl, name), dataDir: null })
}

/**
 * Drops a database and closes its connections. `with (force)` would fail for a role without superuser while autovacuum is in the database; a plain drop
 * cancels autovacuum and waits for it.
 */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const [found] = await administer(serverUrl, `select 1 from pg_database where datname = '${name}'`)
  if (found === undefined) return
  await administer(serverUrl, `alter database "${name}" with allow_connections false`)
  await administer(serverUrl, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and usename = current_user`)
  await administer(serverUrl, `drop database if exists "${name}"`)
}

/** Drops all databases whose names start with `prefix`. */
async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const found = await administer(serverUrl, `select datname as name from pg_database where starts_with(datname, '${prefix}_')`)
  for (const { name } of found as { name: string }[]) await dropDatabase(serverUrl, name)
}

/** Runs one statement on the database of the URL itself. */
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
