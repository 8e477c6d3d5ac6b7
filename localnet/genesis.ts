// The initial state of the local network: contracts with their addresses, balances and first prices.

import { Address, Asset, hash, xdr } from '@stellar/stellar-sdk'
import { ONE_E7 } from '../src/base/fixed-point.ts'
import type { ExchangeParties } from '../src/exchange/contracts/footprint-keys.ts'
import type { Identity } from './actors/identity.ts'
import type { Deployment } from './actors/exchange-state.ts'
import type { Genesis, GenesisContract } from './chain.ts'
import { allBuilds, newestBuild } from './contracts/builds.ts'
import { genesisCalls } from './genesis-calls.ts'
import { createIdentities, MAX_TRADERS } from './identities.ts'
import type { Identities } from './identities.ts'
import { FIRST_BUILDS, FIRST_SETUP, setupLabel } from './setup.ts'
import type { LocalGeneration, Setup } from './setup.ts'
import { assetContract } from './contracts/shared/token.ts'

/** A network that can be started. */
export interface LocalGenesis {
  readonly setup: Setup
  readonly identities: Identities
  readonly deployment: Deployment
  readonly genesis: Genesis
}

const STROOPS = 10_000_000n

/** Balances in whole XLM, enough to pay fees for years. */
const ROOT_XLM = 50_000_000_000n
const ACTOR_XLM = 50_000_000n
const USER_XLM = 10_000n

/** Balances in whole USDC. A trader pays a few thousand in fees per day. */
const TRADER_USDC = 50_000_000n
const PROVIDER_USDC = 500_000_000n
const USER_USDC = 100_000n

/** The contract addresses of a setup: token addresses follow from their assets, all others from the admin's account and the number of the deployment. */
export function createDeployment(networkPassphrase: string, identities: Identities, setup: Setup = FIRST_SETUP): Deployment {
  const suffix = setup.deployment === FIRST_SETUP.deployment ? '' : `-${setup.deployment}`
  const deployed = (name: string): string => deployedAddress(networkPassphrase, identities.admin.address, `${name}${suffix}`)
  const usdc = new Asset('USDC', identities.usdcIssuer.address)
  const lp = new Asset('LP', identities.lpIssuer.address)
  return {
    market: deployed('market'),
    vault: deployed('vault'),
    oracleShim: deployed('oracleShim'),
    router: deployed('router'),
    usdcToken: usdc.contractId(networkPassphrase),
    lpToken: lp.contractId(networkPassphrase),
    vaultFactory: deployed('vaultFactory'),
    referral: deployed('referral'),
    oracle: deployed('oracle'),
    usdcAsset: usdc.toString(),
    lpAsset: lp.toString(),
  }
}

/** Returns the parties of the exchange of a genesis. */
export function exchangeParties({ deployment, identities, setup }: Pick<LocalGenesis, 'deployment' | 'identities' | 'setup'>): ExchangeParties {
  return {
    contracts: deployment,
    usdcAsset: deployment.usdcAsset,
    // The first generation has no treasury.
    treasury: setup.generation === '1' ? null : identities.treasury.address,
    generation: FIRST_BUILDS[setup.generation],
  }
}

/** Builds the genesis state. `prices` are the oracle's first prices, attested at `timeSec`. */
export function createGenesis(options: {
  networkPassphrase: string
  traders: number
  prices: ReadonlyMap<string, bigint>
  timeSec: number
  hasAssetLimits?: boolean
  setup?: Setup
}): LocalGenesis {
  const { networkPassphrase, setup = FIRST_SETUP } = options
  const identities = createIdentities(networkPassphrase, options.traders)
  const deployment = createDeployment(networkPassphrase, identities, setup)
  const everyTrader = createIdentities(networkPassphrase, MAX_TRADERS).traders
  const genesis: Genesis = {
    label: setupLabel(setup),
    contracts: contracts(networkPassphrase, deployment, setup.generation),
    uploads: allBuilds(),
    accounts: accounts(identities, everyTrader, setup.generation),
    trustlines: trustlines(identities, everyTrader, deployment, setup.generation),
    calls: genesisCalls(setup.generation, identities, deployment, options),
  }
  return { identities, deployment, genesis, setup }
}

/** The address of a contract that `deployer` created, with the hash of its name as the salt. */
function deployedAddress(networkPassphrase: string, deployer: string, name: string): string {
  const preimage = xdr.HashIdPreimage.envelopeTypeContractId(
    new xdr.HashIdPreimageContractId({
      networkId: hash(new TextEncoder().encode(networkPassphrase)),
      contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAddress(
        new xdr.ContractIdPreimageFromAddress({ address: new Address(deployer).toScAddress(), salt: hash(new TextEncoder().encode(name)) }),
      ),
    }),
  )
  return Address.contract(hash(preimage.toXdr())).toString()
}

function contracts(networkPassphrase: string, deployment: Deployment, generation: LocalGeneration): readonly GenesisContract[] {
  return [
    { address: Asset.native().contractId(networkPassphrase), code: assetContract('native') },
    { address: deployment.usdcToken, code: assetContract(deployment.usdcAsset) },
    { address: deployment.lpToken, code: assetContract(deployment.lpAsset) },
    { address: deployment.oracle, code: newestBuild('oracle', generation) },
    { address: deployment.oracleShim, code: newestBuild('oracleShim', generation) },
    { address: deployment.vault, code: newestBuild('vault', generation) },
    { address: deployment.market, code: newestBuild('market', generation) },
    { address: deployment.router, code: newestBuild('router', generation) },
    { address: deployment.vaultFactory, code: newestBuild('vaultFactory', generation) },
    { address: deployment.referral, code: newestBuild('referral', generation) },
  ]
}

function accounts(identities: Identities, traders: readonly Identity[], generation: LocalGeneration): Genesis['accounts'] {
  const actors = [
    identities.admin, identities.usdcIssuer, identities.lpIssuer, identities.publisher, identities.keeper, ...identities.liquidityProviders, ...traders,
    ...identities.vaultLeaders, ...identities.vaultDepositors, ...treasuryOf(identities, generation),
  ]
  return [
    { address: identities.root.address, balance: ROOT_XLM * STROOPS },
    ...actors.map((actor) => ({ address: actor.address, balance: ACTOR_XLM * STROOPS })),
    ...identities.users.map((user) => ({ address: user.address, balance: USER_XLM * STROOPS })),
  ]
}

/** The first generation has no treasury. */
const treasuryOf = ({ treasury }: Identities, generation: LocalGeneration): readonly Identity[] => (generation === '1' ? [] : [treasury])

function trustlines(
  identities: Identities,
  traders: readonly Identity[],
  { usdcAsset, lpAsset }: Deployment,
  generation: LocalGeneration,
): Genesis['trustlines'] {
  const line = (asset: string, whole: bigint) => (holder: Identity) => ({ account: holder.address, asset, balance: whole * ONE_E7 })
  return [
    ...[identities.keeper, ...treasuryOf(identities, generation)].map(line(usdcAsset, 0n)),
    ...identities.liquidityProviders.map(line(usdcAsset, PROVIDER_USDC)),
    ...identities.liquidityProviders.map(line(lpAsset, 0n)),
    ...[...traders, ...identities.vaultLeaders, ...identities.vaultDepositors].map(line(usdcAsset, TRADER_USDC)),
    ...identities.users.map(line(usdcAsset, USER_USDC)),
  ]
}
