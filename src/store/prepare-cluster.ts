// Makes the cluster file that a first start unpacks.

import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { createSystemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { syncTree } from './sync-tree.ts'
import type { Fsync } from './sync-tree.ts'
import { packCluster, preparedFileName } from './embedded/prepared-cluster.ts'
import type { ClusterEntries } from './embedded/prepared-cluster.ts'
import { MIGRATIONS_DIRECTORY, readMigrations } from './migrate.ts'
import { openEmbedded } from './open.ts'

/**
 * Writes a migrated cluster to the folder `prepared`, unless it is there already, and removes those of other engines and migrations. Raises the errors of
 * the file system and of the store.
 */
export async function prepareCluster(prepared: string, fsync: Fsync, migrationsDirectory: string = MIGRATIONS_DIRECTORY): Promise<void> {
  const name = await preparedFileName(await readMigrations(migrationsDirectory))
  await mkdir(prepared, { recursive: true })
  if ((await readdir(prepared)).includes(name)) return
  const workFolder = await mkdtemp(join(prepared, 'unfinished-'))
  try {
    const store = await openEmbedded({ dataDir: workFolder, prepared, migrationsDirectory, clock: createSystemClock(), log: silentLog })
    await store[Symbol.asyncDispose]()
    const complete = join(workFolder, 'complete')
    await mkdir(complete)
    await writeFile(join(complete, name), await packCluster(readEntries(join(workFolder, 'database'))))
    // Before the rename: a power cut must not leave the name without its content.
    await syncTree(complete, fsync)
    await rename(join(complete, name), join(prepared, name))
  } finally {
    await rm(workFolder, { recursive: true, force: true })
  }
  const others = (await readdir(prepared)).filter((other) => other !== name)
  await Promise.all(others.map((other) => rm(join(prepared, other), { recursive: true, force: true })))
}

function readEntries(cluster: string): ClusterEntries {
  const found = readdirSync(cluster, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return [relative(cluster, path), entry.isDirectory() ? null : new Uint8Array(readFileSync(path))] as const
  })
  return new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
