// Liquidating isolated positions: in part, in full, or bankrupt (generation 2, "Liquidation, isolated").

import { callReceiveLoss, transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv } from '../../shared/host.ts'
import { address, i128, symbol, u32, u64 } from '../../shared/host.ts'
import { requirePosition } from '../../shared/market/positions.ts'
import { usdcOf, vaultOf } from '../../shared/market/storage.ts'
import { CROSS, type Position } from '../../shared/market/types.ts'
import { asAddress, asU64, bpsOf, fail, minOf, positivePart } from '../../shared/values.ts'
import { callFundBuffer, callPayBounty } from '../calls.ts'
import { ERRORS } from './errors.ts'
import { type MarketEntryPoints, type MarketEnv, marketEntryPoint } from './env.ts'
import { requireNotFrozen } from './gates.ts'
import { cancelAttachedOrders } from './orders.ts'
import {
  deletePosition, isLiquidatable, liquidationPriceByRatio, removeOpenInterest, type Valuation, valuePosition, writePosition,
} from './positions.ts'
import { readLenientPrice, readSmoothedPrice } from './prices.ts'
import { payOut, recordBadDebt, writeProceeds } from './settlement.ts'
import { ADDED_KEYS, readConfig, readTime, writeTime } from './storage.ts'
import type { MarketConfig } from './types.ts'

export function liquidateEntryPoints(): MarketEntryPoints {
  return {
    liquidate: marketEntryPoint({ keeper: 'address', position_id: 'u64' }, 'i128', (env, args) => {
      const [keeper, id] = [asAddress(args[0]), asU64(args[1])]
      requireNotFrozen(env)
      env.requireAuth(keeper)
      const position = requirePosition(env, id)
      if (position.margin_mode === CROSS) fail(ERRORS.NotLiquidatable)
      const price = readLenientPrice(env, position.asset)
      if (!isLiquidatable(env, position, price)) fail(ERRORS.NotLiquidatable)
      const value = valuePosition(env, position, price)
      if (value.equity <= 0n) return i128(liquidateBankrupt(env, position, price, value, keeper))
      checkCooldown(env, ADDED_KEYS.partialLiqTs(id))
      const smoothed = readSmoothedPrice(env, position.asset)
      if (smoothed !== undefined && !isLiquidatable(env, position, smoothed)) fail(ERRORS.LiquidationNotConfirmed)
      const tranche = trancheOf(readConfig(env), position, value)
      return i128(tranche === undefined
        ? liquidateWhole(env, position, price, value, keeper)
        : liquidatePart(env, position, price, tranche, keeper))
    }),
  }
}

/** Fails with 83 shortly after a partial liquidation. */
export function checkCooldown(env: ContractEnv, key: ReturnType<typeof ADDED_KEYS.partialLiqTs>): void {
  const lastSec = readTime(env, key)
  if (lastSec === undefined) return
  if (env.ledger.timestampSec - lastSec < readConfig(env).partial_liq_cooldown_secs) fail(ERRORS.LiquidationCooldown)
}

/** One round of a partial liquidation. */
interface Tranche {
  readonly size: bigint
  readonly debit: bigint
  readonly penalty: bigint
  /** The keeper's share of the penalty. */
  readonly reward: bigint
}

/** The round for a position above the minimum size; undefined if rounds are off, or if it would leave no size or no collateral. */
function trancheOf(config: MarketConfig, position: Position, { pnl, funding, equity }: Valuation): Tranche | undefined {
  if (config.partial_liq_tranche_bps === 0 || position.size <= config.partial_liq_min_notional) return undefined
  const size = bpsOf(position.size, config.partial_liq_tranche_bps)
  const debit = minOf(positivePart(bpsOf(funding - pnl, config.partial_liq_tranche_bps)), position.collateral)
  const penalty = positivePart(
    minOf(bpsOf(size, config.liquidation_penalty_bps), bpsOf(equity, config.partial_liq_tranche_bps), position.collateral - debit),
  )
  if (position.size - size <= 0n || position.collateral - debit - penalty <= 0n) return undefined
  return { size, debit, penalty, reward: bpsOf(penalty, config.penalty_keeper_share_bps) }
}

/** Closes one tranche. The position stays open, with its orders. */
function liquidatePart(env: MarketEnv, position: Position, price: bigint, tranche: Tranche, keeper: string): bigint {
  const { size, debit, penalty, reward } = tranche
  payLossAndBuffer(env, debit, penalty - reward)
  payOut(env, keeper, reward)
  removeOpenInterest(env, position, price, size)
  const rest: Position = { ...position, size: position.size - size, collateral: position.collateral - debit - penalty }
  writePosition(env, { ...rest, liquidation_price: liquidationPriceByRatio(env, rest) })
  writeTime(env, ADDED_KEYS.partialLiqTs(position.id), env.ledger.timestampSec)
  emit(
    env, 'position_partial_liq', u64(position.id), address(position.trader), symbol(position.asset), u32(position.direction), i128(size),
    i128(reward), i128(price),
  )
  return reward
}

/**
 * Closes a position that is worth something: a penalty, shared by keeper and buffer, and the rest of the equity back to the trader. As
 * deployed, earned funding above the collateral is refunded out of what the market holds for others; without it the transfer fails.
 */
function liquidateWhole(env: MarketEnv, position: Position, price: bigint, { equity }: Valuation, keeper: string): bigint {
  const config = readConfig(env)
  const penalty = minOf(bpsOf(position.size, config.liquidation_penalty_bps), equity)
  const reward = bpsOf(penalty, config.penalty_keeper_share_bps)
  const refund = equity - penalty
  const toVault = position.collateral - reward - refund
  if (toVault > 0n) payLossAndBuffer(env, toVault - (penalty - reward), penalty - reward)
  payOut(env, keeper, reward)
  payOut(env, position.trader, refund)
  emitRefund(env, position.trader, position.id, refund, penalty)
  writeProceeds(env, position.id, refund)
  return endLiquidated(env, position, price, reward, keeper)
}

/** Closes a position that is worth nothing: its collateral goes to the vault, a part of it to the buffer. */
function liquidateBankrupt(env: MarketEnv, position: Position, price: bigint, { equity }: Valuation, keeper: string): bigint {
  if (equity < 0n) recordBadDebt(env, position.trader, position.asset, -equity)
  const buffered = bpsOf(position.collateral, readConfig(env).insurance_buffer_share_bps)
  payLossAndBuffer(env, position.collateral - buffered, buffered)
  writeProceeds(env, position.id, 0n)
  return endLiquidated(env, position, price, 0n, keeper)
}

/** Transfers a loss and a share for the buffer to the vault together, and credits them there. */
function payLossAndBuffer(env: MarketEnv, loss: bigint, buffered: bigint): void {
  const vault = vaultOf(env)
  if (loss + buffered > 0n) transferToken(env, usdcOf(env), env.self, vault, loss + buffered)
  if (loss > 0n) callReceiveLoss(env, vault, loss)
  if (buffered > 0n) callFundBuffer(env, vault, buffered)
}

function endLiquidated(env: MarketEnv, position: Position, price: bigint, reward: bigint, keeper: string): bigint {
  removeOpenInterest(env, position, price)
  cancelAttachedOrders(env, position.id, undefined)
  deletePosition(env, position)
  const total = reward + topUpBounty(env, keeper, reward)
  emitLiquidated(env, position, total, price)
  return total
}

/** Tops a keeper's reward up to the minimum bounty from the vault's buffer. Returns what the buffer paid. */
export function topUpBounty(env: MarketEnv, keeper: string, reward: bigint): bigint {
  const missing = readConfig(env).min_liq_bounty - reward
  return missing > 0n ? callPayBounty(env, vaultOf(env), keeper, missing) : 0n
}

export function emitLiquidated(env: ContractEnv, position: Position, reward: bigint, price: bigint): void {
  emit(
    env, 'position_liquidated', u64(position.id), address(position.trader), symbol(position.asset), u32(position.direction),
    i128(position.size), i128(reward), i128(price),
  )
}

/** `positionId` is 0 for a whole cross account. */
export function emitRefund(env: ContractEnv, trader: string, positionId: bigint, refund: bigint, penalty: bigint): void {
  emit(env, 'liq_refund', address(trader), u64(positionId), i128(refund), i128(penalty))
}
