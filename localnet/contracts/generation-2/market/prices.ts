// Price reads of generation 2 (generation 2, "Price reads"). A strict read is that of generation 1.

import type { ContractEnv } from '../../shared/host.ts'
import { symbol, u32 } from '../../shared/host.ts'
import { lastGoodWindowSec, readLastGoodPrice, readPrice, readQuote } from '../../shared/market/prices.ts'
import { INSTANCE, instanceAddress, KEYS } from '../../shared/market/storage.ts'
import { LONG } from '../../shared/market/types.ts'
import { tryCall } from '../../shared/try-call.ts'
import { asI128, asU64, asVec, bpsOf, fail } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { readConfig } from './storage.ts'

/** Maximum time by which a price may be in the future, whatever the staleness limit is. */
const FUTURE_MAX_SEC = 60n

export function readStrictPrice(env: ContractEnv, asset: string): bigint {
  return readPrice(env, asset, 'strict')
}

/** A price to settle at: at most `lenient_clamp_bps` away from the last good price while that is recent; 0 is no limit. Fails with 31 only. */
export function readLenientPrice(env: ContractEnv, asset: string): bigint {
  const { lenient_clamp_bps: clampBps, max_price_staleness: stalenessSec } = readConfig(env)
  const last = readLastGoodPrice(env, asset, lastGoodWindowSec(stalenessSec))
  const price = readPrice(env, asset, 'lenient')
  // A stale price writes the entry unchanged, so that the footprint does not depend on the price's age.
  const stored = env.get('persistent', KEYS.lastGoodPrice(asset))
  if (stored !== undefined) env.set('persistent', KEYS.lastGoodPrice(asset), stored)
  return last === undefined || clampBps === 0 ? price : clamp(price, last, bpsOf(last, clampBps))
}

/** `value`, at most `distance` away from `center`. */
export function clamp(value: bigint, center: bigint, distance: bigint): bigint {
  if (value > center + distance) return center + distance
  return value < center - distance ? center - distance : value
}

/**
 * A price for valuing the positions of a cross account. Fails with 31 for zero or less, with 30 if it is stale or more than a minute in the
 * future. It is not compared with the last good price, and does not become it.
 */
export function readFreshPrice(env: ContractEnv, asset: string): bigint {
  const { price, timestampSec } = readQuote(env, asset)
  if (price <= 0n) fail(ERRORS.InvalidPrice)
  const ageSec = env.ledger.timestampSec - timestampSec
  if (ageSec > readConfig(env).max_price_staleness || ageSec < -FUTURE_MAX_SEC) fail(ERRORS.PriceStale)
  return price
}

/** The average of the last prices, which decides about triggers and liquidations but settles nothing. undefined if there is no recent one. */
export function readSmoothedPrice(env: ContractEnv, asset: string): bigint | undefined {
  const { twap_records: records, twap_max_age_secs: maxAgeSec } = readConfig(env)
  if (records === 0) return undefined
  const average = tryCall(env, instanceAddress(env, INSTANCE.oracle), 'twap', [symbol(asset), u32(records)])
  if (average === undefined || average.type === 'void') return undefined
  const [price, newestSec] = asVec(average)
  if (asI128(price) <= 0n || env.ledger.timestampSec - asU64(newestSec) > maxAgeSec) return undefined
  return asI128(price)
}

/** Fails with 5 for a negative bound, with 87 for a price that is worse than the bound. 0 is no bound. `buys` closes shorts and opens longs. */
export function checkAcceptablePrice(price: bigint, bound: bigint, buys: boolean): void {
  if (bound < 0n) fail(ERRORS.InvalidParameter)
  if (bound > 0n && (buys ? price > bound : price < bound)) fail(ERRORS.AcceptablePriceExceeded)
}

/** True if opening this direction buys. */
export const opensByBuying = (direction: number): boolean => direction === LONG
