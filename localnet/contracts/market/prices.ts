// Price reads and the rules of staleness and deviation (contracts, "Price reads").

import type { ContractEnv } from '../host.ts'
import { i128, symbol, u64, vec } from '../host.ts'
import { abs, asI128, asU64, asVec, fail, mulDiv } from '../values.ts'
import { INSTANCE, instanceAddress, KEYS, readConfig } from './storage.ts'
import { ERRORS } from './types.ts'

const BPS_DENOMINATOR = 10_000n

/** A last-good price bounds the next one for this many staleness limits. */
const LAST_GOOD_STALENESS_FACTOR = 10n

/**
 * The price of an asset, 7 decimals. Both modes refuse a price that is not positive (31); `strict`, for what increases risk, also a stale
 * one (30) and one too far from the last good price (81). Any fresh read becomes the last good price, a lenient one too.
 */
export function readPrice(env: ContractEnv, asset: string, mode: 'strict' | 'lenient'): bigint {
  const { price, timestampSec } = readQuote(env, asset)
  if (price <= 0n) fail(ERRORS.InvalidPrice)
  const { max_price_staleness: stalenessSec, max_oracle_deviation_bps: deviationBps } = readConfig(env)
  const nowSec = env.ledger.timestampSec
  const fresh = nowSec <= timestampSec || nowSec - timestampSec <= stalenessSec
  if (mode === 'strict') {
    if (!fresh) fail(ERRORS.PriceStale)
    checkDeviation(env, asset, price, BigInt(deviationBps), stalenessSec * LAST_GOOD_STALENESS_FACTOR)
  }
  if (fresh) env.set('persistent', KEYS.lastGoodPrice(asset), vec(i128(price), u64(nowSec)))
  return price
}

/** A lenient read for judging a cross account, where a price that is not positive counts as 0 instead of ending the call. */
export function readPriceOrZero(env: ContractEnv, asset: string): bigint {
  return readQuote(env, asset).price <= 0n ? 0n : readPrice(env, asset, 'lenient')
}

/** What the shim answers. Its own failures, 31 and 32, end the whole call. */
function readQuote(env: ContractEnv, asset: string): { price: bigint; timestampSec: bigint } {
  const [price, timestampSec] = asVec(env.call(instanceAddress(env, INSTANCE.oracle), 'lastprice', [symbol(asset)]))
  return { price: asI128(price), timestampSec: asU64(timestampSec) }
}

function checkDeviation(env: ContractEnv, asset: string, price: bigint, deviationBps: bigint, windowSec: bigint): void {
  const stored = env.get('persistent', KEYS.lastGoodPrice(asset))
  if (stored === undefined) return
  const [lastPrice, lastTimeSec] = asVec(stored)
  const last = asI128(lastPrice)
  if (last <= 0n || env.ledger.timestampSec - asU64(lastTimeSec) > windowSec) return
  if (mulDiv(abs(price - last), BPS_DENOMINATOR, last) > deviationBps) fail(ERRORS.PriceDeviationTooHigh)
}
