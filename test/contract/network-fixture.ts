// The local network on real sockets, for unmodified clients. Each accepted transaction closes a ledger at once, so tests do not wait.

import { Keypair, rpc } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import type { LocalNetwork, LocalNetworkOptions } from '../../localnet/start.ts'
import { startNetworkOn } from '../support/network.ts'

export interface NetworkFixture extends AsyncDisposable {
  readonly network: LocalNetwork
  /** The SDK's own client. */
  readonly server: rpc.Server
  readonly rpcUrl: string
  /** A funded account that no actor uses. */
  keypair(name: 'alice' | 'bob' | 'carol'): Keypair
  /** True if an accepted transaction closes a ledger. */
  closeOnSend: boolean
}

/** Starts a network without actors. Its clock starts at the current time, because clients compute their time bounds from that. */
export async function createNetworkFixture(options: Pick<LocalNetworkOptions, 'generation' | 'protocol'> = {}): Promise<NetworkFixture> {
  const network = await startNetworkOn(createVirtualClock(Date.now()), {
    random: createSeededRandom('contract'), seed: 'contract', port: 0, traders: 0, autoClose: false, ...options,
  })
  const rpcUrl = defined(network.rpcUrl, 'the RPC URL')
  const { chain } = network
  if (chain.history.latest().sequence < 2) chain.closeLedger()
  const fixture: NetworkFixture = {
    network,
    server: new rpc.Server(rpcUrl, { allowHttp: true }),
    rpcUrl,
    closeOnSend: true,
    keypair(name) {
      const account = network.accounts.find((candidate) => candidate.name === name)
      return Keypair.fromSecret(defined(account?.secret, `the secret of ${name}`))
    },
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  }
  const send = chain.send.bind(chain)
  chain.send = (envelope) => {
    const outcome = send(envelope)
    // Close the ledger after the response, so that the sender sees PENDING first.
    if (outcome.status === 'PENDING' && fixture.closeOnSend) setImmediate(() => void chain.closeLedger())
    return outcome
  }
  return fixture
}
