// The calls that set up the exchange's contracts, by generation.

import { ONE_E7 } from '../src/base/fixed-point.ts'
import type { Deployment } from './actors/exchange-state.ts'
import { publishedSymbols } from './assets.ts'
import type { Genesis } from './chain.ts'
import { ASSET_RISKS, DEFAULT_MARKET_CONFIG } from './contracts/generation-2/market/defaults.ts'
import { ASSET_RISK, MARKET_CONFIG } from './contracts/generation-2/market/types.ts'
import { address, bool, bytes, i128, struct, symbol, u32, u64, vec } from './contracts/shared/host.ts'
import type { Val } from './contracts/shared/host.ts'
import { defaultMarketConfig } from './contracts/shared/market/defaults.ts'
import { priceTag } from './contracts/shared/price-oracle.ts'
import type { Identities } from './identities.ts'
import type { LocalGeneration } from './setup.ts'

/**
 * The market of generation 1 pays funding that it does not collect (what payers pay goes to the vault), so its collateral balance shrinks. This float
 * keeps the network solvent for months.
 */
const MARKET_FLOAT_USDC = 1_000_000n
/** LP tokens that the vault pays out to depositors. */
const LP_INVENTORY = 100_000_000_000n

const LP_FEE_BPS = 30
/** The share of the trading fees that goes to the protocol, in generation 2. */
const PROTOCOL_FEE_BPS = 2_000

type Call = Genesis['calls'][number]

export interface FirstState {
  /** False: the assets have no limits of their own, as before the admin sets the first ones. Generation 2. */
  readonly hasAssetLimits?: boolean

  readonly prices: ReadonlyMap<string, bigint>
  /** Time at which they are attested. */
  readonly timeSec: number
}

/** The calls that set up a deployment, in order. */
export function genesisCalls(generation: LocalGeneration, identities: Identities, deployment: Deployment, first: FirstState): readonly Call[] {
  const { hasAssetLimits = true } = first
  const admin = address(identities.admin.address)
  const at = (contract: keyof Deployment): Val => address(deployment[contract])
  const call = (contract: keyof Deployment, functionName: string, ...args: Val[]): Call => ({ contract: deployment[contract], functionName, args })
  const config = generation === '1' ? defaultMarketConfig() : MARKET_CONFIG.toVal(DEFAULT_MARKET_CONFIG)
  return [
    ...oracleCalls(generation, identities, call, first),
    call('oracleShim', 'initialize', admin, at('oracle')),
    call('vault', 'initialize', admin, at('usdcToken'), at('lpToken'), at('market'), u32(LP_FEE_BPS), u32(LP_FEE_BPS)),
    call('lpToken', 'mint', at('vault'), i128(LP_INVENTORY * ONE_E7)),
    call('market', 'initialize', admin, at('oracleShim'), at('vault'), at('usdcToken'), config),
    call('router', 'initialize', admin, at('market'), at('oracle')),
    call('vaultFactory', 'initialize', admin, at('market'), at('usdcToken')),
    ...(generation === '1'
      ? [
          call('usdcToken', 'mint', at('market'), i128(MARKET_FLOAT_USDC * ONE_E7)),
          call('referral', 'initialize', admin, at('market')),
        ]
      : [
          call('referral', 'initialize', admin, at('market'), at('usdcToken')),
          // As in the live deployment: everybody can create a code.
          call('referral', 'set_min_code_volume', i128(0n)),
          call('market', 'set_referral', at('referral')),
          call('market', 'set_fee_split', address(identities.treasury.address), u32(PROTOCOL_FEE_BPS)),
          ...(hasAssetLimits ? [...ASSET_RISKS] : []).map(([asset, risk]) => call('market', 'set_asset_risk', symbol(asset), ASSET_RISK.toVal(risk))),
        ]),
  ]
}

function oracleCalls(
  generation: LocalGeneration,
  { admin, publisher }: Identities,
  call: (contract: 'oracle', functionName: string, ...args: Val[]) => Call,
  { prices, timeSec }: FirstState,
): readonly Call[] {
  const updates = publishedSymbols(generation).map((asset) => [asset, prices.get(asset) ?? 0n] as const).map(([asset, price]) =>
    struct({ price: i128(price), round_id: u64(0n), tag: bytes(priceTag(asset)), timestamp: u64(BigInt(timeSec)) }),
  )
  return [
    call('oracle', 'initialize', address(admin.address)),
    call('oracle', 'set_publisher', address(publisher.address), bool(true)),
    call('oracle', 'set_publisher_key', bytes(publisher.publicKey), bool(true)),
    call('oracle', 'write_prices', address(publisher.address), vec(...updates)),
  ]
}
