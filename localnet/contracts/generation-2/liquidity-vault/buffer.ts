// The insurance buffer and the reserve for traders whose profits were not paid in full.

import { transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../../shared/host.ts'
import { address, i128, VOID } from '../../shared/host.ts'
import { tryCall } from '../../shared/try-call.ts'
import { asAddress, asI128, bpsOf, checked, entryPoint, minOf, positivePart } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import * as vault from './storage.ts'
import { AMOUNTS, KEYS } from './storage.ts'

export function bufferEntryPoints(build: Generation2Build): Record<string, EntryPoint> {
  return {
    seed_buffer: entryPoint({ from: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [from, amount] = [asAddress(args[0]), asI128(args[1])]
      const admin = vault.readAddress(env, KEYS.admin)
      env.requireAuth(admin)
      vault.requirePositive(amount)
      if (from !== admin) env.requireAuth(from)
      transferToken(env, vault.readAddress(env, KEYS.usdc), from, env.self, amount)
      emit(env, 'buffer_seeded', i128(amount), i128(creditBuffer(env, amount)))
      return VOID
    }),
    fund_buffer: entryPoint({ amount: 'i128' }, 'void', (env, args) => {
      const amount = asI128(args[0])
      vault.requireMarket(env)
      vault.requirePositive(amount)
      const toReserve = creditBuffer(env, amount)
      if (isSince(build, '2.1')) vault.requireReceipt(env)
      emit(env, 'buffer_funded', i128(amount), i128(toReserve))
      return VOID
    }),
    draw_buffer: entryPoint({ amount: 'i128' }, 'i128', drawBuffer),
    pay_from_buffer: entryPoint({ to: 'address', amount: 'i128' }, 'i128', (env, args) => {
      vault.requireMarket(env)
      vault.requirePositive(asI128(args[1]))
      return payFromBuffer(env, args, 'buffer_paid')
    }),
    // A keeper that cannot receive USDC makes the liquidation fail.
    pay_bounty: entryPoint({ keeper: 'address', amount: 'i128' }, 'i128', (env, args) => {
      vault.requireMarket(env)
      return asI128(args[1]) <= 0n ? i128(0n) : payFromBuffer(env, args, 'bounty_paid')
    }),
    route_protocol_fee: entryPoint({ amount: 'i128', overflow_to: 'address' }, 'void', (env, args) => {
      vault.requireMarket(env)
      if (asI128(args[0]) > 0n) routeProtocolFee(env, asI128(args[0]), asAddress(args[1]), build)
      return VOID
    }),
    claim_shortfall: entryPoint({ trader: 'address' }, 'i128', claimShortfall),
  }
}

/**
 * Adds received USDC to the buffer. A share goes to the shortfall reserve while that does not cover all claims. Returns that share, for the event.
 */
function creditBuffer(env: ContractEnv, amount: bigint): bigint {
  const uncovered = vault.readAmount(env, AMOUNTS.shortfall) - vault.readAmount(env, AMOUNTS.shortfallReserve)
  const toReserve = uncovered <= 0n ? 0n : minOf(bpsOf(amount, vault.readShortfallInflowBps(env)), uncovered)
  vault.addAmount(env, AMOUNTS.shortfallReserve, toReserve)
  vault.addAmount(env, AMOUNTS.buffer, amount - toReserve)
  return toReserve
}

/** Covers bad debt: moves the amount from the buffer to the pool without a transfer. The pool absorbs the rest. */
function drawBuffer(env: ContractEnv, args: readonly Val[]): Val {
  const amount = asI128(args[0])
  vault.requireMarket(env)
  vault.requirePositive(amount)
  const covered = minOf(amount, vault.readAmount(env, AMOUNTS.buffer))
  vault.addAmount(env, AMOUNTS.buffer, -covered)
  vault.addAmount(env, AMOUNTS.totalUsdc, covered)
  vault.addAmount(env, AMOUNTS.cumBadDebtCovered, covered)
  vault.addAmount(env, AMOUNTS.cumBadDebtLpAbsorbed, amount - covered)
  emit(env, 'buffer_drawn', i128(amount), i128(covered))
  return i128(covered)
}

/** Pays as much of an amount as the buffer can. */
function payFromBuffer(env: ContractEnv, args: readonly Val[], topic: string): Val {
  const [to, asked] = [asAddress(args[0]), asI128(args[1])]
  const available = vault.usdcBalance(env) - vault.readAmount(env, AMOUNTS.shortfallReserve)
  const paid = positivePart(minOf(asked, vault.readAmount(env, AMOUNTS.buffer), available))
  if (paid > 0n) transferToken(env, vault.readAddress(env, KEYS.usdc), env.self, to, paid)
  vault.addAmount(env, AMOUNTS.buffer, -paid)
  emit(env, topic, address(to), i128(asked), i128(paid))
  return i128(paid)
}

/** Fills the buffer up to its target with the protocol's share of a fee and transfers the rest to the treasury. */
function routeProtocolFee(env: ContractEnv, amount: bigint, treasury: string, build: Generation2Build): void {
  const target = bpsOf(vault.readAmount(env, AMOUNTS.reservedPayout), vault.readBufferTargetBps(env))
  const missing = positivePart(checked(target - vault.readAmount(env, AMOUNTS.buffer)))
  const paid = payTreasury(env, treasury, positivePart(amount - missing), build)
  vault.addAmount(env, AMOUNTS.buffer, amount - paid)
  if (isSince(build, '2.1')) vault.requireReceipt(env)
  emit(env, 'protocol_fee_routed', i128(amount), i128(amount - paid), i128(paid))
}

/**
 * Returns what the treasury received. Build 2.3 transfers 0 too, so that the entries that it accesses do not depend on the buffer, and keeps
 * the fee when the treasury cannot receive USDC. Earlier builds fail then.
 */
function payTreasury(env: ContractEnv, treasury: string, amount: bigint, build: Generation2Build): bigint {
  const usdc = vault.readAddress(env, KEYS.usdc)
  if (!isSince(build, '2.3')) {
    if (amount > 0n) transferToken(env, usdc, env.self, treasury, amount)
    return amount
  }
  if (tryCall(env, usdc, 'transfer', [address(env.self), address(treasury), i128(amount)]) !== undefined) return amount
  emit(env, 'treasury_unreachable', address(treasury), i128(amount))
  return 0n
}

/** Pays what the vault owes a trader, as far as reserve and buffer suffice. Also while paused. */
function claimShortfall(env: ContractEnv, args: readonly Val[]): Val {
  const trader = asAddress(args[0])
  vault.requireInitialized(env)
  env.requireAuth(trader)
  const owed = vault.readAmount(env, vault.shortfallOwedKey(trader))
  const reserve = vault.readAmount(env, AMOUNTS.shortfallReserve)
  const funds = checked(reserve + vault.readAmount(env, AMOUNTS.buffer))
  const paid = positivePart(minOf(owed, funds, vault.usdcBalance(env)))
  if (owed <= 0n || paid === 0n) return i128(0n)
  const fromReserve = minOf(reserve, paid)
  vault.addAmount(env, AMOUNTS.shortfallReserve, -fromReserve)
  vault.addAmount(env, AMOUNTS.buffer, fromReserve - paid)
  vault.addAmount(env, AMOUNTS.shortfall, -paid)
  vault.addAmount(env, AMOUNTS.cumShortfallRepaid, paid)
  const remaining = vault.addAmount(env, vault.shortfallOwedKey(trader), -paid)
  transferToken(env, vault.readAddress(env, KEYS.usdc), env.self, trader, paid)
  emit(env, 'shortfall_repaid', address(trader), i128(paid), i128(remaining))
  return i128(paid)
}
