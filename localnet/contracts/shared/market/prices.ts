// Price reads with their staleness and deviation checks (contracts, "Price reads").

import type { ContractEnv } from '../host.ts'
import { i128, symbol, u64, vec } from '../host.ts'
import { abs, asI128, asU64, asVec, BPS_DENOMINATOR, fail, mulDiv } from '../values.ts'
import { INSTANCE, instanceAddress, KEYS, readConfig } from './storage.ts'
import { ERRORS } from './types.ts'

/** The deviation from the last good price is checked for this many staleness limits. */
const LAST_GOOD_STALENESS_FACTOR = 10n

/**
 * The price of an asset, 7 decimals. Fails with 31 for a price of zero or less. `strict`, for calls that increase risk, also fails with 30
 * for a stale price and with 81 for one too far from the last good price. Every fresh read becomes the last good price, also a lenient one.
 */
export function readPrice(env: ContractEnv, asset: string, mode: 'strict' | 'lenient'): bigint {
  const { price, timestampSec } = readQuote(env, asset)
  if (price <= 0n) fail(ERRORS.InvalidPrice)
  const { max_price_staleness: stalenessSec, max_oracle_deviation_bps: deviationBps } = readConfig(env)
  const nowSec = env.ledger.timestampSec
  const fresh = nowSec <= timestampSec || nowSec - timestampSec <= stalenessSec
  if (mode === 'strict') {
    if (!fresh) fail(ERRORS.PriceStale)
    checkDeviation(env, asset, price, BigInt(deviationBps), lastGoodWindowSec(stalenessSec))
  }
  if (fresh) env.set('persistent', KEYS.lastGoodPrice(asset), vec(i128(price), u64(nowSec)))
  return price
}

/** A lenient read for valuing a cross account: a price of zero or less counts as 0 instead of failing the call. */
export function readPriceOrZero(env: ContractEnv, asset: string): bigint {
  return readQuote(env, asset).price <= 0n ? 0n : readPrice(env, asset, 'lenient')
}

/** The price that the shim returns. Its errors 31 and 32 propagate. */
export function readQuote(env: ContractEnv, asset: string): { price: bigint; timestampSec: bigint } {
  const [price, timestampSec] = asVec(env.call(instanceAddress(env, INSTANCE.oracle), 'lastprice', [symbol(asset)]))
  return { price: asI128(price), timestampSec: asU64(timestampSec) }
}

/** For how long the last good price limits later prices. */
export const lastGoodWindowSec = (stalenessSec: bigint): bigint => stalenessSec * LAST_GOOD_STALENESS_FACTOR

/** The last good price, unless there is none or it is older than `windowSec`. */
export function readLastGoodPrice(env: ContractEnv, asset: string, windowSec: bigint): bigint | undefined {
  const stored = env.get('persistent', KEYS.lastGoodPrice(asset))
  if (stored === undefined) return undefined
  const [price, timeSec] = asVec(stored)
  const last = asI128(price)
  return last <= 0n || env.ledger.timestampSec - asU64(timeSec) > windowSec ? undefined : last
}

/** A limit of 0 is no limit. */
function checkDeviation(env: ContractEnv, asset: string, price: bigint, deviationBps: bigint, windowSec: bigint): void {
  if (deviationBps === 0n) return
  const last = readLastGoodPrice(env, asset, windowSec)
  if (last !== undefined && mulDiv(abs(price - last), BPS_DENOMINATOR, last) > deviationBps) fail(ERRORS.PriceDeviationTooHigh)
}
