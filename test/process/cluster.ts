// Several processes of the program on one local network and one database server.

import { createSystemClock } from '../../src/base/clock.ts'
import type { Clock } from '../../src/base/clock.ts'
import { INDEX_CHANNEL } from '../../src/projections/state/index-state.ts'
import { readLogHead } from '../../src/projections/log/stream-log.ts'
import type { Store } from '../../src/store/store.ts'
import type { LocalNetwork } from '../../localnet/start.ts'
import { databaseUrl, openTestStore, testServerUrl } from '../support/database.ts'
import { startMain } from '../support/main-process.ts'
import type { MainProcess } from '../support/main-process.ts'
import { startNetworkOn } from '../support/network.ts'

export interface Cluster extends AsyncDisposable {
  readonly network: LocalNetwork
  readonly store: Store
  readonly clock: Clock
  /** Starts a process. The cluster kills it at the end if it still runs. */
  start(environment: Readonly<Record<string, string>>): MainProcess
  /** Stops closing ledgers and waits until the last one is indexed; returns its number. */
  settle(): Promise<number>
}

/** Starts a network that closes ledgers in real time, with an empty database. Needs a database server. */
export async function openCluster(seed: string): Promise<Cluster> {
  await using building = new AsyncDisposableStack()
  const clock = createSystemClock()
  const store = building.use(await openTestStore())
  const [database] = await store.read.query<{ name: string }>('select current_database() as name')
  const network = building.use(await startNetworkOn(clock, { seed, port: 0, traders: 6 }))
  const shared = {
    NETWORK: 'local', RPC_URL: network.rpcUrl ?? '', DATABASE_URL: databaseUrl(testServerUrl() ?? '', database?.name ?? ''), POLL_INTERVAL_MS: '250',
  }
  const owned = building.move()
  return {
    network, store, clock,
    start: (environment) => owned.use(startMain({ ...shared, ...environment })),
    async settle() {
      await network.rpc.call('local_autoClose', { enabled: false })
      const last = network.chain.history.latest().sequence
      const reached = Promise.withResolvers<void>()
      const check = async (): Promise<void> => {
        if (((await readLogHead(store.read))?.ledger ?? 0) >= last) reached.resolve()
      }
      const stop = await store.listen(INDEX_CHANNEL, () => void check())
      await check()
      await reached.promise
      await stop()
      return last
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
