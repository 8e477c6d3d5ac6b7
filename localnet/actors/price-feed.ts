// What the publisher writes and what the traders watch: the source's prices, apart from those that somebody holds.

import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import type { PriceSource } from './price-walk.ts'

/** A price and how old its attestation is to be. */
export interface Quote {
  readonly price: bigint
  readonly ageSec: number
}

/** What can be kept and put back with the chain. */
export interface FeedState {
  readonly prices: ReadonlyMap<string, bigint>
  readonly heldPrices: ReadonlyMap<string, Quote>
}

/** The outside market's ticker, with a hand on it. */
export interface PriceFeed {
  /** Lets time pass up to this moment, Unix seconds; the first call only sets the clock. */
  advanceTo(timeSec: number): void
  quote(asset: string): Quote
  /** Stops one asset at this price. */
  hold(asset: string, quote: Quote): void
  /** Lets one asset, or all of them, go on from the price they were held at. */
  release(asset: string | null): void
  heldPrices(): ReadonlyMap<string, Quote>
  /** Goes on from these prices. */
  setPrices(prices: ReadonlyMap<string, bigint>): void
  state(): FeedState
  /** Puts a state back; null forgets all holds and stays at the present prices. */
  restore(state: FeedState | null): void
}

/** Builds the feed over a source. */
export function createPriceFeed(source: PriceSource): PriceFeed {
  let holds = new Map<string, Quote>()
  let lastSec: number | null = null

  return {
    advanceTo(timeSec) {
      if (lastSec !== null) source.advance(timeSec - lastSec)
      lastSec = timeSec
    },
    quote: (asset) => holds.get(asset) ?? { price: source.price(asset), ageSec: 0 },
    hold: (asset, quote) => void holds.set(asset, quote),
    release(asset) {
      const released = [...holds].filter(([held]) => asset === null || held === asset)
      for (const [held] of released) holds.delete(held)
      source.setPrices(new Map(released.map(([held, quote]) => [held, quote.price])))
    },
    heldPrices: () => holds,
    setPrices: (prices) => source.setPrices(prices),
    state: () => ({ prices: new Map(ASSET_SYMBOLS.map((asset) => [asset, source.price(asset)])), heldPrices: new Map(holds) }),
    restore(state) {
      holds = new Map(state?.heldPrices)
      lastSec = null
      if (state !== null) source.setPrices(state.prices)
    },
  }
}
