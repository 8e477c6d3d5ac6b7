// The prices that the publisher writes and the traders watch: those of a source, except for held prices.

import { PRICED_SYMBOLS } from '../assets.ts'
import type { PriceSource } from './price-walk.ts'

/** A price and the age of its attestation. */
interface Quote {
  readonly price: bigint
  readonly ageSec: number
}

/** State that is saved and restored with the chain. */
export interface FeedState {
  readonly prices: ReadonlyMap<string, bigint>
  readonly heldPrices: ReadonlyMap<string, Quote>
}

/** The external market's prices. Each can be held. */
export interface PriceFeed {
  /** Advances the source to this time, Unix seconds. The first call only sets the clock. */
  advanceTo(timeSec: number): void
  /** Calls back after each advance. */
  onAdvance(listener: (timeSec: number) => void): void
  quote(asset: string): Quote
  /** Holds an asset at this price. */
  hold(asset: string, quote: Quote): void
  /** Releases one asset, or all when null. They continue from the held price. */
  release(asset: string | null): void
  heldPrices(): ReadonlyMap<string, Quote>
  /** Continues from these prices. */
  setPrices(prices: ReadonlyMap<string, bigint>): void
  state(): FeedState
  /** Restores a state. null releases all held prices and keeps the current ones. */
  restore(state: FeedState | null): void
}

/** Builds the feed over a source. */
export function createPriceFeed(source: PriceSource): PriceFeed {
  let holds = new Map<string, Quote>()
  let lastSec: number | null = null
  const listeners: ((timeSec: number) => void)[] = []

  return {
    advanceTo(timeSec) {
      if (lastSec !== null) source.advance(timeSec - lastSec)
      lastSec = timeSec
      for (const listener of listeners) listener(timeSec)
    },
    onAdvance: (listener) => void listeners.push(listener),
    quote: (asset) => holds.get(asset) ?? { price: source.price(asset), ageSec: 0 },
    hold: (asset, quote) => void holds.set(asset, quote),
    release(asset) {
      const released = [...holds].filter(([held]) => asset === null || held === asset)
      for (const [held] of released) holds.delete(held)
      source.setPrices(new Map(released.map(([held, quote]) => [held, quote.price])))
    },
    heldPrices: () => holds,
    setPrices: (prices) => source.setPrices(prices),
    state: () => ({ prices: new Map(PRICED_SYMBOLS.map((asset) => [asset, source.price(asset)])), heldPrices: new Map(holds) }),
    restore(state) {
      holds = new Map(state?.heldPrices)
      lastSec = null
      if (state !== null) source.setPrices(state.prices)
    },
  }
}
