// A gateway without a network, an indexer or, unless one is given, a database.

import assert from 'node:assert/strict'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createSchemaCompilers } from '../../src/http/schema-compilers.ts'
import type { Gateway, GatewayParts } from '../../src/gateway/gateway.ts'
import { anyDeployment } from './deployments.ts'

export const BARE_START_MS = 1_783_339_200_000

/** Rate limits that no test reaches. */
export const UNLIMITED_RATES = { public: 1_000_000, standard: 1_000_000, market_maker: 1_000_000 } as const

/** Defaults for the parts of a gateway that most tests leave out. Those of one process share the compiled schemas: compiling takes a third of a second. */
export const GATEWAY_DEFAULTS = {
  webOrigins: [], trustProxy: false, klinesUrls: [], redis: null, regionGuard: null, rateLimits: UNLIMITED_RATES,
  schemaCompilers: createSchemaCompilers(),
} as const satisfies Partial<GatewayParts>

/** A dependency whose every use fails the test. */
export function unreachable(name: string): object {
  const fail = (): never => assert.fail(`the test used the ${name}`)
  return new Proxy({}, { get: (_target, property) => (property === 'then' ? undefined : fail) })
}

export interface BareGateway extends AsyncDisposable {
  readonly gateway: Gateway
  readonly clock: VirtualClock
}

/** Creates the gateway. Database and RPC are unreachable unless given; rate limits are the real ones unless given. */
export async function createBareGateway(parts: Partial<GatewayParts> = {}): Promise<BareGateway> {
  const clock = createVirtualClock(BARE_START_MS)
  const { rateLimits: _, ...defaults } = GATEWAY_DEFAULTS
  const gateway = await createGateway({
    ...defaults,
    store: {
      engine: 'embedded', read: unreachable('database'), write: unreachable('database'), writeProblem: async () => null,
    } as unknown as GatewayParts['store'],
    rpc: unreachable('RPC') as GatewayParts['rpc'],
    deployment: anyDeployment(),
    clock,
    random: createSeededRandom('bare gateway'),
    log: silentLog,
    ...parts,
  })
  return { gateway, clock, [Symbol.asyncDispose]: () => gateway.close() }
}
