// The liquidity vault's storage, access checks and valuation in generation 2.

import { address, bool, i128, symbol, u32 } from '../../shared/host.ts'
import type { ContractEnv, Val } from '../../shared/host.ts'
import { readInstanceAddress, readInstanceU32, readPersistentI128 } from '../../shared/instance-storage.ts'
import { aumOf } from '../../shared/liquidity-vault/pool.ts'
import { asBool, asI128, asU32, asU64, bpsOf, checked, fail, minOf, storageKey } from '../../shared/values.ts'
import { tokenBalance } from '../../shared/calls.ts'

/** Error codes that the vault raises. */
export const ERRORS = {
  NotInitialized: 1, AlreadyInitialized: 2, Paused: 4, InvalidParameter: 5, Overflow: 6, DivisionByZero: 7, InsufficientLiquidity: 40, InvalidAmount: 41,
  InsufficientBalance: 42, DepositCapExceeded: 43, InvalidSlippageTolerance: 66, OpenInterestCapExceeded: 82, SkewCapExceeded: 89,
  WithdrawCooldownActive: 93,
} as const

/** Upper bound of the deposit and withdrawal fees. */
export const FEE_MAX_BPS = 1000
export const BPS_MAX = 10_000
export const WITHDRAW_COOLDOWN_MAX_SEC = 86_400n

const DEFAULT_RESERVE_CAP_BPS = 7000
const DEFAULT_ASSET_CAP_BPS = 2500
const DEFAULT_SKEW_CAP_BPS = 1500
const DEFAULT_BUFFER_TARGET_BPS = 1000
const DEFAULT_SHORTFALL_INFLOW_BPS = 5000
const DEFAULT_WITHDRAW_COOLDOWN_SEC = 1800n
const DEFAULT_FEE_BPS = 30

/** Instance keys. */
export const KEYS = {
  admin: storageKey('Admin'),
  usdc: storageKey('UsdcToken'),
  lpToken: storageKey('NoeToken'),
  market: storageKey('MarketContract'),
  initialized: storageKey('Initialized'),
  paused: storageKey('Paused'),
  depositFeeBps: storageKey('DepositFeeBps'),
  withdrawFeeBps: storageKey('WithdrawFeeBps'),
  depositCap: storageKey('DepositCap'),
  aumCap: storageKey('AumCap'),
  withdrawCooldownSec: storageKey('WithdrawCooldownSecs'),
  bufferTargetBps: storageKey('BufferTargetBps'),
  shortfallInflowBps: storageKey('ShortfallInflowBps'),
  reserveCapBps: storageKey('ReserveCapBps'),
  recoveryAddress: storageKey('RecoveryAddress'),
  recoveryProposal: storageKey('RecoveryProposal'),
} as const

/** Persistent amounts. `shortfall` is what the vault owes to all traders, `shortfallReserve` the part that is set aside for it. */
export const AMOUNTS = {
  totalUsdc: storageKey('TotalUsdc'),
  totalFees: storageKey('TotalFees'),
  totalLp: storageKey('TotalNoeCirculating'),
  unrealizedPnl: storageKey('UnrealizedPnl'),
  reservedPayout: storageKey('ReservedPayout'),
  buffer: storageKey('BufferBalance'),
  shortfall: storageKey('Shortfall'),
  shortfallReserve: storageKey('ShortfallReserve'),
  cumShortfall: storageKey('CumShortfall'),
  cumShortfallRepaid: storageKey('CumShortfallRepaid'),
  cumBadDebtCovered: storageKey('CumBadDebtCovered'),
  cumBadDebtLpAbsorbed: storageKey('CumBadDebtLpAbsorbed'),
} as const

export const assetUnrealizedPnlKey = (asset: string): Val => storageKey('AssetUnrealizedPnl', symbol(asset))
export const assetCapKey = (asset: string): Val => storageKey('AssetCapBps', symbol(asset))
export const assetCapAbsKey = (asset: string): Val => storageKey('AssetCapAbs', symbol(asset))
export const skewCapKey = (asset: string): Val => storageKey('SkewCapBps', symbol(asset))
export const depositedKey = (account: string): Val => storageKey('Deposited', address(account))
export const lastDepositKey = (account: string): Val => storageKey('LastDepositTs', address(account))
export const shortfallOwedKey = (trader: string): Val => storageKey('ShortfallOwed', address(trader))

export function readAmount(env: ContractEnv, key: Val): bigint {
  return readPersistentI128(env, key)
}

/** Adds `delta`, which may be negative, and stores the sum even if it is the same: footprints do not depend on amounts. */
export function addAmount(env: ContractEnv, key: Val, delta: bigint): bigint {
  const sum = checked(readAmount(env, key) + delta)
  env.set('persistent', key, i128(sum))
  return sum
}

/** The figures that AUM and the LP price are computed from. */
export interface Pool {
  readonly total_usdc: bigint
  readonly total_fees: bigint
  readonly unrealized_pnl: bigint
  readonly total_lp: bigint
}

export function readPool(env: ContractEnv): Pool {
  return {
    total_usdc: readAmount(env, AMOUNTS.totalUsdc),
    total_fees: readAmount(env, AMOUNTS.totalFees),
    unrealized_pnl: readAmount(env, AMOUNTS.unrealizedPnl),
    total_lp: readAmount(env, AMOUNTS.totalLp),
  }
}

/** Assets under management. The buffer and the shortfall reserve are not part of them. */
export function readAum(env: ContractEnv): bigint {
  return aumOf(readPool(env))
}

export function requireInitialized(env: ContractEnv): void {
  if (env.get('instance', KEYS.admin) === undefined) fail(ERRORS.NotInitialized)
}

export function requireAdmin(env: ContractEnv): void {
  env.requireAuth(readAddress(env, KEYS.admin))
}

/** The first checks of the market's calls: 1, authorization. */
export function requireMarket(env: ContractEnv): void {
  env.requireAuth(readAddress(env, KEYS.market))
}

export function requirePositive(amount: bigint): void {
  if (amount <= 0n) fail(ERRORS.InvalidAmount)
}

/** Fails with 42 unless the vault holds all USDC that it accounts for: the market must transfer what it reports before. */
export function requireReceipt(env: ContractEnv): void {
  const parts = [AMOUNTS.totalUsdc, AMOUNTS.totalFees, AMOUNTS.buffer, AMOUNTS.shortfallReserve]
  const accounted = parts.reduce((sum, key) => checked(sum + readAmount(env, key)), 0n)
  if (usdcBalance(env) < accounted) fail(ERRORS.InsufficientBalance)
}

/** Stores amounts again unchanged. From build 2.3 a call accesses the same entries whatever the amounts are. */
export function touchAmounts(env: ContractEnv, ...keys: readonly Val[]): void {
  for (const key of keys) addAmount(env, key, 0n)
}

export function readAddress(env: ContractEnv, key: Val): string {
  return readInstanceAddress(env, key, ERRORS.NotInitialized)
}

export function isPaused(env: ContractEnv): boolean {
  const stored = env.get('instance', KEYS.paused)
  return stored !== undefined && asBool(stored)
}

export function setPaused(env: ContractEnv, paused: boolean): void {
  env.set('instance', KEYS.paused, bool(paused))
}

export function usdcBalance(env: ContractEnv): bigint {
  return tokenBalance(env, readAddress(env, KEYS.usdc), env.self)
}

/** A cap in USDC; 0 means no cap. */
export function readInstanceAmount(env: ContractEnv, key: Val): bigint {
  const stored = env.get('instance', key)
  return stored === undefined ? 0n : asI128(stored)
}

export const readFeeBps = (env: ContractEnv, key: Val): number => readInstanceU32(env, key, DEFAULT_FEE_BPS)
export const readReserveCapBps = (env: ContractEnv): number => readInstanceU32(env, KEYS.reserveCapBps, DEFAULT_RESERVE_CAP_BPS)
export const readBufferTargetBps = (env: ContractEnv): number => readInstanceU32(env, KEYS.bufferTargetBps, DEFAULT_BUFFER_TARGET_BPS)
export const readShortfallInflowBps = (env: ContractEnv): number => readInstanceU32(env, KEYS.shortfallInflowBps, DEFAULT_SHORTFALL_INFLOW_BPS)
export const readAssetCapBps = (env: ContractEnv, asset: string): number => readPersistentU32(env, assetCapKey(asset), DEFAULT_ASSET_CAP_BPS)
export const readSkewCapBps = (env: ContractEnv, asset: string): number => readPersistentU32(env, skewCapKey(asset), DEFAULT_SKEW_CAP_BPS)

export function readWithdrawCooldownSec(env: ContractEnv): bigint {
  const stored = env.get('instance', KEYS.withdrawCooldownSec)
  return stored === undefined ? DEFAULT_WITHDRAW_COOLDOWN_SEC : asU64(stored)
}

/** The time of the account's last deposit; 0 if it never deposited. */
export function readLastDepositSec(env: ContractEnv, account: string): bigint {
  const stored = env.get('persistent', lastDepositKey(account))
  return stored === undefined ? 0n : asU64(stored)
}

/** The cap on the open interest of one side of an asset: a share of AUM, and an absolute amount if one is set. */
export function sideCap(env: ContractEnv, asset: string, aum: bigint): bigint {
  const share = bpsOf(aum, readAssetCapBps(env, asset))
  const absolute = readAmount(env, assetCapAbsKey(asset))
  return absolute > 0n ? minOf(share, absolute) : share
}

function readPersistentU32(env: ContractEnv, key: Val, defaultValue: number): number {
  return asU32(env.get('persistent', key) ?? u32(defaultValue))
}
