// Funding as it is now, and the rate of its next application. Pure, in the market's own integer arithmetic: division truncates toward zero, like bigint's.

import { amountText, maxAmount, minAmount, ONE_E7 } from '../base/fixed-point.ts'
import { FUNDING_INTERVAL_SEC } from '../limits.ts'
import type { StoredAssetRisk, TimedAmount } from '../chain/views/market-entries.ts'
import type { AssetSummary, MarketSummary, OpenInterest, SharedFunding } from '../chain/views/market-summary.ts'
import type { AssetFunding, CurrentFunding } from '../resources/funding.ts'

const BPS = 10_000n
const DAY_SEC = 86_400n
const NOTHING = { rate: null, cumulative: null, lastTs: null, nextTs: null, predictedRate: null }

export function describeFunding(market: MarketSummary, assets: readonly string[], nowSec: number): CurrentFunding {
  const { sharedFunding: shared } = market
  const next = shared === null ? NOTHING : sharedFundingOf('', shared, market)
  return {
    ledger: market.ledger,
    rate: amountText(shared?.rate),
    cumulative: amountText(shared?.cumulative),
    lastAppliedAt: shared?.lastSec ?? null,
    nextTs: next.nextTs,
    predictedRate: next.predictedRate,
    openInterestLong: amountText(market.totalLong),
    openInterestShort: amountText(market.totalShort),
    assets: assets.map((asset) => (shared === null ? ownFunding(asset, market, nowSec) : sharedFundingOf(asset, shared, market))),
  }
}

/** Generation 1: the rate follows from the imbalance of all positions at the time it is applied. */
function sharedFundingOf(
  asset: string, { rate, cumulative, lastSec }: SharedFunding, { totalLong: long, totalShort: short, config }: MarketSummary,
): AssetFunding {
  const predicted = config === null || long === null || short === null ? null : sharedRate(long, short, BigInt(config.base_funding_rate_bps))
  return {
    asset, rate: amountText(rate), cumulative: amountText(cumulative), lastTs: lastSec, nextTs: lastSec === null ? null : lastSec + FUNDING_INTERVAL_SEC,
    predictedRate: amountText(predicted),
  }
}

function sharedRate(long: bigint, short: bigint, base: bigint): bigint {
  if (long === short) return 0n
  const larger = long > short ? long : short
  return (base * (long - short) * ONE_E7) / (larger * BPS)
}

/** Generation 2: the rate of each asset moves with the average skew since it was last applied. */
function ownFunding(asset: string, { assets, openInterest }: MarketSummary, nowSec: number): AssetFunding {
  const entries = assets.get(asset)
  const funding = entries?.funding
  if (entries === undefined || funding === undefined || funding === null) return { asset, ...NOTHING }
  const known = { asset, rate: String(funding.rate), cumulative: String(funding.cumulative), lastTs: funding.lastSec }
  // An asset without risk parameters is skipped.
  if (entries.risk === undefined || entries.risk === null) return { ...known, nextTs: null, predictedRate: null }
  return { ...known, nextTs: funding.lastSec + FUNDING_INTERVAL_SEC, predictedRate: amountText(predictRate(entries, openInterest.get(asset) ?? null, nowSec)) }
}

/** The rate if funding is applied as soon as possible, and the open interest stays until then. */
function predictRate({ risk, funding, skewSeconds }: AssetSummary, interest: OpenInterest | null, nowSec: number): bigint | null {
  if (risk === undefined || risk === null || funding === undefined || funding === null || skewSeconds === null || interest === null) return null
  const appliedSec = Math.max(nowSec, funding.lastSec + FUNDING_INTERVAL_SEC)
  const average = skewUntil(skewSeconds, interest, appliedSec) / BigInt(appliedSec - funding.lastSec)
  return nextRate(risk, funding.rate, average)
}

function skewUntil(skewSeconds: TimedAmount | undefined, { long, short }: OpenInterest, untilSec: number): bigint {
  return skewSeconds === undefined ? 0n : skewSeconds.amount + (long - short) * BigInt(untilSec - skewSeconds.timeSec)
}

/** The rate after an hour of this average skew. A later application charges one hour too. */
function nextRate(risk: StoredAssetRisk, rate: bigint, skew: bigint): bigint {
  const { max_funding_velocity_bps: velocityBps, funding_clamp_bps: clampBps, skew_scale: scale } = risk
  if (scale === 0n) return rate
  const velocity = (BigInt(velocityBps) * ONE_E7 * skew) / scale
  const moved = rate + (velocity * BigInt(FUNDING_INTERVAL_SEC)) / DAY_SEC / BPS
  const limit = (ONE_E7 * BigInt(clampBps)) / BPS
  return maxAmount(minAmount(moved, limit), -limit)
}
