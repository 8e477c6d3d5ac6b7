// Liquidity providers deposit USDC for LP tokens and withdraw it in generation 2.

import { tokenBalance, transferToken, transferTokenFrom } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, SpecType, Val } from '../../shared/host.ts'
import { address, i128, u64 } from '../../shared/host.ts'
import { aumOf } from '../../shared/liquidity-vault/pool.ts'
import { asAddress, asI128, bpsOf, checked, entryPoint, fail, mulDiv } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import * as vault from './storage.ts'
import { AMOUNTS, ERRORS, KEYS } from './storage.ts'

/** `deposit` and `withdraw`. Both take a minimum output from build 2.1 on. */
export function depositEntryPoints(build: Generation2Build): Record<string, EntryPoint> {
  const minimum = (name: string): Record<string, SpecType> => (isSince(build, '2.1') ? { [name]: 'i128' } : {})
  return {
    deposit: entryPoint({ depositor: 'address', usdc_amount: 'i128', ...minimum('min_noe_out') }, 'i128', deposit),
    withdraw: entryPoint({ withdrawer: 'address', noe_amount: 'i128', ...minimum('min_usdc_out') }, 'i128', withdraw),
  }
}

interface Request {
  readonly account: string
  readonly amount: bigint
  readonly minimumOut: bigint
}

/** Decodes the arguments; fails with 41 for an amount that is not positive or a negative minimum. */
function readRequest(args: readonly Val[]): Request {
  const [account, amount, minimumOut] = [asAddress(args[0]), asI128(args[1]), args[2] === undefined ? 0n : asI128(args[2])]
  if (amount <= 0n || minimumOut < 0n) fail(ERRORS.InvalidAmount)
  return { account, amount, minimumOut }
}

function deposit(env: ContractEnv, args: readonly Val[]): Val {
  vault.requireInitialized(env)
  if (vault.isPaused(env)) fail(ERRORS.Paused)
  const { account, amount, minimumOut } = readRequest(args)
  env.requireAuth(account)
  const deposited = vault.readAmount(env, vault.depositedKey(account)) + amount
  const depositCap = vault.readInstanceAmount(env, KEYS.depositCap)
  if (depositCap > 0n && deposited > depositCap) fail(ERRORS.DepositCapExceeded)
  const fee = bpsOf(amount, vault.readFeeBps(env, KEYS.depositFeeBps))
  const net = amount - fee
  const pool = vault.readPool(env)
  const aumCap = vault.readInstanceAmount(env, KEYS.aumCap)
  if (aumCap > 0n && checked(pool.total_usdc + net) > aumCap) fail(ERRORS.DepositCapExceeded)

  const minted = lpTokensFor(pool, net)
  const lpToken = vault.readAddress(env, KEYS.lpToken)
  if (minted <= 0n) fail(ERRORS.InvalidAmount)
  if (minted < minimumOut) fail(ERRORS.InvalidSlippageTolerance)
  if (minted > tokenBalance(env, lpToken, env.self)) fail(ERRORS.InsufficientLiquidity)

  transferToken(env, vault.readAddress(env, KEYS.usdc), account, env.self, amount)
  transferToken(env, lpToken, env.self, account, minted)
  env.set('persistent', vault.depositedKey(account), i128(deposited))
  env.set('persistent', vault.lastDepositKey(account), u64(env.ledger.timestampSec))
  vault.addAmount(env, AMOUNTS.totalUsdc, net)
  vault.addAmount(env, AMOUNTS.totalFees, fee)
  vault.addAmount(env, AMOUNTS.totalLp, minted)
  emit(env, 'deposit', address(account), i128(amount), i128(minted), i128(fee))
  return i128(minted)
}

/** LP tokens for a deposit net of its fee: 1 to 1 into an empty pool; 40 if the pool has LP tokens but no AUM. */
function lpTokensFor(pool: vault.Pool, net: bigint): bigint {
  if (pool.total_lp === 0n) return net
  const aum = aumOf(pool)
  return aum <= 0n ? fail(ERRORS.InsufficientLiquidity) : mulDiv(net, pool.total_lp, aum, ERRORS.Overflow)
}

/** Works while the vault is paused: a pause must not lock in liquidity providers. */
function withdraw(env: ContractEnv, args: readonly Val[]): Val {
  vault.requireInitialized(env)
  const { account, amount: lpAmount, minimumOut } = readRequest(args)
  env.requireAuth(account)
  checkCooldown(env, account)
  const lpToken = vault.readAddress(env, KEYS.lpToken)
  if (tokenBalance(env, lpToken, account) < lpAmount) fail(ERRORS.InsufficientBalance)

  const pool = vault.readPool(env)
  if (pool.total_lp === 0n) fail(ERRORS.DivisionByZero)
  const gross = mulDiv(lpAmount, aumOf(pool), pool.total_lp, ERRORS.Overflow)
  const fee = bpsOf(gross, vault.readFeeBps(env, KEYS.withdrawFeeBps))
  const net = gross - fee
  if (net <= 0n) fail(ERRORS.InvalidAmount)
  if (net < minimumOut) fail(ERRORS.InvalidSlippageTolerance)
  const balance = vault.usdcBalance(env)
  const committed = checked(vault.readAmount(env, AMOUNTS.reservedPayout) + vault.readAmount(env, AMOUNTS.shortfallReserve))
  if (net > balance || balance - net < committed) fail(ERRORS.InsufficientLiquidity)

  transferTokenFrom(env, lpToken, account, lpAmount)
  transferToken(env, vault.readAddress(env, KEYS.usdc), env.self, account, net)
  vault.addAmount(env, AMOUNTS.totalUsdc, -gross)
  vault.addAmount(env, AMOUNTS.totalFees, fee)
  vault.addAmount(env, AMOUNTS.totalLp, -lpAmount)
  emit(env, 'withdraw', address(account), i128(lpAmount), i128(net), i128(fee))
  return i128(net)
}

/** Fails with 93 during the cooldown after the account's last deposit. */
function checkCooldown(env: ContractEnv, account: string): void {
  const cooldownSec = vault.readWithdrawCooldownSec(env)
  const lastDepositSec = vault.readLastDepositSec(env, account)
  if (cooldownSec > 0n && lastDepositSec > 0n && env.ledger.timestampSec < lastDepositSec + cooldownSec) fail(ERRORS.WithdrawCooldownActive)
}
