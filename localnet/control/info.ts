import { CONTRACT_KEYS } from '../../src/exchange/contracts/contracts.ts'
import { assetsOf } from '../assets.ts'
import { strategyOf } from '../actors/strategies.ts'
import { latestView } from '../controls.ts'
import type { Chain } from '../chain.ts'
import { buildsOf, CONTRACT_KINDS } from '../contracts/builds.ts'
import type { ContractKind } from '../contracts/builds.ts'
import type { Controls } from '../controls.ts'
import { wasmModuleOf } from '../ledger/wasm-spec.ts'
import type { ExtraMethod } from '../rpc/handler.ts'
import { readParams } from './params.ts'

/** local_info: the deployment and the current state of the network. */
export function localInfo(controls: Controls): ExtraMethod {
  const { chain, feed, ledgerMs, pacer, identities } = controls
  return async (params) => {
    readParams(params, {})
    const { sequence, closeTimeSec } = latestView(chain)
    const { actors, deployment, setup } = controls
    return {
      ledger: sequence,
      closeTime: closeTimeSec,
      clockOffsetSeconds: chain.clockOffsetSec,
      networkPassphrase: chain.networkPassphrase,
      protocol: chain.protocol,
      ledgerMs,
      autoClose: pacer.running,
      contracts: Object.fromEntries(CONTRACT_KEYS.map((key) => [key, deployment[key]])),
      generation: setup.generation,
      builds: Object.fromEntries(CONTRACT_KINDS.map((kind) => [kind, buildInfo(chain, kind, deployment[kind])])),
      assets: assetsOf(setup.generation),
      oracle: deployment.oracle,
      usdcAsset: deployment.usdcAsset,
      lpAsset: deployment.lpAsset,
      admin: identities.admin.address,
      actors: {
        publisher: identities.publisher.address,
        keeper: identities.keeper.address,
        liquidityProviders: identities.liquidityProviders.map((identity) => identity.address),
        vaultLeaders: identities.vaultLeaders.map((identity) => identity.address),
        vaultDepositors: identities.vaultDepositors.map((identity) => identity.address),
        traders: identities.traders.map((identity, index) => ({ address: identity.address, strategy: strategyOf(index).name })),
      },
      actorsAtWork: actors.enabledActors(),
      // Anyone may use these accounts. All keys of this network derive from public data, so publishing the secrets reveals nothing.
      accounts: identities.users.map(({ role, address, secret }) => ({ name: role, address, secret })),
      heldPrices: [...feed.heldPrices()].map(([asset, quote]) => ({ asset, price: quote.price.toString(), ageSeconds: quote.ageSec })),
    }
  }
}

/** The build that a contract runs, the hash of its module, and all builds of its kind. */
function buildInfo(chain: Chain, kind: ContractKind, contract: string): Readonly<Record<string, unknown>> {
  const code = chain.codeOf(contract)
  return { build: code?.build ?? null, wasmHash: code === undefined ? null : wasmModuleOf(code).hash, available: buildsOf(kind) }
}
