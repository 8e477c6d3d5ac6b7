// The profit and the funding of a position, in the market's own integer arithmetic: division truncates toward zero, like bigint's.

import { ONE_E7 } from '../../base/fixed-point.ts'

const LONG = 0

export interface PricedPosition {
  /** 0 is long, 1 is short. */
  readonly direction: number
  readonly size: bigint
  readonly entry_price: bigint
}

/** Profit or loss from the price alone, without funding and fees, as in position_closed. */
export function pricePnl(position: PricedPosition, price: bigint): bigint {
  const gain = position.direction === LONG ? price - position.entry_price : position.entry_price - price
  return (position.size * gain) / position.entry_price
}

/** Funding that accrued while the market's cumulative rate grew by `growth`: positive is owed by the trader, negative to the trader. */
export function accruedFunding({ direction, size }: Pick<PricedPosition, 'direction' | 'size'>, growth: bigint): bigint {
  const owedByLong = (size * growth) / ONE_E7
  return direction === LONG ? owedByLong : -owedByLong
}
