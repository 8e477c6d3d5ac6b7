// Migrations: each applied once, in order, as a whole, and only to a database of this program.

import { strict as assert } from 'node:assert'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { openTestStore } from '../../test/support/database.ts'
import { migrationsFolder } from '../../test/support/temporary-folder.ts'
import { migrate, nextMigration, readMigrations } from './migrate.ts'
import type { Migration } from './migrate.ts'
import { StatementFailed } from './store.ts'

const BASELINE = '-- baseline\n'
const FIRST = 'create table first (id int)'
const SECOND = 'create table second (id int); insert into second values (1), (2)'

const store = await openTestStore({ newEngine: true })
after(() => store[Symbol.asyncDispose]())
/** Each test begins without applied migrations. */
beforeEach(() => store.write.query('drop table if exists public.migrations, first, second, third, half, between_them'))

async function applied(): Promise<string[]> {
  return (await store.read.query<{ name: string }>('select name from public.migrations order by number')).map(({ name }) => name)
}

/** The names of what is applied. */
async function migrateTo(directory: string): Promise<string[]> {
  return (await migrate(store.write, directory)).map(({ name }) => name)
}

test('applies the missing migrations in order, each once', async () => {
  await using one = await migrationsFolder(FIRST)
  await using two = await migrationsFolder(FIRST, SECOND)
  assert.deepEqual(await migrateTo(one.path), ['0001_step.sql'])
  assert.deepEqual(await migrateTo(two.path), ['0002_step.sql'])
  assert.deepEqual(await migrateTo(two.path), [])
  assert.deepEqual(await store.read.query('select count(*) from second'), [{ count: 2 }])
  assert.deepEqual(await applied(), ['0001_step.sql', '0002_step.sql'])
})

test('processes that start at the same time apply each migration once', async () => {
  await using folder = await migrationsFolder(FIRST, SECOND, 'create table third (id int)')
  const starters = await Promise.all([1, 2, 3, 4].map(() => migrate(store.write, folder.path)))
  assert.deepEqual(starters.flat().map(({ name }) => name).sort(), ['0001_step.sql', '0002_step.sql', '0003_step.sql'])
  assert.deepEqual(await store.read.query('select count(*) from second'), [{ count: 2 }])
})

test('a failed migration is rolled back, and the earlier ones stay', async () => {
  await using folder = await migrationsFolder(FIRST, 'create table half (id int); insert into half values (1 / 0)')
  await assert.rejects(migrate(store.write, folder.path), (error) => error instanceof StatementFailed && error.code === '22012')
  assert.deepEqual(await applied(), ['0001_step.sql'])
  assert.deepEqual(await store.read.query("select to_regclass('half') as half, to_regclass('first')::text as first"), [{ half: null, first: 'first' }])
})

test('refuses a file that was changed after it was applied, except for its line ends', async () => {
  await using folder = await migrationsFolder(`${FIRST};\n-- that is all\n`)
  await migrate(store.write, folder.path)
  await writeFile(join(folder.path, '0001_step.sql'), `-- baseline\r\n${FIRST};\r\n-- that is all\r\n`)
  assert.deepEqual(await migrateTo(folder.path), [])
  await writeFile(join(folder.path, '0001_step.sql'), `${BASELINE}create table first (id bigint)`)
  await assert.rejects(migrate(store.write, folder.path), { name: 'MigrationRefused', message: /0001_step\.sql was changed after it was applied/ })
})

test('refuses a database of a newer version and names its migration', async () => {
  await using newer = await migrationsFolder(FIRST, SECOND)
  await using older = await migrationsFolder(FIRST)
  await migrate(store.write, newer.path)
  await assert.rejects(migrate(store.write, older.path), { name: 'MigrationRefused', message: /0002_step\.sql, which this program does not have: .*newer/ })
})

test('refuses file names without the form and duplicate numbers', async () => {
  const refused = [['0001_double.sql', /has the number 1/], ['2_short.sql', /has the form NNNN/]] as const
  for (const [file, message] of refused) {
    await using folder = await migrationsFolder(FIRST)
    await writeFile(join(folder.path, file), BASELINE + FIRST)
    await assert.rejects(readMigrations(folder.path), { name: 'MigrationRefused', message }, file)
  }
})

test('refuses a migration that does not say whether running instances continue, and returns which ones break them', async () => {
  await using folder = await migrationsFolder(FIRST)
  await writeFile(join(folder.path, '0002_silent.sql'), SECOND)
  await assert.rejects(readMigrations(folder.path), { name: 'MigrationRefused', message: /^0002_silent\.sql: .*-- running instances must stop/ })
  await writeFile(join(folder.path, '0002_silent.sql'), `-- running instances must stop\n${SECOND}`)
  assert.deepEqual((await migrate(store.write, folder.path)).map(({ breaksRunning }) => breaksRunning), [false, true])
})

test('refuses a migration with a number below an applied one, and says which number to give it', async () => {
  await using folder = await migrationsFolder(FIRST)
  await writeFile(join(folder.path, '0003_later.sql'), BASELINE + SECOND)
  assert.deepEqual(await migrateTo(folder.path), ['0001_step.sql', '0003_later.sql'])
  await writeFile(join(folder.path, '0002_between.sql'), `${BASELINE}create table between_them (id int)`)
  const message = '0002_between.sql comes before 0003_later.sql, which the database already has: give the file a number above 3'
  await assert.rejects(migrate(store.write, folder.path), { name: 'MigrationRefused', message })
})

test('names an applied migration whose file is missing or has another number', () => {
  const migration = (number: number, sha256 = `sha of ${number}`): Migration =>
    ({ number, name: `${String(number).padStart(4, '0')}_step.sql`, sql: '', breaksRunning: false, sha256 })
  const [one, two, three, four] = [1, 2, 3, 4].map((number) => migration(number)) as [Migration, Migration, Migration, Migration]
  const unknown = 'which this program does not have'
  const refusals: readonly (readonly [Migration[], Migration[], string])[] = [
    [[one, three], [one, two, three], `the database has migration 0002_step.sql, ${unknown}: restore the file, or run the version that applied it`],
    [[one, two], [one, two, three], `the database has migration 0003_step.sql, ${unknown}: run the newer version that applied it`],
    [
      [one, migration(2, three.sha256), migration(3, two.sha256)], [one, two, three],
      '0003_step.sql was applied as 0002_step.sql: give the file its number 2 back',
    ],
    [
      [one, migration(2, 'other')], [one, two],
      '0002_step.sql was changed after it was applied as 0002_step.sql. Restore the file, and put the change into a new one',
    ],
  ]
  for (const [migrations, present, message] of refusals) assert.throws(() => nextMigration(migrations, present), { name: 'MigrationRefused', message })
  assert.equal(nextMigration([one, three, four], [one, { ...three, name: '0003_old_name.sql' }]), four, 'a number may be left out, and a name may change')
})
