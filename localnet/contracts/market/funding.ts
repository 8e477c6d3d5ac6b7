// Funding: an hourly rate from the imbalance of all open positions, settled when a position ends (contracts, "PnL and funding").

import { ONE_E7 } from '../../../src/base/fixed-point.ts'
import { emit } from '../emit.ts'
import type { ContractEnv, EntryPoint } from '../host.ts'
import { i128, u64, VOID } from '../host.ts'
import { asU64, checked, entryPoint, fail, mulDiv } from '../values.ts'
import { KEYS, readAmount, readConfig, requireInitialized, writeAmount } from './storage.ts'
import { ERRORS, LONG, type Position } from './types.ts'

const FUNDING_INTERVAL_SEC = 3600n
const BPS_DENOMINATOR = 10_000n

export function fundingEntryPoints(): Record<string, EntryPoint> {
  return {
    /** Anyone may apply it, paused or not. The current imbalance prices the whole hours since the last time; the fraction is dropped. */
    apply_funding: entryPoint({}, 'void', (env) => {
      requireInitialized(env)
      const nowSec = env.ledger.timestampSec
      const stored = env.get('persistent', KEYS.lastFundingTime)
      const elapsedSec = nowSec - (stored === undefined ? 0n : asU64(stored))
      if (elapsedSec < FUNDING_INTERVAL_SEC) fail(ERRORS.FundingIntervalNotElapsed)
      const hours = elapsedSec / FUNDING_INTERVAL_SEC
      const rate = hourlyRate(env)
      writeAmount(env, KEYS.currentFundingRate, rate)
      writeAmount(env, KEYS.cumulativeFundingRate, checked(readAmount(env, KEYS.cumulativeFundingRate) + checked(rate * hours)))
      env.set('persistent', KEYS.lastFundingTime, u64(nowSec))
      emit(env, 'funding_applied', i128(rate), u64(hours))
      return VOID
    }),
  }
}

/** The rate of one hour, 7 decimals: positive when longs pay. */
function hourlyRate(env: ContractEnv): bigint {
  const long = readAmount(env, KEYS.totalLongSize)
  const short = readAmount(env, KEYS.totalShortSize)
  const base = BigInt(readConfig(env).base_funding_rate_bps)
  if (long === short) return 0n
  if (long > short) return mulDiv(checked(base * (long - short)), ONE_E7, long * BPS_DENOMINATOR)
  return -mulDiv(checked(base * (short - long)), ONE_E7, short * BPS_DENOMINATOR)
}

/** What a position has run up since it was opened: positive is owed by the trader, negative to the trader. */
export function fundingOwed(env: ContractEnv, position: Position): bigint {
  const growth = readAmount(env, KEYS.cumulativeFundingRate) - position.entry_cumulative_funding
  const owedByLong = mulDiv(position.size, growth, ONE_E7)
  return position.direction === LONG ? owedByLong : -owedByLong
}
