// Deposits, withdrawals and the leader's profit share in generation 2: priced at the full value, paid from the vault's USDC.

import { transferToken } from '../../shared/calls.ts'
import { emitWithSubject } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, SpecType, Val } from '../../shared/host.ts'
import { address, i128, u32 } from '../../shared/host.ts'
import { applyMovement } from '../../shared/trader-vaults/deposits.ts'
import { feesOwed, navOf, requireLeaderMinimum, sharesFor, usdcFor } from '../../shared/trader-vaults/shares.ts'
import {
  KEYS, readAddress, readShares, requireActive, requireInitialized, requireVault, type Vault, writeShares, writeVault,
} from '../../shared/trader-vaults/vaults.ts'
import { asAddress, asI128, asU32, checked, entryPoint, fail } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import { ERRORS } from './slots.ts'
import { fullNav, valued } from './valuation.ts'

/** `deposit` and `withdraw` take a minimum output from build 2.1 on. */
export function depositEntryPoints(build: Generation2Build): Record<string, EntryPoint> {
  const minimum = (name: string): Record<string, SpecType> => (isSince(build, '2.1') ? { [name]: 'i128' } : {})
  return {
    deposit: entryPoint({ depositor: 'address', vault_id: 'u32', amount: 'i128', ...minimum('min_shares_out') }, 'i128', deposit),
    withdraw: entryPoint({ depositor: 'address', vault_id: 'u32', shares: 'i128', ...minimum('min_usdc_out') }, 'i128', withdraw),
    claim_leader_fees: entryPoint({ vault_id: 'u32' }, 'i128', claimLeaderFees),
  }
}

interface Request {
  readonly depositor: string
  readonly vault: Vault
  readonly amount: bigint
  readonly minimumOut: bigint
}

/** The first checks of deposits and withdrawals: 2, authorization, 8, 5. */
function checkDepositor(env: ContractEnv, args: readonly Val[]): Request {
  const [depositor, id, amount] = [asAddress(args[0]), asU32(args[1]), asI128(args[2])]
  const minimumOut = args[3] === undefined ? 0n : asI128(args[3])
  requireInitialized(env)
  env.requireAuth(depositor)
  if (amount <= 0n || minimumOut < 0n) fail(ERRORS.AmountMustBePositive)
  return { depositor, vault: requireVault(env, id), amount, minimumOut }
}

function deposit(env: ContractEnv, args: readonly Val[]): Val {
  const { depositor, vault, amount, minimumOut } = checkDepositor(env, args)
  requireActive(vault)
  const shares = sharesForDeposit(valued(env, vault), amount)
  if (shares === 0n) fail(ERRORS.AmountMustBePositive)
  if (shares < minimumOut) fail(ERRORS.MinOutputNotMet)
  transferToken(env, readAddress(env, KEYS.usdc), depositor, env.self, amount)
  const after = applyMovement(vault, depositor, { usdc: amount, shares })
  requireLeaderMinimum(after)
  writeVault(env, after)
  writeShares(env, vault.id, depositor, checked(readShares(env, vault.id, depositor) + shares, ERRORS.Overflow))
  emitWithSubject(env, 'deposit', u32(vault.id), address(depositor), i128(amount), i128(shares))
  return i128(shares)
}

/** As in generation 1, except that a vault with shares and without value has no price: 14 instead of 1 to 1. */
function sharesForDeposit(totals: Vault, amount: bigint): bigint {
  if (totals.circulating_shares > 0n && totals.total_usdc <= 0n) fail(ERRORS.NavCalculationFailed)
  return sharesFor(totals, amount)
}

/** Works while the vault is paused. Fails with 17 if the payout exceeds the USDC that is not in positions or orders. */
function withdraw(env: ContractEnv, args: readonly Val[]): Val {
  const { depositor, vault, amount: shares, minimumOut } = checkDepositor(env, args)
  const owned = readShares(env, vault.id, depositor)
  if (shares > owned) fail(ERRORS.InsufficientShares)
  const amount = usdcFor(valued(env, vault), shares)
  if (amount > vault.total_usdc) fail(ERRORS.LiquidityDeployed)
  if (amount < minimumOut) fail(ERRORS.MinOutputNotMet)
  transferToken(env, readAddress(env, KEYS.usdc), env.self, depositor, amount)
  const after = applyMovement(vault, depositor, { usdc: -amount, shares: -shares })
  if (after.circulating_shares > 0n) requireLeaderMinimum(after)
  writeVault(env, after)
  writeShares(env, vault.id, depositor, owned - shares)
  emitWithSubject(env, 'withdraw', u32(vault.id), address(depositor), i128(shares), i128(amount))
  return i128(amount)
}

/** Pays the leader's share of the profit on the full value, also while paused. */
function claimLeaderFees(env: ContractEnv, args: readonly Val[]): Val {
  const id = asU32(args[0])
  requireInitialized(env)
  const vault = requireVault(env, id)
  env.requireAuth(vault.leader)
  const value = fullNav(env, vault)
  const owed = feesOwed({ ...vault, total_usdc: value })
  if (owed <= 0n) fail(ERRORS.NoFeesToClaim)
  if (owed > vault.total_usdc) fail(ERRORS.InsufficientBalance)
  transferToken(env, readAddress(env, KEYS.usdc), env.self, vault.leader, owed)
  const nav = navOf({ ...vault, total_usdc: value - owed })
  const realized = checked(vault.realized_pnl + owed, ERRORS.Overflow)
  writeVault(env, { ...vault, total_usdc: vault.total_usdc - owed, realized_pnl: realized, hwm_nav: nav })
  emitWithSubject(env, 'fees_claimed', u32(id), address(vault.leader), i128(owed), i128(nav))
  return i128(owed)
}
