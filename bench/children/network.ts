// The local network on a socket. Its only actors set prices and provide liquidity.

import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { startLocalNetwork } from 'perpetual-exchange-localnet'
import { serveParent } from '../support/in-child.ts'

const LEDGER_MS = 1_000

const disposables = new AsyncDisposableStack()

/** The addresses and an account of the network. */
export interface NetworkDetails {
  readonly rpcUrl: string
  readonly passphrase: string
  readonly contracts: Readonly<Record<string, string>>
  /** A funded account that no actor uses. */
  readonly account: { readonly address: string; readonly secret: string }
}

serveParent(
  {
    async start(): Promise<NetworkDetails> {
      const network = disposables.use(
        await startLocalNetwork({
          clock: createSystemClock(), random: createSystemRandom(), log: silentLog, seed: 'bench', ledgerMs: LEDGER_MS, host: '127.0.0.1', port: 0, traders: 0,
          directory: null,
        }),
      )
      // The first ledgers set prices and add liquidity.
      await network.rpc.call('local_closeLedger', { count: 4 })
      const { rpcUrl, networkPassphrase: passphrase, contracts } = network
      const account = network.accounts.find(({ name }) => name === 'alice')
      if (rpcUrl === null || account === undefined || account.secret === null) throw new Error('The network has no RPC URL or no account named alice')
      return { rpcUrl, passphrase, contracts, account: { address: account.address, secret: account.secret } }
    },
  },
  () => disposables.disposeAsync(),
)
