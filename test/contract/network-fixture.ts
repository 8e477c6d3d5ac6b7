// A whole local network behind real sockets, for clients that know nothing of it. Nobody waits: each accepted transaction gets its ledger at once.

import { Keypair, rpc } from '@stellar/stellar-sdk'
import { defined } from '../../src/base/assert.ts'
import { createVirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { startLocalNetwork } from '../../localnet/start.ts'
import type { LocalNetwork } from '../../localnet/start.ts'

export interface NetworkFixture extends AsyncDisposable {
  readonly network: LocalNetwork
  /** The SDK's own client. */
  readonly server: rpc.Server
  readonly rpcUrl: string
  /** A funded account that nobody plays. */
  keypair(name: 'alice' | 'bob' | 'carol'): Keypair
  /** Whether ledgers close by themselves when something is sent. */
  closeOnSend: boolean
}

/** Starts a network without actors; its clock stands where the machine's stood, because clients reckon their time bounds from that. */
export async function createNetworkFixture(): Promise<NetworkFixture> {
  const network = await startLocalNetwork({
    clock: createVirtualClock(Date.now()),
    random: createSeededRandom('contract'),
    log: silentLog,
    seed: 'contract',
    ledgerMs: 1_000,
    host: '127.0.0.1',
    port: 0,
    traders: 0,
    directory: null,
    autoClose: false,
  })
  const rpcUrl = defined(network.rpcUrl, 'the RPC address')
  const { chain } = network
  if (chain.history.latest().sequence < 2) chain.closeLedger()
  const served: NetworkFixture = {
    network,
    server: new rpc.Server(rpcUrl, { allowHttp: true }),
    rpcUrl,
    closeOnSend: true,
    keypair(name) {
      const account = network.accounts.find((each) => each.name === name)
      return Keypair.fromSecret(defined(account?.secret, `the secret of ${name}`))
    },
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  }
  const send = chain.send.bind(chain)
  chain.send = (envelope) => {
    const outcome = send(envelope)
    // After the answer, so that the sender sees PENDING first and the ledger afterwards.
    if (outcome.status === 'PENDING' && served.closeOnSend) setImmediate(() => void chain.closeLedger())
    return outcome
  }
  return served
}
