// Positions: what they are worth, when they are liquidated, and the lists that name them.

import { ONE_E7 } from '../../../src/base/fixed-point.ts'
import type { ContractEnv } from '../host.ts'
import { bpsOf, fail, mulDiv } from '../values.ts'
import { addId, KEYS, readPosition, removeId } from './storage.ts'
import { ERRORS, LONG, POSITION, type Position } from './types.ts'

/** Profit or loss by price alone: 6 on overflow, 7 for an entry price of zero. */
export function pricePnl(position: Position, price: bigint): bigint {
  const gain = position.direction === LONG ? price - position.entry_price : position.entry_price - price
  return mulDiv(position.size, gain, position.entry_price)
}

/** The price at which an isolated position's margin is used up to the maintenance share. */
export function liquidationPrice(direction: number, entryPrice: bigint, leverage: number, maintenanceBps: number): bigint {
  const distance = ONE_E7 / BigInt(leverage) - bpsOf(ONE_E7, maintenanceBps)
  const move = mulDiv(entryPrice, distance, ONE_E7)
  return direction === LONG ? entryPrice - move : entryPrice + move
}

/** The position, which must exist (20). */
export function requirePosition(env: ContractEnv, id: bigint): Position {
  return readPosition(env, id) ?? fail(ERRORS.PositionNotFound)
}

/** The position, which must exist (20) and be the trader's (24). */
export function requireOwnPosition(env: ContractEnv, id: bigint, trader: string): Position {
  const position = requirePosition(env, id)
  if (position.trader !== trader) fail(ERRORS.NotPositionOwner)
  return position
}

export function storePosition(env: ContractEnv, position: Position): void {
  env.set('persistent', KEYS.position(position.id), POSITION.toVal(position))
  addId(env, KEYS.allPositions, position.id)
  addId(env, KEYS.traderPositions(position.trader), position.id)
}

export function deletePosition(env: ContractEnv, position: Position): void {
  env.remove('persistent', KEYS.position(position.id))
  removeId(env, KEYS.allPositions, position.id)
  removeId(env, KEYS.traderPositions(position.trader), position.id)
}
