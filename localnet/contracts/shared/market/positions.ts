// Positions: PnL, liquidation price and storage.

import { ONE_E7 } from '../../../../src/base/fixed-point.ts'
import type { ContractEnv } from '../host.ts'
import { bpsOf, fail, mulDiv } from '../values.ts'
import { addId, KEYS, readPosition, removeId } from './storage.ts'
import { ERRORS, LONG, POSITION, type Position } from './types.ts'

/** PnL from the price alone; fails with 6 if it overflows, with 7 for an entry price of zero. */
export function pricePnl(position: Position, price: bigint): bigint {
  if (position.entry_price === 0n) fail(ERRORS.DivisionByZero)
  const gain = position.direction === LONG ? price - position.entry_price : position.entry_price - price
  return mulDiv(position.size, gain, position.entry_price, ERRORS.Overflow)
}

/** The price at which an isolated position's margin falls to the maintenance margin. */
export function liquidationPrice(direction: number, entryPrice: bigint, leverage: number, maintenanceBps: number): bigint {
  const distance = ONE_E7 / BigInt(leverage) - bpsOf(ONE_E7, maintenanceBps)
  const move = mulDiv(entryPrice, distance, ONE_E7)
  return direction === LONG ? entryPrice - move : entryPrice + move
}

/** The position; fails with 20 if it does not exist. */
export function requirePosition(env: ContractEnv, id: bigint): Position {
  return readPosition(env, id) ?? fail(ERRORS.PositionNotFound)
}

/** The position; fails with 20 if it does not exist, with 24 if it belongs to another trader. */
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
