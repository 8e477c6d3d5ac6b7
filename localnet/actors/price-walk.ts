// A realistic random walk of prices: a common market factor, noise per asset, volatility that changes over time, mean reversion to the start price, and
// occasional news that moves one asset for a few minutes. In volatile markets the news is a squeeze, which mostly reverses.

import { ONE_E7 } from '../../src/base/fixed-point.ts'
import type { Random } from '../../src/base/random.ts'
import { PRICED_SYMBOLS } from '../assets.ts'
import { defined } from '../../src/base/assert.ts'
import { MARKETS, isVolatile } from './markets.ts'

/** A source of prices: a random walk or a file. Prices are 7-decimal fixed point. */
export interface PriceSource {
  /** Advances the time. */
  advance(seconds: number): void
  /** The current price of a listed asset. */
  price(asset: string): bigint
  /** Continues from these prices, as after a restart. Other assets keep their price. */
  setPrices(prices: ReadonlyMap<string, bigint>): void
}

const YEAR_SEC = 365 * 86_400
/** The half-life of the distance from the start price. */
const REVERSION_HALF_LIFE_SEC = 3 * 86_400
/** The logarithm of the volatility factor varies with this standard deviation and half-life. */
const VOLATILITY_SPREAD = 0.45
const VOLATILITY_HALF_LIFE_SEC = 15 * 60
/** The mean interval between news of an asset, the move as a share of its yearly volatility, and the duration of the move. */
const NEWS_INTERVAL_SEC = 86_400
const NEWS_MOVE = { min: 0.02, max: 0.06 } as const
const NEWS_DURATION_SEC = { min: 90, max: 240 } as const
/**
 * A squeeze moves the price far enough to liquidate positions at full leverage, then mostly reverses. Without squeezes, days could pass without a
 * liquidation.
 */
const SQUEEZE_MOVE = { min: 0.09, max: 0.14 } as const
const SQUEEZE_REVERSAL = 0.85
const SQUEEZE_REVERSAL_SEC = 900
/** The largest move per step. The contracts refuse to open positions after a jump of 1 %. */
const MAX_STEP = 0.004
/** A longer step, such as after the clock was advanced, counts as this much time, so that prices do not jump. */
const MAX_STEP_SEC = 60

/** Builds the seeded walk over all listed assets. */
export function createPriceWalk(random: Random): PriceSource {
  const factor = random.fork('market')
  let restlessness = 0
  const assets = new Map(PRICED_SYMBOLS.map((symbol) => [symbol, createAssetWalk(symbol, random.fork(symbol))]))

  return {
    advance(seconds) {
      const stepSec = Math.min(seconds, MAX_STEP_SEC)
      if (stepSec <= 0) return
      const decay = 0.5 ** (stepSec / VOLATILITY_HALF_LIFE_SEC)
      restlessness = restlessness * decay + VOLATILITY_SPREAD * Math.sqrt(1 - decay * decay) * normal(factor)
      const step = {
        stepSec,
        rootYears: Math.sqrt(stepSec / YEAR_SEC),
        reversion: 1 - 0.5 ** (stepSec / REVERSION_HALF_LIFE_SEC),
        marketMove: normal(factor),
        restlessness: Math.exp(restlessness - VOLATILITY_SPREAD ** 2),
      }
      for (const asset of assets.values()) asset.advance(step)
    },
    price: (symbol) => defined(assets.get(symbol), `the walk of ${symbol}`).price(),
    setPrices(prices) {
      for (const [symbol, price] of prices) assets.get(symbol)?.setPrice(price)
    },
  }
}

/** One leg of a move: the remaining log distance, and its speed. */
interface Leg {
  remaining: number
  readonly perSec: number
}

/** Values that the assets have in common in one step. */
interface Step {
  readonly stepSec: number
  /** The square root of the step as a share of a year. */
  readonly rootYears: number
  /** The share of the distance from the start price that the step removes. */
  readonly reversion: number
  /** The market's move, in standard deviations. */
  readonly marketMove: number
  /** The factor of the volatility. */
  readonly restlessness: number
}

interface AssetWalk {
  advance(step: Step): void
  price(): bigint
  setPrice(price: bigint): void
}

function createAssetWalk(symbol: string, random: Random): AssetWalk {
  const market = defined(MARKETS[symbol], `the market of ${symbol}`)
  const start = toNumber(market.startPrice)
  // Distances are log(price / start price).
  const lowest = Math.log(toNumber(market.lowest) / start)
  const highest = Math.log(toNumber(market.highest) / start)
  /** The share of the asset's moves that is its own. */
  const own = Math.sqrt(1 - market.marketCorrelation ** 2)
  let distance = 0
  let legs: Leg[] = []

  function newsLegs(strength: number, durationSec: number): Leg[] {
    const sign = strength < 0.5 ? -1 : 1
    const size = (strength * 2) % 1
    const leg = (move: number, lastsSec: number): Leg => ({ remaining: move, perSec: Math.abs(move) / lastsSec })
    if (!isVolatile(market)) return [leg(sign * market.yearlyVolatility * interpolate(NEWS_MOVE, size), durationSec)]
    const move = sign * interpolate(SQUEEZE_MOVE, size)
    return [leg(move, durationSec), leg(-move * SQUEEZE_REVERSAL, SQUEEZE_REVERSAL_SEC)]
  }

  /** The move that news add to this step. Together with `otherMove` it stays within the largest step. */
  function newsMove(stepSec: number, otherMove: number): number {
    // Always draws all three numbers, so that news do not shift the numbers drawn after them.
    const [draw, strength, duration] = [random.float(), random.float(), random.float()]
    if (legs.length === 0 && draw < stepSec / NEWS_INTERVAL_SEC) legs = newsLegs(strength, interpolate(NEWS_DURATION_SEC, duration))
    const [leg] = legs
    if (leg === undefined) return 0
    const room = MAX_STEP - Math.sign(leg.remaining) * otherMove
    const limit = Math.min(room, leg.perSec * stepSec)
    const move = clamp(leg.remaining, -limit, limit)
    leg.remaining -= move
    if (leg.remaining === 0) legs = legs.slice(1)
    return move
  }

  return {
    advance({ stepSec, rootYears, reversion, marketMove, restlessness }) {
      const spread = market.yearlyVolatility * restlessness * rootYears
      const pull = -distance * reversion
      const drift = spread * (market.marketCorrelation * marketMove + own * normal(random)) + pull
      const move = clamp(drift, -MAX_STEP, MAX_STEP)
      distance = clamp(distance + move + newsMove(stepSec, move), lowest, highest)
    },
    price() {
      const price = BigInt(Math.round(start * Math.exp(distance) * Number(ONE_E7)))
      // Rounding must not leave the band.
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

/** Draws from the standard normal distribution (Box–Muller). */
function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.float()))
  return radius * Math.cos(2 * Math.PI * random.float())
}
