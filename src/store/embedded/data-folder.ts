// Where the embedded database lives: `database` within the data folder, made beside its place and moved there when it is complete.

import { closeSync, existsSync, fsync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { createClusterInThread } from './engine-thread.ts'
import { acquireLockFile } from './lock-file.ts'
import type { LockFile } from './lock-file.ts'
import { unpackCluster } from './prepared-cluster.ts'

export interface DataFolder {
  /** The cluster's own folder. */
  readonly directory: string
  readonly lock: LockFile
}

/** Locks the data folder for this process and sees to it that it holds a complete cluster. Raises FolderInUse. */
export async function openDataFolder(options: {
  dataDir: string
  /** The file of a prepared cluster, there or not; asked for a new cluster only. */
  prepared: () => Promise<string>
  clock: Clock
  log: Log
  onLost: () => void
}): Promise<DataFolder> {
  const { prepared, clock, log, onLost } = options
  const dataDir = resolve(options.dataDir)
  const created = mkdirSync(dataDir, { recursive: true })
  if (created !== undefined) syncDirectory(dirname(created))
  const lock = await acquireLockFile({ path: join(dataDir, 'database.lock'), folder: dataDir, clock, onLost })
  const directory = join(dataDir, 'database')
  try {
    const unfinished = join(dataDir, 'database.new')
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(directory)) {
      log.info({ directory }, 'creating the embedded database, once')
      await makeCluster(unfinished, prepared, log)
      renameSync(unfinished, directory)
      syncDirectory(dataDir)
    }
  } catch (cause) {
    lock.release()
    throw cause
  }
  return { directory, lock }
}

async function makeCluster(directory: string, prepared: () => Promise<string>, log: Log): Promise<void> {
  try {
    await unpackCluster(await prepared(), directory, promisify(fsync))
  } catch (cause) {
    log.info({ cause: String(cause) }, 'no prepared database to start from: making a new one, which takes some seconds')
    rmSync(directory, { recursive: true, force: true })
    await createClusterInThread(directory)
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
