// Brings a database to the schema that this program knows: numbered SQL files, each applied once, in order, in a transaction of its own.

import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { Queryable, Writer } from './store.ts'

/** The folder of the program's own migrations. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('./migrations', import.meta.url))

/** Raised when the database and this program's migrations do not fit together; a person must look. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}

/** One numbered file. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  /** SHA-256 of the text, whatever its line ends. */
  readonly sha256: string
}

interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly sha256: string
}

/** Any fixed number: starters that migrate at the same moment wait for each other here. */
const MIGRATION_LOCK = 7_221_095_414_803_361n

/**
 * Applies what is missing and returns the names of what it applied. Safe when several processes start at once. Raises MigrationRefused when the
 * database knows a migration that this program does not, when a file was changed after it was applied, or when the numbering has a hole.
 */
export async function migrate(db: Writer, directory: string = MIGRATIONS_DIRECTORY): Promise<string[]> {
  const migrations = await readMigrations(directory)
  const applied: string[] = []
  for (let rounds = 0; rounds <= migrations.length; rounds++) {
    const name = await db.transaction((tx) => applyNext(tx, migrations))
    if (name === undefined) return applied
    applied.push(name)
  }
  throw new MigrationRefused('the migrations do not come to an end: another program is taking them back')
}

/** True when nothing is missing; a replica may be behind its server. Raises MigrationRefused as `migrate` does. */
export async function isMigrated(db: Queryable, directory: string = MIGRATIONS_DIRECTORY): Promise<boolean> {
  const [there] = await db.query<{ there: boolean }>("select to_regclass('public.migrations') is not null as there")
  if (there?.there !== true) return false
  return nextMigration(await readMigrations(directory), await readApplied(db)) === undefined
}

function readApplied(db: Queryable): Promise<AppliedMigration[]> {
  return db.query<AppliedMigration>('select number, name, sha256 from public.migrations order by number')
}

/** Reads the numbered files of a folder, in order. Raises MigrationRefused when the numbers are not 1, 2, 3 and so on. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file)
      const number = Number(match?.[1])
      if (match === null) throw new MigrationRefused(`${file}: a migration is named NNNN_what_it_does.sql`)
      if (number !== index + 1) throw new MigrationRefused(`${file}: expected number ${index + 1} here; numbers have no holes and no doubles`)
      const sql = (await readFile(join(directory, file), 'utf8')).replaceAll('\r\n', '\n')
      return { number, name: file, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** One step under the lock: looks again at what is applied, since another starter may have been quicker. */
async function applyNext(tx: Queryable, migrations: readonly Migration[]): Promise<string | undefined> {
  await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  await tx.query(`
    create table if not exists public.migrations (
      number integer primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null default now()
    )`)
  const next = nextMigration(migrations, await readApplied(tx))
  if (next === undefined) return undefined
  await tx.query(next.sql)
  await tx.query('insert into public.migrations (number, name, sha256) values ($1, $2, $3)', [next.number, next.name, next.sha256])
  return next.name
}

/** The first migration that is missing, after everything that is there was found to be as this program knows it. */
export function nextMigration(migrations: readonly Migration[], applied: readonly AppliedMigration[]): Migration | undefined {
  for (const [index, { number, name, sha256 }] of applied.entries()) {
    const known = migrations[index]
    if (known === undefined || known.number !== number) {
      throw new MigrationRefused(`the database has migration ${name}, which this program does not know: it was written by a newer version`)
    }
    if (known.sha256 !== sha256) {
      throw new MigrationRefused(`${known.name} was changed after it was applied as ${name}: what is applied stays, a change is a new file`)
    }
  }
  return migrations[applied.length]
}
