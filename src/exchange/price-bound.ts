// The acceptable price of an open or close that follows from a tolerance: `slippageBps` of a request.

import type { TradeEffects } from './settlement/trade-effects.ts'

const BPS = 10_000n

/** The worst acceptable price, at most `bps` from the price of a call, rounded toward it. Null when the call opens and closes nothing, or it is unknown. */
export function acceptablePrice({ price, position, previous }: TradeEffects, bps: number): bigint | null {
  const traded = previous ?? position
  if (price === null || traded === null) return null
  const isLong = traded.direction === 0
  const buys = isLong === (previous === null)
  return buys ? (price * (BPS + BigInt(bps))) / BPS : (price * (BPS - BigInt(bps)) + BPS - 1n) / BPS
}
