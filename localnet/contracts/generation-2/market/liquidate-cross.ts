// Liquidating a cross account: in stages, or all of it at once (generation 2, "Liquidation, cross").

import { tokenBalance, transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import { address, ContractFailure, i128 } from '../../shared/host.ts'
import { readPool, writePool } from '../../shared/market/cross.ts'
import { KEYS, readIds, usdcOf, vaultOf } from '../../shared/market/storage.ts'
import type { Position } from '../../shared/market/types.ts'
import { asAddress, BPS_DENOMINATOR, bpsOf, checked, fail, minOf, mulDiv, positivePart } from '../../shared/values.ts'
import { callFundBuffer } from '../calls.ts'
import { settleLeg } from './close-cross.ts'
import { crossPositionsOf } from './cross-account.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { ERRORS } from './errors.ts'
import { requireNotFrozen } from './gates.ts'
import { checkCooldown, emitLiquidated, emitRefund, topUpBounty } from './liquidate.ts'
import { pricePnlOrZero, valueLeniently } from './positions.ts'
import { readLenientPrice, readSmoothedPrice } from './prices.ts'
import { maintenanceBps } from './risk.ts'
import { CROSS_DEBT, payOut, recordBadDebt } from './settlement.ts'
import { ADDED_KEYS, readConfig, writeTime } from './storage.ts'

export function liquidateCrossEntryPoints(): MarketEntryPoints {
  return {
    liquidate_cross_account: marketEntryPoint({ keeper: 'address', trader: 'address' }, 'i128', (env, args) => {
      const [keeper, trader] = [asAddress(args[0]), asAddress(args[1])]
      requireNotFrozen(env)
      env.requireAuth(keeper)
      readPricesOnce(env, trader)
      const account = totalsOf(env, trader, (asset) => readLenientPrice(env, asset))
      if (account.equity >= account.maintenance) fail(ERRORS.CrossMarginNotLiquidatable)
      if (account.equity > 0n && isHealthyWhenSmoothed(env, trader)) fail(ERRORS.LiquidationNotConfirmed)
      return i128(liquidateAccount(env, trader, keeper, modeOf(env, trader, account)))
    }),
  }
}

/**
 * Reads the price of every position, which makes fresh ones the last good prices: what is read after this is not clamped to earlier ones. Fails
 * with 78 for a price of zero or less. The shim's own errors pass.
 */
function readPricesOnce(env: MarketEnv, trader: string): void {
  for (const { asset } of crossPositionsOf(env, trader)) {
    try {
      readLenientPrice(env, asset)
    } catch (error) {
      if (error instanceof ContractFailure && error.code === ERRORS.InvalidPrice) fail(ERRORS.CrossMarginNotLiquidatable)
      throw error
    }
  }
}

interface Totals {
  readonly equity: bigint
  readonly maintenance: bigint
}

type PriceOf = (asset: string) => bigint

/** The account's equity and maintenance margin. */
function totalsOf(env: MarketEnv, trader: string, priceOf: PriceOf, pool: bigint = readPool(env, trader)): Totals {
  let [equity, maintenance] = [pool, 0n]
  for (const position of crossPositionsOf(env, trader)) {
    equity = checked(equity + valueLeniently(env, position, priceOf(position.asset)).equity)
    maintenance = checked(maintenance + bpsOf(position.size, maintenanceBps(env, position)))
  }
  return { equity, maintenance }
}

/** True for an account that is healthy at smoothed prices. A position without one keeps its price. */
function isHealthyWhenSmoothed(env: MarketEnv, trader: string): boolean {
  const { equity, maintenance } = totalsOf(env, trader, (asset) => readSmoothedPrice(env, asset) ?? readLenientPrice(env, asset))
  return equity >= maintenance
}

/** The part of an account that is closed: positions until it is healthy again, everything, or everything without penalties. */
type Mode = 'staged' | 'close-out' | 'bankrupt'

/** Fails with 83 for another stage shortly after a liquidation that left positions. */
function modeOf(env: MarketEnv, trader: string, { equity, maintenance }: Totals): Mode {
  if (equity <= 0n) return 'bankrupt'
  if (equity < bpsOf(maintenance, readConfig(env).cross_close_out_bps)) return 'close-out'
  checkCooldown(env, ADDED_KEYS.crossPartialLiqTs(trader))
  return 'staged'
}

/** The amounts that a liquidation has moved so far. */
interface Progress {
  /** The account's pool with the results of the closed positions; negative while later ones have to make up for a loss. */
  pool: bigint
  /** Amount that the market still holds of the pool and of the collateral of the closed positions. Limits what the next loss can take. */
  funds: bigint
  debt: bigint
  penalties: bigint
  reward: bigint
  pnl: bigint
}

/** Closes positions, the largest loss first. What is left stays in the trader's pool. Returns the keeper's reward. */
function liquidateAccount(env: MarketEnv, trader: string, keeper: string, mode: Mode): bigint {
  const pool = readPool(env, trader)
  const progress: Progress = { pool, funds: pool, debt: 0n, penalties: 0n, reward: 0n, pnl: 0n }
  for (const position of largestLossFirst(env, trader)) {
    closePosition(env, position, keeper, mode, progress)
    if (mode === 'staged' && isRestored(env, trader, progress.pool)) break
  }
  if (progress.debt > 0n) recordBadDebt(env, trader, CROSS_DEBT, progress.debt)
  const left = mode === 'bankrupt' ? 0n : positivePart(progress.pool)
  writePool(env, trader, left)
  finish(env, trader, left, progress.penalties)
  const reward = progress.reward + topUpBounty(env, keeper, progress.reward)
  emit(env, 'cross_liq', address(trader), i128(progress.pnl), i128(reward))
  return reward
}

/** Ascending by price PnL; the larger size first if it is equal. */
function largestLossFirst(env: MarketEnv, trader: string): readonly Position[] {
  const legs = crossPositionsOf(env, trader).map((position) => ({ position, pnl: pricePnlOrZero(position, readLenientPrice(env, position.asset)) }))
  legs.sort((a, b) => (a.pnl === b.pnl ? compare(b.position.size, a.position.size) : compare(a.pnl, b.pnl)))
  return legs.map(({ position }) => position)
}

function compare(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** Closes one position. As deployed, its loss can only take what the pool and the positions closed so far have left. */
function closePosition(env: MarketEnv, position: Position, keeper: string, mode: Mode, progress: Progress): void {
  const price = readLenientPrice(env, position.asset)
  progress.funds = checked(progress.funds + position.collateral)
  const leg = settleLeg(env, position, price, progress.funds, undefined)
  progress.funds -= leg.collected
  progress.debt = checked(progress.debt + leg.uncollected)
  progress.pnl = checked(progress.pnl + leg.pnl)
  progress.pool = checked(progress.pool + leg.proceeds)
  const reward = mode === 'bankrupt' ? 0n : chargePenalty(env, position, keeper, progress)
  emitLiquidated(env, position, reward, price)
}

/** Takes the penalty of a position out of a positive pool, for the keeper and the vault's buffer. Returns the keeper's share. */
function chargePenalty(env: MarketEnv, position: Position, keeper: string, progress: Progress): bigint {
  const [config, usdc, vault] = [readConfig(env), usdcOf(env), vaultOf(env)]
  const penalty = minOf(bpsOf(position.size, config.liquidation_penalty_bps), positivePart(progress.pool))
  if (penalty <= 0n) return 0n
  const share = bpsOf(penalty, config.penalty_keeper_share_bps)
  const reward = minOf(share, tokenBalance(env, usdc, env.self))
  payOut(env, keeper, reward)
  const buffered = minOf(penalty - share, tokenBalance(env, usdc, env.self))
  if (buffered > 0n) {
    transferToken(env, usdc, env.self, vault, buffered)
    callFundBuffer(env, vault, buffered)
  }
  progress.pool -= penalty
  progress.funds -= reward + buffered
  progress.penalties += penalty
  progress.reward += reward
  return reward
}

/** True once the equity reaches the target above the maintenance margin of the positions that are left. */
function isRestored(env: MarketEnv, trader: string, pool: bigint): boolean {
  const { equity, maintenance } = totalsOf(env, trader, (asset) => readLenientPrice(env, asset), pool)
  return maintenance === 0n || equity >= mulDiv(maintenance, BigInt(readConfig(env).cross_liq_restore_target_bps), BPS_DENOMINATOR)
}

/**
 * Starts the cooldown while positions are listed, and reports the end of the account otherwise. As deployed, ids of positions that were closed as
 * isolated ones stay listed, so such an account never ends.
 */
function finish(env: MarketEnv, trader: string, pool: bigint, penalties: bigint): void {
  if (readIds(env, KEYS.crossMarginPositions(trader)).length > 0) {
    writeTime(env, ADDED_KEYS.crossPartialLiqTs(trader), env.ledger.timestampSec)
    return
  }
  emitRefund(env, trader, 0n, pool, penalties)
  env.remove('persistent', ADDED_KEYS.crossPartialLiqTs(trader))
}
