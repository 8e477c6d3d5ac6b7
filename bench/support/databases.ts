// Temporary databases for the measurements: folders of the embedded engine, and databases on the server in TEST_DATABASE_URL.

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defined } from '../../src/base/assert.ts'
import { administer, databaseUrl, dropDatabase, testServerUrl } from '../../test/support/database.ts'

export type Engine = 'embedded' | 'server'

/** The location of a database, in the form that `openStore` takes. */
export interface DatabaseLocation {
  readonly databaseUrl: string | null
  readonly dataDir: string | null
}

export interface BenchDatabase extends AsyncDisposable {
  readonly engine: Engine
  readonly location: DatabaseLocation
}

/** The engines that this run can measure. */
export function availableEngines(): readonly Engine[] {
  return testServerUrl() === null ? ['embedded'] : ['embedded', 'server']
}

let created = 0

/** Creates an empty database. */
export async function createDatabase(engine: Engine): Promise<BenchDatabase> {
  if (engine === 'embedded') return embeddedDatabase(await mkdtemp(join(tmpdir(), 'bench-')))
  const serverUrl = defined(testServerUrl(), 'TEST_DATABASE_URL')
  const name = `perp_bench_${process.pid}_${++created}`
  await administer(serverUrl, `create database "${name}"`)
  return {
    engine,
    location: { databaseUrl: databaseUrl(serverUrl, name), dataDir: null },
    [Symbol.asyncDispose]: () => dropDatabase(serverUrl, name),
  }
}

/** Copies a database for the bare driver. Only one process can open an embedded database, so it must be closed. A server's database is shared. */
export async function copyDatabase({ engine, location }: BenchDatabase): Promise<BenchDatabase> {
  if (location.dataDir === null) return { engine, location, async [Symbol.asyncDispose]() {} }
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  await cp(location.dataDir, folder, { recursive: true })
  return embeddedDatabase(folder)
}

function embeddedDatabase(folder: string): BenchDatabase {
  return {
    engine: 'embedded',
    location: { databaseUrl: null, dataDir: folder },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
