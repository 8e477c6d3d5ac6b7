// The market's entry points of the vault in generation 2: settle PnL, receive losses, sync exposure, reserve payouts.

import { transferToken } from '../../shared/calls.ts'
import { emit, emitWithSubject } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../../shared/host.ts'
import { address, i128, symbol, VOID } from '../../shared/host.ts'
import { abs, asAddress, asI128, asSymbol, bpsOf, checked, entryPoint, fail, minOf, positivePart } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import * as vault from './storage.ts'
import { AMOUNTS, ERRORS, KEYS } from './storage.ts'

export function settlementEntryPoints(build: Generation2Build): Record<string, EntryPoint> {
  const receiveLoss = (env: ContractEnv, amount: bigint): Val => {
    vault.requireInitialized(env)
    vault.requirePositive(amount)
    vault.requireMarket(env)
    vault.addAmount(env, AMOUNTS.totalUsdc, amount)
    if (isSince(build, '2.3')) vault.touchAmounts(env, AMOUNTS.buffer, AMOUNTS.totalFees, AMOUNTS.shortfallReserve)
    if (isSince(build, '2.1')) vault.requireReceipt(env)
    emit(env, 'loss_received', i128(amount))
    return VOID
  }
  const receiveLossFor = entryPoint({ trader: 'address', amount: 'i128' }, 'void', (env, args) => {
    receiveLoss(env, asI128(args[1]))
    touchShortfall(env, asAddress(args[0]))
    return VOID
  })
  return {
    settle_pnl: entryPoint({ trader: 'address', pnl: 'i128' }, 'i128', (env, args) => {
      const [trader, pnl] = [asAddress(args[0]), asI128(args[1])]
      vault.requireMarket(env)
      if (isSince(build, '2.3')) {
        vault.touchAmounts(env, AMOUNTS.totalFees, AMOUNTS.shortfallReserve)
        touchShortfall(env, trader)
      }
      const paid = pnl > 0n ? payProfit(env, trader, pnl) : 0n
      emit(env, 'pnl_settled', i128(pnl))
      return i128(paid)
    }),
    receive_loss: entryPoint({ amount: 'i128' }, 'void', (env, args) => receiveLoss(env, asI128(args[0]))),
    ...(isSince(build, '2.3') && { receive_loss_for: receiveLossFor }),
    sync_exposure: entryPoint({ asset: 'symbol', asset_unrealized_pnl: 'i128', release: 'i128' }, 'void', syncExposure),
    reserve_for_position: entryPoint(
      { asset: 'symbol', amount: 'i128', asset_side_oi_after: 'i128', net_skew_before: 'i128', net_skew_after: 'i128' }, 'void',
      reserveForPosition,
    ),
  }
}

/** A loss accesses the entries of a profit, so a transaction that was simulated with one of them can be applied with the other. */
function touchShortfall(env: ContractEnv, trader: string): void {
  vault.touchAmounts(env, vault.shortfallOwedKey(trader), AMOUNTS.shortfall, AMOUNTS.cumShortfall)
}

/** Pays as much of a trader's profit as the vault can, from the buffer first. The rest becomes the trader's claim. */
function payProfit(env: ContractEnv, trader: string, pnl: bigint): bigint {
  const buffer = vault.readAmount(env, AMOUNTS.buffer)
  const accounted = checked(buffer + vault.readAmount(env, AMOUNTS.totalUsdc))
  const available = vault.usdcBalance(env) - vault.readAmount(env, AMOUNTS.shortfallReserve)
  const paid = positivePart(minOf(pnl, accounted, available))
  const fromBuffer = minOf(buffer, paid)
  const shortfall = pnl - paid
  vault.addAmount(env, AMOUNTS.buffer, -fromBuffer)
  vault.addAmount(env, AMOUNTS.totalUsdc, fromBuffer - paid)
  vault.addAmount(env, AMOUNTS.shortfall, shortfall)
  vault.addAmount(env, AMOUNTS.cumShortfall, shortfall)
  vault.addAmount(env, vault.shortfallOwedKey(trader), shortfall)
  if (paid > 0n) transferToken(env, vault.readAddress(env, KEYS.usdc), env.self, vault.readAddress(env, KEYS.market), paid)
  if (shortfall > 0n) emit(env, 'payout_shortfall', address(trader), i128(pnl), i128(paid), i128(shortfall))
  return paid
}

/** Replaces the asset's unrealized PnL in the total and releases a positive reservation, but not below zero. */
function syncExposure(env: ContractEnv, args: readonly Val[]): Val {
  const [asset, pnl, release] = [asSymbol(args[0]), asI128(args[1]), asI128(args[2])]
  vault.requireMarket(env)
  const key = vault.assetUnrealizedPnlKey(asset)
  const total = vault.addAmount(env, AMOUNTS.unrealizedPnl, checked(pnl - vault.readAmount(env, key)))
  env.set('persistent', key, i128(pnl))
  if (release > 0n) {
    const reserved = positivePart(vault.readAmount(env, AMOUNTS.reservedPayout) - release)
    env.set('persistent', AMOUNTS.reservedPayout, i128(reserved))
  }
  emitWithSubject(env, 'exposure_synced', symbol(asset), i128(pnl), i128(total), i128(release))
  return VOID
}

/** Reserves a position's payout: 1, 41, authorization, 82 for the total, 82 for the side, 89 for a growing imbalance, 40. */
function reserveForPosition(env: ContractEnv, args: readonly Val[]): Val {
  const [asset, amount, sideAfter] = [asSymbol(args[0]), asI128(args[1]), asI128(args[2])]
  const [skewBefore, skewAfter] = [abs(asI128(args[3])), abs(asI128(args[4]))]
  vault.requireInitialized(env)
  vault.requirePositive(amount)
  vault.requireMarket(env)
  const aum = vault.readAum(env)
  const reserved = checked(vault.readAmount(env, AMOUNTS.reservedPayout) + amount)
  if (reserved > bpsOf(aum, vault.readReserveCapBps(env))) fail(ERRORS.OpenInterestCapExceeded)
  if (sideAfter > vault.sideCap(env, asset, aum)) fail(ERRORS.OpenInterestCapExceeded)
  if (skewAfter > bpsOf(aum, vault.readSkewCapBps(env, asset)) && skewAfter > skewBefore) fail(ERRORS.SkewCapExceeded)
  if (reserved > vault.usdcBalance(env) - vault.readAmount(env, AMOUNTS.shortfallReserve)) fail(ERRORS.InsufficientLiquidity)
  env.set('persistent', AMOUNTS.reservedPayout, i128(reserved))
  return VOID
}
