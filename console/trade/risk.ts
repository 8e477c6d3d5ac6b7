// How near a position is to its liquidation, and an order to a limit of the exchange. Pure. Amounts are integers with seven implied decimals.

import { percent, price as priceText } from '../format.ts'

interface Liquidatable {
  /** 0 long, 1 short. */
  readonly direction: number
  readonly liquidationPrice: string | null
}

export interface LiquidationDistance {
  /** Basis points of the price; negative beyond the liquidation price. */
  readonly bps: number
  /** Beyond: the position can be liquidated now. */
  readonly state: 'far' | 'near' | 'beyond'
}

/** A position that is near its liquidation, or beyond it, in a sentence. */
export interface Danger {
  readonly text: string
  readonly isBeyond: boolean
}

const BPS = 10_000n
/** At most this far from liquidation is near. */
const NEAR_BPS = 200
/** From this share of a limit an order is near it. */
const NEAR_LIMIT_PERCENT = 90n

/** The distance from the price to the liquidation price; null without one of them. */
export function liquidationDistance({ direction, liquidationPrice }: Liquidatable, current: string | null): LiquidationDistance | null {
  if (liquidationPrice === null || current === null || BigInt(current) === 0n) return null
  const left = (BigInt(current) - BigInt(liquidationPrice)) * (direction === 0 ? 1n : -1n)
  const bps = Number((left * BPS) / BigInt(current))
  return { bps, state: left <= 0n ? 'beyond' : bps <= NEAR_BPS ? 'near' : 'far' }
}

/** The positions that are near their liquidation. */
export function dangersOf(positions: readonly (Liquidatable & { readonly positionId: number })[], current: string | null): readonly Danger[] {
  return positions.flatMap((position) => {
    const distance = liquidationDistance(position, current)
    if (distance === null || distance.state === 'far') return []
    const isBeyond = distance.state === 'beyond'
    const at = `its liquidation price, ${priceText(position.liquidationPrice)}`
    const text = isBeyond
      ? `Position ${position.positionId} is beyond ${at}, and can be liquidated at any moment.`
      : `Position ${position.positionId} is ${percent(distance.bps)} from ${at}. Add collateral or close a part of it.`
    return [{ text, isBeyond }]
  })
}

export interface Opening {
  readonly asset: string
  readonly side: 'Long' | 'Short'
  readonly size: bigint
  /** The size without what only closes positions in the other direction. */
  readonly opened: bigint
  /** Null if it is not known, as of a cross position. */
  readonly liquidationPrice: string | null
}

/** Warnings about an order that takes most of what is possible, or that is opened near its liquidation. Null: not known. */
export function riskWarnings(
  { asset, side, size, opened, liquidationPrice }: Opening,
  { price, largest, room }: { readonly price: string | null; readonly largest: string | null; readonly room: string | null },
): readonly string[] {
  const distance = liquidationDistance({ direction: side === 'Long' ? 0 : 1, liquidationPrice }, price)
  const ofLargest = shareNearLimit(size, largest)
  const ofRoom = shareNearLimit(opened, room)
  return [
    ...(ofLargest === null ? [] : [`This is ${ofLargest}% of the largest position in ${asset}.`]),
    ...(ofRoom === null ? [] : [`This takes ${ofRoom}% of what the exchange can take ${side.toLowerCase()} in ${asset}.`]),
    ...(distance === null || distance.state === 'far' ? [] : [`A move of ${percent(Math.max(0, distance.bps))} against you would liquidate it.`]),
  ]
}

/** A share in percent; null if it is not near the limit. */
function shareNearLimit(value: bigint, limit: string | null): bigint | null {
  if (limit === null || BigInt(limit) === 0n) return null
  const share = (value * 100n) / BigInt(limit)
  return share >= NEAR_LIMIT_PERCENT ? share : null
}
