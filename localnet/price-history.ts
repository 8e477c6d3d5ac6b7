// The prices of the outside market by the minute: before the network's genesis a random walk that ends at the first prices, and since then those of the feed.

import { createCache } from '../src/base/cache.ts'
import { ONE_E7 } from '../src/base/fixed-point.ts'
import { yieldToEventLoop } from '../src/base/event-loop.ts'
import { createSeededRandom } from '../src/base/random.ts'
import type { PriceFeed } from './actors/price-feed.ts'
import { createPriceWalk } from './actors/price-walk.ts'
import { PRICED_SYMBOLS } from './assets.ts'

/** Time for which the market existed before the network. */
export const HISTORY_SEC = 30 * 86_400
/** A candle of a minute has at least three prices. */
const STEP_SEC = 30
/** Minutes since genesis that are kept. */
const RECENT_MINUTES_MAX = 7 * 1_440
/** Steps of the walk between two turns of the event loop: about ten milliseconds. */
const SLICE_STEPS = 1_000

/** Data from which the history before genesis is computed. */
export interface PriceOrigin {
  readonly seed: string
  /** Time at which the network began, Unix seconds. */
  readonly genesisSec: number
  /** The prices then, 7-decimal fixed point. */
  readonly prices: ReadonlyMap<string, bigint>
}

/** Prices of one minute. */
export interface PriceBar {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

export interface PriceHistory {
  /** Starts of the first and the last minute, Unix seconds. */
  range(): { readonly fromSec: number; readonly toSec: number }
  /** The bars of an asset by the minute, from the minute that starts at `fromSec`; undefined where there is none. Computes what no call has reached yet. */
  barsFrom(asset: string, fromSec: number): Promise<(minuteSec: number) => PriceBar | undefined>
}

const FIELDS = ['open', 'high', 'low', 'close'] as const

/** The history of a feed. Records the feed's prices from now on. */
export function createPriceHistory(origin: PriceOrigin, feed: PriceFeed): PriceHistory {
  const genesisMinute = Math.floor(origin.genesisSec / 60)
  // Only peeked at, so that the oldest minute is dropped.
  const recent = createCache<number, ReadonlyMap<string, PriceBar>>(RECENT_MINUTES_MAX)
  let past: Past | undefined
  let lastMinute = genesisMinute
  feed.onAdvance(record)

  function record(timeSec: number): void {
    const minute = Math.floor(timeSec / 60)
    const bars = recent.peek(minute)
    const before = recent.peek(lastMinute)
    recent.set(minute, new Map(PRICED_SYMBOLS.map((asset) => [asset, addPrice(bars?.get(asset), before?.get(asset)?.close, Number(feed.quote(asset).price))])))
    lastMinute = Math.max(lastMinute, minute)
  }

  return {
    range: () => ({ fromSec: genesisMinute * 60 - HISTORY_SEC, toSec: lastMinute * 60 }),
    async barsFrom(asset, fromSec) {
      const reached = (past ??= createPast(origin))
      await reached.reach(fromSec)
      return (minuteSec) => recent.peek(minuteSec / 60)?.get(asset) ?? reached.bar(asset, minuteSec)
    },
  }
}

function addPrice(bar: PriceBar | undefined, previousClose: number | undefined, price: number): PriceBar {
  const { open, high, low } = bar ?? { open: previousClose ?? price, high: previousClose ?? price, low: previousClose ?? price }
  return { open, high: Math.max(high, price), low: Math.min(low, price), close: price }
}

interface Past {
  /** Computes the bars from the minute that starts at `fromSec`. A walk of all 30 days takes half a second, so each call goes only as far as it must. */
  reach(fromSec: number): Promise<void>
  /** The bar of a minute before genesis, or of the minute of genesis. */
  bar(asset: string, minuteSec: number): PriceBar | undefined
}

/** A walk from the prices at genesis into the past. Each minute closes at the price that the next one opens at. */
function createPast({ seed, genesisSec, prices }: PriceOrigin): Past {
  const walk = createPriceWalk(createSeededRandom(seed).fork('price history'))
  walk.setPrices(prices)
  const genesisMinute = Math.floor(genesisSec / 60)
  const startSec = genesisMinute * 60 - HISTORY_SEC
  /** The bars of each asset, newest minute first. */
  const series = new Map(PRICED_SYMBOLS.map((asset) => {
    const later = Number(prices.get(asset) ?? walk.price(asset))
    return [asset, { bars: new Float64Array((HISTORY_SEC / 60 + 1) * FIELDS.length), later }]
  }))
  let timeSec = genesisSec
  let walking = Promise.resolve()

  function stepBack(): void {
    const offset = (genesisMinute - Math.floor(timeSec / 60)) * FIELDS.length
    for (const [asset, one] of series) {
      const price = timeSec === genesisSec ? one.later : Number(walk.price(asset))
      addEarlier(one.bars, offset, price, one.later)
      one.later = price
    }
    walk.advance(STEP_SEC)
    timeSec -= STEP_SEC
  }

  async function walkTo(fromSec: number): Promise<void> {
    for (let step = 1; timeSec >= fromSec; step++) {
      stepBack()
      if (step % SLICE_STEPS === 0) await yieldToEventLoop()
    }
  }

  return {
    reach: (fromSec) => (walking = walking.then(() => walkTo(Math.max(startSec, fromSec)))),
    bar(asset, minuteSec) {
      const index = genesisMinute - minuteSec / 60
      const bars = series.get(asset)?.bars
      if (bars === undefined || index < 0) return undefined
      const [open = 0, high = 0, low = 0, close = 0] = bars.subarray(index * FIELDS.length, (index + 1) * FIELDS.length)
      return open === 0 ? undefined : { open, high, low, close }
    },
  }
}

/** Adds a price that is earlier than all others of its minute. `later`: the price after it. */
function addEarlier(bars: Float64Array, offset: number, price: number, later: number): void {
  const isFirst = bars[offset] === 0
  if (isFirst) bars[offset + 3] = later
  bars[offset] = price
  bars[offset + 1] = Math.max(isFirst ? later : bars[offset + 1] ?? 0, price)
  bars[offset + 2] = Math.min(isFirst ? later : bars[offset + 2] ?? 0, price)
}

/** The text of a 7-decimal price. */
export function priceText(priceE7: number): string {
  return (priceE7 / Number(ONE_E7)).toFixed(7)
}
