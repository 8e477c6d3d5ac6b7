// Opens and migrates the store: on a PostgreSQL server if there is a URL, otherwise on the embedded engine.

import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { READ_STATEMENT_TIMEOUT_MS } from '../limits.ts'
import { openEmbeddedStore } from './embedded/embedded-store.ts'
import type { EmbeddedStore } from './embedded/embedded-store.ts'
import { PREPARED_CLUSTERS_DIRECTORY, preparedFileName } from './embedded/prepared-cluster.ts'
import { isMigrated, MIGRATIONS_DIRECTORY, migrate, readMigrations } from './migrate.ts'
import type { Migration } from './migrate.ts'
import { createServerStore } from './server/server-store.ts'
import { withOwnConnection } from './server/writer-lock.ts'
import { StoreUnavailable } from './store.ts'
import type { Store } from './store.ts'

export interface OpenStoreOptions {
  /** A PostgreSQL server; null uses the embedded engine. */
  readonly databaseUrl: string | null
  /** A replica for the reads; without one they go to the same server. */
  readonly readUrl?: string | null
  /** The embedded engine's data folder; null keeps everything in memory. */
  readonly dataDir: string | null
  readonly log: Log
  readonly clock: Clock
  /** The program's own migrations by default. */
  readonly migrationsDirectory?: string
  /** Embedded in memory: an archive from `dump` to start from. */
  readonly template?: Uint8Array | null
  /** Embedded on disk: the folder of prepared clusters; that of the installation by default. */
  readonly prepared?: string
  /** The time limit of one read. */
  readonly readTimeoutMs?: number
}

/**
 * Opens and migrates the store. Raises StoreUnavailable when the database cannot be reached or opened, FolderInUse when another process has the data
 * folder, MigrationRefused when this program cannot migrate the schema.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  return options.databaseUrl === null ? openEmbedded(options) : openServer(options, options.databaseUrl)
}

/** As `openStore`, for callers that need the embedded engine's own methods. */
export async function openEmbedded(options: Omit<OpenStoreOptions, 'databaseUrl' | 'readUrl'>): Promise<EmbeddedStore> {
  const { dataDir, clock, log, template = null, prepared = PREPARED_CLUSTERS_DIRECTORY } = options
  const { readTimeoutMs = READ_STATEMENT_TIMEOUT_MS, migrationsDirectory = MIGRATIONS_DIRECTORY } = options
  const preparedFile = async (): Promise<string> => join(prepared, await preparedFileName(await readMigrations(migrationsDirectory)))
  const store = await openEmbeddedStore({ dataDir, template, prepared: preparedFile, readTimeoutMs, clock, log })
  try {
    logApplied(log, await migrate(store.bulkWriter, migrationsDirectory))
    return store
  } catch (cause) {
    await store[Symbol.asyncDispose]()
    throw cause
  }
}

async function openServer(options: OpenStoreOptions, databaseUrl: string): Promise<Store> {
  const { clock, log, readUrl = null, readTimeoutMs = READ_STATEMENT_TIMEOUT_MS, migrationsDirectory = MIGRATIONS_DIRECTORY } = options
  logApplied(log, await withOwnConnection(databaseUrl, 'migrations', clock, (db) => migrate(db, migrationsDirectory)))
  const lacksSchema = readUrl !== null && !(await withOwnConnection(readUrl, 'schema', clock, (db) => isMigrated(db, migrationsDirectory)))
  if (lacksSchema) throw new StoreUnavailable('the replica for reads does not have the current schema yet')
  return createServerStore({ databaseUrl, readUrl, readTimeoutMs, clock, log })
}

function logApplied(log: Log, migrations: readonly Migration[]): void {
  const applied = migrations.map(({ name }) => name)
  if (applied.length > 0) log.info({ applied }, 'migrated the database schema')
  const breaking = migrations.filter(({ breaksRunning }) => breaksRunning).map(({ name }) => name)
  if (breaking.length > 0) log.warn({ breaking }, 'instances of the version before cannot use the migrated database: stop those that still run')
}
