// Runs when the project is installed: makes ready what the first start would else compute for many seconds. That it cannot is no reason to fail an
// installation: the first start takes its time then.

import { fsync } from 'node:fs'
import { promisify } from 'node:util'
import { prepareCluster } from './prepare-cluster.ts'
import { PREPARED_CLUSTERS_DIRECTORY } from './embedded/prepared-cluster.ts'

try {
  await prepareCluster(PREPARED_CLUSTERS_DIRECTORY, promisify(fsync))
} catch (cause) {
  process.stderr.write(`The embedded database is not prepared, and its first start will take some seconds longer: ${String(cause)}\n`)
}
