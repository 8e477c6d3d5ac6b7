// Calls that the admin makes once after an upgrade, so that stored state fits the new code (generation 2, "Entry points, admin").

import { emit } from '../../shared/emit.ts'
import { i128, symbol, u32, u64, VOID } from '../../shared/host.ts'
import { readPersistentI128 } from '../../shared/instance-storage.ts'
import { KEYS, readPosition } from '../../shared/market/storage.ts'
import { asU32, asU64, asVec, fail } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import { ERRORS } from './errors.ts'
import { SYMBOLS } from './symbols.ts'
import { requireMarketAdmin, seedOpenCounts } from './administration.ts'
import { type MarketEntryPoints, marketEntryPoint } from './env.ts'
import { fundingIndexOf, writeFundingState, writeSkewIntegral } from './funding.ts'
import { effectivePauseState, FROZEN } from './gates.ts'
import { writePosition } from './positions.ts'
import { ADDED_KEYS, readFlag } from './storage.ts'

export function migrationEntryPoints(build: Generation2Build): MarketEntryPoints {
  return {
    /** Starts each asset's funding at the index that all assets shared in generation 1, also if it has started before. */
    migrate_funding: marketEntryPoint({}, 'void', (env) => {
      requireMarketAdmin(env)
      const cumulative = readPersistentI128(env, KEYS.cumulativeFundingRate)
      for (const asset of SYMBOLS) {
        writeFundingState(env, asset, { cumulative, rate: 0n, lastSec: env.ledger.timestampSec })
        writeSkewIntegral(env, asset, 0n)
        emit(env, 'funding_migrated', symbol(asset), i128(cumulative))
      }
      return VOID
    }),
    ...(isSince(build, '2.2') ? reseedEntryPoints() : {}),
    ...(isSince(build, '2.3') ? countEntryPoints() : {}),
  }
}

function reseedEntryPoints(): MarketEntryPoints {
  return {
    /** Forgets the funding that positions have accrued. Only in a freeze. Returns how many positions changed. */
    reseed_funding: marketEntryPoint({ position_ids: { vec: 'u64' } }, 'u32', (env, args) => {
      requireMarketAdmin(env)
      if (effectivePauseState(env).mode !== FROZEN) fail(ERRORS.InvalidParameter)
      let changed = 0
      for (const id of asVec(args[0]).map(asU64)) {
        const position = readPosition(env, id)
        if (position === undefined) continue
        const index = fundingIndexOf(env, position.asset)
        writePosition(env, { ...position, entry_cumulative_funding: index })
        emit(env, 'funding_reseeded', u64(id), i128(position.entry_cumulative_funding), i128(index))
        changed++
      }
      return u32(changed)
    }),
  }
}

function countEntryPoints(): MarketEntryPoints {
  return {
    /** Sets the counts that replace the lists of ids. Once only. */
    seed_open_counts: marketEntryPoint({ positions: 'u32', orders: 'u32' }, 'void', (env, args) => {
      requireMarketAdmin(env)
      if (readFlag(env, ADDED_KEYS.openCountsSeeded)) fail(ERRORS.AlreadyInitialized)
      seedOpenCounts(env, asU32(args[0]), asU32(args[1]))
      return VOID
    }),
  }
}
