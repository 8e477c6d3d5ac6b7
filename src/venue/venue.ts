// The exchange as a whole, read from the ledger when somebody asks and kept for a moment: the pool, what can still be opened against it, funding, and each
// market's limits.

import type { Clock } from '../base/clock.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { MarketSummary } from '../chain/market-summary.ts'
import { readMarketSummary } from '../chain/market-summary.ts'
import type { Pool } from '../chain/pool.ts'
import { readPool } from '../chain/pool.ts'
import type { Rpc } from '../chain/rpc.ts'
import { withTimeout } from '../chain/with-timeout.ts'
import { ASSET_SYMBOLS } from '../exchange/assets.ts'
import type { ContractAddresses } from '../exchange/contracts.ts'
import { LEVERAGE, OPEN_INTEREST_CAPS_BPS, SLIPPAGE_TOLERANCE_BPS, TRAILING_PERCENT_BPS, VENUE_CACHE_MS, VENUE_READ_TIMEOUT_MS } from '../limits.ts'
import type { CurrentFunding } from '../resources/funding.ts'
import type { MarketLimits } from '../resources/market-limits.ts'
import type { PoolState, SideHeadroom } from '../resources/pool.ts'

/** Rejects with RpcFailure when the ledger cannot be read. */
export interface Venue {
  pool(): Promise<PoolState>
  /** Null when the ledger cannot be read: what was applied is known all the same. */
  funding(): Promise<CurrentFunding | null>
  limits(asset: string): Promise<MarketLimits>
}

const BPS = 10_000n
/** What was applied waits no longer for what applies now; when that was in vain, nobody waits for a moment. */
const FUNDING_WAIT_MS = 1_000

interface Snapshot {
  readonly pool: Pool
  readonly market: MarketSummary
}

export function createVenue(parts: { readonly rpc: Rpc; readonly contracts: ContractAddresses; readonly clock: Clock }): Venue {
  const { rpc, contracts, clock } = parts
  const memo = { clock, ttlMs: VENUE_CACHE_MS, maxEntries: 1 }
  const markets = createTtlCache<MarketSummary>(memo)
  const snapshots = createTtlCache<Snapshot>(memo)
  let untoldUntilMs = 0

  async function market(): Promise<MarketSummary> {
    return await markets.get('', () => within('getLedgerEntries', (signal) => readMarketSummary(rpc, contracts.market, { signal })))
  }

  /** Both of about one ledger: what can still be opened is a question to both. */
  async function snapshot(): Promise<Snapshot> {
    return await snapshots.get('', () => within('simulateTransaction', async (signal) => {
      const [pool, figures] = await Promise.all([readPool(rpc, contracts.vault, { signal }), readMarketSummary(rpc, contracts.market, { signal })])
      return { pool, market: figures }
    }))
  }

  async function soonOrNull<T>(reading: Promise<T>): Promise<T | null> {
    const waited = new AbortController()
    try {
      return await Promise.race([reading, clock.sleep(FUNDING_WAIT_MS, waited.signal).then(() => null)])
    } finally {
      waited.abort()
    }
  }

  function within<T>(method: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withTimeout(clock, { limitMs: VENUE_READ_TIMEOUT_MS, method }, work)
  }

  return {
    pool: async () => describePool(await snapshot()),
    async funding() {
      if (clock.elapsedMs() < untoldUntilMs) return null
      try {
        const told = await soonOrNull(market())
        if (told !== null) return describeFunding(told)
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error
      }
      untoldUntilMs = clock.elapsedMs() + VENUE_CACHE_MS
      return null
    },
    limits: async (asset) => describeLimits(asset, await snapshot()),
  }
}

function describePool({ pool, market }: Snapshot): PoolState {
  const { aum, reservedPayout } = pool
  return {
    ledger: pool.ledger,
    aum: text(aum),
    lpPrice: text(pool.lpPrice),
    lpSupply: text(pool.lpSupply),
    totalUsdc: text(pool.totalUsdc),
    usdcBalance: text(pool.usdcBalance),
    totalFees: text(pool.totalFees),
    unrealizedPnl: text(pool.unrealizedPnl),
    reservedPayout: text(reservedPayout),
    shortfall: text(pool.shortfall),
    depositFeeBps: pool.depositFeeBps,
    withdrawFeeBps: pool.withdrawFeeBps,
    paused: pool.paused,
    caps: { reservedBps: OPEN_INTEREST_CAPS_BPS.reserved, assetSideBps: OPEN_INTEREST_CAPS_BPS.assetSide },
    headroom: {
      total: aum === null || reservedPayout === null ? null : text(left(capOf(aum, OPEN_INTEREST_CAPS_BPS.reserved), reservedPayout)),
      assets: ASSET_SYMBOLS.map((asset) => ({ asset, ...headroomOf(asset, pool, market) })),
    },
  }
}

/** What can still be opened on each side of an asset: what its own cap leaves, and what all of them leave together. */
function headroomOf(asset: string, { aum, reservedPayout }: Pool, market: MarketSummary): SideHeadroom {
  const sides = market.openInterest.get(asset)
  if (aum === null || reservedPayout === null || sides === null || sides === undefined) return { long: null, short: null }
  const total = left(capOf(aum, OPEN_INTEREST_CAPS_BPS.reserved), reservedPayout)
  const cap = capOf(aum, OPEN_INTEREST_CAPS_BPS.assetSide)
  return { long: text(least(left(cap, sides.long), total)), short: text(least(left(cap, sides.short), total)) }
}

function describeFunding(market: MarketSummary): CurrentFunding {
  return {
    ledger: market.ledger,
    rate: text(market.fundingRate),
    cumulative: text(market.cumulativeFunding),
    lastAppliedAt: market.lastFundingSec,
    openInterestLong: text(market.totalLong),
    openInterestShort: text(market.totalShort),
  }
}

function describeLimits(asset: string, { pool, market }: Snapshot): MarketLimits {
  const { config, feeTiers, openInterest: sides } = market
  const open = sides.get(asset) ?? null
  return {
    asset,
    ledger: market.ledger,
    minLeverage: LEVERAGE.min,
    maxLeverage: config?.max_leverage ?? null,
    minCollateral: text(config?.min_collateral ?? null),
    maxPositionSize: text(config?.max_position_size ?? null),
    maintenanceMarginBps: config?.maintenance_margin_bps ?? null,
    maxPriceAgeSec: config?.max_price_staleness ?? null,
    maxPriceDeviationBps: config?.max_oracle_deviation_bps ?? null,
    slippageToleranceBps: { min: 1, max: SLIPPAGE_TOLERANCE_BPS.max },
    trailingPercentBps: { min: TRAILING_PERCENT_BPS.min, max: TRAILING_ON_CHAIN_MAX_BPS },
    feeTiers: feeTiers?.map((tier) => ({
      minVolume: String(tier.min_volume), makerRate: rateOf(tier.maker_fee_bps), takerRate: rateOf(tier.taker_fee_bps),
    })) ?? null,
    openInterest: { long: text(open?.long ?? null), short: text(open?.short ?? null) },
    assetSideCap: pool.aum === null ? null : text(capOf(pool.aum, OPEN_INTEREST_CAPS_BPS.assetSide)),
    headroom: headroomOf(asset, pool, market),
    tradingPaused: market.paused,
  }
}

const TRAILING_ON_CHAIN_MAX_BPS = 5_000
/** A tier's fee is told in tenths of a basis point; as a 7-decimal share that is so much. */
const TENTH_OF_BPS_E7 = 100

function rateOf(tenths: number): string {
  return String(tenths * TENTH_OF_BPS_E7)
}

function capOf(aum: bigint, bps: number): bigint {
  return (aum * BigInt(bps)) / BPS
}

function left(cap: bigint, used: bigint): bigint {
  return cap > used ? cap - used : 0n
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function text(value: bigint | null): string | null {
  return value === null ? null : value.toString()
}
