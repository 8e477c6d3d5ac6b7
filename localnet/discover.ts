// Reads the contract addresses and assets of a local network that runs in another process.

import { assert } from '../src/base/assert.ts'
import type { Clock } from '../src/base/clock.ts'
import { withDeadline } from '../src/base/deadline.ts'
import { isContractAddress } from '../src/base/strkey.ts'
import { CONTRACT_KEYS } from '../src/exchange/contracts/contracts.ts'
import type { ContractAddresses } from '../src/exchange/contracts/contracts.ts'
import type { Asset } from '../src/exchange/assets.ts'
import type { Generation } from '../src/exchange/contracts/generations.ts'
import { FIRST_BUILDS } from './setup.ts'
import type { LocalGeneration } from './setup.ts'

const TIMEOUT_MS = 2_000

/** Raised when no URL responds as a local network does. */
export class LocalNetworkUnreachable extends Error {
  override readonly name = 'LocalNetworkUnreachable'
}

export interface LocalDeployment {
  readonly contracts: ContractAddresses
  readonly assets: readonly Asset[]
  readonly generation: Generation
}

/** The deployment of the first local network that responds at one of `rpcUrls`. Throws LocalNetworkUnreachable. */
export async function fetchDeployment(rpcUrls: readonly string[], clock: Clock): Promise<LocalDeployment> {
  const causes: unknown[] = []
  for (const url of rpcUrls) {
    try {
      return readDeployment(await fetchInfo(url, clock))
    } catch (cause) {
      causes.push(cause)
    }
  }
  throw new LocalNetworkUnreachable('No local network responds at RPC_URL', { cause: causes })
}

async function fetchInfo(url: string, clock: Clock): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'local_info' })
  const timeoutError = (): Error => new Error(`no response within ${TIMEOUT_MS} ms`)
  return await withDeadline(clock, { limitMs: TIMEOUT_MS, timeoutError }, async (signal) => {
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal, redirect: 'error' })
    return await response.json()
  })
}

function readDeployment(response: unknown): LocalDeployment {
  const { result } = response as { result?: { contracts?: Readonly<Record<string, unknown>>; assets?: readonly Asset[]; generation?: LocalGeneration } }
  const { contracts, assets, generation } = result ?? {}
  assert(Array.isArray(assets), 'the assets')
  assert(generation !== undefined && generation in FIRST_BUILDS, 'the generation')
  const entries = CONTRACT_KEYS.map((key) => {
    const address = contracts?.[key]
    assert(typeof address === 'string' && isContractAddress(address), `the address of ${key}`)
    return [key, address] as const
  })
  return { contracts: Object.fromEntries(entries) as Record<(typeof CONTRACT_KEYS)[number], string>, assets, generation: FIRST_BUILDS[generation] }
}
