// The market's storage. Clients read these documented keys through getLedgerEntries, so they must not change.

import type { ContractEnv, Val } from '../host.ts'
import { address, i128, symbol, u64, vec } from '../host.ts'
import { readInstanceAddress } from '../instance-storage.ts'
import { asBool, asU64, asVec, fail, storageKey } from '../values.ts'
import { ERRORS, MARKET_CONFIG, type MarketConfig, ORDER, type Order, POSITION, type Position } from './types.ts'

/** Keys of the instance. */
export const INSTANCE = {
  admin: storageKey('Admin'),
  oracle: storageKey('OracleAdapter'),
  vault: storageKey('Vault'),
  usdc: storageKey('UsdcToken'),
  config: storageKey('Config'),
  initialized: storageKey('Initialized'),
  paused: storageKey('Paused'),
  treasury: storageKey('Treasury'),
  protocolFeeBps: storageKey('ProtocolFeeBps'),
  referral: storageKey('Referral'),
} as const

/** Keys of persistent entries. */
export const KEYS = {
  position: (id: bigint) => storageKey('Position', u64(id)),
  order: (id: bigint) => storageKey('Order', u64(id)),
  allPositions: storageKey('AllPositions'),
  allOrders: storageKey('AllOrders'),
  traderPositions: (trader: string) => storageKey('TraderPositions', address(trader)),
  traderOrders: (trader: string) => storageKey('TraderOrders', address(trader)),
  positionStopLoss: (id: bigint) => storageKey('PositionStopLoss', u64(id)),
  positionTakeProfit: (id: bigint) => storageKey('PositionTakeProfit', u64(id)),
  positionTrailingStop: (id: bigint) => storageKey('PositionTrailingStop', u64(id)),
  trailingStopPeak: (orderId: bigint) => storageKey('TrailingStopPeak', u64(orderId)),
  traderVolume: (trader: string) => storageKey('TraderVolume', address(trader)),
  feeTiers: storageKey('FeeTiers'),
  crossMarginBalance: (trader: string) => storageKey('CrossMarginBalance', address(trader)),
  crossMarginPositions: (trader: string) => storageKey('CrossMarginPositions', address(trader)),
  allCrossMarginTraders: storageKey('AllCrossMarginTraders'),
  lastGoodPrice: (asset: string) => storageKey('LastGoodPrice', symbol(asset)),
  assetExposure: (asset: string) => storageKey('AssetExposure', symbol(asset)),
  totalLongSize: storageKey('TotalLongSize'),
  totalShortSize: storageKey('TotalShortSize'),
  lastFundingTime: storageKey('LastFundingTime'),
  currentFundingRate: storageKey('CurrentFundingRate'),
  cumulativeFundingRate: storageKey('CumulativeFundingRate'),
  positionCounter: storageKey('PositionCounter'),
  orderCounter: storageKey('OrderCounter'),
} as const

/** Fails with 1 before initialization. */
export function requireInitialized(env: ContractEnv): void {
  if (env.get('instance', INSTANCE.initialized) === undefined) fail(ERRORS.NotInitialized)
}

/** The first checks of every trader's call: 1 before initialization, 4 while paused, then the trader's authorization. */
export function requireTrader(env: ContractEnv, trader: string): void {
  requireInitialized(env)
  const paused = env.get('instance', INSTANCE.paused)
  if (paused !== undefined && asBool(paused)) fail(ERRORS.Paused)
  env.requireAuth(trader)
}

export function instanceAddress(env: ContractEnv, key: Val): string {
  return readInstanceAddress(env, key, ERRORS.NotInitialized)
}

export const vaultOf = (env: ContractEnv): string => instanceAddress(env, INSTANCE.vault)
export const usdcOf = (env: ContractEnv): string => instanceAddress(env, INSTANCE.usdc)

export function readConfig(env: ContractEnv): MarketConfig {
  return MARKET_CONFIG.fromVal(env.get('instance', INSTANCE.config) ?? fail(ERRORS.NotInitialized))
}

export function writeAmount(env: ContractEnv, key: Val, amount: bigint): void {
  env.set('persistent', key, i128(amount))
}

/** A stored list of ids in the order they were added; empty if nothing is stored. */
export function readIds(env: ContractEnv, key: Val): readonly bigint[] {
  const stored = env.get('persistent', key)
  return stored === undefined ? [] : asVec(stored).map(asU64)
}

export function addId(env: ContractEnv, key: Val, id: bigint): void {
  env.set('persistent', key, vec(...readIds(env, key).map(u64), u64(id)))
}

export function removeId(env: ContractEnv, key: Val, id: bigint): void {
  env.set('persistent', key, vec(...readIds(env, key).filter((other) => other !== id).map(u64)))
}

/** The next id of a counter: dense, from 1. The counter stores the last id used. */
export function nextId(env: ContractEnv, counter: Val): bigint {
  const stored = env.get('persistent', counter)
  const id = (stored === undefined ? 0n : asU64(stored)) + 1n
  env.set('persistent', counter, u64(id))
  return id
}

export function readPosition(env: ContractEnv, id: bigint): Position | undefined {
  const stored = env.get('persistent', KEYS.position(id))
  return stored === undefined ? undefined : POSITION.fromVal(stored)
}

export function readOrder(env: ContractEnv, id: bigint): Order | undefined {
  const stored = env.get('persistent', KEYS.order(id))
  return stored === undefined ? undefined : ORDER.fromVal(stored)
}

export function writeOrder(env: ContractEnv, order: Order): void {
  env.set('persistent', KEYS.order(order.id), ORDER.toVal(order))
}
