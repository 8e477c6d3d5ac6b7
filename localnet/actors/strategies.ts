// Trading strategies: when to trade, how much, and in which direction. Values are drawn from the trader's own random numbers.

import { ONE_E7 } from '../../src/base/fixed-point.ts'
import type { Random } from '../../src/base/random.ts'

/** A range to draw from, both bounds included. */
export interface Range {
  readonly min: number
  readonly max: number
}

/** 0 long, 1 short. */
export type Direction = 0 | 1

/** Orders other than at the market. Shares are between 0 and 1. */
export interface OrderStrategy {
  /** Shares of the entries: on cross margin, by limit order at a better price, by stop-limit order on a breakout. The rest are at the market. */
  readonly cross: number
  readonly limit: number
  readonly stopLimit: number
  /** Shares of the isolated positions that get a stop-loss, a take-profit, a trailing stop, a reduce-only limit order. */
  readonly stopLoss: number
  readonly takeProfit: number
  readonly trailingStop: number
  readonly reduceOnly: number
  /** The distance of orders from the market price. */
  readonly distanceBps: Range
  /** Maximum time for which an opening order stays pending, and cross margin idle. */
  readonly maxWaitSec: Range
}

/** A trading strategy. */
export interface Strategy {
  readonly name: string
  /** The most open positions, including orders that would open one. */
  readonly maxPositions: number
  /** The pause after a trade. */
  readonly pauseSec: Range
  /** Time for which a position is held, unless its gain or loss closes it earlier. */
  readonly holdSec: Range
  /** The holding time of the first position, short so that a new network soon has a history. */
  readonly firstHoldSec: Range
  /** Collateral in USDC. */
  readonly collateralUsdc: Range
  readonly leverage: Range
  /** The number of markets that the trader follows, and whether only volatile ones. */
  readonly markets: number
  readonly volatileOnly: boolean
  /** Closes when the gain or the loss reaches this share of the collateral; null: never. */
  readonly takeProfit: number | null
  readonly stopLoss: number | null
  /** The period over which the price change is measured. `direction` returns null to stay out of the market. */
  readonly lookbackSec: number
  readonly orders: OrderStrategy
  direction(change: number, random: Random): Direction | null
}

/** Smaller changes are ignored. */
const MIN_CHANGE = 0.0002

const followChange = (change: number, random: Random): Direction => (Math.abs(change) < MIN_CHANGE ? randomDirection(random) : change > 0 ? 0 : 1)
const fadeChange = (change: number, random: Random): Direction => (Math.abs(change) < MIN_CHANGE ? randomDirection(random) : change > 0 ? 1 : 0)

const SCALPER: Strategy = {
  name: 'scalper',
  maxPositions: 2,
  pauseSec: { min: 8, max: 30 },
  holdSec: { min: 8, max: 60 },
  firstHoldSec: { min: 1, max: 4 },
  collateralUsdc: { min: 100, max: 1_500 },
  leverage: { min: 4, max: 9 },
  markets: 4,
  volatileOnly: false,
  takeProfit: 0.03,
  stopLoss: 0.03,
  lookbackSec: 20,
  orders: {
    cross: 0.15, limit: 0.25, stopLimit: 0.05,
    stopLoss: 0.1, takeProfit: 0.15, trailingStop: 0.1, reduceOnly: 0.1,
    distanceBps: { min: 2, max: 12 },
    maxWaitSec: { min: 15, max: 90 },
  },
  direction: followChange,
}

const TREND_FOLLOWER: Strategy = {
  name: 'trend follower',
  maxPositions: 3,
  pauseSec: { min: 40, max: 200 },
  holdSec: { min: 180, max: 1_200 },
  firstHoldSec: { min: 60, max: 180 },
  collateralUsdc: { min: 500, max: 4_000 },
  leverage: { min: 3, max: 6 },
  markets: 5,
  volatileOnly: false,
  takeProfit: 0.12,
  stopLoss: 0.06,
  lookbackSec: 300,
  orders: {
    cross: 0, limit: 0.05, stopLimit: 0.45,
    stopLoss: 0.3, takeProfit: 0.1, trailingStop: 0.6, reduceOnly: 0,
    distanceBps: { min: 8, max: 50 },
    maxWaitSec: { min: 120, max: 600 },
  },
  direction: followChange,
}

const MEAN_REVERTER: Strategy = {
  name: 'mean reverter',
  maxPositions: 3,
  pauseSec: { min: 30, max: 160 },
  holdSec: { min: 90, max: 700 },
  firstHoldSec: { min: 30, max: 120 },
  collateralUsdc: { min: 300, max: 3_000 },
  leverage: { min: 2, max: 5 },
  markets: 6,
  volatileOnly: false,
  takeProfit: 0.04,
  stopLoss: 0.08,
  lookbackSec: 120,
  orders: {
    cross: 0.1, limit: 0.5, stopLimit: 0,
    stopLoss: 0.2, takeProfit: 0.6, trailingStop: 0, reduceOnly: 0.2,
    distanceBps: { min: 5, max: 30 },
    maxWaitSec: { min: 60, max: 400 },
  },
  direction: fadeChange,
}

const HOLDER: Strategy = {
  name: 'holder',
  maxPositions: 3,
  pauseSec: { min: 900, max: 3_600 },
  holdSec: { min: 7_200, max: 43_200 },
  firstHoldSec: { min: 3_600, max: 14_400 },
  collateralUsdc: { min: 2_000, max: 15_000 },
  leverage: { min: 1, max: 3 },
  markets: 3,
  volatileOnly: false,
  takeProfit: 0.3,
  stopLoss: 0.25,
  lookbackSec: 900,
  orders: {
    cross: 0, limit: 0.4, stopLimit: 0.1,
    stopLoss: 0.6, takeProfit: 0.6, trailingStop: 0.2, reduceOnly: 0,
    distanceBps: { min: 60, max: 400 },
    maxWaitSec: { min: 900, max: 7200 },
  },
  // Holders are mostly long.
  direction: (_change, random) => (random.float() < 0.8 ? 0 : 1),
}

/** Uses full leverage and never closes at a loss, so the keeper liquidates it sooner or later. */
const GAMBLER: Strategy = {
  name: 'gambler',
  maxPositions: 12,
  pauseSec: { min: 60, max: 300 },
  holdSec: { min: 86_400, max: 172_800 },
  firstHoldSec: { min: 86_400, max: 172_800 },
  collateralUsdc: { min: 50, max: 1_000 },
  leverage: { min: 10, max: 10 },
  markets: 4,
  volatileOnly: true,
  takeProfit: 0.25,
  stopLoss: null,
  lookbackSec: 60,
  orders: {
    cross: 0.4, limit: 0.1, stopLimit: 0.1,
    stopLoss: 0, takeProfit: 0.3, trailingStop: 0, reduceOnly: 0.1,
    distanceBps: { min: 20, max: 150 },
    maxWaitSec: { min: 60, max: 600 },
  },
  direction: (_change, random) => randomDirection(random),
}

/** Makes one trade, then pauses for a long time. */
const SLEEPER: Strategy = {
  name: 'sleeper',
  maxPositions: 1,
  pauseSec: { min: 900, max: 5_400 },
  holdSec: { min: 600, max: 7_200 },
  firstHoldSec: { min: 300, max: 900 },
  collateralUsdc: { min: 1_000, max: 8_000 },
  leverage: { min: 2, max: 5 },
  markets: 2,
  volatileOnly: false,
  takeProfit: null,
  stopLoss: null,
  lookbackSec: 600,
  orders: {
    cross: 0.1, limit: 0.3, stopLimit: 0.2,
    stopLoss: 0.3, takeProfit: 0.3, trailingStop: 0.3, reduceOnly: 0,
    distanceBps: { min: 10, max: 80 },
    maxWaitSec: { min: 300, max: 1800 },
  },
  direction: fadeChange,
}

/** The n-th trader has the n-th strategy, cyclically. */
const STRATEGY_ORDER: readonly Strategy[] = [
  SCALPER, TREND_FOLLOWER, MEAN_REVERTER, SCALPER, GAMBLER, HOLDER, SCALPER, SLEEPER, MEAN_REVERTER, SCALPER, TREND_FOLLOWER, GAMBLER,
]

/** The strategy of the n-th trader, from 0. */
export function strategyOf(index: number): Strategy {
  return STRATEGY_ORDER[index % STRATEGY_ORDER.length] ?? SCALPER
}

/** Draws an integer from a range. */
export function drawInteger(range: Range, random: Random): number {
  return range.min + random.integer(range.max - range.min + 1)
}

/** Draws collateral, small amounts more often than large ones: whole cents in 7-decimal units. */
export function drawCollateral(range: Range, random: Random): bigint {
  const usdc = range.min * (range.max / range.min) ** random.float()
  return (BigInt(Math.round(usdc * 100)) * ONE_E7) / 100n
}

function randomDirection(random: Random): Direction {
  return random.float() < 0.5 ? 0 : 1
}
