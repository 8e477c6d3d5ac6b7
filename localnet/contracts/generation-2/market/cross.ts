// Cross margin: opening positions backed by the pool, and the pool itself (generation 2, "Cross margin").

import { transferToken } from '../../shared/calls.ts'
import { VOID } from '../../shared/host.ts'
import { readPool, topUpPool, writePool } from '../../shared/market/cross.ts'
import { readOpenRequest } from '../../shared/market/open.ts'
import { usdcOf } from '../../shared/market/storage.ts'
import { CROSS, POSITION } from '../../shared/market/types.ts'
import { asAddress, asI128, checked, fail } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { listCrossPosition, readFreeMargin } from './cross-account.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { requireNotFrozen, requireOpenable } from './gates.ts'
import { checkLimits, netAgainstOpposite, BOUNDED_OPEN_INPUTS, openAtMarket } from './open.ts'

export function crossEntryPoints(): MarketEntryPoints {
  return {
    open_position_cross: marketEntryPoint(BOUNDED_OPEN_INPUTS, { struct: 'Position' }, (env, args) => {
      const request = readOpenRequest(args)
      const { trader } = request
      requireOpenable(env, request.asset)
      env.requireAuth(trader)
      const order = netAgainstOpposite(env, request, checkLimits(env, request), CROSS)
      topUpPool(env, trader, order.collateral)
      requireFreeMargin(env, trader, order.collateral)
      const position = openAtMarket(env, order, asI128(args[5]), CROSS, () => {
        writePool(env, trader, readPool(env, trader) - order.collateral)
      })
      listCrossPosition(env, position)
      return POSITION.toVal(position)
    }),
    deposit_cross_margin: marketEntryPoint({ trader: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [trader, amount] = [asAddress(args[0]), asI128(args[1])]
      requireNotFrozen(env)
      env.requireAuth(trader)
      if (amount <= 0n) fail(ERRORS.InvalidAmount)
      transferToken(env, usdcOf(env), trader, env.self, amount)
      writePool(env, trader, checked(readPool(env, trader) + amount))
      return VOID
    }),
    withdraw_cross_margin: marketEntryPoint({ trader: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [trader, amount] = [asAddress(args[0]), asI128(args[1])]
      requireNotFrozen(env)
      env.requireAuth(trader)
      if (amount <= 0n) fail(ERRORS.InvalidAmount)
      const pool = readPool(env, trader)
      if (amount > pool) fail(ERRORS.CrossMarginInsufficientBalance)
      requireFreeMargin(env, trader, amount)
      writePool(env, trader, pool - amount)
      transferToken(env, usdcOf(env), env.self, trader, amount)
      return VOID
    }),
  }
}

/** With open positions, fails with 77 unless the equity covers `amount` on top of the margin that the positions use. */
function requireFreeMargin(env: MarketEnv, trader: string, amount: bigint): void {
  const { hasPositions, equity, used } = readFreeMargin(env, trader)
  if (hasPositions && equity < checked(used + amount)) fail(ERRORS.CrossMarginInsufficientFreeMargin)
}
