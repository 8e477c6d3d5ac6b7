// The exchange as a whole, read from the ledger on request and cached briefly: the liquidity pool and its headroom, funding, and the limits of each market.

import type { Clock } from '../base/clock.ts'
import { amountText } from '../base/fixed-point.ts'
import { createRefreshedValue } from '../base/refreshed-value.ts'
import { waitAtMost } from '../base/deadline.ts'
import { createTtlCache } from '../base/ttl-cache.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { MarketSource, MarketSummary } from '../chain/views/market-summary.ts'
import { readMarketSummary } from '../chain/views/market-summary.ts'
import { readPool } from '../chain/views/pool-view.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { withTimeout } from '../chain/rpc/with-timeout.ts'
import { hasNewerView } from '../exchange/deployment.ts'
import type { CurrentDeployment, Deployment } from '../exchange/deployment.ts'
import { isAtLeast } from '../exchange/contracts/generations.ts'
import type { Generation } from '../exchange/contracts/generations.ts'
import {
  CAPACITY_SERVED_MS, CAPACITY_STALE_MS, CONDITIONS_WAIT_MS, LEVERAGE, SLIPPAGE_TOLERANCE_BPS, TRAILING_PERCENT_BPS, VAULT_CAPS_CACHE_MS, VENUE_CACHE_MS,
  VENUE_READ_TIMEOUT_MS,
} from '../limits.ts'
import type { CurrentFunding } from '../resources/funding.ts'
import type { Instrument } from '../resources/instrument.ts'
import type { MarketLimits } from '../resources/market-limits.ts'
import type { PoolState, SideHeadroom } from '../resources/pool.ts'
import { createCapacityReader, maxLeverageOf, maxPositionSize, poolFigures, roomsOf } from './capacity.ts'
import type { ReadCapacity, VenueSnapshot } from './capacity.ts'
import { describeFunding } from './funding.ts'
import { describeInstrument } from './instruments.ts'
import { poolRooms, sideCapOf, smallestRoom } from './headroom.ts'
import { pauseModeAt } from './market-status.ts'
import { createQuotes } from './quotes.ts'
import type { ReadQuote } from './quotes.ts'
import { readStoredVaultCaps, readVaultCaps, readVaultCapsVersion } from './vault-caps.ts'
import type { VaultCaps } from './vault-caps.ts'

/** Rejects with RpcFailure when the ledger cannot be read. */
export interface Venue {
  pool(): Promise<PoolState>
  /** Null when the ledger cannot be read: the index still has the funding that was applied. */
  funding(): Promise<CurrentFunding | null>
  limits(asset: string): Promise<MarketLimits>
  instruments(symbols: readonly string[]): Promise<readonly Instrument[]>
  readonly quote: ReadQuote
  /** Returns the conditions of trading now, a few seconds old. Null while they cannot be read. Waits for a limited time and never rejects. */
  conditions(): Promise<VenueConditions | null>
  /** As `conditions`, without waiting. */
  knownConditions(): VenueConditions | null
  /** Null while it cannot be read. Never rejects. */
  readonly capacity: ReadCapacity
}

/** Null: unknown. */
export interface VenueConditions {
  readonly maxPriceAgeSec: number | null
  /** Time at which funding of an asset was last applied, Unix seconds. */
  fundingAppliedSec(asset: string): number | null
  /** Size that can still be opened, 7-decimal USD. 0 is long, 1 is short. */
  headroom(asset: string, direction: number): bigint | null
}

/** Time for which the funding history waits for the current rate. After a failure, no request waits for VENUE_CACHE_MS. */
const FUNDING_WAIT_MS = 1_000

function marketOf(exchange: Deployment): MarketSource {
  return { market: exchange.contracts.market, generation: exchange.targetOf('market').generation, assets: exchange.assets.symbols }
}

export function createVenue(parts: {
  readonly rpc: Rpc
  readonly deployment: CurrentDeployment
  readonly clock: Clock
  /** The exchange's time as far as it is known, Unix seconds. */
  readonly nowSec: () => number
  /** Undefined: unknown. Never rejects. */
  readonly lastPrice: (asset: string) => Promise<bigint | undefined>
}): Venue {
  const { rpc, deployment, clock, nowSec, lastPrice } = parts
  const cached = { clock, ttlMs: VENUE_CACHE_MS, maxEntries: 1 }
  const markets = createTtlCache<MarketSummary>(cached)
  const snapshots = createTtlCache<VenueSnapshot>(cached)
  const vaultCaps = createTtlCache<VaultCaps>({ clock, ttlMs: VAULT_CAPS_CACHE_MS, maxEntries: 1 })
  let fundingUnavailableUntilMs = 0

  async function market(): Promise<MarketSummary> {
    const exchange = deployment.current
    const read = (signal: AbortSignal): Promise<MarketSummary> => readMarketSummary(rpc, marketOf(exchange), { signal })
    return await markets.get(cacheKeyOf(exchange), () => withReadTimeout('getLedgerEntries', read))
  }

  /** Reads both at about the same ledger, because the headroom depends on both. */
  async function snapshot(): Promise<VenueSnapshot> {
    const exchange = deployment.current
    const { contracts: { vault }, assets: { symbols } } = exchange
    return await snapshots.get(cacheKeyOf(exchange), () => withReadTimeout('simulateTransaction', async (signal) => {
      const [pool, summary, caps] = await Promise.all([
        readPool(rpc, vault, { signal }),
        readMarketSummary(rpc, marketOf(exchange), { signal }),
        capsOf(exchange, signal),
      ])
      return { pool, market: summary, caps, assets: symbols }
    }))
  }

  async function capsOf(exchange: Deployment, signal: AbortSignal): Promise<VaultCaps> {
    const { contracts: { vault }, assets: { symbols } } = exchange
    if (!hasNewerView(exchange, 'vault', 'get_asset_caps', ['symbol'])) return await readStoredVaultCaps(rpc, vault, symbols, { signal })
    // A view for each asset is many calls. One call says whether a limit has changed since.
    const { version, ledger } = await readVaultCapsVersion(rpc, vault, symbols, { signal })
    const key = `${cacheKeyOf(exchange)} ${version}`
    let isOlder = false
    const caps = await vaultCaps.get(key, async () => {
      const found = await readVaultCaps(rpc, vault, symbols, { signal })
      isOlder = found.ledger < ledger
      return found.caps
    })
    if (isOlder || caps.reserveBps === null || caps.assets.size < symbols.length) vaultCaps.delete(key)
    return caps
  }

  const snapshotsInBackground = createRefreshedValue<VenueSnapshot>({
    clock, freshMs: VENUE_CACHE_MS, staleMs: CAPACITY_STALE_MS, servedMs: CAPACITY_SERVED_MS, waitMs: CONDITIONS_WAIT_MS,
    async read() {
      try {
        return await snapshot()
      } catch (error) {
        if (error instanceof RpcFailure) return null
        throw error
      }
    },
  })

  function withReadTimeout<T>(method: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withTimeout(clock, { limitMs: VENUE_READ_TIMEOUT_MS, method }, work)
  }

  return {
    pool: async () => describePool(await snapshot()),
    async funding() {
      if (clock.elapsedMs() < fundingUnavailableUntilMs) return null
      try {
        const found = await waitAtMost(clock, FUNDING_WAIT_MS, market())
        if (found !== undefined) return describeFunding(found, deployment.current.assets.symbols, nowSec())
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error
      }
      fundingUnavailableUntilMs = clock.elapsedMs() + VENUE_CACHE_MS
      return null
    },
    quote: createQuotes({ rpc, deployment, clock, readCaps: capsOf }),
    async conditions() {
      const known = await snapshotsInBackground.get(cacheKeyOf(deployment.current))
      return known === null ? null : conditionsOf(known.value)
    },
    knownConditions() {
      const known = snapshotsInBackground.known(cacheKeyOf(deployment.current))
      return known === null ? null : conditionsOf(known)
    },
    limits: async (asset) => describeLimits(asset, await snapshot(), { generation: deployment.current.targetOf('market').generation, nowSec: nowSec() }),
    async instruments(symbols) {
      const [read, prices] = await Promise.all([snapshot(), Promise.all(symbols.map(lastPrice))])
      const exchange = deployment.current
      const { generation } = exchange.targetOf('market')
      const liquidationPenaltyBps = read.market.config?.liquidation_penalty_bps ?? null
      return symbols.map((symbol, index) => describeInstrument(
        symbol, describeLimits(symbol, read, { generation, nowSec: nowSec() }), { price: prices[index], liquidationPenaltyBps, deployment: exchange },
      ))
    },
    capacity: createCapacityReader({ snapshot, deployment, clock }),
  }
}

function conditionsOf(snapshot: VenueSnapshot): VenueConditions {
  const { market } = snapshot
  return {
    maxPriceAgeSec: market.config?.max_price_staleness ?? null,
    fundingAppliedSec: (asset) => (market.sharedFunding === null ? market.assets.get(asset)?.funding?.lastSec : market.sharedFunding.lastSec) ?? null,
    headroom(asset, direction) {
      const rooms = roomsOf(asset, snapshot, maxPositionSize(asset, market))
      return (direction === 0 ? rooms?.long.room : rooms?.short.room) ?? null
    },
  }
}

/** A contract that was upgraded in place has other entries and views. */
function cacheKeyOf({ contracts: { market, vault }, targetOf }: Deployment): string {
  return `${market} ${targetOf('market').generation} ${vault} ${targetOf('vault').generation}`
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
    bufferBalance: amountText(pool.bufferBalance),
    shortfallReserve: amountText(pool.shortfallReserve),
    depositFeeBps: pool.depositFeeBps,
    withdrawFeeBps: pool.withdrawFeeBps,
    paused: pool.paused,
    caps: { reservedBps: caps.reserveBps, assetSideBps: caps.assets.size === 0 ? null : Math.min(...[...caps.assets.values()].map(({ sideBps }) => sideBps)) },
    headroom: {
      total: figures === null ? null : amountText(smallestRoom(poolRooms(figures)).room),
      assets: assets.map((asset) => ({ asset, ...headroomOf(asset, snapshot) })),
    },
  }
}

/** Returns the size that can still be opened on each side of an asset, and the limit that binds. */
function headroomOf(asset: string, snapshot: VenueSnapshot): SideHeadroom {
  // Generation 1 has one maximum for all assets, which has never counted here.
  const { market } = snapshot
  const rooms = roomsOf(asset, snapshot, market.hasAssetRisk ? maxPositionSize(asset, market) : null)
  return {
    long: amountText(rooms?.long.room), short: amountText(rooms?.short.room), bindingLong: rooms?.long.limit ?? null, bindingShort: rooms?.short.limit ?? null,
  }
}

function describeLimits(
  asset: string, snapshot: VenueSnapshot, { generation, nowSec }: { readonly generation: Generation; readonly nowSec: number },
): MarketLimits {
  const { pool, market, caps } = snapshot
  const { config, feeTiers, openInterest } = market
  const own = market.assets.get(asset)
  const assetCaps = caps.assets.get(asset)
  const open = openInterest.get(asset) ?? null
  return {
    asset,
    ledger: market.ledger,
    minLeverage: LEVERAGE.min,
    maxLeverage: maxLeverageOf(asset, market),
    minCollateral: amountText(config?.min_collateral ?? null),
    maxPositionSize: amountText(maxPositionSize(asset, market)),
    initialMarginBps: market.hasAssetRisk ? own?.risk?.im_bps ?? null : null,
    maintenanceMarginBps: (market.hasAssetRisk ? own?.risk?.mm_bps : config?.maintenance_margin_bps) ?? null,
    maxPriceAgeSec: config?.max_price_staleness ?? null,
    maxPriceDeviationBps: config?.max_oracle_deviation_bps ?? null,
    slippageToleranceBps: { min: 1, max: SLIPPAGE_TOLERANCE_BPS.max },
    trailingPercentBps: { min: TRAILING_PERCENT_BPS.min, max: TRAILING_ON_CHAIN_MAX_BPS },
    feeTiers: feeTiers?.map((tier) => ({
      minVolume: String(tier.min_volume), makerRate: rateOf(tier.maker_fee_bps), takerRate: rateOf(tier.taker_fee_bps),
    })) ?? null,
    keeperFee: keeperFeeOf(market, generation),
    openInterest: { long: amountText(open?.long ?? null), short: amountText(open?.short ?? null) },
    assetSideCap: pool.aum === null || assetCaps === undefined ? null : amountText(sideCapOf(pool.aum, assetCaps)),
    headroom: headroomOf(asset, snapshot),
    tradingPaused: market.paused,
    pauseMode: pauseModeAt(market, nowSec),
    // Without an entry the flag was never set.
    assetHalted: own === undefined ? null : own.halted === undefined ? false : own.halted,
    adlActive: own === undefined ? null : own.adlActive === undefined ? false : own.adlActive,
  }
}

/** The settings of the market from generation 2 on; before that, its code has constants. */
function keeperFeeOf({ config }: MarketSummary, generation: Generation): MarketLimits['keeperFee'] {
  if (!isAtLeast(generation, '2.0')) return KEEPER_FEE_OF_GENERATION_1
  const deciBps = config?.keeper_fee_deci_bps
  return { base: amountText(config?.keeper_fee_base), rate: deciBps === undefined ? null : rateOf(deciBps) }
}

/** 0.5 USDC and 0.05 % of the size. */
const KEEPER_FEE_OF_GENERATION_1 = { base: '5000000', rate: '5000' } as const

const TRAILING_ON_CHAIN_MAX_BPS = 5_000
/** Fees of tiers and of keepers are in tenths of a basis point; this is one tenth with seven decimals. */
const TENTH_OF_BPS_E7 = 100

function rateOf(tenths: number): string {
  return String(tenths * TENTH_OF_BPS_E7)
}
