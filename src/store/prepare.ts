// Runs at installation: prepares the cluster that the first start would otherwise need seconds to create, in the folder that the argument names or that the
// gateway reads. A failure does not fail the installation.

import { fsync } from 'node:fs'
import { promisify } from 'node:util'
import { prepareCluster } from './prepare-cluster.ts'
import { PREPARED_CLUSTERS_DIRECTORY } from './embedded/prepared-cluster.ts'

try {
  await prepareCluster(process.argv[2] ?? PREPARED_CLUSTERS_DIRECTORY, promisify(fsync))
} catch (cause) {
  process.stderr.write(`Cannot prepare the embedded database; its first start will take a few seconds longer: ${String(cause)}\n`)
}
