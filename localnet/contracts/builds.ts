// The builds of each contract. The module of every build is on the ledger from the start, so that a contract can be upgraded to any build of its kind.

import { defined } from '../../src/base/assert.ts'
import { liquidityVaultContract2 } from './generation-2/liquidity-vault/liquidity-vault.ts'
import { marketContract2 } from './generation-2/market/market.ts'
import { priceOracleContract2 } from './generation-2/price-oracle.ts'
import { priceShimContract2 } from './generation-2/price-shim.ts'
import { referralContract2 } from './generation-2/referral.ts'
import { routerContract2 } from './generation-2/router.ts'
import { traderVaultsContract2 } from './generation-2/trader-vaults/trader-vaults.ts'
import type { ContractCode } from './shared/host.ts'
import { liquidityVaultContract } from './generation-1/liquidity-vault.ts'
import { marketContract } from './generation-1/market/market.ts'
import { priceOracleContract } from './shared/price-oracle.ts'
import { priceShimContract } from './shared/price-shim.ts'
import { referralContract } from './shared/referral.ts'
import { routerContract } from './shared/router.ts'
import { traderVaultsContract } from './shared/trader-vaults.ts'

/** The generation and, from generation 2 on, the in-place upgrade (generation-2, "Names and times"). */
export const BUILD_NAMES = ['1', '2.0', '2.1', '2.2', '2.3'] as const
export type BuildName = (typeof BUILD_NAMES)[number]

export const CONTRACT_KINDS = ['market', 'vault', 'oracleShim', 'router', 'vaultFactory', 'referral', 'oracle'] as const
export type ContractKind = (typeof CONTRACT_KINDS)[number]

type Builds = Readonly<Partial<Record<BuildName, ContractCode>>>

/** The codes by the builds that they are current in. A contract that a build does not change keeps the code of an earlier one. */
const BUILDS: Readonly<Record<ContractKind, Builds>> = {
  market: {
    '1': marketContract(),
    '2.0': marketContract2('2.0'),
    '2.1': marketContract2('2.1'),
    '2.2': marketContract2('2.2'),
    '2.3': marketContract2('2.3'),
  },
  vault: {
    '1': liquidityVaultContract(),
    '2.0': liquidityVaultContract2('2.0'),
    '2.1': liquidityVaultContract2('2.1'),
    '2.2': liquidityVaultContract2('2.2'),
    '2.3': liquidityVaultContract2('2.3'),
  },
  oracleShim: { '1': priceShimContract(), '2.0': priceShimContract2() },
  router: { '1': routerContract(), '2.0': routerContract2() },
  vaultFactory: { '1': traderVaultsContract(), '2.0': traderVaultsContract2('2.0'), '2.1': traderVaultsContract2('2.1') },
  referral: { '1': referralContract(), '2.0': referralContract2() },
  oracle: { '1': priceOracleContract(), '2.0': priceOracleContract2() },
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
