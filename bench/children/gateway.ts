// The subject: the whole gateway as main.ts composes it, with prices from a stub and limits that nobody reaches.

import { defined } from '../../src/base/assert.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc.ts'
import { createGateway } from '../../src/gateway.ts'
import { issueKey } from '../../src/keys/keys.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { loadDeployment } from '../support/deployment.ts'
import { serveParent } from '../support/in-child.ts'
import { createNode } from '../support/node.ts'
import type { DatabaseLocation } from '../support/databases.ts'

/** More than any round can use up. */
const UNLIMITED = 1_000_000_000

const things = new AsyncDisposableStack()
const clock = createSystemClock()
const random = createSystemRandom()
let served: Store | undefined

serveParent(
  {
    /** Serves the database there and answers with the port; both of `where` null: an empty one in memory. */
    async serve(where: DatabaseLocation): Promise<number> {
      const { name, passphrase, sources } = loadDeployment()
      const store = things.use(await openStore({ ...where, clock, log: silentLog }))
      served = store
      const gateway = await createGateway({
        store,
        rpc: createRpc({ urls: ['http://bench/'], transport: createNode(passphrase), clock, random, log: silentLog }),
        contracts: sources,
        network: { name, passphrase },
        clock,
        random,
        log: silentLog,
        webOrigin: null,
        trustProxy: false,
        klinesUrls: [],
        redis: null,
        regionGuard: null,
        rateLimits: { public: UNLIMITED, standard: UNLIMITED, market_maker: UNLIMITED },
      })
      const stop = new AbortController()
      const ticking = gateway.oracle.run(stop.signal)
      things.defer(async () => {
        stop.abort()
        await ticking
        await gateway.close()
      })
      const url = await gateway.listen({ host: '127.0.0.1', port: 0 })
      return Number(new URL(url).port)
    },
    /** Issues a key on the database that is served and answers with the header to call with. */
    async issueKey(): Promise<string> {
      const owner = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
      const { keyId, secret } = await issueKey(defined(served, 'the served database').write, { owner, tier: 'market_maker', label: null, clock, random })
      return `Bearer ${keyId}:${secret}`
    },
  },
  () => things.disposeAsync(),
)
