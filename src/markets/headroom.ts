// The amount that can be opened before a limit of the vault is reached ("Headroom" of generation 2). Pure. Amounts are 7-decimal USDC.

import { maxAmount, minAmount } from '../base/fixed-point.ts'
import type { BindingLimit } from '../resources/market-stats.ts'

/** Room under one limit. */
export interface Room {
  readonly limit: BindingLimit
  readonly room: bigint
}

/** The limits of one asset. */
export interface AssetCaps {
  readonly sideBps: number
  /** 0: none. */
  readonly sideAbsolute: bigint
  /** Null: the contracts have no such limit. */
  readonly skewBps: number | null
}

export interface PoolFigures {
  readonly aum: bigint
  readonly reserved: bigint
  readonly usdcBalance: bigint
  readonly shortfallReserve: bigint
  readonly reserveBps: number
}

const BPS = 10_000n

export function capOf(aum: bigint, bps: number): bigint {
  return (aum * BigInt(bps)) / BPS
}

/** The limits of all markets together, in the order in which the vault checks them. */
export function poolRooms({ aum, reserved, usdcBalance, shortfallReserve, reserveBps }: PoolFigures): readonly [aggregate: Room, liquidity: Room] {
  return [
    { limit: 'aggregate', room: capOf(aum, reserveBps) - reserved },
    { limit: 'liquidity', room: usdcBalance - shortfallReserve - reserved },
  ]
}

export function sideCapOf(aum: bigint, { sideBps, sideAbsolute }: AssetCaps): bigint {
  const relative = capOf(aum, sideBps)
  return sideAbsolute > 0n ? minAmount(relative, sideAbsolute) : relative
}

/** The limits of one side of an asset, in the order in which the vault checks them. `own` and `other` are the open interest of both sides. */
export function sideRooms(pool: PoolFigures, caps: AssetCaps, { own, other }: { readonly own: bigint; readonly other: bigint }): readonly [Room, ...Room[]] {
  const [aggregate, liquidity] = poolRooms(pool)
  const skew = caps.skewBps === null ? [] : [{ limit: 'skew' as const, room: skewRoom(own - other, capOf(pool.aum, caps.skewBps)) }]
  return [aggregate, { limit: 'side', room: sideCapOf(pool.aum, caps) - own }, ...skew, liquidity]
}

/** `lead` is by how much this side is larger than the other one. */
function skewRoom(lead: bigint, cap: bigint): bigint {
  return lead >= 0n ? cap - lead : -lead + maxAmount(cap, -lead)
}

/** The smallest room, at least 0; of equal rooms the first. */
export function smallestRoom(rooms: readonly [Room, ...Room[]]): Room {
  const smallest = rooms.reduce((least, next) => (next.room < least.room ? next : least))
  return { limit: smallest.limit, room: maxAmount(smallest.room, 0n) }
}
