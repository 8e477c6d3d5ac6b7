// The profit of a position, in the market's own integer arithmetic: division truncates toward zero, like bigint's.

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
