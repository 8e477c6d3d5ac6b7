// Liquidating a cross account: in stages, or all of it at once (generation 2, "Liquidation, cross").

import { emit } from '../../emit.ts'
import type { ContractEnv } from '../../host.ts'
import { address, i128 } from '../../host.ts'
import { readPool, writePool } from '../../market/cross.ts'
import { usdcOf, vaultOf } from '../../market/storage.ts'
import type { Position } from '../../market/types.ts'
import { asAddress, BPS_DENOMINATOR, bpsOf, checked, fail, minOf, positivePart } from '../../values.ts'
import { fundBuffer } from '../calls.ts'
import { ERRORS_2 } from './errors.ts'
import { crossPositionsOf, unlistCrossPosition } from './cross-account.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { payLoss } from './fees.ts'
import { requireNotFrozen } from './gates.ts'
import { checkCooldown, emitLiquidated, emitRefund, topUpBounty } from './liquidate.ts'
import { cancelAttachedOrders2 } from './orders.ts'
import { deletePosition2, removeOpenInterest, type Valuation, valuePosition } from './positions.ts'
import { readSmoothedPrice, tryReadLenientPrice } from './prices.ts'
import { maintenanceBps } from './risk.ts'
import { CROSS_DEBT, payOut, recordBadDebt, settle } from './settlement.ts'
import { KEYS_2, readConfig2, writeTime } from './storage.ts'

export function liquidateCrossEntryPoints(): MarketEntryPoints {
  return {
    liquidate_cross_account: marketEntryPoint({ keeper: 'address', trader: 'address' }, 'i128', (env, args) => {
      const [keeper, trader] = [asAddress(args[0]), asAddress(args[1])]
      requireNotFrozen(env)
      env.requireAuth(keeper)
      const legs = readLegs(env, trader)
      const account = sumOf(readPool(env, trader), legs)
      if (account.equity >= account.maintenance) fail(ERRORS_2.CrossMarginNotLiquidatable)
      if (account.equity > 0n && isHealthyWhenSmoothed(env, trader, legs)) fail(ERRORS_2.LiquidationNotConfirmed)
      return i128(liquidateAccount(env, trader, keeper, legs, modeOf(env, trader, account)))
    }),
  }
}

interface Leg {
  readonly position: Position
  readonly price: bigint
  readonly value: Valuation
  readonly maintenance: bigint
}

interface Totals {
  readonly equity: bigint
  readonly maintenance: bigint
}

/** How much of an account is closed: legs until it is healthy again, everything, or everything without penalties. */
type Mode = 'staged' | 'close-out' | 'bankrupt'

/** The account's positions at lenient prices. Fails with 78 if a price cannot be read. */
function readLegs(env: ContractEnv, trader: string): readonly Leg[] {
  return crossPositionsOf(env, trader).map((position) => {
    const price = tryReadLenientPrice(env, position.asset) ?? fail(ERRORS_2.CrossMarginNotLiquidatable)
    return legAt(env, position, price)
  })
}

function legAt(env: ContractEnv, position: Position, price: bigint): Leg {
  const maintenance = bpsOf(position.size, maintenanceBps(env, position))
  return { position, price, value: valuePosition(env, position, price), maintenance }
}

function sumOf(pool: bigint, legs: readonly Leg[]): Totals {
  return {
    equity: legs.reduce((sum, leg) => checked(sum + leg.value.equity), pool),
    maintenance: legs.reduce((sum, leg) => checked(sum + leg.maintenance), 0n),
  }
}

/** Whether the account is healthy at smoothed prices. A leg without one keeps its price; without any, nothing contradicts the liquidation. */
function isHealthyWhenSmoothed(env: ContractEnv, trader: string, legs: readonly Leg[]): boolean {
  const smoothed = legs.map((leg) => readSmoothedPrice(env, leg.position.asset))
  if (smoothed.every((price) => price === undefined)) return false
  const { equity, maintenance } = sumOf(readPool(env, trader), legs.map((leg, index) => legAt(env, leg.position, smoothed[index] ?? leg.price)))
  return equity >= maintenance
}

/** Fails with 83 for another stage shortly after the last. */
function modeOf(env: ContractEnv, trader: string, { equity, maintenance }: Totals): Mode {
  if (equity <= 0n) return 'bankrupt'
  if (equity < bpsOf(maintenance, readConfig2(env).cross_close_out_bps)) return 'close-out'
  checkCooldown(env, KEYS_2.crossPartialLiqTs(trader))
  return 'staged'
}

/** What a liquidation has moved so far. */
interface Progress {
  /** What the market holds for the account: its pool and the collateral of its open positions. Limits the losses. */
  funds: bigint
  uncollected: bigint
  penalties: bigint
  reward: bigint
  pnl: bigint
}

/** Closes legs, the largest loss first. What is left stays in the trader's pool. Returns the keeper's reward. */
function liquidateAccount(env: MarketEnv, trader: string, keeper: string, legs: readonly Leg[], mode: Mode): bigint {
  const remaining = [...legs].sort(byLoss)
  const progress: Progress = { funds: checked(readPool(env, trader) + collateralOf(legs)), uncollected: 0n, penalties: 0n, reward: 0n, pnl: 0n }
  for (let leg = remaining.shift(); leg !== undefined; leg = remaining.shift()) {
    closeLeg(env, leg, collateralOf(remaining), mode, progress)
    if (mode === 'staged' && isRestored(env, progress.funds - collateralOf(remaining), remaining)) break
  }
  settleDebt(env, trader, collateralOf(remaining), progress)
  const pool = progress.funds - collateralOf(remaining)
  writePool(env, trader, pool)
  if (mode === 'staged') writeTime(env, KEYS_2.crossPartialLiqTs(trader), env.ledger.timestampSec)
  payOut(env, keeper, progress.reward)
  if (remaining.length === 0) emitRefund(env, trader, 0n, pool, progress.penalties)
  const reward = progress.reward + topUpBounty(env, keeper, progress.reward)
  emit(env, 'cross_liq', address(trader), i128(progress.pnl), i128(reward))
  return reward
}

const collateralOf = (legs: readonly Leg[]): bigint => legs.reduce((sum, leg) => checked(sum + leg.position.collateral), 0n)

/** Ascending by price PnL; the larger size first if it is equal. */
function byLoss(a: Leg, b: Leg): number {
  if (a.value.pnl !== b.value.pnl) return a.value.pnl < b.value.pnl ? -1 : 1
  return a.position.size > b.position.size ? -1 : Number(a.position.size < b.position.size)
}

/** Whether the equity reaches the target above the maintenance margin of the remaining legs, and their collateral is still there. */
function isRestored(env: ContractEnv, pool: bigint, remaining: readonly Leg[]): boolean {
  const { equity, maintenance } = sumOf(pool, remaining)
  return pool >= 0n && equity * BPS_DENOMINATOR >= maintenance * BigInt(readConfig2(env).cross_liq_restore_target_bps)
}

/** Closes one leg. Its penalty comes out of what the account has beyond `otherCollateral`, the collateral of its remaining legs. */
function closeLeg(env: MarketEnv, { position, price, value }: Leg, otherCollateral: bigint, mode: Mode, progress: Progress): void {
  const { trader, asset } = position
  const claim = { trader, asset, pnl: value.pnl, funding: value.funding, funds: progress.funds }
  // Bad debt is recorded once for the account, after its profitable legs.
  const { remaining, credit, uncollected } = settle(env, claim, () => undefined)
  const funds = checked(remaining + credit)
  const config = readConfig2(env)
  const penalty = mode === 'bankrupt' ? 0n : minOf(bpsOf(position.size, config.liquidation_penalty_bps), positivePart(funds - otherCollateral))
  const reward = bpsOf(penalty, config.penalty_keeper_share_bps)
  fundBuffer(env, usdcOf(env), vaultOf(env), penalty - reward)
  removeOpenInterest(env, position, price)
  cancelAttachedOrders2(env, position.id, undefined)
  deletePosition2(env, position)
  unlistCrossPosition(env, position)
  emitLiquidated(env, position, reward, price)
  progress.funds = funds - penalty
  progress.uncollected = checked(progress.uncollected + uncollected)
  progress.penalties += penalty
  progress.reward += reward
  progress.pnl = checked(progress.pnl + value.pnl)
}

/** Pays losses that were above the funds from the profits of later legs. The rest is bad debt. */
function settleDebt(env: MarketEnv, trader: string, otherCollateral: bigint, progress: Progress): void {
  const late = minOf(progress.uncollected, positivePart(progress.funds - otherCollateral))
  const debt = progress.uncollected - late
  if (debt > 0n) recordBadDebt(env, trader, CROSS_DEBT, debt)
  payLoss(env, trader, late)
  progress.funds -= late
}
