// The calls that open, protect and close a trader's positions, with randomly drawn terms.

import type { Random } from '../../src/base/random.ts'
import { bool, i128, symbol, u32, u64 } from '../contracts/shared/host.ts'
import type { Val } from '../contracts/shared/host.ts'
import { drawInteger } from './strategies.ts'
import type { Direction, OrderStrategy, Range } from './strategies.ts'
import { LONG, REDUCE_ONLY } from './stored-entries.ts'
import type { StoredPosition } from './stored-entries.ts'

/** A call of the market, without its first argument, the trader. */
export interface TraderCall {
  readonly functionName: string
  readonly args: readonly Val[]
}

/** The way in which a position is entered. */
export type Entry = 'market' | 'cross' | 'limit' | 'stop_limit'

/** Orders that close a position. */
export type Exit = 'stop_loss' | 'take_profit' | 'trailing_stop' | 'reduce_only'

/** The terms of a new position. */
export interface EntryTerms {
  readonly asset: string
  readonly direction: Direction
  /** 7-decimal USDC. */
  readonly collateral: bigint
  readonly leverage: number
  /** The current price, 7 decimals. */
  readonly price: bigint
}

/** Low byte of time_in_force. */
const GOOD_TILL_CANCELLED = 0
const IMMEDIATE_OR_CANCEL = 1
const POST_ONLY = 2
/** Shares of the limit orders that are immediate-or-cancel and post-only. */
const IMMEDIATE_SHARE = 0.1
const POST_ONLY_SHARE = 0.1
/** The share of the immediate-or-cancel orders that can execute at once. */
const MARKETABLE_SHARE = 0.5
/** The share of the take-profits with a limit price. */
const LIMITED_SHARE = 0.25
/** Price tolerances. The tightest make a price jump cancel an order from time to time. */
const TOLERANCE_BPS: Range = { min: 5, max: 150 }
/** The distance of a stop-limit order's limit before its stop. */
const LIMIT_BEFORE_STOP_BPS = 2
const BPS = 10_000n

/** Draws how the next position is entered. */
export function drawEntry(strategy: OrderStrategy, random: Random): Entry {
  const drawn = random.float()
  if (drawn < strategy.cross) return 'cross'
  if (drawn < strategy.cross + strategy.limit) return 'limit'
  return drawn < strategy.cross + strategy.limit + strategy.stopLimit ? 'stop_limit' : 'market'
}

/** Draws the closing orders of a new position. */
export function drawExits(strategy: OrderStrategy, random: Random): Exit[] {
  // Always draws all four numbers, so that one share does not affect the others.
  const shares: readonly (readonly [Exit, number])[] = [
    ['stop_loss', strategy.stopLoss], ['take_profit', strategy.takeProfit], ['trailing_stop', strategy.trailingStop], ['reduce_only', strategy.reduceOnly],
  ]
  return shares.map(([exit, share]) => [exit, random.float() < share] as const).filter(([, isWanted]) => isWanted).map(([exit]) => exit)
}

/** The call that opens a position or places an order that does. */
export function entryCall(entry: Entry, terms: EntryTerms, strategy: OrderStrategy, random: Random): TraderCall {
  const { asset, direction, collateral, leverage } = terms
  if (entry === 'market' || entry === 'cross') {
    const functionName = entry === 'market' ? 'open_position' : 'open_position_cross'
    return { functionName, args: [symbol(asset), i128(collateral), u32(leverage), u32(direction)] }
  }
  return entry === 'limit' ? limitCall(terms, strategy, random) : stopLimitCall(terms, strategy, random)
}

/** A limit order waits at a better price: below the market for a long. */
function limitCall(terms: EntryTerms, strategy: OrderStrategy, random: Random): TraderCall {
  const timeInForce = drawTimeInForce(random)
  const isMarketable = timeInForce === IMMEDIATE_OR_CANCEL && random.float() < MARKETABLE_SHARE
  const isAbove = terms.direction !== LONG
  const trigger = shiftByBps(terms.price, isAbove === isMarketable ? -drawInteger(strategy.distanceBps, random) : drawInteger(strategy.distanceBps, random))
  return { functionName: 'place_limit_order', args: [...orderTerms(terms, trigger), bool(isAbove), tolerance(random), u32(timeInForce)] }
}

/** A stop-limit order waits for a breakout: above the market for a long, with the limit slightly before the stop. */
function stopLimitCall(terms: EntryTerms, strategy: OrderStrategy, random: Random): TraderCall {
  const isAbove = terms.direction === LONG
  const distanceBps = drawInteger(strategy.distanceBps, random)
  const beyond = (bps: number): bigint => shiftByBps(terms.price, isAbove ? bps : -bps)
  const trigger = beyond(distanceBps)
  const limit = beyond(Math.max(0, distanceBps - LIMIT_BEFORE_STOP_BPS))
  const args = [...orderTerms(terms, trigger), i128(limit), bool(isAbove), tolerance(random), u32(GOOD_TILL_CANCELLED)]
  return { functionName: 'place_stop_limit_order', args }
}

function orderTerms({ asset, direction, collateral, leverage }: EntryTerms, trigger: bigint): Val[] {
  return [symbol(asset), u32(direction), i128(collateral), u32(leverage), i128(trigger)]
}

/** The call that places a closing order near the current price, on the side that the market accepts. */
export function exitCall(exit: Exit, position: StoredPosition, price: bigint, strategy: OrderStrategy, random: Random): TraderCall {
  const { id, entryPrice } = position
  const isLong = position.direction === LONG
  const distanceBps = drawInteger(strategy.distanceBps, random)
  const [low, high] = entryPrice < price ? [entryPrice, price] : [price, entryPrice]
  const worse = isLong ? shiftByBps(low, -distanceBps) : shiftByBps(high, distanceBps)
  const better = isLong ? shiftByBps(high, distanceBps) : shiftByBps(low, -distanceBps)
  switch (exit) {
    case 'stop_loss':
      return { functionName: 'set_stop_loss', args: [u64(id), i128(worse), tolerance(random)] }
    case 'take_profit': {
      const limit = random.float() < LIMITED_SHARE ? (entryPrice + better) / 2n : 0n
      return { functionName: 'set_take_profit', args: [u64(id), i128(better), tolerance(random), i128(limit)] }
    }
    case 'trailing_stop':
      return { functionName: 'place_trailing_stop', args: [u64(id), u32(distanceBps), tolerance(random)] }
    case 'reduce_only': {
      // An order for the position's whole size.
      const collateral = position.size / BigInt(position.leverage)
      const terms = { asset: position.asset, direction: isLong ? 1 : 0, collateral, leverage: position.leverage, price } as const
      return { functionName: 'place_limit_order', args: [...orderTerms(terms, better), bool(isLong), tolerance(random), u32(REDUCE_ONLY)] }
    }
  }
}

function drawTimeInForce(random: Random): number {
  const drawn = random.float()
  if (drawn < IMMEDIATE_SHARE) return IMMEDIATE_OR_CANCEL
  return drawn < IMMEDIATE_SHARE + POST_ONLY_SHARE ? POST_ONLY : GOOD_TILL_CANCELLED
}

function tolerance(random: Random): Val {
  return u32(drawInteger(TOLERANCE_BPS, random))
}

function shiftByBps(price: bigint, bps: number): bigint {
  return (price * (BPS + BigInt(bps))) / BPS
}
