// The state of a trader's cross account: its pool and the positions that the pool backs (generation 2, "Cross margin").

import type { ContractEnv } from '../../shared/host.ts'
import { readPool } from '../../shared/market/cross.ts'
import { addCrossTrader, removeCrossTrader } from '../../shared/market/cross-traders.ts'
import { addId, KEYS, readIds, readPosition, removeId } from '../../shared/market/storage.ts'
import type { Position } from '../../shared/market/types.ts'
import { checked } from '../../shared/values.ts'
import { isSince } from '../build.ts'
import type { MarketEnv } from './env.ts'
import { valueLeniently } from './positions.ts'
import { readFreshPrice } from './prices.ts'

/** The trader's open cross positions. As deployed, ids of positions that were closed as isolated ones stay in the list. */
export function crossPositionsOf(env: ContractEnv, trader: string): readonly Position[] {
  return readIds(env, KEYS.crossMarginPositions(trader))
    .map((id) => readPosition(env, id))
    .filter((position) => position !== undefined)
}

export function listCrossPosition(env: MarketEnv, position: Position): void {
  addId(env, KEYS.crossMarginPositions(position.trader), position.id)
  if (!isSince(env.build, '2.3')) addCrossTrader(env, position.trader)
}

export function unlistCrossPosition(env: MarketEnv, position: Position): void {
  removeId(env, KEYS.crossMarginPositions(position.trader), position.id)
  if (isSince(env.build, '2.3')) return
  if (readIds(env, KEYS.crossMarginPositions(position.trader)).length === 0) removeCrossTrader(env, position.trader)
}

export interface FreeMargin {
  readonly hasPositions: boolean
  readonly equity: bigint
  /** The initial margin of all positions. */
  readonly used: bigint
}

/** Equity and used margin at fresh prices. Fails with 31 or 30 if a position has none. */
export function readFreeMargin(env: ContractEnv, trader: string): FreeMargin {
  const positions = crossPositionsOf(env, trader)
  let equity = readPool(env, trader)
  let used = 0n
  for (const position of positions) {
    equity = checked(equity + valueLeniently(env, position, readFreshPrice(env, position.asset)).equity)
    used = checked(used + position.size / BigInt(position.leverage))
  }
  return { hasPositions: positions.length > 0, equity, used }
}
