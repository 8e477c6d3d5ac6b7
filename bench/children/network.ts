// The local network on a socket, with nobody on it but those who set prices and lend.

import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { startLocalNetwork } from 'perpetual-exchange-localnet'
import { serveParent } from '../support/in-child.ts'

const LEDGER_MS = 1_000

const things = new AsyncDisposableStack()

/** What others need to know of the network. */
export interface NetworkFacts {
  readonly rpcUrl: string
  readonly passphrase: string
  readonly contracts: Readonly<Record<string, string>>
  /** Funded, and nobody plays it. */
  readonly account: { readonly address: string; readonly secret: string }
}

serveParent(
  {
    async start(): Promise<NetworkFacts> {
      const network = things.use(
        await startLocalNetwork({
          clock: createSystemClock(), random: createSystemRandom(), log: silentLog, seed: 'bench', ledgerMs: LEDGER_MS, host: '127.0.0.1', port: 0, traders: 0,
          directory: null,
        }),
      )
      // Prices and liquidity come with the first ledgers.
      await network.rpc.call('local_closeLedger', { count: 4 })
      const { rpcUrl, networkPassphrase: passphrase, contracts } = network
      const account = network.accounts.find(({ name }) => name === 'alice')
      if (rpcUrl === null || account === undefined || account.secret === null) throw new Error('the network has no socket or no alice')
      return { rpcUrl, passphrase, contracts, account: { address: account.address, secret: account.secret } }
    },
  },
  () => things.disposeAsync(),
)
