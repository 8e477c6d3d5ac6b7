// The whole gateway with a network behind a socket, and with rate limits too high to reach.

import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { issueKey } from '../../src/keys/keys.ts'
import { openStore } from '../../src/store/open.ts'
import { serveParent } from '../support/in-child.ts'
import type { NetworkDetails } from './network.ts'
import { currentDeploymentOf } from '../../test/support/deployments.ts'

/** More requests than any round can send. */
const UNLIMITED = 1_000_000_000

const disposables = new AsyncDisposableStack()

/** The gateway's URL and the Authorization header for it. */
export interface TradingGateway {
  readonly url: string
  readonly authorization: string
}

serveParent(
  {
    async serve({ rpcUrl, passphrase, contracts, account }: NetworkDetails): Promise<TradingGateway> {
      const [clock, random, log] = [createSystemClock(), createSystemRandom(), silentLog]
      const store = disposables.use(await openStore({ databaseUrl: null, dataDir: null, clock, log }))
      const gateway = await createGateway({
        store, clock, random, log,
        rpc: createRpc({ urls: [rpcUrl], clock, random, log }),
        deployment: currentDeploymentOf(contracts, { passphrase }),
        webOrigins: [],
        trustProxy: false,
        klinesUrls: [],
        redis: null,
        regionGuard: null,
        rateLimits: { public: UNLIMITED, standard: UNLIMITED, market_maker: UNLIMITED },
        addressCeiling: UNLIMITED,
      })
      disposables.defer(() => gateway.close())
      const { keyId, secret } = await issueKey(store.write, { owner: account.address, tier: 'market_maker', label: null, clock, random })
      return { url: await gateway.listen({ host: '127.0.0.1', port: 0 }), authorization: `Bearer ${keyId}:${secret}` }
    },
  },
  () => disposables.disposeAsync(),
)
