// Funding: an hourly rate from the imbalance of all open positions, settled when a position is closed (contracts, "PnL and funding").

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import { emit } from '../emit.ts'
import type { ContractEnv, EntryPoint } from '../host.ts'
import { i128, u64, VOID } from '../host.ts'
import { readPersistentI128 } from '../instance-storage.ts'
import { asU64, BPS_DENOMINATOR, checked, entryPoint, fail, mulDiv } from '../values.ts'
import { KEYS, readConfig, requireInitialized, writeAmount } from './storage.ts'
import { ERRORS, LONG, type Position } from './types.ts'

const FUNDING_INTERVAL_SEC = 3600n

export function fundingEntryPoints(): Record<string, EntryPoint> {
  return {
    /** Callable by anyone, also while paused. Applies the current rate to the full hours since the last call and drops the fraction. */
    apply_funding: entryPoint({}, 'void', (env) => {
      requireInitialized(env)
      const nowSec = env.ledger.timestampSec
      const stored = env.get('persistent', KEYS.lastFundingTime)
      const elapsedSec = nowSec - (stored === undefined ? 0n : asU64(stored))
      if (elapsedSec < FUNDING_INTERVAL_SEC) fail(ERRORS.FundingIntervalNotElapsed)
      const hours = elapsedSec / FUNDING_INTERVAL_SEC
      const rate = hourlyRate(env)
      writeAmount(env, KEYS.currentFundingRate, rate)
      writeAmount(env, KEYS.cumulativeFundingRate, checked(readPersistentI128(env, KEYS.cumulativeFundingRate) + checked(rate * hours)))
      env.set('persistent', KEYS.lastFundingTime, u64(nowSec))
      emit(env, 'funding_applied', i128(rate), u64(hours))
      return VOID
    }),
  }
}

/** The hourly rate, 7 decimals; positive if longs pay. */
function hourlyRate(env: ContractEnv): bigint {
  const long = readPersistentI128(env, KEYS.totalLongSize)
  const short = readPersistentI128(env, KEYS.totalShortSize)
  const base = BigInt(readConfig(env).base_funding_rate_bps)
  if (long === short) return 0n
  if (long > short) return mulDiv(checked(base * (long - short)), ONE_E7, long * BPS_DENOMINATOR)
  return -mulDiv(checked(base * (short - long)), ONE_E7, short * BPS_DENOMINATOR)
}

/** Funding accrued since the position was opened: positive is owed by the trader, negative to the trader. */
export function fundingOwed(env: ContractEnv, position: Position): bigint {
  return fundingAt(position, readPersistentI128(env, KEYS.cumulativeFundingRate))
}

/** Funding of a position at this cumulative rate. */
export function fundingAt(position: Position, cumulativeRate: bigint): bigint {
  const growth = cumulativeRate - position.entry_cumulative_funding
  const owedByLong = mulDiv(position.size, growth, ONE_E7)
  return position.direction === LONG ? owedByLong : -owedByLong
}
