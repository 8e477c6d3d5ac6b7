// The amounts that can still be opened, from the contracts' current settings: of each asset, and of the pool. Served for a while after the network can no
// longer be read, marked stale, then left out. Never zero for unknown.

import type { Clock } from '../base/clock.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import type { MarketSummary } from '../chain/views/market-summary.ts'
import type { Pool } from '../chain/views/pool-view.ts'
import { createRefreshedValue } from '../base/refreshed-value.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import { CAPACITY_SERVED_MS, CAPACITY_STALE_MS, CAPACITY_WAIT_MS, VENUE_CACHE_MS } from '../limits.ts'
import type { MarketCapacity, PoolCapacity } from '../resources/market-stats.ts'
import { capOf, poolRooms, sideCapOf, sideRooms, smallestRoom } from './headroom.ts'
import type { PoolFigures, Room } from './headroom.ts'
import type { VaultCaps } from './vault-caps.ts'

interface Capacity {
  readonly pool: PoolCapacity
  /** Assets whose open interest cannot be read are missing. */
  readonly assets: ReadonlyMap<string, MarketCapacity>
}

/** The state of pool and market at about one ledger. */
export interface VenueSnapshot {
  readonly pool: Pool
  readonly market: MarketSummary
  readonly caps: VaultCaps
  /** In listing order. */
  readonly assets: readonly string[]
}

/** Returns the capacity; null while it is unknown. Waits for a limited time and never rejects. */
export type ReadCapacity = () => Promise<Capacity | null>

export function createCapacityReader(parts: {
  readonly snapshot: () => Promise<VenueSnapshot>
  readonly deployment: CurrentDeployment
  readonly clock: Clock
}): ReadCapacity {
  const { snapshot, deployment, clock } = parts
  const capacities = createRefreshedValue<Capacity>({
    clock, freshMs: VENUE_CACHE_MS, staleMs: CAPACITY_STALE_MS, servedMs: CAPACITY_SERVED_MS, waitMs: CAPACITY_WAIT_MS,
    async read() {
      try {
        return describeCapacity(await snapshot(), clock.nowMs())
      } catch (error) {
        if (error instanceof RpcFailure) return null
        throw error
      }
    },
  })
  return async () => {
    const { market, vault } = deployment.current.contracts
    const known = await capacities.get(`${market} ${vault}`)
    if (known === null) return null
    const { pool, assets } = known.value
    return { pool: { ...pool, stale: known.ageMs >= CAPACITY_STALE_MS }, assets }
  }
}

/** Null when a figure of the pool cannot be read. */
function describeCapacity(snapshot: VenueSnapshot, readAtMs: number): Capacity | null {
  const { pool, market, caps } = snapshot
  const figures = poolFigures(pool, caps)
  if (figures === null) return null
  const binding = smallestRoom(poolRooms(figures))
  const assets = new Map<string, MarketCapacity>()
  for (const [asset, interest] of market.openInterest) {
    const assetCaps = caps.assets.get(asset)
    const rooms = roomsOf(asset, snapshot, maxPositionSize(asset, market))
    if (interest === null || assetCaps === undefined || rooms === null) continue
    const maxPosition = maxPositionSize(asset, market)
    assets.set(asset, {
      headroomLong: String(rooms.long.room), headroomShort: String(rooms.short.room), bindingLong: rooms.long.limit, bindingShort: rooms.short.limit,
      oiLong: String(interest.long), oiShort: String(interest.short), netSkew: String(interest.long - interest.short),
      sideCap: String(sideCapOf(figures.aum, assetCaps)), skewCap: assetCaps.skewBps === null ? null : String(capOf(figures.aum, assetCaps.skewBps)),
      assetCapBps: assetCaps.sideBps, capAbs: String(assetCaps.sideAbsolute), skewCapBps: assetCaps.skewBps,
      maxPositionSize: maxPosition === null ? null : String(maxPosition), maxLeverage: maxLeverageOf(asset, market),
    })
  }
  return {
    pool: {
      aum: String(figures.aum), reservedPayout: String(figures.reserved), usdcBalance: String(figures.usdcBalance),
      shortfallReserve: String(figures.shortfallReserve), reserveCapBps: figures.reserveBps, reserveCap: String(capOf(figures.aum, figures.reserveBps)),
      aggregateHeadroom: String(binding.room), aggregateBinding: binding.limit === 'liquidity' ? 'liquidity' : 'aggregate',
      asOfLedger: pool.ledger, ts: readAtMs, stale: false,
    },
    assets,
  }
}

/** The smallest room of each side of an asset. Null when a figure that it depends on cannot be read. A null `maxPosition` does not limit. */
export function roomsOf(
  asset: string, { pool, market, caps }: VenueSnapshot, maxPosition: bigint | null,
): { readonly long: Room; readonly short: Room } | null {
  const [figures, interest, assetCaps] = [poolFigures(pool, caps), market.openInterest.get(asset) ?? null, caps.assets.get(asset)]
  if (figures === null || interest === null || assetCaps === undefined) return null
  const positionRoom: readonly Room[] = maxPosition === null || maxPosition <= 0n ? [] : [{ limit: 'maxPosition', room: maxPosition }]
  const roomOf = (own: bigint, other: bigint): Room => smallestRoom([...sideRooms(figures, assetCaps, { own, other }), ...positionRoom])
  return { long: roomOf(interest.long, interest.short), short: roomOf(interest.short, interest.long) }
}

/** Null when one of them cannot be read. */
export function poolFigures({ aum, reservedPayout, usdcBalance, shortfallReserve }: Pool, { reserveBps, hasShortfallReserve }: VaultCaps): PoolFigures | null {
  const reserve = hasShortfallReserve ? shortfallReserve : 0n
  if (aum === null || reservedPayout === null || usdcBalance === null || reserve === null || reserveBps === null) return null
  return { aum, reserved: reservedPayout, usdcBalance, shortfallReserve: reserve, reserveBps }
}

/** The largest position of an asset; null when it is unknown. Once a market has parameters per asset, the configuration no longer applies. */
export function maxPositionSize(asset: string, { hasAssetRisk, assets, config }: MarketSummary): bigint | null {
  return (hasAssetRisk ? assets.get(asset)?.risk?.max_position_size : config?.max_position_size) ?? null
}

const BPS = 10_000

/** The leverage that the initial margin allows, at most the asset's maximum. Null for an asset that cannot be traded. */
export function maxLeverageOf(asset: string, { hasAssetRisk, assets, config }: MarketSummary): number | null {
  if (!hasAssetRisk) return config?.max_leverage ?? null
  const risk = assets.get(asset)?.risk
  if (risk === undefined || risk === null || risk.im_bps === 0) return null
  return Math.min(risk.max_leverage, Math.max(1, Math.floor(BPS / risk.im_bps)))
}
