// Funding per asset: a rate that moves with the average skew (generation 2, "Funding").

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv } from '../../shared/host.ts'
import { i128, symbol, u64, vec, VOID } from '../../shared/host.ts'
import { readExposure } from '../../shared/market/exposure.ts'
import { fundingAt } from '../../shared/market/funding.ts'
import type { Position } from '../../shared/market/types.ts'
import { asI128, asU64, asVec, BPS_DENOMINATOR, bpsOf, checked, fail, minOf, mulDiv } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { SYMBOLS } from './symbols.ts'
import { type MarketEntryPoints, marketEntryPoint } from './env.ts'
import { requireNotFrozen } from './gates.ts'
import { clamp } from './prices.ts'
import { readAssetRisk } from './risk.ts'
import { ADDED_KEYS } from './storage.ts'
import type { AssetRisk } from './types.ts'

const INTERVAL_SEC = 3600n
const DAY_SEC = 86_400n

export interface FundingState {
  readonly cumulative: bigint
  readonly rate: bigint
  readonly lastSec: bigint
}

export function fundingEntryPoints(): MarketEntryPoints {
  return {
    /** Callable by anyone. A late call charges one hour; an asset's first call only starts its clock. Fails with 55 if nothing changes. */
    apply_funding: marketEntryPoint({}, 'void', (env) => {
      requireNotFrozen(env)
      const changed = SYMBOLS.filter((asset) => applyTo(env, asset))
      if (changed.length === 0) fail(ERRORS.FundingIntervalNotElapsed)
      return VOID
    }),
  }
}

/** Applies funding to one asset. Returns whether its state changed. */
function applyTo(env: ContractEnv, asset: string): boolean {
  const risk = readAssetRisk(env, asset)
  if (risk === undefined) return false
  const nowSec = env.ledger.timestampSec
  const state = readFundingState(env, asset)
  if (state === undefined) {
    writeFundingState(env, asset, { cumulative: 0n, rate: 0n, lastSec: nowSec })
    writeSkewIntegral(env, asset, 0n)
    return true
  }
  const elapsedSec = nowSec - state.lastSec
  if (elapsedSec < INTERVAL_SEC) return false
  const chargedSec = minOf(elapsedSec, INTERVAL_SEC)
  const hours = chargedSec / INTERVAL_SEC
  const averageSkew = averageSkewSince(env, asset, elapsedSec)
  const rate = nextRate(risk, state.rate, averageSkew, chargedSec)
  const cumulative = checked(state.cumulative + rate * hours)
  writeFundingState(env, asset, { cumulative, rate, lastSec: nowSec })
  writeSkewIntegral(env, asset, 0n)
  emit(env, 'funding_applied', symbol(asset), i128(rate), u64(hours), i128(cumulative))
  return true
}

/** The hourly rate after `chargedSec`, 7 decimals, positive if longs pay. Each step truncates toward zero. */
function nextRate(risk: AssetRisk, rate: bigint, averageSkew: bigint, chargedSec: bigint): bigint {
  const velocity = risk.skew_scale === 0n ? 0n : mulDiv(BigInt(risk.max_funding_velocity_bps) * ONE_E7, averageSkew, risk.skew_scale)
  const step = mulDiv(velocity, chargedSec, DAY_SEC) / BPS_DENOMINATOR
  return clamp(checked(rate + step), 0n, bpsOf(ONE_E7, risk.funding_clamp_bps))
}

/** The average skew of the time since the last funding; the present one if no trade or funding has started the integral. */
function averageSkewSince(env: ContractEnv, asset: string, elapsedSec: bigint): bigint {
  const hasIntegral = env.get('persistent', ADDED_KEYS.skewIntegral(asset)) !== undefined
  return hasIntegral ? skewIntegralNow(env, asset) / elapsedSec : skewOf(env, asset)
}

/** Adds the time since the last change to the integral of the skew. Call it before open interest changes. */
export function accrueSkew(env: ContractEnv, asset: string): void {
  writeSkewIntegral(env, asset, skewIntegralNow(env, asset))
}

/** Notional seconds of longs less shorts since the last funding. */
function skewIntegralNow(env: ContractEnv, asset: string): bigint {
  const stored = env.get('persistent', ADDED_KEYS.skewIntegral(asset))
  if (stored === undefined) return 0n
  const [integral, timeSec] = asVec(stored)
  return checked(asI128(integral) + skewOf(env, asset) * (env.ledger.timestampSec - asU64(timeSec)))
}

export function writeSkewIntegral(env: ContractEnv, asset: string, integral: bigint): void {
  env.set('persistent', ADDED_KEYS.skewIntegral(asset), vec(i128(integral), u64(env.ledger.timestampSec)))
}

/** The size of all longs of an asset less that of all shorts. */
export function skewOf(env: ContractEnv, asset: string): bigint {
  const { longSize, shortSize } = readExposure(env, asset)
  return longSize - shortSize
}

function readFundingState(env: ContractEnv, asset: string): FundingState | undefined {
  const stored = env.get('persistent', ADDED_KEYS.fundingState(asset))
  if (stored === undefined) return undefined
  const [cumulative, rate, lastSec] = asVec(stored)
  return { cumulative: asI128(cumulative), rate: asI128(rate), lastSec: asU64(lastSec) }
}

export function writeFundingState(env: ContractEnv, asset: string, { cumulative, rate, lastSec }: FundingState): void {
  env.set('persistent', ADDED_KEYS.fundingState(asset), vec(i128(cumulative), i128(rate), u64(lastSec)))
}

/** The asset's funding index: the sum of its hourly rates. */
export function fundingIndexOf(env: ContractEnv, asset: string): bigint {
  return readFundingState(env, asset)?.cumulative ?? 0n
}

/** Funding accrued since the position was opened: positive is owed by the trader, negative to the trader. */
export function fundingOwed(env: ContractEnv, position: Position): bigint {
  return fundingAt(position, fundingIndexOf(env, position.asset))
}
