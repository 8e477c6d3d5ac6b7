// The builds of each contract. The module of every build is on the ledger from the start, so that a contract can be upgraded to any build of its kind.

import { defined } from '../../src/base/assert.ts'
import * as generation2LiquidityVault from './generation-2/liquidity-vault/liquidity-vault.ts'
import * as generation2Market from './generation-2/market/market.ts'
import * as generation2PriceOracle from './generation-2/price-oracle.ts'
import * as generation2PriceShim from './generation-2/price-shim.ts'
import * as generation2Referral from './generation-2/referral.ts'
import * as generation2Router from './generation-2/router.ts'
import * as generation2TraderVaults from './generation-2/trader-vaults/trader-vaults.ts'
import type { ContractCode } from './shared/host.ts'
import * as generation1LiquidityVault from './generation-1/liquidity-vault.ts'
import * as generation1Market from './generation-1/market/market.ts'
import * as generation1PriceOracle from './shared/price-oracle.ts'
import * as generation1PriceShim from './shared/price-shim.ts'
import * as generation1Referral from './shared/referral.ts'
import * as generation1Router from './shared/router.ts'
import * as generation1TraderVaults from './shared/trader-vaults.ts'

/** The generation and, from generation 2 on, the in-place upgrade (generation-2, "Names and times"). */
export const BUILD_NAMES = ['1', '2.0', '2.1', '2.2', '2.3'] as const
export type BuildName = (typeof BUILD_NAMES)[number]

export const CONTRACT_KINDS = ['market', 'vault', 'oracleShim', 'router', 'vaultFactory', 'referral', 'oracle'] as const
export type ContractKind = (typeof CONTRACT_KINDS)[number]

type Builds = Readonly<Partial<Record<BuildName, ContractCode>>>

/** The codes by the builds that they are current in. A contract that a build does not change keeps the code of an earlier one. */
const BUILDS: Readonly<Record<ContractKind, Builds>> = {
  market: {
    '1': generation1Market.marketContract(),
    '2.0': generation2Market.marketContract('2.0'),
    '2.1': generation2Market.marketContract('2.1'),
    '2.2': generation2Market.marketContract('2.2'),
    '2.3': generation2Market.marketContract('2.3'),
  },
  vault: {
    '1': generation1LiquidityVault.liquidityVaultContract(),
    '2.0': generation2LiquidityVault.liquidityVaultContract('2.0'),
    '2.1': generation2LiquidityVault.liquidityVaultContract('2.1'),
    '2.2': generation2LiquidityVault.liquidityVaultContract('2.2'),
    '2.3': generation2LiquidityVault.liquidityVaultContract('2.3'),
  },
  oracleShim: { '1': generation1PriceShim.priceShimContract(), '2.0': generation2PriceShim.priceShimContract() },
  router: { '1': generation1Router.routerContract(), '2.0': generation2Router.routerContract() },
  vaultFactory: {
    '1': generation1TraderVaults.traderVaultsContract(),
    '2.0': generation2TraderVaults.traderVaultsContract('2.0'),
    '2.1': generation2TraderVaults.traderVaultsContract('2.1'),
  },
  referral: { '1': generation1Referral.referralContract(), '2.0': generation2Referral.referralContract() },
  oracle: { '1': generation1PriceOracle.priceOracleContract(), '2.0': generation2PriceOracle.priceOracleContract() },
}

const NAMED_BUILDS = Object.fromEntries(
  Object.entries(BUILDS).map(([kind, builds]) => [
    kind,
    Object.fromEntries(Object.entries(builds).map(([name, code]) => [name, { ...code, build: name }])),
  ]),
) as Record<ContractKind, Builds>

/** The code of a build. Throws RangeError when the contract has no such build. */
export function build(kind: ContractKind, name: BuildName): ContractCode {
  const code = NAMED_BUILDS[kind][name]
  if (code === undefined) throw new RangeError(`${kind} has no build ${name}; it has ${buildsOf(kind).join(', ')}`)
  return code
}

/** The newest build of a generation. */
export function newestBuild(kind: ContractKind, generation: '1' | '2'): ContractCode {
  const names = buildsOf(kind).filter((name) => name.startsWith(generation))
  return build(kind, defined(names.at(-1), `a build of generation ${generation} of ${kind}`))
}

/** The builds of a contract, oldest first. */
export function buildsOf(kind: ContractKind): readonly BuildName[] {
  return BUILD_NAMES.filter((name) => NAMED_BUILDS[kind][name] !== undefined)
}

/** Every build of every contract. */
export function allBuilds(): readonly ContractCode[] {
  return CONTRACT_KINDS.flatMap((kind) => Object.values(NAMED_BUILDS[kind]))
}
