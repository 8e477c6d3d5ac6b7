// The market's views (generation 2, "Views").

import { bool, i128, u32, u64, vec, VOID } from '../../shared/host.ts'
import { readTiers, recentVolume } from '../../shared/market/fees.ts'
import { readExposure, syncUnrealizedPnl } from '../../shared/market/exposure.ts'
import { requirePosition } from '../../shared/market/positions.ts'
import { KEYS, readIds, requireInitialized } from '../../shared/market/storage.ts'
import { viewEntryPoints as generation1Views } from '../../shared/market/views.ts'
import { asAddress, asSymbol, asU64, positivePart } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import { type MarketEntryPoints, marketEntryPoint, ofGeneration1 } from './env.ts'
import { effectivePauseState } from './gates.ts'
import { valuePosition } from './positions.ts'
import { readLenientPrice } from './prices.ts'
import { ADDED_KEYS, readConfig, readFlag } from './storage.ts'
import { TRADER_FEE_INFO } from './types.ts'

export function viewEntryPoints(build: Generation2Build): MarketEntryPoints {
  const { get_all_position_ids, get_all_order_ids, ...kept } = ofGeneration1(generation1Views())
  const lists = isSince(build, '2.3') ? traderPositionIds() : { get_all_position_ids, get_all_order_ids }
  return {
    ...kept,
    ...(lists as MarketEntryPoints),
    ...positionViews(),
    ...traderViews(),
    ...assetViews(),
  }
}

function traderPositionIds(): MarketEntryPoints {
  return {
    get_trader_position_ids: marketEntryPoint({ trader: 'address' }, { vec: 'u64' }, (env, args) => {
      return vec(...readIds(env, KEYS.traderPositions(asAddress(args[0]))).map(u64))
    }),
  }
}

function positionViews(): MarketEntryPoints {
  return {
    get_position_equity: marketEntryPoint({ position_id: 'u64' }, 'i128', (env, args) => {
      const position = requirePosition(env, asU64(args[0]))
      return i128(positivePart(valuePosition(env, position, readLenientPrice(env, position.asset)).equity))
    }),
    /** Returns what a closed isolated position paid to its trader; 0 if unknown, also once the temporary entry has expired. */
    get_closed_proceeds: marketEntryPoint({ position_id: 'u64' }, 'i128', (env, args) => {
      return env.get('temporary', ADDED_KEYS.closedProceeds(asU64(args[0]))) ?? i128(0n)
    }),
    sync_asset_pnl: marketEntryPoint({ asset: 'symbol' }, 'i128', (env, args) => {
      const asset = asSymbol(args[0])
      requireInitialized(env)
      const price = readLenientPrice(env, asset)
      return i128(syncUnrealizedPnl(env, asset, readExposure(env, asset), price, 0n))
    }),
  }
}

function traderViews(): MarketEntryPoints {
  return {
    get_trader_volume: marketEntryPoint({ trader: 'address' }, 'i128', (env, args) => {
      return i128(recentVolume(env, asAddress(args[0])))
    }),
    get_trader_fee_info: marketEntryPoint({ trader: 'address' }, { struct: 'TraderFeeInfo' }, (env, args) => {
      const volume = recentVolume(env, asAddress(args[0]))
      const tiers = readTiers(env)
      const tier = Math.max(0, tiers.findLastIndex((candidate) => candidate.min_volume <= volume))
      // Without tiers, as before initialization, the flat fee applies. The rates are tenths of a basis point.
      const flatRate = readConfig(env).trading_fee_bps * 10
      const next = tiers[tier + 1]
      return TRADER_FEE_INFO.toVal({
        maker_fee_bps: tiers[tier]?.maker_fee_bps ?? flatRate,
        next_tier_volume: next === undefined ? 0n : next.min_volume - volume,
        taker_fee_bps: tiers[tier]?.taker_fee_bps ?? flatRate,
        tier,
        volume_14d: volume,
      })
    }),
  }
}

function assetViews(): MarketEntryPoints {
  return {
    get_asset_risk: marketEntryPoint({ asset: 'symbol' }, { option: { struct: 'AssetRisk' } }, (env, args) => {
      return env.get('persistent', ADDED_KEYS.assetRisk(asSymbol(args[0]))) ?? VOID
    }),
    get_pause_state: marketEntryPoint({}, { tuple: ['u32', 'u64'] }, (env) => {
      const { mode, sinceSec } = effectivePauseState(env)
      return vec(u32(mode), u64(sinceSec))
    }),
    is_asset_halted: marketEntryPoint({ asset: 'symbol' }, 'bool', (env, args) => {
      return bool(readFlag(env, ADDED_KEYS.assetHalted(asSymbol(args[0]))))
    }),
    is_adl_active: marketEntryPoint({ asset: 'symbol' }, 'bool', (env, args) => {
      return bool(readFlag(env, ADDED_KEYS.adlActive(asSymbol(args[0]))))
    }),
  }
}
