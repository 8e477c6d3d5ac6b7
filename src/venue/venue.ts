// The exchange as a whole, read from the ledger on request and cached briefly: the liquidity pool and its headroom, funding, and the limits of each market.

import type { Clock } from '../base/clock.ts'
import { amountText } from '../base/fixed-point.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { MarketSummary } from '../chain/market-summary.ts'
import { readMarketSummary } from '../chain/market-summary.ts'
import { readPool } from '../chain/pool.ts'
import type { Rpc } from '../chain/rpc.ts'
import { withTimeout } from '../chain/with-timeout.ts'
import type { CurrentDeployment, Deployment } from '../exchange/deployment.ts'
import { LEVERAGE, SLIPPAGE_TOLERANCE_BPS, TRAILING_PERCENT_BPS, VAULT_CAPS_CACHE_MS, VENUE_CACHE_MS, VENUE_READ_TIMEOUT_MS } from '../limits.ts'
import type { CurrentFunding } from '../resources/funding.ts'
import type { MarketLimits } from '../resources/market-limits.ts'
import type { PoolState, SideHeadroom } from '../resources/pool.ts'
import { createCapacityReader, maxPositionSize, poolFigures } from './capacity.ts'
import type { ReadCapacity, VenueSnapshot } from './capacity.ts'
import { poolRooms, sideCapOf, sideRooms, smallestRoom } from './headroom.ts'
import { readVaultCaps } from './vault-caps.ts'
import type { VaultCaps } from './vault-caps.ts'

/** Rejects with RpcFailure when the ledger cannot be read. */
export interface Venue {
  pool(): Promise<PoolState>
  /** Null when the ledger cannot be read: the index still has the funding that was applied. */
  funding(): Promise<CurrentFunding | null>
  limits(asset: string): Promise<MarketLimits>
  /** Null while it cannot be read. Never rejects. */
  readonly capacity: ReadCapacity
}

/** How long the funding history waits for the current rate. After a failure, no request waits for VENUE_CACHE_MS. */
const FUNDING_WAIT_MS = 1_000

function marketOf({ contracts: { market }, assets }: Deployment): Parameters<typeof readMarketSummary>[1] {
  return { market, assets: assets.symbols }
}

export function createVenue(parts: { readonly rpc: Rpc; readonly deployment: CurrentDeployment; readonly clock: Clock }): Venue {
  const { rpc, deployment, clock } = parts
  const cached = { clock, ttlMs: VENUE_CACHE_MS, maxEntries: 1 }
  const markets = createTtlCache<MarketSummary>(cached)
  const snapshots = createTtlCache<VenueSnapshot>(cached)
  const vaultCaps = createTtlCache<VaultCaps>({ clock, ttlMs: VAULT_CAPS_CACHE_MS, maxEntries: 1 })
  let fundingUnavailableUntilMs = 0

  async function market(): Promise<MarketSummary> {
    const exchange = deployment.current
    const read = (signal: AbortSignal): Promise<MarketSummary> => readMarketSummary(rpc, marketOf(exchange), { signal })
    return await markets.get(exchange.contracts.market, () => withReadTimeout('getLedgerEntries', read))
  }

  /** Reads both at about the same ledger, because the headroom depends on both. */
  async function snapshot(): Promise<VenueSnapshot> {
    const exchange = deployment.current
    const { contracts: { market: address, vault }, assets: { symbols } } = exchange
    return await snapshots.get(`${address} ${vault}`, () => withReadTimeout('simulateTransaction', async (signal) => {
      const [pool, summary, caps] = await Promise.all([
        readPool(rpc, vault, { signal }),
        readMarketSummary(rpc, marketOf(exchange), { signal }),
        vaultCaps.get(vault, () => readVaultCaps(rpc, vault, symbols, { signal })),
      ])
      return { pool, market: summary, caps, assets: symbols }
    }))
  }

  async function orNullAfterWait<T>(reading: Promise<T>): Promise<T | null> {
    const waited = new AbortController()
    try {
      return await Promise.race([reading, clock.sleep(FUNDING_WAIT_MS, waited.signal).then(() => null)])
    } finally {
      waited.abort()
    }
  }

  function withReadTimeout<T>(method: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withTimeout(clock, { limitMs: VENUE_READ_TIMEOUT_MS, method }, work)
  }

  return {
    pool: async () => describePool(await snapshot()),
    async funding() {
      if (clock.elapsedMs() < fundingUnavailableUntilMs) return null
      try {
        const found = await orNullAfterWait(market())
        if (found !== null) return describeFunding(found)
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error
      }
      fundingUnavailableUntilMs = clock.elapsedMs() + VENUE_CACHE_MS
      return null
    },
    limits: async (asset) => describeLimits(asset, await snapshot()),
    capacity: createCapacityReader({ snapshot, clock }),
  }
}

function describePool(snapshot: VenueSnapshot): PoolState {
  const { pool, caps, assets } = snapshot
  const { aum, reservedPayout } = pool
  const figures = poolFigures(pool, caps)
  return {
    ledger: pool.ledger,
    aum: amountText(aum),
    lpPrice: amountText(pool.lpPrice),
    lpSupply: amountText(pool.lpSupply),
    totalUsdc: amountText(pool.totalUsdc),
    usdcBalance: amountText(pool.usdcBalance),
    totalFees: amountText(pool.totalFees),
    unrealizedPnl: amountText(pool.unrealizedPnl),
    reservedPayout: amountText(reservedPayout),
    shortfall: amountText(pool.shortfall),
    depositFeeBps: pool.depositFeeBps,
    withdrawFeeBps: pool.withdrawFeeBps,
    paused: pool.paused,
    caps: { reservedBps: caps.reserveBps, assetSideBps: Math.min(...[...caps.assets.values()].map(({ sideBps }) => sideBps)) },
    headroom: {
      total: figures === null ? null : amountText(smallestRoom(poolRooms(figures)).room),
      assets: assets.map((asset) => ({ asset, ...headroomOf(asset, snapshot) })),
    },
  }
}

/** What can still be opened on each side of an asset, limited by its own caps and by the pool. */
function headroomOf(asset: string, { pool, market, caps }: VenueSnapshot): SideHeadroom {
  const [sides, figures, assetCaps] = [market.openInterest.get(asset) ?? null, poolFigures(pool, caps), caps.assets.get(asset)]
  if (sides === null || figures === null || assetCaps === undefined) return { long: null, short: null }
  const { long, short } = sides
  const roomOf = (own: bigint, other: bigint): string | null => amountText(smallestRoom(sideRooms(figures, assetCaps, { own, other })).room)
  return { long: roomOf(long, short), short: roomOf(short, long) }
}

function describeFunding(market: MarketSummary): CurrentFunding {
  return {
    ledger: market.ledger,
    rate: amountText(market.fundingRate),
    cumulative: amountText(market.cumulativeFunding),
    lastAppliedAt: market.lastFundingSec,
    openInterestLong: amountText(market.totalLong),
    openInterestShort: amountText(market.totalShort),
  }
}

function describeLimits(asset: string, snapshot: VenueSnapshot): MarketLimits {
  const { pool, market, caps } = snapshot
  const { config, feeTiers, openInterest, assetRisk } = market
  const risk = assetRisk.get(asset) ?? null
  const assetCaps = caps.assets.get(asset)
  const open = openInterest.get(asset) ?? null
  return {
    asset,
    ledger: market.ledger,
    minLeverage: LEVERAGE.min,
    maxLeverage: assetRisk.size === 0 ? config?.max_leverage ?? null : risk?.max_leverage ?? null,
    minCollateral: amountText(config?.min_collateral ?? null),
    maxPositionSize: amountText(maxPositionSize(asset, market)),
    maintenanceMarginBps: assetRisk.size === 0 ? config?.maintenance_margin_bps ?? null : risk?.mm_bps ?? null,
    maxPriceAgeSec: config?.max_price_staleness ?? null,
    maxPriceDeviationBps: config?.max_oracle_deviation_bps ?? null,
    slippageToleranceBps: { min: 1, max: SLIPPAGE_TOLERANCE_BPS.max },
    trailingPercentBps: { min: TRAILING_PERCENT_BPS.min, max: TRAILING_ON_CHAIN_MAX_BPS },
    feeTiers: feeTiers?.map((tier) => ({
      minVolume: String(tier.min_volume), makerRate: rateOf(tier.maker_fee_bps), takerRate: rateOf(tier.taker_fee_bps),
    })) ?? null,
    openInterest: { long: amountText(open?.long ?? null), short: amountText(open?.short ?? null) },
    assetSideCap: pool.aum === null || assetCaps === undefined ? null : amountText(sideCapOf(pool.aum, assetCaps)),
    headroom: headroomOf(asset, snapshot),
    tradingPaused: market.paused,
  }
}

const TRAILING_ON_CHAIN_MAX_BPS = 5_000
/** Tier fees are in tenths of a basis point; this is one tenth with seven decimals. */
const TENTH_OF_BPS_E7 = 100

function rateOf(tenths: number): string {
  return String(tenths * TENTH_OF_BPS_E7)
}
