// Test support: the exchange's contracts on the host in memory, initialised, with liquidity and funded traders.

import type { Val } from './host.ts'
import { address, bool, bytes, i128, struct, symbol, u32, u64, vec } from './host.ts'
import { liquidityVaultContract } from './liquidity-vault.ts'
import { defaultMarketConfig } from './market/defaults.ts'
import { marketContract } from './market/market.ts'
import { priceOracleContract, priceTag } from './price-oracle.ts'
import { priceShimContract } from './price-shim.ts'
import { referralContract } from './referral.ts'
import { routerContract } from './router.ts'
import { createTestHost, type Outcome, plain, plainEvent, type TestHost } from './test-host.ts'
import { assetContract } from './token.ts'
import { traderVaultsContract } from './trader-vaults.ts'

export const P = 10_000_000n

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
const EVERYONE = [ADMIN, ISSUER, ...ACCOUNTS]

/** What an open asks for, with defaults: 100 USDC, 10x, long, BTC. */
export interface OpenOptions {
  readonly asset?: string
  readonly collateral?: bigint
  readonly leverage?: number
  readonly direction?: number
}

export interface TestExchange {
  readonly host: TestHost
  /** Writes the price, `ageSec` old. */
  setPrice(asset: string, price: bigint, ageSec?: bigint): void
  advance(seconds: bigint): void
  /** A call to the market by everyone who could sign it: `ok` or the error. */
  try(functionName: string, args: readonly Val[], signers?: readonly string[]): string
  /** A call to the market that must succeed. */
  must(functionName: string, args: readonly Val[]): Extract<Outcome, { ok: true }>
  open(trader: string, options?: OpenOptions, functionName?: string): bigint
  close(trader: string, id: bigint): Extract<Outcome, { ok: true }>
  /** USDC of an account or contract. */
  usdc(holder: string): bigint
  vaultView(functionName: string, ...args: readonly Val[]): unknown
  /** A persistent entry of the market, without types. */
  stored(key: Val): unknown
  position(id: bigint): Record<string, unknown>
}

export const openArgs = (trader: string, options: OpenOptions = {}): Val[] => [
  address(trader),
  symbol(options.asset ?? 'BTC'),
  i128(options.collateral ?? 100n * P),
  u32(options.leverage ?? 10),
  u32(options.direction ?? 0),
]

/** Contracts at their test addresses, nothing initialised. */
export function bareExchange(): TestHost {
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

/** The exchange with this much liquidity (USDC units), BTC and ETH priced, each account holding 1,000,000 USDC. */
export function createTestExchange(liquidity: bigint = 1_000_000n * P, config: Val = defaultMarketConfig()): TestExchange {
  const host = bareExchange()
  for (const account of ACCOUNTS) {
    host.grant(account, USDC_ASSET, 1_000_000n * P)
    host.grant(account, LP_ASSET, 0n)
  }
  host.must(ORACLE, 'initialize', [address(ADMIN)], [ADMIN])
  host.must(ORACLE, 'set_publisher', [address(ADMIN), bool(true)], [ADMIN])
  host.must(SHIM, 'initialize', [address(ADMIN), address(ORACLE)], [ADMIN])
  host.must(VAULT, 'initialize', [address(ADMIN), address(USDC), address(LP), address(MARKET), u32(30), u32(30)], [ADMIN])
  host.must(MARKET, 'initialize', [address(ADMIN), address(SHIM), address(VAULT), address(USDC), config], [ADMIN])
  host.must(FACTORY, 'initialize', [address(ADMIN), address(MARKET), address(USDC)], [ADMIN])
  host.must(REFERRAL, 'initialize', [address(ADMIN), address(MARKET)], [ADMIN])
  host.must(LP, 'mint', [address(VAULT), i128(100_000_000n * P)], [ISSUER])
  if (liquidity > 0n) host.must(VAULT, 'deposit', [address(PROVIDER), i128(liquidity)], [PROVIDER])

  const exchange: TestExchange = {
    host,
    setPrice(asset, price, ageSec = 0n) {
      const timestamp = host.ledger.timestampSec - ageSec
      const update = struct({ price: i128(price), round_id: u64(1n), tag: bytes(priceTag(asset)), timestamp: u64(timestamp) })
      host.must(ORACLE, 'write_prices', [address(ADMIN), vec(update)], [ADMIN])
    },
    advance(seconds) {
      host.ledger.timestampSec += seconds
      host.ledger.sequence += 1
    },
    try(functionName, args, signers = EVERYONE) {
      const outcome = host.invoke(MARKET, functionName, args, signers)
      return outcome.ok ? 'ok' : outcome.error
    },
    must: (functionName, args) => host.must(MARKET, functionName, args, EVERYONE),
    open(trader, options = {}, functionName = 'open_position') {
      const { value } = host.must(MARKET, functionName, openArgs(trader, options), [trader])
      return (plain(value) as { id: bigint }).id
    },
    close: (trader, id) => host.must(MARKET, 'close_position', [address(trader), u64(id)], [trader]),
    usdc: (holder) => plain(host.must(USDC, 'balance', [address(holder)]).value) as bigint,
    vaultView: (functionName, ...args) => plain(host.must(VAULT, functionName, args).value),
    stored: (key) => plain(host.entry(MARKET, 'persistent', key)),
    position: (id) => plain(host.must(MARKET, 'get_position', [u64(id)]).value) as Record<string, unknown>,
  }
  exchange.setPrice('BTC', 50_000n * P)
  exchange.setPrice('ETH', 2_000n * P)
  return exchange
}

/** The exchange's own events of a call (tokens left out): topics and data without types. */
export function eventsOf(outcome: Extract<Outcome, { ok: true }>): readonly (readonly [string, unknown])[] {
  return outcome.events
    .filter((event) => event.contract === MARKET || event.contract === VAULT)
    .map((event) => {
      const [, topics, data] = plainEvent(event)
      return [topics.join(' '), data] as const
    })
}

/** The same by topic alone. */
export function topicsOf(outcome: Extract<Outcome, { ok: true }>): readonly string[] {
  return eventsOf(outcome).map(([topic]) => topic)
}

export const contractError = (code: number): string => `Error(Contract, #${code})`
