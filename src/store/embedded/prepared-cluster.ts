// A new cluster costs the engine many seconds of computing, and every new cluster is the same. So one is made and migrated when the project is installed,
// kept as one file beside the packages, and unpacked by a first start. Where that file is missing or damaged, a first start takes its seconds.

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

/** Where prepared clusters are kept: with the packages, whose engine made them. */
export const PREPARED_CLUSTERS_DIRECTORY = fileURLToPath(new URL('../../../node_modules/.cache/database-cluster', import.meta.url))

/** By path within the cluster, folders before what is in them; null stands for a folder. */
export type ClusterEntries = ReadonlyMap<string, Uint8Array | null>

/** Raise it when prepared clusters differ for a reason that the engine's own file does not show. */
const FORMAT = 1
/** Damage to the file is noticed when it is unpacked. */
const WITH_CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
/** As the engine itself makes its files: nobody outside the owner's group sees anything. */
const FILE_MODE = 0o640
const FOLDER_MODE = 0o750

/** The name of the file for a cluster of this engine with these migrations applied: another engine or other migrations never meet it. */
export async function preparedFileName(migrations: readonly { readonly sha256: string }[]): Promise<string> {
  const engine = await readFile(fileURLToPath(import.meta.resolve('@electric-sql/pglite/pglite.wasm')))
  const applied = migrations.map(({ sha256 }) => sha256).join(' ')
  return `${createHash('sha256').update(`${FORMAT} ${applied} `).update(engine).digest('hex').slice(0, 32)}.zst`
}

/** The file's content. */
export function packCluster(entries: ClusterEntries): Promise<Uint8Array> {
  return promisify(zstdCompress)(serialize(entries), WITH_CHECKSUM)
}

/** Makes `directory`, which must not exist, from the prepared file, and brings all of it to the disk. Raises when there is no such file or it is damaged. */
export async function unpackCluster(prepared: string, directory: string, fsync: Fsync): Promise<void> {
  const packed = await readFile(prepared)
  const entries = deserialize(await promisify(zstdDecompress)(packed)) as ClusterEntries
  mkdirSync(directory, { mode: FOLDER_MODE })
  // In one go: a thousand small files take longer to queue than to write, and nobody is served yet.
  for (const [path, content] of entries) {
    if (content === null) mkdirSync(join(directory, path), { mode: FOLDER_MODE })
    else writeFileSync(join(directory, path), content, { flag: 'wx', mode: FILE_MODE })
  }
  await syncTree(directory, fsync)
}
