// Test support: the exchange's contracts of generation 2 on the in-memory host, initialized, with liquidity, risk parameters and funded traders.

import { liquidityVaultContract } from '../../../contracts/generation-2/liquidity-vault/liquidity-vault.ts'
import type { ContractCode, Val } from '../../../contracts/shared/host.ts'
import { address, bool, bytes, i128, struct, symbol, u32, u64, vec } from '../../../contracts/shared/host.ts'
import { priceTag } from '../../../contracts/shared/price-oracle.ts'
import {
  ADMIN, ALICE, BOB, E7, FACTORY, ISSUER, KEEPER, LP, LP_ASSET, MARKET, openArgs as basicOpenArgs, type OpenOptions as BasicOpenOptions,
  ORACLE, PROVIDER, REFERRAL, ROUTER,
  SHIM, USDC, USDC_ASSET, VAULT,
} from '../generation-1/test-exchange.ts'
import { createTestHost, type InvokeSuccess, type TestHost, toNative } from '../test-host.ts'
import { assetContract } from '../../../contracts/shared/token.ts'
import { type Generation2Build, isSince } from '../../../contracts/generation-2/build.ts'
import { ASSET_RISKS, DEFAULT_MARKET_CONFIG } from '../../../contracts/generation-2/market/defaults.ts'
import { marketContract } from '../../../contracts/generation-2/market/market.ts'
import { ASSET_RISK, type AssetRisk, MARKET_CONFIG, type MarketConfig } from '../../../contracts/generation-2/market/types.ts'
import { priceOracleContract } from '../../../contracts/generation-2/price-oracle.ts'
import { priceShimContract } from '../../../contracts/generation-2/price-shim.ts'
import { referralContract } from '../../../contracts/generation-2/referral.ts'
import { routerContract } from '../../../contracts/generation-2/router.ts'
import { traderVaultsContract } from '../../../contracts/generation-2/trader-vaults/trader-vaults.ts'

/** The protocol's treasury. */
export const TREASURY = 'GTREASURY'

const ACCOUNTS = [PROVIDER, ALICE, BOB, KEEPER, TREASURY]
const ALL_SIGNERS = [ADMIN, ISSUER, ...ACCOUNTS]

/** For how long the last good price limits later prices. */
export const LAST_GOOD_SEC = 600n
const TWAP_RECORDS = 4

/** The share of fees that goes to the protocol. */
const PROTOCOL_FEE_BPS = 2000

export interface OpenOptions extends BasicOpenOptions {
  /** The worst acceptable price; default 0, no bound. */
  readonly bound?: bigint
}

export interface TestExchange {
  readonly host: TestHost
  readonly build: Generation2Build
  /** Writes a price attested `ageSec` ago. */
  setPrice(asset: string, price: bigint, ageSec?: bigint): void
  advance(seconds: bigint): void
  /** Moves the price, long enough after the last one for reads not to be clamped, and often enough for the average to follow. */
  movePrice(asset: string, price: bigint): void
  /** Calls the market, signed by all accounts by default. Returns `ok` or the error. */
  tryInvoke(functionName: string, args: readonly Val[], signers?: readonly string[]): string
  /** Calls the market, signed by all accounts. Throws if the call fails. */
  invokeOk(functionName: string, args: readonly Val[]): InvokeSuccess
  open(trader: string, options?: OpenOptions, functionName?: string): bigint
  close(trader: string, id: bigint): InvokeSuccess
  /** USDC balance of an account or contract. */
  usdc(holder: string): bigint
  vaultView(functionName: string, ...args: readonly Val[]): unknown
  view(functionName: string, ...args: readonly Val[]): unknown
  /** A persistent entry of the market in native types. */
  stored(key: Val): unknown
  position(id: bigint): Record<string, unknown>
  order(id: bigint): Record<string, unknown>
  /** `execute_order` by the keeper. */
  executeOrder(id: bigint): InvokeSuccess
  tryExecuteOrder(id: bigint): string
  setRisk(asset: string, change: Partial<AssetRisk>): void
  /** Adds USDC to the vault's buffer. */
  seedBuffer(amount: bigint): void
}

export const openArgs = (trader: string, options: OpenOptions = {}): Val[] => [...basicOpenArgs(trader, options), i128(options.bound ?? 0n)]

export const closeArgs = (trader: string, id: bigint, bound = 0n): Val[] => [address(trader), u64(id), i128(bound)]

export interface ExchangeOptions {
  readonly build?: Generation2Build
  readonly liquidity?: bigint
  readonly config?: Partial<MarketConfig>
  /** True for the settings of the live deployment: risk parameters, fee split, no minimum volume for a referral code. */
  readonly configured?: boolean
}

/** The contracts of a build by their test addresses. */
export function contractsOf(build: Generation2Build): Readonly<Record<string, ContractCode>> {
  return {
    [MARKET]: marketContract(build),
    [VAULT]: liquidityVaultContract(build),
    [SHIM]: priceShimContract(),
    [ORACLE]: priceOracleContract(),
    [USDC]: assetContract(USDC_ASSET),
    [LP]: assetContract(LP_ASSET),
    [ROUTER]: routerContract(),
    [FACTORY]: traderVaultsContract(build),
    [REFERRAL]: referralContract(),
  }
}

/** A host with the contracts of a build at their test addresses, uninitialized. */
export function createUninitializedHost(build: Generation2Build = '2.3', uploaded: ReadonlyMap<string, ContractCode> = new Map()): TestHost {
  return createTestHost(contractsOf(build), uploaded)
}

/** The exchange of a build, with prices for BTC and ETH, and 1,000,000 USDC per account. */
export function createTestExchange(options: ExchangeOptions = {}, host: TestHost = createUninitializedHost(options.build)): TestExchange {
  const { build = '2.3', liquidity = 1_000_000n * E7, configured = true } = options
  initialize(host, { ...DEFAULT_MARKET_CONFIG, ...options.config })
  if (liquidity > 0n) deposit(host, build, liquidity)
  if (configured) configure(host)
  const exchange = createHandle(host, build)
  exchange.setPrice('BTC', 50_000n * E7)
  exchange.setPrice('ETH', 2_000n * E7)
  return exchange
}

function initialize(host: TestHost, config: MarketConfig): void {
  for (const account of ACCOUNTS) {
    host.fund(account, USDC_ASSET, 1_000_000n * E7)
    host.fund(account, LP_ASSET, 0n)
  }
  host.invokeOk(ORACLE, 'initialize', [address(ADMIN)], [ADMIN])
  host.invokeOk(ORACLE, 'set_publisher', [address(ADMIN), bool(true)], [ADMIN])
  host.invokeOk(SHIM, 'initialize', [address(ADMIN), address(ORACLE)], [ADMIN])
  host.invokeOk(VAULT, 'initialize', [address(ADMIN), address(USDC), address(LP), address(MARKET), u32(30), u32(30)], [ADMIN])
  host.invokeOk(
    MARKET, 'initialize', [address(ADMIN), address(SHIM), address(VAULT), address(USDC), MARKET_CONFIG.toVal(config)], [ADMIN],
  )
  host.invokeOk(FACTORY, 'initialize', [address(ADMIN), address(MARKET), address(USDC)], [ADMIN])
  host.invokeOk(REFERRAL, 'initialize', [address(ADMIN), address(MARKET), address(USDC)], [ADMIN])
  host.invokeOk(LP, 'mint', [address(VAULT), i128(100_000_000n * E7)], [ISSUER])
}

function deposit(host: TestHost, build: Generation2Build, liquidity: bigint): void {
  const minOut = isSince(build, '2.1') ? [i128(0n)] : []
  host.invokeOk(VAULT, 'deposit', [address(PROVIDER), i128(liquidity), ...minOut], [PROVIDER])
}

function configure(host: TestHost): void {
  for (const [asset, risk] of ASSET_RISKS) host.invokeOk(MARKET, 'set_asset_risk', [symbol(asset), ASSET_RISK.toVal(risk)], [ADMIN])
  host.invokeOk(MARKET, 'set_fee_split', [address(TREASURY), u32(PROTOCOL_FEE_BPS)], [ADMIN])
  host.invokeOk(REFERRAL, 'set_min_code_volume', [i128(0n)], [ADMIN])
}

function createHandle(host: TestHost, build: Generation2Build): TestExchange {
  const exchange: TestExchange = {
    host,
    build,
    setPrice(asset, price, ageSec = 0n) {
      const timestamp = host.ledger.timestampSec - ageSec
      const update = struct({ price: i128(price), round_id: u64(1n), tag: bytes(priceTag(asset)), timestamp: u64(timestamp) })
      host.invokeOk(ORACLE, 'write_prices', [address(ADMIN), vec(update)], [ADMIN])
    },
    advance(seconds) {
      host.ledger.timestampSec += seconds
      host.ledger.sequence += 1
    },
    movePrice(asset, price) {
      exchange.advance(LAST_GOOD_SEC + 1n)
      for (let record = 0; record < TWAP_RECORDS; record++) {
        exchange.advance(1n)
        exchange.setPrice(asset, price)
      }
    },
    tryInvoke: (functionName, args, signers = ALL_SIGNERS) => host.tryInvoke(MARKET, functionName, args, signers),
    invokeOk: (functionName, args) => host.invokeOk(MARKET, functionName, args, ALL_SIGNERS),
    open(trader, options = {}, functionName = 'open_position') {
      const { value } = host.invokeOk(MARKET, functionName, openArgs(trader, options), [trader])
      return (toNative(value) as { id: bigint }).id
    },
    close: (trader, id) => host.invokeOk(MARKET, 'close_position', closeArgs(trader, id), [trader]),
    usdc: (holder) => toNative(host.invokeOk(USDC, 'balance', [address(holder)]).value) as bigint,
    vaultView: (functionName, ...args) => toNative(host.invokeOk(VAULT, functionName, args).value),
    view: (functionName, ...args) => toNative(host.invokeOk(MARKET, functionName, args).value),
    stored: (key) => toNative(host.readEntry(MARKET, 'persistent', key)),
    position: (id) => toNative(host.invokeOk(MARKET, 'get_position', [u64(id)]).value) as Record<string, unknown>,
    order: (id) => toNative(host.invokeOk(MARKET, 'get_order', [u64(id)]).value) as Record<string, unknown>,
    executeOrder: (id) => exchange.invokeOk('execute_order', [address(KEEPER), u64(id)]),
    tryExecuteOrder: (id) => exchange.tryInvoke('execute_order', [address(KEEPER), u64(id)]),
    setRisk(asset, change) {
      const risk = { ...(ASSET_RISKS.get(asset) ?? ASSET_RISKS.get('BTC')), ...change } as AssetRisk
      host.invokeOk(MARKET, 'set_asset_risk', [symbol(asset), ASSET_RISK.toVal(risk)], [ADMIN])
    },
    seedBuffer(amount) {
      host.fund(PROVIDER, USDC_ASSET, amount)
      host.invokeOk(VAULT, 'seed_buffer', [address(PROVIDER), i128(amount)], [ADMIN, PROVIDER])
    },
  }
  return exchange
}

