// A gateway whose neighbours are doubles: for tests of what it does by itself.

import assert from 'node:assert/strict'
import { createVirtualClock } from '../../src/base/clock.ts'
import type { VirtualClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { createSeededRandom } from '../../src/base/random.ts'
import { CONTRACT_KEYS } from '../../src/exchange/contracts.ts'
import { createGateway } from '../../src/gateway.ts'
import type { Gateway, GatewayParts } from '../../src/gateway.ts'
import type { ContractSources } from '../../src/resources/health.ts'

export const BARE_START_MS = 1_783_339_200_000

/** A neighbour that must not be reached: every use of it fails the test. */
export function unreachable(name: string): object {
  const fail = (): never => assert.fail(`the ${name} must not be reached`)
  return new Proxy({}, { get: (_target, property) => (property === 'then' ? undefined : fail) })
}

export const PLACEHOLDER_CONTRACTS = Object.fromEntries(
  CONTRACT_KEYS.map((key) => [key, { address: `C${key.toUpperCase().padEnd(55, 'A')}`, source: 'manifest' }]),
) as unknown as ContractSources

export interface BareGateway extends AsyncDisposable {
  readonly gateway: Gateway
  readonly clock: VirtualClock
}

/** Builds the gateway; parts that are not given are unreachable or at rest. */
export async function createBareGateway(parts: Partial<GatewayParts> = {}): Promise<BareGateway> {
  const clock = createVirtualClock(BARE_START_MS)
  const gateway = await createGateway({
    store: { engine: 'embedded', read: unreachable('database'), write: unreachable('database') } as unknown as GatewayParts['store'],
    rpc: unreachable('RPC') as GatewayParts['rpc'],
    contracts: PLACEHOLDER_CONTRACTS,
    network: { name: 'testnet', passphrase: 'Test SDF Network ; September 2015' },
    clock,
    random: createSeededRandom('bare gateway'),
    log: silentLog,
    webOrigin: null,
    trustProxy: false,
    klinesUrls: [],
    redis: null,
    regionGuard: null,
    ...parts,
  })
  return { gateway, clock, [Symbol.asyncDispose]: () => gateway.close() }
}
