// Ways of trading. A habit says when, how much and which way; what it draws comes from the trader's own dice.

import { ONE_E7 } from '../../src/base/fixed-point.ts'
import type { Random } from '../../src/base/random.ts'

/** A range to draw from, ends included. */
export interface Range {
  readonly least: number
  readonly most: number
}

/** 0 long, 1 short. */
export type Direction = 0 | 1

/** What a habit does besides buying and selling at the market. Shares are between 0 and 1. */
export interface OrderHabit {
  /** Of the entries: on cross margin, by a limit order at a better price, by a stop-limit order behind a breakout. The rest is at the market. */
  readonly cross: number
  readonly limit: number
  readonly stopLimit: number
  /** Of the isolated positions: those that get a stop-loss, a take-profit, a trailing stop, a reduce-only limit order. */
  readonly stopLoss: number
  readonly takeProfit: number
  readonly trailingStop: number
  readonly reduceOnly: number
  /** How far from the market orders wait. */
  readonly distanceBps: Range
  /** How long an order that opens may wait, and margin lie idle. */
  readonly patienceSec: Range
}

/** One way of trading. */
export interface Habit {
  readonly name: string
  /** Positions open at one time, orders that would open one included. */
  readonly maxPositions: number
  /** Rest after a trade. */
  readonly pauseSec: Range
  /** How long a position is held, unless it is closed for its gain or its loss. */
  readonly holdSec: Range
  /** The very first position is held this long, so that a new network soon has a history. */
  readonly firstHoldSec: Range
  /** Collateral in USDC. */
  readonly collateralUsdc: Range
  readonly leverage: Range
  /** How many markets the trader follows, and whether only wild ones. */
  readonly markets: number
  readonly wildOnly: boolean
  /** Closes when the gain or the loss reaches this share of the collateral; null: never. */
  readonly takeProfit: number | null
  readonly stopLoss: number | null
  /** Over which time the habit looks at the price, and which way it goes after such a change; null: it stays out. */
  readonly looksBackSec: number
  readonly orders: OrderHabit
  direction(change: number, random: Random): Direction | null
}

/** A change below this says nothing. */
const NOTICEABLE = 0.0002

const withTheMove = (change: number, random: Random): Direction => (Math.abs(change) < NOTICEABLE ? coin(random) : change > 0 ? 0 : 1)
const againstTheMove = (change: number, random: Random): Direction => (Math.abs(change) < NOTICEABLE ? coin(random) : change > 0 ? 1 : 0)

const SCALPER: Habit = {
  name: 'scalper',
  maxPositions: 2,
  pauseSec: { least: 8, most: 30 },
  holdSec: { least: 8, most: 60 },
  firstHoldSec: { least: 1, most: 4 },
  collateralUsdc: { least: 100, most: 1_500 },
  leverage: { least: 4, most: 9 },
  markets: 4,
  wildOnly: false,
  takeProfit: 0.03,
  stopLoss: 0.03,
  looksBackSec: 20,
  orders: {
    cross: 0.15, limit: 0.25, stopLimit: 0.05,
    stopLoss: 0.1, takeProfit: 0.15, trailingStop: 0.1, reduceOnly: 0.1,
    distanceBps: { least: 2, most: 12 },
    patienceSec: { least: 15, most: 90 },
  },
  direction: withTheMove,
}

const TREND_FOLLOWER: Habit = {
  name: 'trend follower',
  maxPositions: 3,
  pauseSec: { least: 40, most: 200 },
  holdSec: { least: 180, most: 1_200 },
  firstHoldSec: { least: 60, most: 180 },
  collateralUsdc: { least: 500, most: 4_000 },
  leverage: { least: 3, most: 6 },
  markets: 5,
  wildOnly: false,
  takeProfit: 0.12,
  stopLoss: 0.06,
  looksBackSec: 300,
  orders: {
    cross: 0, limit: 0.05, stopLimit: 0.45,
    stopLoss: 0.3, takeProfit: 0.1, trailingStop: 0.6, reduceOnly: 0,
    distanceBps: { least: 8, most: 50 },
    patienceSec: { least: 120, most: 600 },
  },
  direction: withTheMove,
}

const MEAN_REVERTER: Habit = {
  name: 'mean reverter',
  maxPositions: 3,
  pauseSec: { least: 30, most: 160 },
  holdSec: { least: 90, most: 700 },
  firstHoldSec: { least: 30, most: 120 },
  collateralUsdc: { least: 300, most: 3_000 },
  leverage: { least: 2, most: 5 },
  markets: 6,
  wildOnly: false,
  takeProfit: 0.04,
  stopLoss: 0.08,
  looksBackSec: 120,
  orders: {
    cross: 0.1, limit: 0.5, stopLimit: 0,
    stopLoss: 0.2, takeProfit: 0.6, trailingStop: 0, reduceOnly: 0.2,
    distanceBps: { least: 5, most: 30 },
    patienceSec: { least: 60, most: 400 },
  },
  direction: againstTheMove,
}

const HOLDER: Habit = {
  name: 'holder',
  maxPositions: 3,
  pauseSec: { least: 900, most: 3_600 },
  holdSec: { least: 7_200, most: 43_200 },
  firstHoldSec: { least: 3_600, most: 14_400 },
  collateralUsdc: { least: 2_000, most: 15_000 },
  leverage: { least: 1, most: 3 },
  markets: 3,
  wildOnly: false,
  takeProfit: 0.3,
  stopLoss: 0.25,
  looksBackSec: 900,
  orders: {
    cross: 0, limit: 0.4, stopLimit: 0.1,
    stopLoss: 0.6, takeProfit: 0.6, trailingStop: 0.2, reduceOnly: 0,
    distanceBps: { least: 60, most: 400 },
    patienceSec: { least: 900, most: 7200 },
  },
  // Holders believe in rising prices, mostly.
  direction: (_change, random) => (random.float() < 0.8 ? 0 : 1),
}

/** Always at full leverage, and never cuts a loss: sooner or later the keeper does. */
const GAMBLER: Habit = {
  name: 'gambler',
  maxPositions: 12,
  pauseSec: { least: 60, most: 300 },
  holdSec: { least: 86_400, most: 172_800 },
  firstHoldSec: { least: 86_400, most: 172_800 },
  collateralUsdc: { least: 50, most: 1_000 },
  leverage: { least: 10, most: 10 },
  markets: 4,
  wildOnly: true,
  takeProfit: 0.25,
  stopLoss: null,
  looksBackSec: 60,
  orders: {
    cross: 0.4, limit: 0.1, stopLimit: 0.1,
    stopLoss: 0, takeProfit: 0.3, trailingStop: 0, reduceOnly: 0.1,
    distanceBps: { least: 20, most: 150 },
    patienceSec: { least: 60, most: 600 },
  },
  direction: (_change, random) => coin(random),
}

/** Awake for one trade, then gone for long. */
const SLEEPER: Habit = {
  name: 'sleeper',
  maxPositions: 1,
  pauseSec: { least: 900, most: 5_400 },
  holdSec: { least: 600, most: 7_200 },
  firstHoldSec: { least: 300, most: 900 },
  collateralUsdc: { least: 1_000, most: 8_000 },
  leverage: { least: 2, most: 5 },
  markets: 2,
  wildOnly: false,
  takeProfit: null,
  stopLoss: null,
  looksBackSec: 600,
  orders: {
    cross: 0.1, limit: 0.3, stopLimit: 0.2,
    stopLoss: 0.3, takeProfit: 0.3, trailingStop: 0.3, reduceOnly: 0,
    distanceBps: { least: 10, most: 80 },
    patienceSec: { least: 300, most: 1800 },
  },
  direction: againstTheMove,
}

/** Who comes when: the n-th trader has the n-th habit, round and round. */
const ORDER: readonly Habit[] = [
  SCALPER, TREND_FOLLOWER, MEAN_REVERTER, SCALPER, GAMBLER, HOLDER, SCALPER, SLEEPER, MEAN_REVERTER, SCALPER, TREND_FOLLOWER, GAMBLER,
]

/** The habit of the n-th trader, from 0. */
export function habitOf(index: number): Habit {
  return ORDER[index % ORDER.length] ?? SCALPER
}

/** A draw from a range of whole numbers. */
export function drawInteger(range: Range, random: Random): number {
  return range.least + random.integer(range.most - range.least + 1)
}

/** A draw of collateral, small ones more often than large ones: whole cents in 7-decimal units. */
export function drawCollateral(range: Range, random: Random): bigint {
  const usdc = range.least * (range.most / range.least) ** random.float()
  return (BigInt(Math.round(usdc * 100)) * ONE_E7) / 100n
}

function coin(random: Random): Direction {
  return random.float() < 0.5 ? 0 : 1
}
