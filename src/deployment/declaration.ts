// The declaration of a deployment: by a manifest or by the local network, with overrides of the environment.

import type { Asset } from '../exchange/assets.ts'
import { CONTRACT_KEYS } from '../exchange/contracts/contracts.ts'
import type { ContractAddresses, ContractKey } from '../exchange/contracts/contracts.ts'
import type { ContractSources, DeploymentDeclaration, IndexedDeployment } from '../exchange/deployment.ts'
import type { Generation } from '../exchange/contracts/generations.ts'

/** A manifest, or what the local network reports. */
export interface Declared {
  readonly name?: string
  readonly since?: string
  readonly contracts: ContractAddresses
  readonly assets: readonly Asset[]
  readonly generation: Generation
}

export interface NetworkSettings {
  readonly kind: string
  readonly name: string
  readonly passphrase: string
  readonly contractOverrides: Readonly<Partial<Record<ContractKey, string>>>
}

/** `others` are the manifests of deployments that are indexed besides the served one. */
export function declarationOf(
  { name, since, contracts, assets, generation }: Declared, network: NetworkSettings, others: readonly IndexedDeployment[] = [],
): DeploymentDeclaration {
  return {
    others: others.map((other) => ({ name: other.name, since: other.since, generation: other.generation, contracts: other.contracts })),
    name: name ?? network.kind, since: since ?? null, network: network.name, passphrase: network.passphrase, generation, assets,
    contracts: resolveContracts(contracts, network.contractOverrides),
  }
}

/** The contracts as reported in GET /v1/health. */
export function resolveContracts(declared: ContractAddresses, overrides: NetworkSettings['contractOverrides']): ContractSources {
  const entries = CONTRACT_KEYS.map((key) => {
    const override = overrides[key]
    return [key, override === undefined ? { address: declared[key], source: 'manifest' } : { address: override, source: 'env' }]
  })
  return Object.fromEntries(entries) as ContractSources
}
