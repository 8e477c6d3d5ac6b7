// Limits per asset: leverage, size and margins (generation 2, "Open - order of checks").

import type { ContractEnv } from '../../shared/host.ts'
import type { Position } from '../../shared/market/types.ts'
import { checked, fail } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { ADDED_KEYS, readConfig, readTime } from './storage.ts'
import { ASSET_RISK, type AssetRisk } from './types.ts'

export interface Limits {
  readonly maxLeverage: number
  readonly maxSize: bigint
}

export function readAssetRisk(env: ContractEnv, asset: string): AssetRisk | undefined {
  const stored = env.get('persistent', ADDED_KEYS.assetRisk(asset))
  return stored === undefined ? undefined : ASSET_RISK.fromVal(stored)
}

/** The limits of an asset: the configuration's until any asset has risk parameters. undefined for an asset without parameters after that. */
export function limitsOf(env: ContractEnv, asset: string): Limits | undefined {
  if (readTime(env, ADDED_KEYS.riskEpochTs) === undefined) {
    const config = readConfig(env)
    return { maxLeverage: config.max_leverage, maxSize: config.max_position_size }
  }
  const risk = readAssetRisk(env, asset)
  if (risk === undefined) return undefined
  return { maxLeverage: Math.min(risk.max_leverage, Math.max(1, leverageOfMargin(risk.im_bps))), maxSize: risk.max_position_size }
}

/** The leverage at which an initial margin is exactly covered, truncated. */
export const leverageOfMargin = (marginBps: number): number => Math.trunc(10_000 / marginBps)

/** Fails with 22 below the minimum collateral. */
export function checkCollateral(env: ContractEnv, collateral: bigint): void {
  if (collateral < readConfig(env).min_collateral) fail(ERRORS.InsufficientCollateral)
}

/** Fails with 88 for an asset without risk parameters, with 21 for a leverage out of range. */
export function checkLeverage(env: ContractEnv, asset: string, leverage: number): Limits {
  const limits = limitsOf(env, asset) ?? fail(ERRORS.AssetRiskNotConfigured)
  if (leverage < 1 || leverage > limits.maxLeverage) fail(ERRORS.InvalidLeverage)
  return limits
}

/** The size of a position; fails with 23 above the limit. */
export function checkSize(limits: Limits, collateral: bigint, leverage: number): bigint {
  const size = checked(collateral * BigInt(leverage))
  if (size > limits.maxSize) fail(ERRORS.PositionTooLarge)
  return size
}

/** The maintenance margin of a position: its asset's, or the configuration's if it was opened before there were risk parameters. */
export function maintenanceBps(env: ContractEnv, position: Pick<Position, 'asset' | 'timestamp'>): number {
  const epoch = readTime(env, ADDED_KEYS.riskEpochTs)
  const risk = epoch !== undefined && position.timestamp >= epoch ? readAssetRisk(env, position.asset) : undefined
  return risk?.mm_bps ?? readConfig(env).maintenance_margin_bps
}
