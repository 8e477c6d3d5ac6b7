// What keeps an acknowledged commit from being lost: fsync and the self-test. engine-failures.test.ts and kills.test.ts have the failures.

import { strict as assert } from 'node:assert'
import { fstatSync, fsyncSync, readdirSync, statSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createCluster, openEngine, startParams, testDurability } from './engine.ts'
import { DurableFS } from './durable-filesystem.ts'
import type { Disk } from './durable-filesystem.ts'

const folder = await temporaryFolder()
after(() => folder[Symbol.asyncDispose]())

/** Inodes that were flushed to the disk when the cluster was created. */
const synced = new Set<number>()
const cluster = join(folder.path, 'pristine')
await createCluster({ directory: cluster }, (descriptor) => {
  synced.add(fstatSync(descriptor).ino)
  fsyncSync(descriptor)
})

/** A working disk that counts its fsync calls. */
function countingDisk(): Disk & { fsyncs: () => number } {
  let fsyncs = 0
  return {
    fsyncs: () => fsyncs,
    fsync(descriptor) {
      fsyncSync(descriptor)
      fsyncs++
    },
    onWrite() {},
    onFailure(error) {
      throw error
    },
  }
}

let copies = 0

/** A data folder with a cluster, as after a first start. */
async function dataFolder(): Promise<string> {
  const path = join(folder.path, `data-${++copies}`)
  await mkdir(path)
  await cp(cluster, join(path, 'database'), { recursive: true })
  return path
}

test('creating a cluster flushes every file and folder to the disk', () => {
  const entries = readdirSync(cluster, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name))
  assert.ok(entries.length > 900, 'a cluster has about a thousand files')
  const missed = [...entries, cluster, folder.path].filter((path) => !synced.has(statSync(path).ino))
  // A file that the engine wrote after the tree was flushed would be missed; there must be none.
  assert.deepEqual(missed, [])
})

test('every commit is flushed to the disk before it is acknowledged', async () => {
  const disk = countingDisk()
  const engine = await openEngine({ directory: join(await dataFolder(), 'database'), disk })
  const run = (access: 'read' | 'write', sql: string) => engine.run({ access, sql, params: null })
  await run('write', 'create table counted (id int)')
  for (let commits = 0; commits < 5; commits++) {
    const before = disk.fsyncs()
    await run('write', 'insert into counted values (2)')
    assert.equal(disk.fsyncs(), before + 1)
  }
  const before = disk.fsyncs()
  await run('read', 'select * from counted')
  assert.equal(disk.fsyncs(), before, 'a read costs no fsync')
  await engine.close()
})

test('an engine whose fsync does nothing is refused', async () => {
  const filesystem = new DurableFS(join(await dataFolder(), 'database'), countingDisk())
  // Undoes the wrapper's change.
  const init = filesystem.init.bind(filesystem)
  filesystem.init = async (engine, options) => {
    const loaded = await init(engine, options)
    loaded.emscriptenOpts.preRun?.push((module) => void Reflect.deleteProperty(Object(Reflect.get(module.NODEFS, 'stream_ops')), 'fsync'))
    return loaded
  }
  const engine = await PGlite.create({ fs: filesystem, startParams: startParams(true) })
  await assert.rejects(testDurability(engine, filesystem), { name: 'EngineRefused', message: /without a single fsync/ })
  await engine.close()
})

test('an engine with fsync off is refused', async () => {
  const filesystem = new DurableFS(join(await dataFolder(), 'database'), countingDisk())
  const engine = await PGlite.create({ fs: filesystem, startParams: PGlite.defaultStartParams })
  await assert.rejects(testDurability(engine, filesystem), { name: 'EngineRefused', message: /setting fsync is off/ })
  await engine.close()
})
