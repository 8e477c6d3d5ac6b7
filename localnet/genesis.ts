// The initial state of the local network: identities, contracts with their addresses, balances and first prices.

import { Address, Asset, hash, xdr } from '@stellar/stellar-sdk'
import { assert } from '../src/base/assert.ts'
import { ONE_E7 } from '../src/base/fixed-point.ts'
import { createIdentity } from './actors/identity.ts'
import type { Identity } from './actors/identity.ts'
import type { Deployment } from './actors/exchange-state.ts'
import type { Genesis, GenesisContract } from './chain.ts'
import { allBuilds, build } from './contracts/builds.ts'
import { FIRST_SETUP, setupLabel } from './setup.ts'
import type { Setup } from './setup.ts'
import { address, bool, bytes, i128, struct, u32, u64, vec } from './contracts/host.ts'
import type { Val } from './contracts/host.ts'
import { defaultMarketConfig } from './contracts/market/defaults.ts'
import { priceTag } from './contracts/price-oracle.ts'
import { assetContract } from './contracts/token.ts'

/** The key pairs that exist from the first ledger. */
export interface Identities {
  /** The network's root account. Friendbot pays from it. */
  readonly root: Identity
  readonly admin: Identity
  readonly usdcIssuer: Identity
  readonly lpIssuer: Identity
  readonly publisher: Identity
  readonly keeper: Identity
  readonly liquidityProviders: readonly Identity[]
  readonly traders: readonly Identity[]
  /** Leaders of trader vaults, and depositors in them. */
  readonly vaultLeaders: readonly Identity[]
  readonly vaultDepositors: readonly Identity[]
  /** Funded accounts for users of the local network. Their secrets are public. */
  readonly users: readonly Identity[]
}

/** A network that can be started. */
export interface LocalGenesis {
  readonly setup: Setup
  readonly identities: Identities
  readonly deployment: Deployment
  readonly genesis: Genesis
}

/** All of these traders have accounts from genesis, so that a later start can use more traders. */
export const MAX_TRADERS = 100

const VAULT_LEADERS = 2
const VAULT_DEPOSITORS = 2

const USERS = ['alice', 'bob', 'carol'] as const

const STROOPS = 10_000_000n

/** Balances in whole XLM, enough to pay fees for years. */
const ROOT_XLM = 50_000_000_000n
const ACTOR_XLM = 50_000_000n
const USER_XLM = 10_000n

/** Balances in whole USDC. A trader pays a few thousand in fees per day. */
const TRADER_USDC = 50_000_000n
const PROVIDER_USDC = 500_000_000n
const USER_USDC = 100_000n
/**
 * The market pays funding that it does not collect (what payers pay goes to the vault), so its collateral balance shrinks. This float keeps the network
 * solvent for months.
 */
const MARKET_FLOAT_USDC = 1_000_000n
/** LP tokens that the vault pays out to depositors. */
const LP_INVENTORY = 100_000_000_000n

/** The first deposit of each liquidity provider, in 7-decimal USDC. Together they are the market's capacity. */
export const FIRST_DEPOSITS: readonly bigint[] = [20_000_000n, 10_000_000n, 5_000_000n].map((usdc) => usdc * ONE_E7)

const LP_FEE_BPS = 30

/** The identities of the network with this passphrase. */
export function createIdentities(networkPassphrase: string, traders: number): Identities {
  assert(Number.isInteger(traders) && traders >= 0 && traders <= MAX_TRADERS, `between 0 and ${MAX_TRADERS} traders`)
  const one = (role: string): Identity => createIdentity(networkPassphrase, role)
  const many = (role: string, count: number): Identity[] => Array.from({ length: count }, (_, index) => one(`${role}-${index + 1}`))
  return {
    root: one(''),
    admin: one('admin'),
    usdcIssuer: one('usdc-issuer'),
    lpIssuer: one('lp-issuer'),
    publisher: one('publisher'),
    keeper: one('keeper'),
    liquidityProviders: many('liquidity-provider', FIRST_DEPOSITS.length),
    traders: many('trader', traders),
    vaultLeaders: many('vault-leader', VAULT_LEADERS),
    vaultDepositors: many('vault-depositor', VAULT_DEPOSITORS),
    users: USERS.map(one),
  }
}

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

/** Builds the genesis state. `prices` are the oracle's first prices, attested at `timeSec`. */
export function createGenesis(options: {
  networkPassphrase: string
  traders: number
  prices: ReadonlyMap<string, bigint>
  timeSec: number
  setup?: Setup
}): LocalGenesis {
  const { networkPassphrase, setup = FIRST_SETUP } = options
  const identities = createIdentities(networkPassphrase, options.traders)
  const deployment = createDeployment(networkPassphrase, identities, setup)
  const everyTrader = createIdentities(networkPassphrase, MAX_TRADERS).traders
  const genesis: Genesis = {
    label: setupLabel(setup),
    contracts: contracts(networkPassphrase, deployment),
    uploads: allBuilds(),
    accounts: accounts(identities, everyTrader),
    trustlines: trustlines(identities, everyTrader, deployment),
    calls: calls(identities, deployment, options),
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

function contracts(networkPassphrase: string, deployment: Deployment): readonly GenesisContract[] {
  return [
    { address: Asset.native().contractId(networkPassphrase), code: assetContract('native') },
    { address: deployment.usdcToken, code: assetContract(deployment.usdcAsset) },
    { address: deployment.lpToken, code: assetContract(deployment.lpAsset) },
    { address: deployment.oracle, code: build('oracle', '1') },
    { address: deployment.oracleShim, code: build('oracleShim', '1') },
    { address: deployment.vault, code: build('vault', '1') },
    { address: deployment.market, code: build('market', '1') },
    { address: deployment.router, code: build('router', '1') },
    { address: deployment.vaultFactory, code: build('vaultFactory', '1') },
    { address: deployment.referral, code: build('referral', '1') },
  ]
}

function accounts(identities: Identities, traders: readonly Identity[]): Genesis['accounts'] {
  const actors = [
    identities.admin, identities.usdcIssuer, identities.lpIssuer, identities.publisher, identities.keeper, ...identities.liquidityProviders, ...traders,
    ...identities.vaultLeaders, ...identities.vaultDepositors,
  ]
  return [
    { address: identities.root.address, balance: ROOT_XLM * STROOPS },
    ...actors.map((actor) => ({ address: actor.address, balance: ACTOR_XLM * STROOPS })),
    ...identities.users.map((user) => ({ address: user.address, balance: USER_XLM * STROOPS })),
  ]
}

function trustlines(identities: Identities, traders: readonly Identity[], { usdcAsset, lpAsset }: Deployment): Genesis['trustlines'] {
  const line = (asset: string, whole: bigint) => (holder: Identity) => ({ account: holder.address, asset, balance: whole * ONE_E7 })
  return [
    line(usdcAsset, 0n)(identities.keeper),
    ...identities.liquidityProviders.map(line(usdcAsset, PROVIDER_USDC)),
    ...identities.liquidityProviders.map(line(lpAsset, 0n)),
    ...[...traders, ...identities.vaultLeaders, ...identities.vaultDepositors].map(line(usdcAsset, TRADER_USDC)),
    ...identities.users.map(line(usdcAsset, USER_USDC)),
  ]
}

/** The calls that set up the deployment, in order. */
function calls(
  identities: Identities,
  deployment: Deployment,
  first: { readonly prices: ReadonlyMap<string, bigint>; readonly timeSec: number },
): Genesis['calls'] {
  const admin = address(identities.admin.address)
  const publisher = address(identities.publisher.address)
  const at = (contract: keyof Deployment): Val => address(deployment[contract])
  const call = (contract: keyof Deployment, functionName: string, ...args: Val[]): Genesis['calls'][number] => ({
    contract: deployment[contract],
    functionName,
    args,
  })
  const prices = [...first.prices].map(([asset, price]) =>
    struct({ price: i128(price), round_id: u64(0n), tag: bytes(priceTag(asset)), timestamp: u64(BigInt(first.timeSec)) }),
  )
  return [
    call('oracle', 'initialize', admin),
    call('oracle', 'set_publisher', publisher, bool(true)),
    call('oracle', 'set_publisher_key', bytes(identities.publisher.publicKey), bool(true)),
    call('oracle', 'write_prices', publisher, vec(...prices)),
    call('oracleShim', 'initialize', admin, at('oracle')),
    call('vault', 'initialize', admin, at('usdcToken'), at('lpToken'), at('market'), u32(LP_FEE_BPS), u32(LP_FEE_BPS)),
    call('lpToken', 'mint', at('vault'), i128(LP_INVENTORY * ONE_E7)),
    call('market', 'initialize', admin, at('oracleShim'), at('vault'), at('usdcToken'), defaultMarketConfig()),
    call('usdcToken', 'mint', at('market'), i128(MARKET_FLOAT_USDC * ONE_E7)),
    call('router', 'initialize', admin, at('market'), at('oracle')),
    call('vaultFactory', 'initialize', admin, at('market'), at('usdcToken')),
    call('referral', 'initialize', admin, at('market')),
  ]
}
