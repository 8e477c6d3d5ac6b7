// What can still be opened, from the contracts' current settings: of each asset, and of the pool. Served for a while after the network can no longer be
// read, marked stale, then left out. Never zero for unknown.

import type { Clock } from '../base/clock.ts'
import { RpcFailure } from '../chain/failure.ts'
import type { MarketSummary } from '../chain/market-summary.ts'
import type { Pool } from '../chain/pool.ts'
import { CAPACITY_SERVED_MS, CAPACITY_WAIT_MS } from '../limits.ts'
import type { MarketCapacity, PoolCapacity } from '../resources/market-stats.ts'
import { capOf, poolRooms, sideCapOf, sideRooms, smallestRoom } from './headroom.ts'
import type { PoolFigures, Room } from './headroom.ts'
import type { VaultCaps } from './vault-caps.ts'

export interface Capacity {
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

export function createCapacityReader(parts: { readonly snapshot: () => Promise<VenueSnapshot>; readonly clock: Clock }): ReadCapacity {
  const { snapshot, clock } = parts
  let last: { readonly capacity: Capacity; readonly readAtMs: number } | null = null

  async function refresh(): Promise<Capacity | null> {
    try {
      const capacity = describeCapacity(await snapshot(), clock.nowMs())
      if (capacity !== null) last = { capacity, readAtMs: clock.elapsedMs() }
      return capacity
    } catch (error) {
      if (error instanceof RpcFailure) return null
      throw error
    }
  }

  function lastKnown(): Capacity | null {
    if (last === null || clock.elapsedMs() - last.readAtMs > CAPACITY_SERVED_MS) return null
    const { pool, assets } = last.capacity
    return { pool: { ...pool, stale: true }, assets }
  }

  return async () => {
    const waited = new AbortController()
    const read = await Promise.race([refresh(), clock.sleep(CAPACITY_WAIT_MS, waited.signal).then(() => null)])
    waited.abort()
    return read ?? lastKnown()
  }
}

/** Null when a figure of the pool cannot be read. */
export function describeCapacity({ pool, market, caps }: VenueSnapshot, readAtMs: number): Capacity | null {
  const figures = poolFigures(pool, caps)
  if (figures === null) return null
  const binding = smallestRoom(poolRooms(figures))
  const assets = new Map<string, MarketCapacity>()
  for (const [asset, interest] of market.openInterest) {
    const assetCaps = caps.assets.get(asset)
    if (interest === null || assetCaps === undefined) continue
    const maxPosition = maxPositionSize(asset, market)
    const positionRoom: readonly Room[] = maxPosition === null || maxPosition <= 0n ? [] : [{ limit: 'maxPosition', room: maxPosition }]
    const long = smallestRoom([...sideRooms(figures, assetCaps, { own: interest.long, other: interest.short }), ...positionRoom])
    const short = smallestRoom([...sideRooms(figures, assetCaps, { own: interest.short, other: interest.long }), ...positionRoom])
    assets.set(asset, {
      headroomLong: String(long.room), headroomShort: String(short.room), bindingLong: long.limit, bindingShort: short.limit,
      oiLong: String(interest.long), oiShort: String(interest.short), netSkew: String(interest.long - interest.short),
      sideCap: String(sideCapOf(figures.aum, assetCaps)), skewCap: assetCaps.skewBps === null ? null : String(capOf(figures.aum, assetCaps.skewBps)),
      assetCapBps: assetCaps.sideBps, capAbs: String(assetCaps.sideAbsolute), skewCapBps: assetCaps.skewBps,
      maxPositionSize: maxPosition === null ? null : String(maxPosition),
    })
  }
  return {
    pool: {
      aum: String(figures.aum), reservedPayout: String(figures.reserved), usdcBalance: String(figures.usdcBalance),
      shortfallReserve: String(figures.shortfallReserve), reserveCapBps: caps.reserveBps, reserveCap: String(capOf(figures.aum, caps.reserveBps)),
      aggregateHeadroom: String(binding.room), aggregateBinding: binding.limit === 'liquidity' ? 'liquidity' : 'aggregate',
      asOfLedger: pool.ledger, ts: readAtMs, stale: false,
    },
    assets,
  }
}

/** Null when one of them cannot be read. A vault without a shortfall reserve has none. */
export function poolFigures({ aum, reservedPayout, usdcBalance, shortfallReserve }: Pool, { reserveBps }: VaultCaps): PoolFigures | null {
  if (aum === null || reservedPayout === null || usdcBalance === null) return null
  return { aum, reserved: reservedPayout, usdcBalance, shortfallReserve: shortfallReserve ?? 0n, reserveBps }
}

/** The largest position of an asset; null when it is unknown. Once a market has parameters per asset, the configuration no longer applies. */
export function maxPositionSize(asset: string, { assetRisk, config }: MarketSummary): bigint | null {
  return assetRisk.size === 0 ? config?.max_position_size ?? null : assetRisk.get(asset)?.max_position_size ?? null
}
