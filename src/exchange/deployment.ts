// A deployment of the exchange: what a manifest declares about one set of contracts, and what their code declares. The value is immutable; a changed
// deployment is a new value.

import { createAssetList } from './assets.ts'
import type { Asset, AssetList } from './assets.ts'
import type { CallTarget } from './contracts/call-forms.ts'
import { callTargetOf, errorName, UNKNOWN_INTERFACES } from './contracts/contract-interface.ts'
import type { ContractInterfaces } from './contracts/contract-interface.ts'
import { CONTRACT_KEYS } from './contracts/contracts.ts'
import type { ContractAddresses, ContractKey } from './contracts/contracts.ts'
import type { Generation } from './contracts/generations.ts'

/** A contract address and its source: the deployment manifest or the environment. */
export interface ContractSource {
  readonly address: string
  readonly source: 'manifest' | 'env'
}

export type ContractSources = Readonly<Record<ContractKey, ContractSource>>

/** A deployment on the same network that is indexed, but not served. */
export interface IndexedDeployment {
  readonly name: string
  readonly since: string | null
  readonly generation: Generation
  readonly contracts: ContractAddresses
}

export interface DeploymentDeclaration {
  /** Name of the manifest, `local` for the local network. */
  readonly name: string
  /** Date or time of the contracts' deployment, as the manifest says; null if unknown. */
  readonly since: string | null
  /** Name in GET /v1/health, for example `testnet`. */
  readonly network: string
  readonly passphrase: string
  /** Applies to contracts whose interface is unknown. */
  readonly generation: Generation
  readonly contracts: ContractSources
  /** In listing order. */
  readonly assets: readonly Asset[]
  /** None if absent. */
  readonly others?: readonly IndexedDeployment[]
}

export interface Deployment extends Omit<DeploymentDeclaration, 'contracts' | 'assets' | 'others'> {
  readonly contracts: ContractAddresses
  readonly sources: ContractSources
  readonly assets: AssetList
  readonly others: readonly IndexedDeployment[]
  /** The contract at an address; undefined for an address of no contract of this deployment. */
  contractOf(address: string): ContractKey | undefined
  readonly interfaces: ContractInterfaces
  /** The generation of a contract: by its interface, otherwise the declared one. */
  generationOf(contract: ContractKey): Generation
  /** The generation and interface that calls of a contract must match. */
  targetOf(contract: ContractKey): CallTarget
  /** The name of an error code that a contract raised (specification, "On-chain error decoding"). */
  errorName(raisedBy: ContractKey | undefined, code: number): string
}

export function createDeployment(
  { contracts: sources, assets, others = [], ...declaration }: DeploymentDeclaration, interfaces: ContractInterfaces = UNKNOWN_INTERFACES,
): Deployment {
  const contracts = Object.fromEntries(CONTRACT_KEYS.map((key) => [key, sources[key].address])) as Record<ContractKey, string>
  const keys = new Map(CONTRACT_KEYS.map((key) => [contracts[key], key]))
  return {
    ...declaration, contracts, sources, others, interfaces,
    assets: createAssetList(assets),
    contractOf: (address) => keys.get(address),
    targetOf: (contract) => callTargetOf(interfaces[contract], declaration.generation),
    generationOf: (contract) => interfaces[contract]?.generation ?? declaration.generation,
    errorName: (raisedBy, code) => errorName(interfaces, declaration.generation, raisedBy, code),
  }
}

/** True when a contract has a view that generation 1 lacks. Until the interface is known, the generation that the manifest declares decides. */
export function hasNewerView(deployment: Deployment, contract: ContractKey, functionName: string, types: readonly string[]): boolean {
  const { generation, accepts } = deployment.targetOf(contract)
  return accepts === null ? generation !== '1' : accepts(functionName, types)
}

/** The same deployment after its contracts' interfaces were read. */
export function withInterfaces({ sources, assets, ...declaration }: Deployment, interfaces: ContractInterfaces): Deployment {
  return createDeployment({ ...declaration, contracts: sources, assets: assets.all }, interfaces)
}

/** Called with the deployment that replaces the previous one. */
type DeploymentListener = (next: Deployment, previous: Deployment) => void

/** The deployment that is served now. Parts read `current` when they need it, and never keep what they have read. */
export interface CurrentDeployment {
  readonly current: Deployment
  /** Returns a function that ends the subscription. */
  subscribe(listener: DeploymentListener): () => void
}

export interface ReplaceableDeployment extends CurrentDeployment {
  /** Replaces the deployment, then calls every listener. */
  replace(next: Deployment): void
}

export function createCurrentDeployment(initial: Deployment): ReplaceableDeployment {
  let current = initial
  const listeners = new Set<DeploymentListener>()
  return {
    get current() {
      return current
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    replace(next) {
      const previous = current
      current = next
      for (const listener of listeners) listener(next, previous)
    },
  }
}
