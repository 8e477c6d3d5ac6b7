// Writes whole folders through to the disk.

import { closeSync, openSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Flushes an open file or folder to the disk. */
export type Fsync = (descriptor: number) => void | Promise<void>

/** An fsync waits for the disk, and the disk serves several at a time. */
const CONCURRENT_FSYNCS = 16

/** Flushes a folder, everything in it, and its entry in the parent folder. */
export async function syncTree(directory: string, fsync: Fsync): Promise<void> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name))
  const remaining = [...paths, directory, dirname(directory)].values()
  async function work(): Promise<void> {
    for (const path of remaining) {
      const descriptor = openSync(path, 'r')
      try {
        await fsync(descriptor)
      } finally {
        closeSync(descriptor)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_FSYNCS }, work))
}
