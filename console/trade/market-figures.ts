// The figures beside a market's price, up to date with that price and with the trades since the figures were read. Pure.

import type { Market, MarketStats } from '../../client/src/index.ts'
import type { ReceivedPrice } from '../freshness.ts'
import type { Trade } from './use-trades.ts'

type Counted = Pick<MarketStats, 'volume24h' | 'openInterestLong' | 'openInterestShort' | 'openPositions'>
type Day = Pick<Market, 'change24h' | 'high24h' | 'low24h'>

const PERCENT = 100

/** `trades`: those after the figures. An `adl` comes besides the close that it caused. */
export function withTrades(stats: Counted, trades: readonly Pick<Trade, 'kind' | 'direction' | 'size'>[]): Counted {
  let volume = BigInt(stats.volume24h)
  let positions = stats.openPositions
  const interest = [BigInt(stats.openInterestLong), BigInt(stats.openInterestShort)]
  for (const { kind, direction, size } of trades) {
    if (kind === 'adl') continue
    const value = BigInt(size ?? 0)
    volume += value
    if (direction !== null) interest[direction] = (interest[direction] ?? 0n) + (kind === 'open' ? value : -value)
    positions += kind === 'open' ? 1 : kind === 'close' || kind === 'liquidation' ? -1 : 0
  }
  const [long = 0n, short = 0n] = interest
  return { volume24h: String(volume), openInterestLong: String(long), openInterestShort: String(short), openPositions: positions }
}

/** `price`: newer than the one that the figures were read with; undefined keeps the figures. */
export function withPrice({ oracle, change24h, high24h, low24h }: Day & Pick<Market, 'oracle'>, price: ReceivedPrice | undefined): Day {
  if (price === undefined) return { change24h, high24h, low24h }
  const reference = change24h === null ? 0 : oracle.priceFloat / (1 + change24h / PERCENT)
  const now = BigInt(price.price)
  return {
    change24h: reference > 0 ? (price.priceFloat / reference - 1) * PERCENT : null,
    high24h: high24h === null || BigInt(high24h) >= now ? high24h : price.price,
    low24h: low24h === null || BigInt(low24h) <= now ? low24h : price.price,
  }
}
