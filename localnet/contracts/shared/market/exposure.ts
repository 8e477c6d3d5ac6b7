// Open interest: totals for funding, and sums per asset that give the traders' unrealized PnL without a loop over positions.

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import { callSyncExposure } from '../calls.ts'
import type { ContractEnv, EntryPoint } from '../host.ts'
import { i128, vec } from '../host.ts'
import { readPersistentI128 } from '../instance-storage.ts'
import { asI128, asSymbol, asVec, checked, entryPoint, mulDiv, positivePart } from '../values.ts'
import { readPrice } from './prices.ts'
import { KEYS, requireInitialized, vaultOf, writeAmount } from './storage.ts'
import { LONG, type Position } from './types.ts'

/** Sums over the open positions of one asset. The units of a side are the sum of `size x 1.0 / entry price`. */
export interface AssetExposure {
  readonly longUnits: bigint
  readonly longSize: bigint
  readonly shortUnits: bigint
  readonly shortSize: bigint
}

export function exposureEntryPoints(): Record<string, EntryPoint> {
  return {
    sync_asset_pnl: entryPoint({ asset: 'symbol' }, 'i128', (env, args) => {
      const asset = asSymbol(args[0])
      requireInitialized(env)
      const price = readPrice(env, asset, 'lenient')
      return i128(syncUnrealizedPnl(env, asset, readExposure(env, asset), price, 0n))
    }),
  }
}

/** Open interest of one side of an asset. */
export function sideOpenInterest(env: ContractEnv, asset: string, direction: number): bigint {
  const exposure = readExposure(env, asset)
  return direction === LONG ? exposure.longSize : exposure.shortSize
}

/** Adds a new position and reports the asset's unrealized PnL to the vault. */
export function addExposure(env: ContractEnv, position: Position): void {
  const exposure = updateExposure(env, position, 1n)
  syncUnrealizedPnl(env, position.asset, exposure, position.entry_price, 0n)
}

/** Removes a position, reports the unrealized PnL at its exit price to the vault, and releases its reservation. */
export function removeExposure(env: ContractEnv, position: Position, price: bigint): void {
  const exposure = updateExposure(env, position, -1n)
  syncUnrealizedPnl(env, position.asset, exposure, price, position.size)
}

function updateExposure(env: ContractEnv, position: Position, sign: 1n | -1n): AssetExposure {
  const isLong = position.direction === LONG
  const total = isLong ? KEYS.totalLongSize : KEYS.totalShortSize
  writeAmount(env, total, addClamped(readPersistentI128(env, total), sign * position.size))
  const units = sign * mulDiv(position.size, ONE_E7, position.entry_price)
  const size = sign * position.size
  const before = readExposure(env, position.asset)
  const after = isLong
    ? { ...before, longUnits: addClamped(before.longUnits, units), longSize: addClamped(before.longSize, size) }
    : { ...before, shortUnits: addClamped(before.shortUnits, units), shortSize: addClamped(before.shortSize, size) }
  const { longUnits, longSize, shortUnits, shortSize } = after
  env.set('persistent', KEYS.assetExposure(position.asset), vec(i128(longUnits), i128(longSize), i128(shortUnits), i128(shortSize)))
  return after
}

const addClamped = (sum: bigint, by: bigint): bigint => positivePart(checked(sum + by))

/** Reports the traders' unrealized PnL of an asset at this price to the vault, and releases a reservation. Returns the PnL. */
export function syncUnrealizedPnl(env: ContractEnv, asset: string, exposure: AssetExposure, price: bigint, release: bigint): bigint {
  const { longUnits, longSize, shortUnits, shortSize } = exposure
  const longPnl = mulDiv(price, longUnits, ONE_E7) - longSize
  const shortPnl = shortSize - mulDiv(price, shortUnits, ONE_E7)
  const pnl = checked(longPnl + shortPnl)
  callSyncExposure(env, vaultOf(env), asset, pnl, release)
  return pnl
}

export function readExposure(env: ContractEnv, asset: string): AssetExposure {
  const stored = env.get('persistent', KEYS.assetExposure(asset))
  if (stored === undefined) return { longUnits: 0n, longSize: 0n, shortUnits: 0n, shortSize: 0n }
  const [longUnits, longSize, shortUnits, shortSize] = asVec(stored)
  return { longUnits: asI128(longUnits), longSize: asI128(longSize), shortUnits: asI128(shortUnits), shortSize: asI128(shortSize) }
}
