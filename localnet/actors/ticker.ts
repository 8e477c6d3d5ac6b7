// What a trader sees of the outside market: present prices and how far they have come in the last minutes.

import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import type { PriceFeed } from './price-feed.ts'

/** The outside market's ticker. */
export interface Ticker {
  /** Notes the present prices. */
  observe(timeSec: number): void
  price(asset: string): bigint
  /** The relative change of the price over about this many seconds; over what is known when less is known. */
  change(asset: string, overSec: number): number
  forget(): void
}

/** Seconds between two notes, and how many are kept: half an hour. */
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
      samples.push({ timeSec, prices: new Map(ASSET_SYMBOLS.map((asset) => [asset, Number(feed.quote(asset).price)])) })
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
