// Adding and removing collateral of an isolated position (generation 2, "Collateral of an isolated position").

import { transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv } from '../../shared/host.ts'
import { address, i128, u64, VOID } from '../../shared/host.ts'
import { requireOwnPosition } from '../../shared/market/positions.ts'
import { usdcOf } from '../../shared/market/storage.ts'
import { CROSS, type Position } from '../../shared/market/types.ts'
import { asAddress, asI128, asU64, bpsOf, checked, fail } from '../../shared/values.ts'
import { ERRORS } from './errors.ts'
import { type MarketEntryPoints, marketEntryPoint } from './env.ts'
import { requireLive } from './gates.ts'
import { liquidationPriceByRatio, valuePosition, writePosition } from './positions.ts'
import { readStrictPrice } from './prices.ts'
import { maintenanceBps } from './risk.ts'
import { readConfig, requireCaller } from './storage.ts'

const INPUTS = { trader: 'address', position_id: 'u64', amount: 'i128' } as const

export function collateralEntryPoints(): MarketEntryPoints {
  return {
    /** Also while paused. */
    add_collateral: marketEntryPoint(INPUTS, 'void', (env, args) => {
      const [trader, id, amount] = [asAddress(args[0]), asU64(args[1]), asI128(args[2])]
      requireCaller(env, trader)
      const position = requireIsolated(env, id, trader)
      if (amount <= 0n) fail(ERRORS.InvalidAmount)
      transferToken(env, usdcOf(env), trader, env.self, amount)
      storeCollateral(env, position, checked(position.collateral + amount), 'collateral_added', amount)
      return VOID
    }),
    remove_collateral: marketEntryPoint(INPUTS, 'void', (env, args) => {
      const [trader, id, amount] = [asAddress(args[0]), asU64(args[1]), asI128(args[2])]
      requireLive(env)
      env.requireAuth(trader)
      const position = requireIsolated(env, id, trader)
      if (amount <= 0n || amount >= position.collateral) fail(ERRORS.InvalidAmount)
      const rest = { ...position, collateral: position.collateral - amount }
      checkMargin(env, rest)
      transferToken(env, usdcOf(env), env.self, trader, amount)
      storeCollateral(env, position, rest.collateral, 'collateral_removed', amount)
      return VOID
    }),
  }
}

function requireIsolated(env: ContractEnv, id: bigint, trader: string): Position {
  const position = requireOwnPosition(env, id, trader)
  if (position.margin_mode === CROSS) fail(ERRORS.InvalidParameter)
  return position
}

/** Fails with 25 unless the collateral allows the size at the maximum leverage, and the equity is above the maintenance margin. */
function checkMargin(env: ContractEnv, position: Position): void {
  if (position.collateral < position.size / BigInt(readConfig(env).max_leverage)) fail(ERRORS.InsufficientMargin)
  const price = readStrictPrice(env, position.asset)
  const { equity } = valuePosition(env, position, price)
  if (equity <= bpsOf(position.size, maintenanceBps(env, position))) fail(ERRORS.InsufficientMargin)
}

function storeCollateral(env: ContractEnv, before: Position, collateral: bigint, topic: string, amount: bigint): void {
  const position = { ...before, collateral }
  const liquidationPrice = liquidationPriceByRatio(env, position)
  writePosition(env, { ...position, liquidation_price: liquidationPrice })
  emit(env, topic, u64(position.id), address(position.trader), i128(amount), i128(liquidationPrice))
}
