// The data folder of the embedded database. The cluster is in `database`; a new one is created beside it and renamed when it is complete.

import { closeSync, existsSync, fsync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { createClusterInThread } from './engine-thread.ts'
import { lockFolder } from './folder-lock.ts'
import type { FolderLock } from './folder-lock.ts'
import { unpackCluster } from './prepared-cluster.ts'

export interface DataFolder {
  /** The cluster's own folder. */
  readonly directory: string
  readonly lock: FolderLock
}

interface DataFolderOptions {
  readonly dataDir: string
  /** The path of a prepared cluster, which may not exist; called only for a new cluster. */
  readonly prepared: () => Promise<string>
  readonly clock: Clock
  readonly log: Log
  /** Ends the creation of a cluster. */
  readonly stop: AbortSignal | undefined
}

/** Locks the data folder for this process and creates a cluster in it if there is none. Raises FolderInUse. */
export async function openDataFolder(options: DataFolderOptions): Promise<DataFolder> {
  const { log } = options
  const dataDir = resolve(options.dataDir)
  const created = mkdirSync(dataDir, { recursive: true })
  if (created !== undefined) syncDirectory(dirname(created))
  const lock = lockFolder(dataDir)
  const directory = join(dataDir, 'database')
  try {
    const unfinished = join(dataDir, 'database.new')
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(directory)) {
      log.info({ directory }, 'creating the embedded database')
      await createOrUnpackCluster(unfinished, options)
      renameSync(unfinished, directory)
      syncDirectory(dataDir)
    }
  } catch (cause) {
    lock.release()
    throw cause
  }
  return { directory, lock }
}

async function createOrUnpackCluster(directory: string, { prepared, clock, log, stop }: DataFolderOptions): Promise<void> {
  try {
    await unpackCluster(await prepared(), directory, promisify(fsync))
  } catch (cause) {
    log.info({ cause: String(cause) }, 'no usable prepared database; creating one takes a few seconds')
    rmSync(directory, { recursive: true, force: true })
    await createClusterInThread(directory, { clock, stop })
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
