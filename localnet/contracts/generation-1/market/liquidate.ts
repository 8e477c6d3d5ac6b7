// Liquidating isolated positions (contracts, "Liquidation, isolated").

import { transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint } from '../../shared/host.ts'
import { address, i128, symbol, u32, u64 } from '../../shared/host.ts'
import { asAddress, asU64, bpsOf, checked, entryPoint, fail } from '../../shared/values.ts'
import { cancelAttachedOrders } from '../../shared/market/attached-orders.ts'
import { removeExposure } from '../../shared/market/exposure.ts'
import { sendToVault } from '../../shared/market/fees.ts'
import { fundingOwed } from '../../shared/market/funding.ts'
import { deletePosition, pricePnl, requirePosition } from '../../shared/market/positions.ts'
import { readPrice } from '../../shared/market/prices.ts'
import { readConfig, requireInitialized, usdcOf } from '../../shared/market/storage.ts'
import { CROSS, ERRORS, LONG, type Position } from '../../shared/market/types.ts'

/** A reward above the collateral is reduced to 1 / this of the collateral. */
const CAPPED_REWARD_DIVISOR = 10n

export function liquidateEntryPoints(): Record<string, EntryPoint> {
  return {
    liquidate: entryPoint({ keeper: 'address', position_id: 'u64' }, 'i128', (env, args) => {
      const [keeper, id] = [asAddress(args[0]), asU64(args[1])]
      requireInitialized(env)
      env.requireAuth(keeper)
      const position = requirePosition(env, id)
      if (position.margin_mode === CROSS) fail(ERRORS.NotLiquidatable)
      const price = readPrice(env, position.asset, 'lenient')
      const equity = checked(position.collateral + pricePnl(position, price) - fundingOwed(env, position))
      if (!isLiquidatable(env, position, price, equity)) fail(ERRORS.NotLiquidatable)
      return i128(liquidateIsolated(env, position, price, equity, keeper))
    }),
  }
}

function isLiquidatable(env: ContractEnv, position: Position, price: bigint, equity: bigint): boolean {
  const isPriceReached = position.direction === LONG ? price <= position.liquidation_price : price >= position.liquidation_price
  return isPriceReached || equity < bpsOf(position.size, readConfig(env).maintenance_margin_bps)
}

/** The keeper receives a share of the equity, the vault the rest of the collateral, the trader nothing. Returns the reward. */
function liquidateIsolated(env: ContractEnv, position: Position, price: bigint, equity: bigint, keeper: string): bigint {
  const share = equity > 0n ? bpsOf(equity, readConfig(env).liquidation_fee_bps) : 0n
  const reward = share > position.collateral ? position.collateral / CAPPED_REWARD_DIVISOR : share
  sendToVault(env, position.collateral - reward)
  if (reward > 0n) transferToken(env, usdcOf(env), env.self, keeper, reward)
  removeExposure(env, position, price)
  cancelAttachedOrders(env, position.id, undefined)
  deletePosition(env, position)
  emit(
    env, 'position_liquidated', u64(position.id), address(position.trader), symbol(position.asset), u32(position.direction),
    i128(position.size),
    i128(reward), i128(price),
  )
  return reward
}
