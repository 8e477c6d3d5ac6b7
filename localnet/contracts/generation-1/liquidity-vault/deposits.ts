// Liquidity providers deposit USDC for LP tokens and withdraw it.

import { tokenBalance, transferToken, transferTokenFrom } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { EntryPoint } from '../../shared/host.ts'
import { address, i128 } from '../../shared/host.ts'
import { readInstanceU32, readPersistentI128 } from '../../shared/instance-storage.ts'
import { asAddress, asI128, bpsOf, checked, entryPoint, fail, mulDiv } from '../../shared/values.ts'
import * as vault from '../../shared/liquidity-vault/pool.ts'

export function depositEntryPoints(): Record<string, EntryPoint> {
  return {
    deposit: entryPoint({ depositor: 'address', usdc_amount: 'i128' }, 'i128', (env, args) => {
      const [depositor, amount] = [asAddress(args[0]), asI128(args[1])]
      vault.requireActive(env)
      if (amount <= 0n) fail(vault.INVALID_AMOUNT)
      env.requireAuth(depositor)
      const depositedKey = vault.depositedKey(address(depositor))
      const deposited = checked(readPersistentI128(env, depositedKey) + amount)
      const cap = vault.depositCap(env)
      if (cap > 0n && deposited > cap) fail(vault.DEPOSIT_CAP_EXCEEDED)

      const pool = vault.readPool(env)
      const fee = bpsOf(amount, readInstanceU32(env, vault.KEYS.depositFeeBps, 0))
      const minted = lpTokensFor(pool, amount - fee)
      const lpToken = vault.readAddress(env, vault.KEYS.lpToken)
      if (minted <= 0n) fail(vault.INVALID_AMOUNT)
      if (minted > tokenBalance(env, lpToken, env.self)) fail(vault.INSUFFICIENT_LIQUIDITY)

      transferToken(env, vault.readAddress(env, vault.KEYS.usdc), depositor, env.self, amount)
      transferToken(env, lpToken, env.self, depositor, minted)
      env.set('persistent', depositedKey, i128(deposited))
      // total_usdc includes the fee, and total_fees adds it again: the deployed vault counts it twice (contracts, "Liquidity vault").
      vault.writePool(env, {
        ...pool,
        total_usdc: checked(pool.total_usdc + amount),
        total_fees: checked(pool.total_fees + fee),
        total_lp: checked(pool.total_lp + minted),
      })
      emit(env, 'deposit', address(depositor), i128(amount), i128(minted), i128(fee))
      return i128(minted)
    }),
    withdraw: entryPoint({ withdrawer: 'address', lp_amount: 'i128' }, 'i128', (env, args) => {
      const [withdrawer, lpAmount] = [asAddress(args[0]), asI128(args[1])]
      vault.requireActive(env)
      if (lpAmount <= 0n) fail(vault.INVALID_AMOUNT)
      env.requireAuth(withdrawer)
      const lpToken = vault.readAddress(env, vault.KEYS.lpToken)
      if (tokenBalance(env, lpToken, withdrawer) < lpAmount) fail(vault.INSUFFICIENT_BALANCE)

      const pool = vault.readPool(env)
      if (pool.total_lp === 0n) fail(vault.DIVISION_BY_ZERO)
      const gross = mulDiv(lpAmount, vault.aumOf(pool), pool.total_lp, vault.OVERFLOW)
      const fee = bpsOf(gross, readInstanceU32(env, vault.KEYS.withdrawFeeBps, 0))
      const net = gross - fee
      const usdc = vault.readAddress(env, vault.KEYS.usdc)
      const balance = tokenBalance(env, usdc, env.self)
      if (net <= 0n) fail(vault.INVALID_AMOUNT)
      if (net > balance || balance - net < pool.reserved) fail(vault.INSUFFICIENT_LIQUIDITY)

      transferTokenFrom(env, lpToken, withdrawer, lpAmount)
      transferToken(env, usdc, env.self, withdrawer, net)
      vault.writePool(env, {
        ...pool,
        total_usdc: checked(pool.total_usdc - gross),
        total_fees: checked(pool.total_fees + fee),
        total_lp: checked(pool.total_lp - lpAmount),
      })
      emit(env, 'withdraw', address(withdrawer), i128(lpAmount), i128(net), i128(fee))
      return i128(net)
    }),
  }
}

/** LP tokens for a deposit net of its fee; 1 to 1 if the pool is empty or has no AUM. */
function lpTokensFor(pool: vault.Pool, net: bigint): bigint {
  const aum = vault.aumOf(pool)
  return pool.total_lp === 0n || aum === 0n ? net : mulDiv(net, pool.total_lp, aum, vault.OVERFLOW)
}
