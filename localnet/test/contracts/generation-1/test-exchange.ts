// Test support: the exchange's contracts on the in-memory host, initialized, with liquidity and funded traders.

import type { Val } from '../../../contracts/shared/host.ts'
import { address, bool, bytes, i128, struct, symbol, u32, u64, vec } from '../../../contracts/shared/host.ts'
import { liquidityVaultContract } from '../../../contracts/generation-1/liquidity-vault.ts'
import { defaultMarketConfig } from '../../../contracts/shared/market/defaults.ts'
import { marketContract } from '../../../contracts/generation-1/market/market.ts'
import { priceOracleContract, priceTag } from '../../../contracts/shared/price-oracle.ts'
import { priceShimContract } from '../../../contracts/shared/price-shim.ts'
import { referralContract } from '../../../contracts/shared/referral.ts'
import { routerContract } from '../../../contracts/shared/router.ts'
import { createTestHost, type InvokeSuccess, type TestHost, toNative, toNativeEvent } from '../test-host.ts'
import { assetContract } from '../../../contracts/shared/token.ts'
import { traderVaultsContract } from '../../../contracts/shared/trader-vaults.ts'

/** 1.0 in 7-decimal fixed point. */
export const E7 = 10_000_000n

export const MARKET = 'CMARKET'
export const VAULT = 'CVAULT'
export const SHIM = 'CSHIM'
export const ORACLE = 'CORACLE'
export const USDC = 'CUSDC'
export const LP = 'CLP'
export const ROUTER = 'CROUTER'
export const FACTORY = 'CFACTORY'
export const REFERRAL = 'CREFERRAL'

export const ADMIN = 'GADMIN'
export const ISSUER = 'GISSUER'
export const PROVIDER = 'GPROVIDER'
export const ALICE = 'GALICE'
export const BOB = 'GBOB'
export const KEEPER = 'GKEEPER'

export const USDC_ASSET = `USDC:${ISSUER}`
export const LP_ASSET = `NOE:${ISSUER}`

const ACCOUNTS = [PROVIDER, ALICE, BOB, KEEPER]
const ALL_SIGNERS = [ADMIN, ISSUER, ...ACCOUNTS]

/** Terms of a position. Defaults: 100 USDC, 10x, long, BTC. */
export interface OpenOptions {
  readonly asset?: string
  readonly collateral?: bigint
  readonly leverage?: number
  readonly direction?: number
}

export interface TestExchange {
  readonly host: TestHost
  /** Writes a price attested `ageSec` ago. */
  setPrice(asset: string, price: bigint, ageSec?: bigint): void
  advance(seconds: bigint): void
  /** Calls the market, signed by all accounts by default. Returns `ok` or the error. */
  tryInvoke(functionName: string, args: readonly Val[], signers?: readonly string[]): string
  /** Calls the market, signed by all accounts. Throws if the call fails. */
  invokeOk(functionName: string, args: readonly Val[]): InvokeSuccess
  open(trader: string, options?: OpenOptions, functionName?: string): bigint
  close(trader: string, id: bigint): InvokeSuccess
  /** USDC balance of an account or contract. */
  usdc(holder: string): bigint
  vaultView(functionName: string, ...args: readonly Val[]): unknown
  /** A persistent entry of the market in native types. */
  stored(key: Val): unknown
  position(id: bigint): Record<string, unknown>
  order(id: bigint): Record<string, unknown>
  pendingOrderIds(): unknown
  /** `execute_order` by the keeper. */
  executeOrder(id: bigint): InvokeSuccess
  tryExecuteOrder(id: bigint): string
}

export const openArgs = (trader: string, options: OpenOptions = {}): Val[] => [
  address(trader),
  symbol(options.asset ?? 'BTC'),
  i128(options.collateral ?? 100n * E7),
  u32(options.leverage ?? 10),
  u32(options.direction ?? 0),
]

/** Terms of an entry order. Defaults: a long limit order of 100 USDC at 10x, triggered at 49,000 or below, 1 % slippage. */
export interface LimitOrderOptions extends OpenOptions {
  readonly trader?: string
  readonly trigger?: bigint
  readonly limit?: bigint
  readonly above?: boolean
  readonly slippageBps?: number
  readonly timeInForce?: number
}

export function limitOrderArgs(options: LimitOrderOptions = {}): Val[] {
  const { trader = ALICE, asset = 'BTC', direction = 0, collateral = 100n * E7, leverage = 10 } = options
  const { trigger = 49_000n * E7, above = false, slippageBps = 100, timeInForce = 0 } = options
  return [
    address(trader), symbol(asset), u32(direction), i128(collateral), u32(leverage), i128(trigger), bool(above), u32(slippageBps), u32(timeInForce),
  ]
}

/** A stop-limit order, by default armed at 51,000 or above with a limit of 50,800. */
export function stopLimitOrderArgs(options: LimitOrderOptions = {}): Val[] {
  const args = limitOrderArgs({ trigger: 51_000n * E7, above: true, ...options })
  return [...args.slice(0, 6), i128(options.limit ?? 50_800n * E7), ...args.slice(6)]
}

/** A host with the contracts at their test addresses, uninitialized. */
export function createUninitializedHost(): TestHost {
  return createTestHost({
    [MARKET]: marketContract(),
    [VAULT]: liquidityVaultContract(),
    [SHIM]: priceShimContract(),
    [ORACLE]: priceOracleContract(),
    [USDC]: assetContract(USDC_ASSET),
    [LP]: assetContract(LP_ASSET),
    [ROUTER]: routerContract(),
    [FACTORY]: traderVaultsContract(),
    [REFERRAL]: referralContract(),
  })
}

/** The exchange with this liquidity, prices for BTC and ETH, and 1,000,000 USDC per account. */
export function createTestExchange(liquidity: bigint = 1_000_000n * E7, config: Val = defaultMarketConfig()): TestExchange {
  const host = createUninitializedHost()
  for (const account of ACCOUNTS) {
    host.fund(account, USDC_ASSET, 1_000_000n * E7)
    host.fund(account, LP_ASSET, 0n)
  }
  host.invokeOk(ORACLE, 'initialize', [address(ADMIN)], [ADMIN])
  host.invokeOk(ORACLE, 'set_publisher', [address(ADMIN), bool(true)], [ADMIN])
  host.invokeOk(SHIM, 'initialize', [address(ADMIN), address(ORACLE)], [ADMIN])
  host.invokeOk(VAULT, 'initialize', [address(ADMIN), address(USDC), address(LP), address(MARKET), u32(30), u32(30)], [ADMIN])
  host.invokeOk(MARKET, 'initialize', [address(ADMIN), address(SHIM), address(VAULT), address(USDC), config], [ADMIN])
  host.invokeOk(FACTORY, 'initialize', [address(ADMIN), address(MARKET), address(USDC)], [ADMIN])
  host.invokeOk(REFERRAL, 'initialize', [address(ADMIN), address(MARKET)], [ADMIN])
  host.invokeOk(LP, 'mint', [address(VAULT), i128(100_000_000n * E7)], [ISSUER])
  if (liquidity > 0n) host.invokeOk(VAULT, 'deposit', [address(PROVIDER), i128(liquidity)], [PROVIDER])

  const exchange: TestExchange = {
    host,
    setPrice(asset, price, ageSec = 0n) {
      const timestamp = host.ledger.timestampSec - ageSec
      const update = struct({ price: i128(price), round_id: u64(1n), tag: bytes(priceTag(asset)), timestamp: u64(timestamp) })
      host.invokeOk(ORACLE, 'write_prices', [address(ADMIN), vec(update)], [ADMIN])
    },
    advance(seconds) {
      host.ledger.timestampSec += seconds
      host.ledger.sequence += 1
    },
    tryInvoke: (functionName, args, signers = ALL_SIGNERS) => host.tryInvoke(MARKET, functionName, args, signers),
    invokeOk: (functionName, args) => host.invokeOk(MARKET, functionName, args, ALL_SIGNERS),
    open(trader, options = {}, functionName = 'open_position') {
      const { value } = host.invokeOk(MARKET, functionName, openArgs(trader, options), [trader])
      return (toNative(value) as { id: bigint }).id
    },
    close: (trader, id) => host.invokeOk(MARKET, 'close_position', [address(trader), u64(id)], [trader]),
    usdc: (holder) => toNative(host.invokeOk(USDC, 'balance', [address(holder)]).value) as bigint,
    vaultView: (functionName, ...args) => toNative(host.invokeOk(VAULT, functionName, args).value),
    stored: (key) => toNative(host.readEntry(MARKET, 'persistent', key)),
    position: (id) => toNative(host.invokeOk(MARKET, 'get_position', [u64(id)]).value) as Record<string, unknown>,
    order: (id) => toNative(host.invokeOk(MARKET, 'get_order', [u64(id)]).value) as Record<string, unknown>,
    pendingOrderIds: () => toNative(host.invokeOk(MARKET, 'get_all_order_ids', []).value),
    executeOrder: (id) => exchange.invokeOk('execute_order', [address(KEEPER), u64(id)]),
    tryExecuteOrder: (id) => exchange.tryInvoke('execute_order', [address(KEEPER), u64(id)]),
  }
  exchange.setPrice('BTC', 50_000n * E7)
  exchange.setPrice('ETH', 2_000n * E7)
  return exchange
}

/** The events of market and vault in a call: joined topics and data in native types. */
export function eventsOf(result: InvokeSuccess): readonly (readonly [string, unknown])[] {
  return result.events
    .filter((event) => event.contract === MARKET || event.contract === VAULT)
    .map((event) => {
      const [, topics, data] = toNativeEvent(event)
      return [topics.join(' '), data] as const
    })
}

/** The joined topics of the events of market and vault in a call. */
export function topicsOf(result: InvokeSuccess): readonly string[] {
  return eventsOf(result).map(([topic]) => topic)
}

/** The error of a call that a required signer did not sign. */
export const UNAUTHORIZED = 'Error(Auth, InvalidAction)'

/** The error of a contract that panics, as on an overflow that has no code. */
export const TRAP = 'Error(WasmVm, InvalidAction)'

export const contractError = (code: number): string => `Error(Contract, #${code})`
