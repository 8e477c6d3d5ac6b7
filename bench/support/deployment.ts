// The deployment that the measurements use: the real testnet addresses, read the same way as main.ts does.

import { defined } from '../../src/base/assert.ts'
import { loadSettings, resolveContracts } from '../../src/config.ts'
import type { ContractAddresses } from '../../src/exchange/contracts.ts'
import type { ContractSources } from '../../src/resources/health.ts'

export interface Deployment {
  readonly name: string
  readonly passphrase: string
  readonly contracts: ContractAddresses
  readonly sources: ContractSources
}

export function loadDeployment(): Deployment {
  const { network } = loadSettings({ NETWORK: 'testnet' }).config
  const { contracts } = defined(network.manifest, 'the deployment manifest')
  return { name: network.name, passphrase: network.passphrase, contracts, sources: resolveContracts(contracts, {}) }
}
