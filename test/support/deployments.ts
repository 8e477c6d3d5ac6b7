// Deployments for tests: the contracts of a local network, or invented ones, with the local network's assets.

import { ASSETS, ASSET_SYMBOLS } from '../../localnet/assets.ts'
import { TEST_NETWORK_PASSPHRASE } from '../../localnet/start.ts'
import type { Asset } from '../../src/exchange/assets.ts'
import type { ContractAddresses, ContractKey } from '../../src/exchange/contracts/contracts.ts'
import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import { createCurrentDeployment, createDeployment } from '../../src/exchange/deployment.ts'
import type { ContractSource, ContractSources, Deployment, DeploymentDeclaration, ReplaceableDeployment } from '../../src/exchange/deployment.ts'

type Overrides = Partial<DeploymentDeclaration> & { readonly assets?: readonly Asset[] }

function manifestSources(contracts: ContractAddresses): ContractSources {
  return Object.fromEntries(CONTRACT_KEYS.map((key): [string, ContractSource] => [key, { address: contracts[key], source: 'manifest' }])) as ContractSources
}

export function deploymentOf(contracts: ContractAddresses, overrides: Overrides = {}): Deployment {
  return createDeployment({
    name: 'local', since: null, network: 'testnet', passphrase: TEST_NETWORK_PASSPHRASE, generation: '1', contracts: manifestSources(contracts), assets: ASSETS,
    ...overrides,
  })
}

export function currentDeploymentOf(contracts: ContractAddresses, overrides: Overrides = {}): ReplaceableDeployment {
  return createCurrentDeployment(deploymentOf(contracts, overrides))
}

/** For parts that need a deployment but never its contracts. */
export function anyDeployment(sources: Partial<ContractSources> = {}, symbols: readonly string[] = ASSET_SYMBOLS): ReplaceableDeployment {
  const contracts = Object.fromEntries(CONTRACT_KEYS.map((key) => [key, `C${key.toUpperCase().padEnd(55, 'A')}`])) as Record<ContractKey, string>
  return currentDeploymentOf(contracts, {
    contracts: { ...manifestSources(contracts), ...sources },
    assets: ASSETS.filter(({ symbol }) => symbols.includes(symbol)),
  })
}
