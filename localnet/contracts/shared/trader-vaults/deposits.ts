// Deposits, withdrawals and the leader's profit share (contracts, "Trader vaults").

import { transferToken } from '../calls.ts'
import { emitWithSubject } from '../emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../host.ts'
import { address, i128, u32 } from '../host.ts'
import { asAddress, asI128, asU32, checked, entryPoint, fail } from '../values.ts'
import { feesOwed, navOf, requireLeaderMinimum, sharesFor, usdcFor } from './shares.ts'
import type { Vault } from './vaults.ts'
import {
  ERRORS, KEYS, readAddress, readShares, requireActive, requireInitialized, requireVault, writeShares, writeVault,
} from './vaults.ts'

export function depositEntryPoints(): Record<string, EntryPoint> {
  return {
    deposit: entryPoint({ depositor: 'address', vault_id: 'u32', amount: 'i128' }, 'i128', deposit),
    withdraw: entryPoint({ depositor: 'address', vault_id: 'u32', shares: 'i128' }, 'i128', withdraw),
    claim_leader_fees: entryPoint({ vault_id: 'u32' }, 'i128', claimLeaderFees),
  }
}

/** The first checks of deposits and withdrawals: 2, authorization, 8, 5, 12. */
function checkDepositor(env: ContractEnv, args: readonly Val[]): { depositor: string; vault: Vault; amount: bigint } {
  const [depositor, id, amount] = [asAddress(args[0]), asU32(args[1]), asI128(args[2])]
  requireInitialized(env)
  env.requireAuth(depositor)
  if (amount <= 0n) fail(ERRORS.AmountMustBePositive)
  const vault = requireVault(env, id)
  requireActive(vault)
  return { depositor, vault, amount }
}

function deposit(env: ContractEnv, args: readonly Val[]): Val {
  const { depositor, vault, amount } = checkDepositor(env, args)
  const shares = sharesFor(vault, amount)
  if (shares === 0n) fail(ERRORS.AmountMustBePositive)
  transferToken(env, readAddress(env, KEYS.usdc), depositor, env.self, amount)
  const after = applyMovement(vault, depositor, { usdc: amount, shares })
  requireLeaderMinimum(after)
  writeVault(env, after)
  writeShares(env, vault.id, depositor, checked(readShares(env, vault.id, depositor) + shares, ERRORS.Overflow))
  emitWithSubject(env, 'deposit', u32(vault.id), address(depositor), i128(amount), i128(shares))
  return i128(shares)
}

function withdraw(env: ContractEnv, args: readonly Val[]): Val {
  const { depositor, vault, amount: shares } = checkDepositor(env, args)
  const owned = readShares(env, vault.id, depositor)
  if (shares > owned) fail(ERRORS.InsufficientShares)
  const amount = usdcFor(vault, shares)
  if (amount > vault.total_usdc) fail(ERRORS.InsufficientBalance)
  transferToken(env, readAddress(env, KEYS.usdc), env.self, depositor, amount)
  const after = applyMovement(vault, depositor, { usdc: -amount, shares: -shares })
  if (after.circulating_shares > 0n) requireLeaderMinimum(after)
  writeVault(env, after)
  writeShares(env, vault.id, depositor, owned - shares)
  emitWithSubject(env, 'withdraw', u32(vault.id), address(depositor), i128(shares), i128(amount))
  return i128(amount)
}

/** The vault after a deposit, or a withdrawal with negative amounts. */
export function applyMovement(vault: Vault, depositor: string, delta: { readonly usdc: bigint; readonly shares: bigint }): Vault {
  const sum = (a: bigint, b: bigint): bigint => checked(a + b, ERRORS.Overflow)
  return {
    ...vault,
    total_usdc: sum(vault.total_usdc, delta.usdc),
    circulating_shares: sum(vault.circulating_shares, delta.shares),
    leader_shares: depositor === vault.leader ? sum(vault.leader_shares, delta.shares) : vault.leader_shares,
  }
}

/** Pays the leader's profit share out of the vault, also while paused. */
function claimLeaderFees(env: ContractEnv, args: readonly Val[]): Val {
  const id = asU32(args[0])
  requireInitialized(env)
  const vault = requireVault(env, id)
  env.requireAuth(vault.leader)
  const owed = feesOwed(vault)
  if (owed <= 0n) fail(ERRORS.NoFeesToClaim)
  if (owed > vault.total_usdc) fail(ERRORS.InsufficientBalance)
  transferToken(env, readAddress(env, KEYS.usdc), env.self, vault.leader, owed)
  const paid = { ...vault, total_usdc: vault.total_usdc - owed, realized_pnl: checked(vault.realized_pnl + owed, ERRORS.Overflow) }
  const nav = navOf(paid)
  writeVault(env, { ...paid, hwm_nav: nav })
  emitWithSubject(env, 'fees_claimed', u32(id), address(vault.leader), i128(owed), i128(nav))
  return i128(owed)
}
