// Several processes of the program over one local network and one database server, as an operator runs them.

import { createSystemClock } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { INDEX_CHANNEL } from '../../src/projections/index-state.ts'
import { readLogHead } from '../../src/projections/stream-log.ts'
import type { Store } from '../../src/store/store.ts'
import { startLocalNetwork } from '../../localnet/start.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { databaseUrl, openTestStore, testServerUrl } from './database.ts'
import { startMain } from './main-process.ts'
import type { MainProcess } from './main-process.ts'

export interface Cluster extends AsyncDisposable {
  readonly network: LocalNetwork
  readonly store: Store
  readonly clock: Clock
  /** The environment that all processes share. */
  readonly environment: Readonly<Record<string, string>>
  /** Starts one more; it is killed at the end, if it still runs then. */
  start(environment: Readonly<Record<string, string>>): MainProcess
  /** Stops the ledger, and resolves with its last number when that is indexed. */
  settle(): Promise<number>
}

/** An exchange that trades by the clock in this process, and an empty database for those who will serve it. Needs a database server. */
export async function openCluster(seed: string): Promise<Cluster> {
  await using building = new AsyncDisposableStack()
  const clock = createSystemClock()
  const store = building.use(await openTestStore())
  const [database] = await store.read.query<{ name: string }>('select current_database() as name')
  const network = building.use(await startLocalNetwork({
    clock, random: createSystemRandom(), log: silentLog, seed, ledgerMs: 1_000, host: '127.0.0.1', port: 0, traders: 6, directory: null,
  }))
  const environment = {
    NETWORK: 'local', RPC_URL: network.rpcUrl ?? '', DATABASE_URL: databaseUrl(testServerUrl() ?? '', database?.name ?? ''), POLL_INTERVAL_MS: '250',
  }
  const owned = building.move()
  return {
    network, store, clock, environment,
    start: (more) => owned.use(startMain({ ...environment, ...more })),
    async settle() {
      await network.rpc.call('local_autoClose', { enabled: false })
      const last = network.chain.history.latest().sequence
      const reached = Promise.withResolvers<void>()
      const look = async (): Promise<void> => {
        if (((await readLogHead(store.read))?.ledger ?? 0) >= last) reached.resolve()
      }
      const stop = await store.listen(INDEX_CHANNEL, () => void look())
      await look()
      await reached.promise
      await stop()
      return last
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
