// Prices that behave like prices: one market factor that moves all assets together, noise of each asset's own, quiet and restless hours, and
// now and then a piece of news that carries one asset away for a minute or two; in the wild markets it is a squeeze, that comes back. A gentle pull
// leads back to where the walk began.

import { ONE_E7 } from '../../src/base/fixed-point.ts'
import type { Random } from '../../src/base/random.ts'
import { ASSET_SYMBOLS } from '../../src/exchange/assets.ts'
import { defined } from '../../src/base/assert.ts'
import { MARKETS, isVolatile } from './markets.ts'

/** Where prices come from: a walk or a file. Prices are 7-decimal fixed point. */
export interface PriceSource {
  /** Lets time pass. */
  advance(seconds: number): void
  /** The present price of a listed asset. */
  price(asset: string): bigint
  /** Goes on from these prices, as after a restart; assets that are not named stay where they are. */
  setPrices(prices: ReadonlyMap<string, bigint>): void
}

const YEAR_SEC = 365 * 86_400
/** After this time half of the distance from the starting price is gone. */
const REVERSION_HALF_LIFE_SEC = 3 * 86_400
/** How restlessness comes and goes: the logarithm of the volatility's factor wanders with this spread and half-life. */
const VOLATILITY_SPREAD = 0.45
const VOLATILITY_HALF_LIFE_SEC = 15 * 60
/** News of an asset comes this often on average, moves it by this share of its yearly volatility, over this time. */
const NEWS_INTERVAL_SEC = 86_400
const NEWS_MOVE = { min: 0.02, max: 0.06 } as const
const NEWS_DURATION_SEC = { min: 90, max: 240 } as const
/**
 * A squeeze: the price runs far enough to liquidate whoever stands in its way at full leverage, and most of it comes back. Without them a network
 * could run for days before its keeper has something to do.
 */
const SQUEEZE_MOVE = { min: 0.09, max: 0.14 } as const
const SQUEEZE_REVERSAL = 0.85
const SQUEEZE_REVERSAL_SEC = 900
/** No single step is larger than this, however long it lasts: the contracts refuse to open on a jump of 1 %. */
const MAX_STEP = 0.004
/** A longer pause, such as a stepped clock, counts as this much time, so that it does not become one great leap. */
const MAX_STEP_SEC = 60

/** Builds the seeded walk over all listed assets. */
export function createPriceWalk(random: Random): PriceSource {
  const factor = random.fork('market')
  let restlessness = 0
  const assets = new Map(ASSET_SYMBOLS.map((symbol) => [symbol, createAssetWalk(symbol, random.fork(symbol))]))

  return {
    advance(seconds) {
      const stepSec = Math.min(seconds, MAX_STEP_SEC)
      if (stepSec <= 0) return
      const decay = 0.5 ** (stepSec / VOLATILITY_HALF_LIFE_SEC)
      restlessness = restlessness * decay + VOLATILITY_SPREAD * Math.sqrt(1 - decay * decay) * normal(factor)
      const marketMove = normal(factor)
      for (const asset of assets.values()) asset.advance(stepSec, marketMove, Math.exp(restlessness - VOLATILITY_SPREAD ** 2))
    },
    price: (symbol) => defined(assets.get(symbol), `the walk of ${symbol}`).price(),
    setPrices(prices) {
      for (const [symbol, price] of prices) assets.get(symbol)?.setPrice(price)
    },
  }
}

/** A part of the way that news carry a price: how far it is still to go, in logarithms, and how fast. */
interface Leg {
  remaining: number
  readonly perSec: number
}

interface AssetWalk {
  advance(stepSec: number, marketMove: number, restlessness: number): void
  price(): bigint
  setPrice(price: bigint): void
}

function createAssetWalk(symbol: string, random: Random): AssetWalk {
  const market = defined(MARKETS[symbol], `the market of ${symbol}`)
  const start = toNumber(market.startPrice)
  // Distances are logarithms of the price over its start.
  const lowest = Math.log(toNumber(market.lowest) / start)
  const highest = Math.log(toNumber(market.highest) / start)
  let distance = 0
  let legs: Leg[] = []

  function newsLegs(strength: number, durationSec: number): Leg[] {
    const way = strength < 0.5 ? -1 : 1
    const size = (strength * 2) % 1
    const leg = (move: number, lastsSec: number): Leg => ({ remaining: move, perSec: Math.abs(move) / lastsSec })
    if (!isVolatile(market)) return [leg(way * market.yearlyVolatility * interpolate(NEWS_MOVE, size), durationSec)]
    const move = way * interpolate(SQUEEZE_MOVE, size)
    return [leg(move, durationSec), leg(-move * SQUEEZE_REVERSAL, SQUEEZE_REVERSAL_SEC)]
  }

  /** What the news add to this step; together with `others` it stays within the largest step. */
  function news(stepSec: number, others: number): number {
    // All dice are always rolled, so that one piece of news does not shift all that comes after it.
    const [chance, strength, duration] = [random.float(), random.float(), random.float()]
    if (legs.length === 0 && chance < stepSec / NEWS_INTERVAL_SEC) legs = newsLegs(strength, interpolate(NEWS_DURATION_SEC, duration))
    const [leg] = legs
    if (leg === undefined) return 0
    const room = MAX_STEP - Math.sign(leg.remaining) * others
    const most = Math.min(room, leg.perSec * stepSec)
    const move = clamp(leg.remaining, -most, most)
    leg.remaining -= move
    if (leg.remaining === 0) legs = legs.slice(1)
    return move
  }

  return {
    advance(stepSec, marketMove, restlessness) {
      const own = Math.sqrt(1 - market.marketCorrelation ** 2)
      const spread = market.yearlyVolatility * restlessness * Math.sqrt(stepSec / YEAR_SEC)
      const pull = -distance * (1 - 0.5 ** (stepSec / REVERSION_HALF_LIFE_SEC))
      const drift = spread * (market.marketCorrelation * marketMove + own * normal(random)) + pull
      const move = clamp(drift, -MAX_STEP, MAX_STEP)
      distance = clamp(distance + move + news(stepSec, move), lowest, highest)
    },
    price() {
      const price = BigInt(Math.round(start * Math.exp(distance) * Number(ONE_E7)))
      // Rounding may not step over the band's edge.
      if (price < market.lowest) return market.lowest
      return price > market.highest ? market.highest : price
    },
    setPrice(price) {
      distance = price <= 0n ? lowest : clamp(Math.log(toNumber(price) / start), lowest, highest)
      legs = []
    },
  }
}

function toNumber(priceE7: bigint): number {
  return Number(priceE7) / Number(ONE_E7)
}

function interpolate(range: { readonly min: number; readonly max: number }, share: number): number {
  return range.min + (range.max - range.min) * share
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}

/** A draw from the standard normal distribution (Box and Muller). */
function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.float()))
  return radius * Math.cos(2 * Math.PI * random.float())
}
