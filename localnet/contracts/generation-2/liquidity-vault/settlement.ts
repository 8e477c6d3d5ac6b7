// The market's entry points of the vault in generation 2: settle PnL, receive losses, sync exposure, reserve payouts.

import { transferToken } from '../../calls.ts'
import { emit, emitWithSubject } from '../../emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../../host.ts'
import { address, i128, symbol, VOID } from '../../host.ts'
import { abs, asAddress, asI128, asSymbol, bpsOf, checked, entryPoint, fail, minOf, positivePart } from '../../values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import * as vault from './storage.ts'
import { AMOUNTS, ERRORS, KEYS } from './storage.ts'

export function settlementEntryPoints(build: Generation2Build): Record<string, EntryPoint> {
  const receiveLoss = (env: ContractEnv, amount: bigint): Val => {
    vault.requireMarketAmount(env, amount)
    vault.addAmount(env, AMOUNTS.totalUsdc, amount)
    if (isSince(build, '2.1')) requireReceipt(env)
    emit(env, 'loss_received', i128(amount))
    return VOID
  }
  const receiveLossFor = entryPoint({ trader: 'address', amount: 'i128' }, 'void', (env, args) => {
    touchSettlement(env, asAddress(args[0]))
    return receiveLoss(env, asI128(args[1]))
  })
  return {
    settle_pnl: entryPoint({ trader: 'address', pnl: 'i128' }, 'i128', (env, args) => {
      const [trader, pnl] = [asAddress(args[0]), asI128(args[1])]
      env.requireAuth(vault.readAddress(env, KEYS.market))
      const paid = pnl > 0n ? payProfit(env, trader, pnl) : 0n
      if (isSince(build, '2.3')) touchSettlement(env, trader)
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

/**
 * Accesses everything that a profit or a loss of the trader accesses. From build 2.3 both have the same footprint, so a transaction that was
 * simulated with one of them can be applied with the other.
 */
function touchSettlement(env: ContractEnv, trader: string): void {
  vault.readAmount(env, AMOUNTS.totalFees)
  vault.readAmount(env, AMOUNTS.shortfallReserve)
  for (const key of [AMOUNTS.buffer, AMOUNTS.totalUsdc, AMOUNTS.shortfall, AMOUNTS.cumShortfall, vault.shortfallOwedKey(trader)]) {
    vault.addAmount(env, key, 0n)
  }
}

/** Fails with 42 unless the vault holds all USDC that it accounts for: the market must transfer a loss before it reports it. */
function requireReceipt(env: ContractEnv): void {
  const parts = [AMOUNTS.totalUsdc, AMOUNTS.totalFees, AMOUNTS.buffer, AMOUNTS.shortfallReserve]
  const accounted = parts.reduce((sum, key) => checked(sum + vault.readAmount(env, key)), 0n)
  if (vault.usdcBalance(env) < accounted) fail(ERRORS.InsufficientBalance)
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

/** Replaces the asset's unrealized PnL in the total and releases a reservation, but not below zero. */
function syncExposure(env: ContractEnv, args: readonly Val[]): Val {
  const [asset, pnl, release] = [asSymbol(args[0]), asI128(args[1]), asI128(args[2])]
  env.requireAuth(vault.readAddress(env, KEYS.market))
  const key = vault.assetUnrealizedPnlKey(asset)
  const total = vault.addAmount(env, AMOUNTS.unrealizedPnl, checked(pnl - vault.readAmount(env, key)))
  env.set('persistent', key, i128(pnl))
  const reserved = positivePart(checked(vault.readAmount(env, AMOUNTS.reservedPayout) - release))
  env.set('persistent', AMOUNTS.reservedPayout, i128(reserved))
  emitWithSubject(env, 'exposure_synced', symbol(asset), i128(pnl), i128(total), i128(release))
  return VOID
}

/** Reserves a position's payout: 41, authorization, 82 for the total, 82 for the side, 89 for a growing imbalance, 40. */
function reserveForPosition(env: ContractEnv, args: readonly Val[]): Val {
  const [asset, amount, sideAfter] = [asSymbol(args[0]), asI128(args[1]), asI128(args[2])]
  const [skewBefore, skewAfter] = [abs(asI128(args[3])), abs(asI128(args[4]))]
  vault.requireMarketAmount(env, amount)
  const aum = vault.readAum(env)
  const reserved = checked(vault.readAmount(env, AMOUNTS.reservedPayout) + amount)
  if (reserved > bpsOf(aum, vault.readReserveCapBps(env))) fail(ERRORS.OpenInterestCapExceeded)
  if (sideAfter > vault.sideCap(env, asset, aum)) fail(ERRORS.OpenInterestCapExceeded)
  if (skewAfter > bpsOf(aum, vault.readSkewCapBps(env, asset)) && skewAfter > skewBefore) fail(ERRORS.SkewCapExceeded)
  if (reserved > vault.usdcBalance(env) - vault.readAmount(env, AMOUNTS.shortfallReserve)) fail(ERRORS.InsufficientLiquidity)
  env.set('persistent', AMOUNTS.reservedPayout, i128(reserved))
  return VOID
}
