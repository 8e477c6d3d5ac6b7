// Storage that generation 2 adds to the market (generation 2, "Market storage"). Clients read these documented keys through getLedgerEntries.

import type { ContractEnv, Val } from '../../shared/host.ts'
import { address, bool, symbol, u32, u64 } from '../../shared/host.ts'
import { INSTANCE, requireInitialized } from '../../shared/market/storage.ts'
import { asBool, asU32, asU64, storageKey, trap } from '../../shared/values.ts'
import { DEFAULT_MARKET_CONFIG } from './defaults.ts'
import { MARKET_CONFIG, type MarketConfig } from './types.ts'

export const PAUSE_STATE = storageKey('PauseState')

export const ADDED_KEYS = {
  openPositionCount: storageKey('OpenPositionCount'),
  openOrderCount: storageKey('OpenOrderCount'),
  orderCountOf: (trader: string) => storageKey('OrderCountOf', address(trader)),
  openCountsSeeded: storageKey('OpenCountsSeeded'),
  assetRisk: (asset: string) => storageKey('AssetRisk', symbol(asset)),
  riskEpochTs: storageKey('RiskEpochTs'),
  fundingState: (asset: string) => storageKey('FundingState', symbol(asset)),
  skewIntegral: (asset: string) => storageKey('SkewIntegral', symbol(asset)),
  adlActive: (asset: string) => storageKey('AdlActive', symbol(asset)),
  assetHalted: (asset: string) => storageKey('AssetHalted', symbol(asset)),
  partialLiqTs: (positionId: bigint) => storageKey('PartialLiqTs', u64(positionId)),
  crossPartialLiqTs: (trader: string) => storageKey('CrossPartialLiqTs', address(trader)),
  closedProceeds: (positionId: bigint) => storageKey('ClosedProceeds', u64(positionId)),
} as const

/**
 * The configuration; the default one before initialization. A stored map of another generation has other fields; decoding it traps, and only
 * `migrate_config` helps.
 */
export function readConfig(env: ContractEnv): MarketConfig {
  const stored = env.get('instance', INSTANCE.config)
  if (stored === undefined) return DEFAULT_MARKET_CONFIG
  if (stored.type !== 'map' || stored.value.length !== MARKET_CONFIG.spec.length) trap('the stored configuration has other fields')
  return MARKET_CONFIG.fromVal(stored)
}

/** The first checks of a call that no pause stops: 1 before initialization, then the caller's authorization. */
export function requireCaller(env: ContractEnv, caller: string): void {
  requireInitialized(env)
  env.requireAuth(caller)
}

export function readFlag(env: ContractEnv, key: Val): boolean {
  const stored = env.get('persistent', key)
  return stored !== undefined && asBool(stored)
}

export function writeFlag(env: ContractEnv, key: Val, flag: boolean): void {
  env.set('persistent', key, bool(flag))
}

/** Writes a flag again unchanged if it is stored. */
export function touchFlag(env: ContractEnv, key: Val): void {
  const stored = env.get('persistent', key)
  if (stored !== undefined) env.set('persistent', key, stored)
}

/** A stored time in seconds; undefined if nothing is stored. */
export function readTime(env: ContractEnv, key: Val): bigint | undefined {
  const stored = env.get('persistent', key)
  return stored === undefined ? undefined : asU64(stored)
}

export function writeTime(env: ContractEnv, key: Val, timeSec: bigint): void {
  env.set('persistent', key, u64(timeSec))
}

export function readCount(env: ContractEnv, key: Val): number {
  const stored = env.get('persistent', key)
  return stored === undefined ? 0 : asU32(stored)
}

/** Adds to a count, which never falls below zero: an upgraded market starts counting before the admin seeds its counts. */
export function changeCount(env: ContractEnv, key: Val, by: 1 | -1): void {
  env.set('persistent', key, u32(Math.max(0, readCount(env, key) + by)))
}
