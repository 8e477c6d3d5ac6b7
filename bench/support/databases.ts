// Databases for the measurements, gone when they are over: folders of the embedded engine, and databases on the server that TEST_DATABASE_URL names.

import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defined } from '../../src/base/assert.ts'
import { administer, databaseUrl, dropDatabase, testServerUrl } from '../../test/support/database.ts'

export type Engine = 'embedded' | 'server'

/** Where a database is, as `openStore` takes it. */
export interface DatabaseLocation {
  readonly databaseUrl: string | null
  readonly dataDir: string | null
}

export interface BenchDatabase extends AsyncDisposable {
  readonly engine: Engine
  readonly location: DatabaseLocation
}

/** The engines that can be measured here. */
export function availableEngines(): readonly Engine[] {
  return testServerUrl() === null ? ['embedded'] : ['embedded', 'server']
}

let created = 0

/** An empty database. */
export async function createDatabase(engine: Engine): Promise<BenchDatabase> {
  if (engine === 'embedded') return folderPlace(await mkdtemp(join(tmpdir(), 'bench-')))
  const serverUrl = defined(testServerUrl(), 'TEST_DATABASE_URL')
  const name = `perp_bench_${process.pid}_${++created}`
  await administer(serverUrl, `create database "${name}"`)
  return {
    engine,
    location: { databaseUrl: databaseUrl(serverUrl, name), dataDir: null },
    [Symbol.asyncDispose]: () => dropDatabase(serverUrl, name),
  }
}

/** A copy for the bare driver: the embedded engine is one process's, and nobody may have it open now. A server's database is shared. */
export async function copyDatabase({ engine, location: where }: BenchDatabase): Promise<BenchDatabase> {
  if (where.dataDir === null) return { engine, location: where, async [Symbol.asyncDispose]() {} }
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  await cp(where.dataDir, folder, { recursive: true })
  return folderPlace(folder)
}

function folderPlace(folder: string): BenchDatabase {
  return {
    engine: 'embedded',
    location: { databaseUrl: null, dataDir: folder },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
