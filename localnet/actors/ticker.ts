// The external market as traders see it: current prices, and how far they moved in the last minutes.

import { PRICED_SYMBOLS } from '../assets.ts'
import type { PriceFeed } from './price-feed.ts'

/** Prices and price changes of the external market. */
export interface Ticker {
  /** Samples the current prices. */
  observe(timeSec: number): void
  price(asset: string): bigint
  /** The relative change of the price over about this many seconds, or since the first sample. */
  change(asset: string, overSec: number): number
  forget(): void
}

/** Half an hour of samples. */
const SAMPLE_EVERY_SEC = 5
const MAX_SAMPLES = 360

interface Sample {
  readonly timeSec: number
  readonly prices: ReadonlyMap<string, number>
}

/** Builds a ticker over a feed. */
export function createTicker(feed: PriceFeed): Ticker {
  let samples: Sample[] = []

  return {
    observe(timeSec) {
      const last = samples.at(-1)
      if (last !== undefined && timeSec - last.timeSec < SAMPLE_EVERY_SEC) return
      samples.push({ timeSec, prices: new Map(PRICED_SYMBOLS.map((asset) => [asset, Number(feed.quote(asset).price)])) })
      if (samples.length > MAX_SAMPLES) samples = samples.slice(-MAX_SAMPLES)
    },
    price: (asset) => feed.quote(asset).price,
    change(asset, overSec) {
      const last = samples.at(-1)
      if (last === undefined) return 0
      const past = samples.find((sample) => sample.timeSec >= last.timeSec - overSec)?.prices.get(asset) ?? 0
      return past === 0 ? 0 : Number(feed.quote(asset).price) / past - 1
    },
    forget() {
      samples = []
    },
  }
}
