// The market's entry points of the vault: settle PnL, receive losses, sync exposure, reserve payouts.

import { tokenBalance, transferToken } from '../../shared/calls.ts'
import { emit, emitWithSubject } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../../shared/host.ts'
import { i128, symbol, VOID } from '../../shared/host.ts'
import { readInstanceU32, readPersistentI128 } from '../../shared/instance-storage.ts'
import { asI128, asSymbol, asU32, bpsOf, checked, entryPoint, fail, minOf, positivePart } from '../../shared/values.ts'
import * as vault from '../../shared/liquidity-vault/pool.ts'

export function settlementEntryPoints(): Record<string, EntryPoint> {
  return {
    settle_pnl: entryPoint({ pnl: 'i128' }, 'i128', (env, args) => {
      const pnl = asI128(args[0])
      vault.requireMarket(env)
      const paid = pnl > 0n ? payProfit(env, pnl) : 0n
      emit(env, 'pnl_settled', i128(pnl))
      return i128(paid)
    }),
    receive_loss: entryPoint({ amount: 'i128' }, 'void', (env, args) => credit(env, asI128(args[0]), 'total_usdc', 'loss_received')),
    sync_exposure: entryPoint({ asset: 'symbol', asset_unrealized_pnl: 'i128', release: 'i128' }, 'void', (env, args) => {
      const [asset, pnl, release] = [asSymbol(args[0]), asI128(args[1]), asI128(args[2])]
      vault.requireMarket(env)
      const key = vault.assetUnrealizedPnlKey(asset)
      const pool = vault.readPool(env)
      const total = checked(pool.unrealized_pnl - readPersistentI128(env, key) + pnl)
      env.set('persistent', key, i128(pnl))
      vault.writePool(env, { ...pool, unrealized_pnl: total, reserved: positivePart(checked(pool.reserved - release)) })
      emitWithSubject(env, 'exposure_synced', symbol(asset), i128(pnl), i128(total), i128(release))
      return VOID
    }),
    reserve_for_position: entryPoint({ asset: 'symbol', amount: 'i128', side_open_interest_after: 'i128' }, 'void', (env, args) => {
      reservePayout(env, asSymbol(args[0]), asI128(args[1]), asI128(args[2]))
      return VOID
    }),
    credit_buffer: entryPoint({ amount: 'i128' }, 'void', (env, args) => credit(env, asI128(args[0]), 'buffer', 'buffer_funded')),
  }
}

function credit(env: ContractEnv, amount: bigint, field: 'total_usdc' | 'buffer', topic: string): Val {
  vault.requireMarket(env)
  if (amount <= 0n) fail(vault.INVALID_AMOUNT)
  const pool = vault.readPool(env)
  vault.writePool(env, { ...pool, [field]: checked(pool[field] + amount) })
  emit(env, topic, i128(amount))
  return VOID
}

/** Pays as much of a trader's profit as the pool can, from the buffer first. Records and emits the shortfall. */
function payProfit(env: ContractEnv, pnl: bigint): bigint {
  const pool = vault.readPool(env)
  const usdc = vault.readAddress(env, vault.KEYS.usdc)
  const accounted = checked(pool.buffer + positivePart(pool.total_usdc))
  const paid = positivePart(minOf(pnl, accounted, tokenBalance(env, usdc, env.self)))
  const fromBuffer = minOf(pool.buffer, paid)
  const shortfall = pnl - paid
  vault.writePool(env, {
    ...pool,
    buffer: pool.buffer - fromBuffer,
    total_usdc: pool.total_usdc - (paid - fromBuffer),
    shortfall: checked(pool.shortfall + shortfall),
  })
  if (paid > 0n) transferToken(env, usdc, env.self, vault.readAddress(env, vault.KEYS.market), paid)
  if (shortfall > 0n) emit(env, 'payout_shortfall', i128(pnl), i128(paid), i128(shortfall))
  return paid
}

function reservePayout(env: ContractEnv, asset: string, amount: bigint, sideOpenInterestAfter: bigint): void {
  vault.requireMarket(env)
  if (amount <= 0n) fail(vault.INVALID_AMOUNT)
  const pool = vault.readPool(env)
  const aum = vault.aumOf(pool)
  const reserved = checked(pool.reserved + amount)
  const reserveCapBps = readInstanceU32(env, vault.KEYS.reserveCapBps, vault.DEFAULT_RESERVE_CAP_BPS)
  if (reserved > bpsOf(aum, reserveCapBps)) fail(vault.OPEN_INTEREST_CAP_EXCEEDED)
  const stored = env.get('persistent', vault.assetCapKey(asset))
  const assetCapBps = stored === undefined ? vault.DEFAULT_ASSET_CAP_BPS : asU32(stored)
  if (sideOpenInterestAfter > bpsOf(aum, assetCapBps)) fail(vault.OPEN_INTEREST_CAP_EXCEEDED)
  if (reserved > tokenBalance(env, vault.readAddress(env, vault.KEYS.usdc), env.self)) fail(vault.INSUFFICIENT_LIQUIDITY)
  vault.writePool(env, { ...pool, reserved })
}
