// The liquidity vault's storage, access checks and valuation.

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import type { ContractEnv, SpecType, Val } from '../host.ts'
import { symbol } from '../host.ts'
import { readInstanceAddress } from '../instance-storage.ts'
import { asBool, asI128, checked, type CodecRecord, fail, mulDiv, positivePart, storageKey, structCodec } from '../values.ts'

const NOT_INITIALIZED = 1
export const ALREADY_INITIALIZED = 2
const PAUSED = 4
export const INVALID_PARAMETER = 5
export const OVERFLOW = 6
export const DIVISION_BY_ZERO = 7
export const INSUFFICIENT_LIQUIDITY = 40
export const INVALID_AMOUNT = 41
export const INSUFFICIENT_BALANCE = 42
export const DEPOSIT_CAP_EXCEEDED = 43
export const OPEN_INTEREST_CAP_EXCEEDED = 82

/** Upper bound of the deposit and withdrawal fees. */
export const FEE_MAX_BPS = 1000
/** The fees that the views report before initialization. */
export const DEFAULT_FEE_BPS = 30
export const CAP_MAX_BPS = 10_000
/** Default caps as shares of AUM: reserved payouts, and open interest of one side of an asset. */
export const DEFAULT_RESERVE_CAP_BPS = 7000
export const DEFAULT_ASSET_CAP_BPS = 2500

/** Instance keys. */
export const KEYS = {
  admin: storageKey('Admin'),
  market: storageKey('Market'),
  usdc: storageKey('UsdcToken'),
  lpToken: storageKey('LpToken'),
  depositFeeBps: storageKey('DepositFeeBps'),
  withdrawFeeBps: storageKey('WithdrawFeeBps'),
  reserveCapBps: storageKey('ReserveCapBps'),
  readDepositCap: storageKey('DepositCap'),
  paused: storageKey('Paused'),
} as const

const POOL_KEY = storageKey('Pool')

/** The pool's totals. `total_lp` is the circulating supply; `unrealized_pnl` is the traders', so positive means a debt of the pool. */
const POOL = structCodec({
  buffer: 'i128', reserved: 'i128', shortfall: 'i128', total_fees: 'i128', total_lp: 'i128', total_usdc: 'i128', unrealized_pnl: 'i128',
})

export type Pool = CodecRecord<typeof POOL>

const EMPTY_POOL: Pool = {
  buffer: 0n, reserved: 0n, shortfall: 0n, total_fees: 0n, total_lp: 0n, total_usdc: 0n, unrealized_pnl: 0n,
}

export function readPool(env: ContractEnv): Pool {
  const stored = env.get('persistent', POOL_KEY)
  return stored === undefined ? EMPTY_POOL : POOL.fromVal(stored)
}

export function writePool(env: ContractEnv, pool: Pool): void {
  env.set('persistent', POOL_KEY, POOL.toVal(pool))
}

/** The fields of PoolInfo, with the names of the contract's interface. */
export const POOL_INFO: readonly (readonly [name: string, type: SpecType])[] = [
  ['aum', 'i128'], ['total_fees', 'i128'], ['total_glp', 'i128'], ['total_usdc', 'i128'], ['unrealized_pnl', 'i128'],
]

/** Assets under management: the value that LP tokens are shares of. */
export function aumOf(pool: Pick<Pool, 'total_usdc' | 'total_fees' | 'unrealized_pnl'>): bigint {
  return positivePart(checked(pool.total_usdc + pool.total_fees - pool.unrealized_pnl))
}

/** The price of one LP token, 7 decimals. Fails with 6 on overflow. */
export function lpPriceOf(pool: Pick<Pool, 'total_usdc' | 'total_fees' | 'unrealized_pnl' | 'total_lp'>): bigint {
  return pool.total_lp === 0n ? ONE_E7 : mulDiv(aumOf(pool), ONE_E7, pool.total_lp, OVERFLOW)
}

/** Fails with 1 before initialization. */
export function requireInitialized(env: ContractEnv): void {
  if (env.get('instance', KEYS.admin) === undefined) fail(NOT_INITIALIZED)
}

/** Fails with 1 before initialization, with 4 while deposits and withdrawals are paused. */
export function requireActive(env: ContractEnv): void {
  requireInitialized(env)
  if (isPaused(env)) fail(PAUSED)
}

export function requireAdmin(env: ContractEnv): void {
  env.requireAuth(readAddress(env, KEYS.admin))
}

export function requireMarket(env: ContractEnv): void {
  env.requireAuth(readAddress(env, KEYS.market))
}

export function readAddress(env: ContractEnv, key: Val): string {
  return readInstanceAddress(env, key, NOT_INITIALIZED)
}

export function isPaused(env: ContractEnv): boolean {
  const stored = env.get('instance', KEYS.paused)
  return stored !== undefined && asBool(stored)
}

/** The cap on the cumulative deposits of one account; 0 means no cap. */
export function depositCap(env: ContractEnv): bigint {
  const stored = env.get('instance', KEYS.readDepositCap)
  return stored === undefined ? 0n : asI128(stored)
}

export const assetUnrealizedPnlKey = (asset: string): Val => storageKey('AssetUnrealizedPnl', symbol(asset))
export const assetCapKey = (asset: string): Val => storageKey('AssetCapBps', symbol(asset))
export const depositedKey = (depositor: Val): Val => storageKey('Deposited', depositor)
