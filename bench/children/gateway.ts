// The whole gateway as main.ts composes it, with prices from a stub and rate limits too high to reach.

import { defined } from '../../src/base/assert.ts'
import { createSystemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSystemRandom } from '../../src/base/random.ts'
import { createRpc } from '../../src/chain/rpc/rpc.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { GatewayParts } from '../../src/gateway/gateway.ts'
import { STREAM_LIMITS } from '../../src/limits.ts'
import { issueKey } from '../../src/keys/keys.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { loadDeployment } from '../support/deployment.ts'
import { serveParent } from '../support/in-child.ts'
import { createNode } from '../support/node.ts'
import type { DatabaseLocation } from '../support/databases.ts'

/** More requests than any round can send. */
const UNLIMITED = 1_000_000_000

const UNLIMITED_REQUESTS = { rateLimits: { public: UNLIMITED, standard: UNLIMITED, market_maker: UNLIMITED }, addressCeiling: UNLIMITED } as const

const disposables = new AsyncDisposableStack()
const clock = createSystemClock()
const random = createSystemRandom()
let servedStore: Store | undefined

async function serve(location: DatabaseLocation, options: Partial<GatewayParts>): Promise<number> {
  const { served, passphrase } = loadDeployment()
  const store = disposables.use(await openStore({ ...location, clock, log: silentLog }))
  servedStore = store
  const gateway = await createGateway({
    store,
    rpc: createRpc({ urls: ['http://bench/'], transport: createNode(passphrase), clock, random, log: silentLog }),
    deployment: served,
    clock,
    random,
    log: silentLog,
    webOrigins: [],
    trustProxy: false,
    klinesUrls: [],
    redis: null,
    regionGuard: null,
    ...options,
  })
  if (options.streamLimits !== undefined) gateway.stream.start()
  const stop = new AbortController()
  const oracleRun = gateway.oracle.run(stop.signal)
  disposables.defer(async () => {
    stop.abort()
    await oracleRun
    await gateway.close()
  })
  const url = await gateway.listen({ host: '127.0.0.1', port: 0 })
  return Number(new URL(url).port)
}

serveParent(
  {
    /** Serves the database at this location and returns the port. If both fields are null, it is an empty database in memory. */
    serve: (location: DatabaseLocation) => serve(location, UNLIMITED_REQUESTS),
    /** The same behind a proxy, with the limits of the specification for each address, for this many clients of the stream. */
    serveStream: ({ location, clients }: { readonly location: DatabaseLocation; readonly clients: number }) =>
      serve(location, { trustProxy: 1, streamLimits: { ...STREAM_LIMITS, connections: clients } }),
    /** Issues a key in the served database and returns the Authorization header for it. */
    async issueKey(): Promise<string> {
      const owner = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
      const { keyId, secret } = await issueKey(defined(servedStore, 'the served database').write, { owner, tier: 'market_maker', label: null, clock, random })
      return `Bearer ${keyId}:${secret}`
    },
  },
  () => disposables.disposeAsync(),
)
