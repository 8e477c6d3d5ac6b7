// Replaces the deployment that is served when its manifest changes, or the contracts of the local network.

import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { ContractInterfaces } from '../exchange/contracts/contract-interface.ts'
import { CONTRACT_KEYS } from '../exchange/contracts/contracts.ts'
import { createDeployment } from '../exchange/deployment.ts'
import type { Deployment, DeploymentDeclaration, ReplaceableDeployment } from '../exchange/deployment.ts'
import { declarationOf } from './declaration.ts'
import type { Declared, NetworkSettings } from './declaration.ts'
import { followLocalNetwork } from './follow-local.ts'
import { followManifests } from './follow-manifests.ts'
import type { Manifest } from './manifest.ts'
import type { DeploymentChoice, SelectedDeployments } from './manifest-files.ts'

export interface FollowParts {
  /** Null: the local network. */
  readonly deployments: { readonly choice: DeploymentChoice; readonly selected: SelectedDeployments } | null
  readonly network: NetworkSettings
  /** The deployment that is served at first. */
  readonly declared: Declared
  /** Reads what the local network reports. */
  readonly readLocal: () => Promise<Declared>
  readonly deployment: ReplaceableDeployment
  readonly rpc: { replaceNodes(urls: readonly string[]): void }
  readonly clock: Clock
  readonly log: Log
}

export interface DeploymentFollower {
  /** Follows until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** Reasons why the present manifests are not applied; empty if they are. */
  problems(): readonly string[]
}

export function createDeploymentFollower(parts: FollowParts): DeploymentFollower {
  const { deployments, network, declared, readLocal, deployment, rpc, clock, log } = parts
  const replace = (next: Declared, others: readonly Manifest[]): void => {
    const declaration = declarationOf(next, network, others)
    deployment.replace(createDeployment(declaration, keepInterfaces(deployment.current, declaration)))
  }
  if (deployments === null) {
    const local = { read: readLocal, initial: declared, clock, onChange: (next: Declared) => replace(next, []) }
    return { run: (signal) => followLocalNetwork(local, signal), problems: () => [] }
  }
  let { rpcUrls } = deployments.selected.served
  return followManifests({
    ...deployments, clock, log,
    onChange({ served, others }) {
      if (served.rpcUrls.join() !== rpcUrls.join()) rpc.replaceNodes(served.rpcUrls)
      rpcUrls = served.rpcUrls
      replace(served, others)
    },
  })
}

/** Returns the known interfaces of the contracts that stay: otherwise the expected generation would apply to them for a moment. */
function keepInterfaces({ contracts, interfaces }: Deployment, next: DeploymentDeclaration): ContractInterfaces {
  const kept = CONTRACT_KEYS.map((key) => [key, next.contracts[key].address === contracts[key] ? interfaces[key] : null])
  return Object.fromEntries(kept) as ContractInterfaces
}
