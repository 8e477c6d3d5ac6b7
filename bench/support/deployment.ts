// The deployment that the measurements use: the real testnet addresses, read the same way as main.ts does.

import { defined } from '../../src/base/assert.ts'
import { loadSettings } from '../../src/config/config.ts'
import { resolveContracts } from '../../src/deployment/declaration.ts'
import type { ContractAddresses } from '../../src/exchange/contracts/contracts.ts'
import { createCurrentDeployment, createDeployment } from '../../src/exchange/deployment.ts'
import type { CurrentDeployment } from '../../src/exchange/deployment.ts'

export interface Deployment {
  readonly name: string
  readonly passphrase: string
  readonly contracts: ContractAddresses
  readonly served: CurrentDeployment
}

export function loadDeployment(): Deployment {
  const { network } = loadSettings({ NETWORK: 'testnet' }).config
  const { contracts, assets, generation } = defined(network.manifest, 'the deployment manifest')
  const { name, passphrase } = network
  const served = createCurrentDeployment(createDeployment({
    name, since: null, network: name, passphrase, generation, contracts: resolveContracts(contracts, {}), assets,
  }))
  return { name, passphrase, contracts, served }
}
