// Liquidating a whole cross account (contracts, "Cross margin"). Emits one event for the account, none per position.

import { callSettlePnl, tokenBalance, transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint } from '../../shared/host.ts'
import { address, i128, vec } from '../../shared/host.ts'
import { asAddress, bpsOf, checked, entryPoint, fail, minOf, positivePart } from '../../shared/values.ts'
import { type CrossAccount, type LegValuation, readCrossAccount, writePool } from '../../shared/market/cross.ts'
import { removeCrossTrader } from '../../shared/market/cross-traders.ts'
import { removeExposure } from '../../shared/market/exposure.ts'
import { sendToVault } from '../../shared/market/fees.ts'
import { deletePosition, pricePnl } from '../../shared/market/positions.ts'
import { readPriceOrZero } from '../../shared/market/prices.ts'
import { KEYS, readConfig, requireInitialized, usdcOf, vaultOf } from '../../shared/market/storage.ts'
import { ERRORS } from '../../shared/market/types.ts'

/** The keeper's reward is at most 1 / this of the idle pool. */
const POOL_REWARD_DIVISOR = 10n

export function liquidateCrossEntryPoints(): Record<string, EntryPoint> {
  return {
    liquidate_cross_account: entryPoint({ keeper: 'address', trader: 'address' }, 'i128', (env, args) => {
      const [keeper, trader] = [asAddress(args[0]), asAddress(args[1])]
      requireInitialized(env)
      env.requireAuth(keeper)
      const account = readCrossAccount(env, trader, valueForLiquidation)
      if (account.equity >= account.maintenance) fail(ERRORS.CrossMarginNotLiquidatable)
      return i128(liquidateAccount(env, account, trader, keeper))
    }),
  }
}

/** Valuation for liquidation: a position without a readable price has a PnL of 0. */
const valueForLiquidation: LegValuation = (env, position) => {
  const price = readPriceOrZero(env, position.asset)
  return { price, pnl: price === 0n ? 0n : pricePnl(position, price) }
}

/** Closes every position and empties the pool: losses and funding to the vault, a reward to the keeper, the remaining equity to the vault. */
function liquidateAccount(env: ContractEnv, account: CrossAccount, trader: string, keeper: string): bigint {
  let owed = 0n
  let totalPnl = 0n
  for (const { position, price, pnl, funding } of account.legs) {
    callSettlePnl(env, vaultOf(env), pnl)
    removeExposure(env, position, price)
    deletePosition(env, position)
    owed = checked(owed + positivePart(-pnl) + positivePart(funding))
    totalPnl = checked(totalPnl + pnl)
  }
  const marketBalance = (): bigint => tokenBalance(env, usdcOf(env), env.self)
  sendToVault(env, minOf(owed, marketBalance()))
  const reward = rewardOf(env, account, marketBalance())
  if (reward > 0n) transferToken(env, usdcOf(env), env.self, keeper, reward)
  sendToVault(env, minOf(account.equity - reward, account.pool - reward, marketBalance()))

  writePool(env, trader, 0n)
  env.set('persistent', KEYS.crossMarginPositions(trader), vec())
  removeCrossTrader(env, trader)
  emit(env, 'cross_liq', address(trader), i128(totalPnl), i128(reward))
  return reward
}

function rewardOf(env: ContractEnv, account: CrossAccount, marketBalance: bigint): bigint {
  if (account.equity <= 0n) return 0n
  return minOf(bpsOf(account.equity, readConfig(env).liquidation_fee_bps), account.pool / POOL_REWARD_DIVISOR, marketBalance)
}
