// Creating a cluster takes seconds of computing, and every new cluster is the same. So installation creates and migrates one and stores it as one file, which
// a first start unpacks. Without that file a first start creates the cluster.

import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { syncTree } from '../sync-tree.ts'
import type { Fsync } from '../sync-tree.ts'

/** Among the packages, one of which is the engine that created the clusters. */
export const PREPARED_CLUSTERS_DIRECTORY = fileURLToPath(new URL('../../../node_modules/.cache/database-cluster', import.meta.url))

/** Contents by path within the cluster, each folder before its contents; null is a folder. */
export type ClusterEntries = ReadonlyMap<string, Uint8Array | null>

/** Part of the file name. Increase it when the format changes, or the cluster changes while the engine's binary does not. */
const FORMAT = 1
/** Unpacking fails when the file is damaged. */
const WITH_CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
/** The modes with which the engine creates files and folders. */
const FILE_MODE = 0o640
const FOLDER_MODE = 0o750

/** The file name for a cluster of this engine with these migrations. Another engine or other migrations give another name. */
export async function preparedFileName(migrations: readonly { readonly sha256: string }[]): Promise<string> {
  const engine = await readFile(fileURLToPath(import.meta.resolve('@electric-sql/pglite/pglite.wasm')))
  const applied = migrations.map(({ sha256 }) => sha256).join(' ')
  return `${createHash('sha256').update(`${FORMAT} ${applied} `).update(engine).digest('hex').slice(0, 32)}.zst`
}

export function packCluster(entries: ClusterEntries): Promise<Uint8Array> {
  return promisify(zstdCompress)(serialize(entries), WITH_CHECKSUM)
}

/** Creates `directory`, which must not exist, from the prepared file, and flushes all of it to the disk. Raises when the file is missing or damaged. */
export async function unpackCluster(prepared: string, directory: string, fsync: Fsync): Promise<void> {
  const packed = await readFile(prepared)
  const entries = deserialize(await promisify(zstdDecompress)(packed)) as ClusterEntries
  mkdirSync(directory, { mode: FOLDER_MODE })
  // Synchronously: queueing a thousand small writes takes longer than making them, and nothing else runs yet.
  for (const [path, content] of entries) {
    if (content === null) mkdirSync(join(directory, path), { mode: FOLDER_MODE })
    else writeFileSync(join(directory, path), content, { flag: 'wx', mode: FILE_MODE })
  }
  await syncTree(directory, fsync)
}
