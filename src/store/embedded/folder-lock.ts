// One process per data folder. PGlite does not lock its folder, and two engines in one folder silently overwrite each other's acknowledged rows. The lock is
// SQLite's on an empty database: the system frees it when the process ends, however that happens, and SQLite also excludes a second holder in one process.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Raised when another process, or this one, already has the folder open. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
}

export interface FolderLock {
  release(): void
}

/** The result code of SQLite when another connection holds the lock. */
const SQLITE_BUSY = 5

/** Locks the folder for this process. Raises FolderInUse, which names the folder and the holder. */
export function lockFolder(folder: string): FolderLock {
  // NOTE: only SQLite may open this file. Closing another descriptor of it would free the lock of the whole process.
  const database = new DatabaseSync(join(folder, 'lock.sqlite'))
  const pidFile = join(folder, 'lock.pid')
  try {
    database.exec('pragma journal_mode = memory; begin exclusive')
    writeFileSync(pidFile, String(process.pid))
  } catch (cause) {
    database.close()
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY) throw inUse(folder, pidFile)
    throw cause
  }
  return {
    release() {
      if (!database.isOpen) return
      rmSync(pidFile, { force: true })
      database.close()
    },
  }
}

function inUse(folder: string, pidFile: string): FolderInUse {
  const advice = 'Two processes in one folder would lose data. Stop the other one, use another folder, or use a PostgreSQL server'
  return new FolderInUse(`the folder ${folder} is in use by ${describeHolder(pidFile)}. ${advice}.`)
}

function describeHolder(pidFile: string): string {
  try {
    const pid = readFileSync(pidFile, 'utf8')
    return pid === String(process.pid) ? `this process (${pid})` : `process ${pid}`
  } catch {
    return 'another process'
  }
}
