// The calls by which a trader opens, protects and ends positions: where an order is to wait, and under which terms.

import type { Random } from '../../src/base/random.ts'
import { bool, i128, symbol, u32, u64 } from '../contracts/host.ts'
import type { Val } from '../contracts/host.ts'
import { drawInteger } from './strategies.ts'
import type { Direction, OrderStrategy, Range } from './strategies.ts'
import { LONG, REDUCE_ONLY } from './stored-entries.ts'
import type { StoredPosition } from './stored-entries.ts'

/** A call of the market; the trader comes before these arguments. */
export interface TraderCall {
  readonly functionName: string
  readonly args: readonly Val[]
}

/** How a position is entered. */
export type Entry = 'market' | 'cross' | 'limit' | 'stop_limit'

/** Orders that end a position. */
export type Exit = 'stop_loss' | 'take_profit' | 'trailing_stop' | 'reduce_only'

/** What a trader wants to open. */
export interface EntryTerms {
  readonly asset: string
  readonly direction: Direction
  /** 7-decimal USDC. */
  readonly collateral: bigint
  readonly leverage: number
  /** The present price, 7 decimals. */
  readonly price: bigint
}

/** Low byte of time_in_force. */
const GOOD_TILL_CANCELLED = 0
const IMMEDIATE_OR_CANCEL = 1
const POST_ONLY = 2
/** Of a trader's limit orders: those that are immediate-or-cancel, and those that are post-only. */
const IMMEDIATE_SHARE = 0.1
const POST_ONLY_SHARE = 0.1
/** Of the immediate ones: those that ask for a price which is there. */
const MARKETABLE_SHARE = 0.5
/** Of the take-profits: those with a limit of their own. */
const LIMITED_SHARE = 0.25
/** Tolerances start so tight that a jump of the price cancels an order now and then. */
const TOLERANCE_BPS: Range = { min: 5, max: 150 }
/** How far a stop-limit order's limit stands before its stop. */
const LIMIT_BEFORE_STOP_BPS = 2
const BPS = 10_000n

/** Draws how the next position is entered. */
export function drawEntry(habit: OrderStrategy, random: Random): Entry {
  const drawn = random.float()
  if (drawn < habit.cross) return 'cross'
  if (drawn < habit.cross + habit.limit) return 'limit'
  return drawn < habit.cross + habit.limit + habit.stopLimit ? 'stop_limit' : 'market'
}

/** Draws the orders that a position is to get. */
export function drawExits(habit: OrderStrategy, random: Random): Exit[] {
  // All dice are always rolled, so that one share does not shift what another one sees.
  const chances: readonly (readonly [Exit, number])[] = [
    ['stop_loss', habit.stopLoss], ['take_profit', habit.takeProfit], ['trailing_stop', habit.trailingStop], ['reduce_only', habit.reduceOnly],
  ]
  return chances.map(([exit, share]) => [exit, random.float() < share] as const).filter(([, isWanted]) => isWanted).map(([exit]) => exit)
}

/** The call that enters. */
export function entryCall(entry: Entry, terms: EntryTerms, habit: OrderStrategy, random: Random): TraderCall {
  const { asset, direction, collateral, leverage } = terms
  if (entry === 'market' || entry === 'cross') {
    const functionName = entry === 'market' ? 'open_position' : 'open_position_cross'
    return { functionName, args: [symbol(asset), i128(collateral), u32(leverage), u32(direction)] }
  }
  return entry === 'limit' ? limitCall(terms, habit, random) : stopLimitCall(terms, habit, random)
}

/** A limit order waits on the better side: a long below the market. */
function limitCall(terms: EntryTerms, habit: OrderStrategy, random: Random): TraderCall {
  const timeInForce = drawTimeInForce(random)
  const isThere = timeInForce === IMMEDIATE_OR_CANCEL && random.float() < MARKETABLE_SHARE
  const isAbove = terms.direction !== LONG
  const trigger = shiftByBps(terms.price, isAbove === isThere ? -drawInteger(habit.distanceBps, random) : drawInteger(habit.distanceBps, random))
  return { functionName: 'place_limit_order', args: [...orderTerms(terms, trigger), bool(isAbove), tolerance(random), u32(timeInForce)] }
}

/** A stop-limit order waits behind a breakout: a long above the market, its limit a little before its stop. */
function stopLimitCall(terms: EntryTerms, habit: OrderStrategy, random: Random): TraderCall {
  const isAbove = terms.direction === LONG
  const distanceBps = drawInteger(habit.distanceBps, random)
  const behind = (bps: number): bigint => shiftByBps(terms.price, isAbove ? bps : -bps)
  const trigger = behind(distanceBps)
  const limit = behind(Math.max(0, distanceBps - LIMIT_BEFORE_STOP_BPS))
  const args = [...orderTerms(terms, trigger), i128(limit), bool(isAbove), tolerance(random), u32(GOOD_TILL_CANCELLED)]
  return { functionName: 'place_stop_limit_order', args }
}

function orderTerms({ asset, direction, collateral, leverage }: EntryTerms, trigger: bigint): Val[] {
  return [symbol(asset), u32(direction), i128(collateral), u32(leverage), i128(trigger)]
}

/** The call that gives a position this order, near the present price and on the side where the market takes it. */
export function exitCall(exit: Exit, position: StoredPosition, price: bigint, habit: OrderStrategy, random: Random): TraderCall {
  const { id, entryPrice } = position
  const isLong = position.direction === LONG
  const distanceBps = drawInteger(habit.distanceBps, random)
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
      // Collateral and leverage of the position make an order that its whole size fits into.
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
