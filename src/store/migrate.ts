// Migrates a database to this program's schema: numbered SQL files, each applied once, in order, in its own transaction. The first line of a file says what
// becomes of instances of the version before, which still run while the first new one migrates their database. A migration that changes tables of the schema
// idx must change or drop the indexes of other deployments too: schemas side_… have the same tables.

import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { Queryable, Writer } from './store.ts'

export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('./migrations', import.meta.url))

/** Raised when the database's migrations are not this program's. An operator must decide what to do. */
class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}

/** The first lines, and whether instances of the version before must be stopped. */
const FIRST_LINES: Readonly<Record<string, boolean>> = {
  '-- baseline': false,
  '-- running instances continue': false,
  '-- running instances must stop': true,
}

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  /** Instances of the version before fail on the migrated database. */
  readonly breaksRunning: boolean
  /** SHA-256 of the text with line feeds as line ends. */
  readonly sha256: string
}

interface AppliedMigration {
  readonly number: number
  readonly name: string
  readonly sha256: string
}

/** Processes that start at the same time migrate one after the other. The number is arbitrary. */
const MIGRATION_LOCK = 7_221_095_414_803_361n

/**
 * Applies the missing migrations and returns them. Several processes may do so at once. Raises MigrationRefused when the database has a
 * migration that this program does not have, or when a file was changed after it was applied.
 */
export async function migrate(db: Writer, directory: string = MIGRATIONS_DIRECTORY): Promise<readonly Migration[]> {
  const migrations = await readMigrations(directory)
  const applied: Migration[] = []
  for (let round = 0; round <= migrations.length; round++) {
    const migration = await db.transaction((tx) => applyNext(tx, migrations))
    if (migration === undefined) return applied
    applied.push(migration)
  }
  throw new MigrationRefused('migrations are still missing after all were applied: another program is removing them. Stop it and start again')
}

/** True when no migration is missing. A replica may lag behind its primary. Raises MigrationRefused as `migrate` does. */
export async function isMigrated(db: Queryable, directory: string = MIGRATIONS_DIRECTORY): Promise<boolean> {
  const [table] = await db.query<{ exists: boolean }>("select to_regclass('public.migrations') is not null as exists")
  if (table?.exists !== true) return false
  return nextMigration(await readMigrations(directory), await readApplied(db)) === undefined
}

function readApplied(db: Queryable): Promise<AppliedMigration[]> {
  return db.query<AppliedMigration>('select number, name, sha256 from public.migrations order by number')
}

/** Reads the migrations of a folder in order. Raises MigrationRefused when two have the same number, or one does not begin with a line of FIRST_LINES. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file)
      const number = Number(match?.[1])
      if (match === null) throw new MigrationRefused(`${file}: a migration's file name has the form NNNN_what_it_does.sql`)
      if (files[index - 1]?.startsWith(file.slice(0, 5)) === true) throw new MigrationRefused(`${file}: another migration has the number ${number}`)
      const sql = (await readFile(join(directory, file), 'utf8')).replaceAll('\r\n', '\n')
      const breaksRunning = FIRST_LINES[sql.split('\n', 1)[0] ?? '']
      if (breaksRunning === undefined) throw new MigrationRefused(`${file}: a migration begins with one of these lines: ${Object.keys(FIRST_LINES).join(', ')}`)
      return { number, name: file, sql, breaksRunning, sha256: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Applies one migration under the lock. Reads again what is applied, because another process may have been faster. */
async function applyNext(tx: Queryable, migrations: readonly Migration[]): Promise<Migration | undefined> {
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
  return next
}

/** The first missing migration. Raises MigrationRefused when an applied one is not this program's, or when a missing one comes before an applied one. */
export function nextMigration(migrations: readonly Migration[], applied: readonly AppliedMigration[]): Migration | undefined {
  const newest = migrations.at(-1)?.number ?? 0
  for (const { number, name, sha256 } of applied) {
    const own = migrations.find((each) => each.number === number)
    if (own?.sha256 === sha256) continue
    const renumbered = migrations.find((each) => each.sha256 === sha256)
    if (renumbered !== undefined) throw new MigrationRefused(`${renumbered.name} was applied as ${name}: give the file its number ${number} back`)
    if (own !== undefined) {
      throw new MigrationRefused(`${own.name} was changed after it was applied as ${name}. Restore the file, and put the change into a new one`)
    }
    throw new MigrationRefused(`the database has migration ${name}, which this program does not have: ${number > newest
      ? 'run the newer version that applied it' : 'restore the file, or run the version that applied it'}`)
  }
  const next = migrations.find((each) => applied.every(({ number }) => number !== each.number))
  const last = applied.at(-1)
  if (next === undefined || last === undefined || next.number > last.number) return next
  throw new MigrationRefused(
    `${next.name} comes before ${last.name}, which the database already has: give the file a number above ${Math.max(newest, last.number)}`,
  )
}
