// The local network as tests start it: in memory and, by default, without sockets.

import type { Clock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { startLocalNetwork } from '../../localnet/start.ts'
import type { LocalNetwork, LocalNetworkOptions } from '../../localnet/start.ts'
import { TEST_PROTOCOL } from './protocol.ts'

type Options = Partial<LocalNetworkOptions> & Pick<LocalNetworkOptions, 'seed' | 'traders'>

/** A network on this clock. `port: 0` opens its RPC on 127.0.0.1. */
export function startNetworkOn(clock: Clock, options: Options): Promise<LocalNetwork> {
  return startLocalNetwork({
    clock, random: createSystemRandom(), log: silentLog, ledgerMs: 1_000, host: '127.0.0.1', port: null, directory: null, protocol: TEST_PROTOCOL, ...options,
  })
}
