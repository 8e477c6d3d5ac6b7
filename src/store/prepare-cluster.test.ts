// The cluster that an installation prepares for the first start: complete, durable, and refused when it is damaged.

import { strict as assert } from 'node:assert'
import { fstatSync, fsyncSync } from 'node:fs'
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { migrationsFolder, temporaryFolder } from '../../test/support/temporary-folder.ts'
import { preparedFileName, unpackCluster } from './embedded/prepared-cluster.ts'
import { readMigrations } from './migrate.ts'
import { openEmbedded } from './open.ts'
import { prepareCluster } from './prepare-cluster.ts'

const folder = await temporaryFolder()
const migrations = await migrationsFolder('create table note (id int primary key)')
after(() => Promise.all([folder[Symbol.asyncDispose](), migrations[Symbol.asyncDispose]()]))

const prepared = join(folder.path, 'prepared')
await mkdir(join(prepared, 'unfinished-of-an-installation-that-was-killed'), { recursive: true })
await writeFile(join(prepared, 'of-another-version.zst'), '')

/** A disk that records which inodes were flushed. */
function recordingDisk() {
  const synced = new Set<number>()
  return {
    synced,
    fsync: (descriptor: number): void => {
      fsyncSync(descriptor)
      synced.add(fstatSync(descriptor).ino)
    },
  }
}

const disk = recordingDisk()
await prepareCluster(prepared, disk.fsync, migrations.path)
const name = await preparedFileName(await readMigrations(migrations.path))
const made = await stat(join(prepared, name))

test('the prepared file is flushed to the disk, and older ones are removed', async () => {
  assert.ok(disk.synced.has(made.ino), 'a power cut after the installation leaves no empty file with that name')
  assert.deepEqual(await readdir(prepared), [name])
})

test('an existing prepared file is not written again', async () => {
  await prepareCluster(prepared, disk.fsync, migrations.path)
  assert.equal((await stat(join(prepared, name))).ino, made.ino)
})

test('unpacking flushes every file and folder to the disk', async () => {
  const { synced, fsync } = recordingDisk()
  const target = join(folder.path, 'unpacked')
  await unpackCluster(join(prepared, name), target, fsync)
  const entries = (await readdir(target, { recursive: true, withFileTypes: true })).map((entry) => join(entry.parentPath, entry.name))
  assert.ok(entries.length > 900, 'a cluster has about a thousand files')
  const inodes = await Promise.all([...entries, target, folder.path].map(async (path) => (await stat(path)).ino))
  assert.deepEqual(inodes.filter((inode) => !synced.has(inode)), [])
})

test('stores that start from one prepared file share no data', async () => {
  const open = (dataDir: string) => openEmbedded({
    dataDir: join(folder.path, dataDir),
    prepared,
    clock: createSystemClock({ keepAlive: false }),
    log: { ...silentLog, info: (_fields, message) => void messages.push(message) },
    migrationsDirectory: migrations.path,
  })
  const messages: string[] = []
  await using first = await open('first')
  await using second = await open('second')
  await first.write.query('insert into note values (1)')
  assert.deepEqual(await second.read.query('select id from note'), [])
  assert.deepEqual(messages, ['creating the embedded database', 'creating the embedded database'], 'neither was initialized or migrated')
})

test('the file name depends on the engine and on the migrations', async () => {
  await using more = await migrationsFolder('create table note (id int primary key)', 'create table more (id int)')
  await using other = await migrationsFolder('create table note (id bigint primary key)')
  const names = await Promise.all([migrations, more, other].map(async ({ path }) => preparedFileName(await readMigrations(path))))
  assert.equal(new Set(names).size, 3)
})

test('unpacking a damaged, truncated or missing file fails and leaves nothing behind', async () => {
  const whole = await readFile(join(prepared, name))
  const flipped = (share: number): Uint8Array => {
    const damaged = Uint8Array.from(whole)
    const at = Math.floor(damaged.length * share)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    return damaged
  }
  const cases = {
    'flipped-early': flipped(0.3), 'flipped-in-the-middle': flipped(0.6), 'flipped-late': flipped(0.8),
    cut: whole.subarray(0, whole.length - 100), empty: new Uint8Array(0), missing: null,
  }
  for (const [kind, content] of Object.entries(cases)) {
    const damaged = join(folder.path, kind)
    await mkdir(damaged)
    if (content !== null) await writeFile(join(damaged, name), content)
    const target = join(folder.path, `from-${kind}`)
    await assert.rejects(unpackCluster(join(damaged, name), target, fsyncSync), kind)
    await assert.rejects(stat(target), { code: 'ENOENT' }, kind)
  }
})
