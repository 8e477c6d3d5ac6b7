// The admin's entry points of the vault: initialization, settings, pause, buffer and emergency withdrawal.

import { requireBothAuth } from '../../shared/authorization.ts'
import { tokenBalance, transferToken } from '../../shared/calls.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, Val } from '../../shared/host.ts'
import { address, bool, i128, u32, VOID } from '../../shared/host.ts'
import { upgradeEntryPoint } from '../../shared/upgrade.ts'
import { asAddress, asI128, asSymbol, asU32, checked, entryPoint, fail } from '../../shared/values.ts'
import * as vault from '../../shared/liquidity-vault/pool.ts'

export function administrationEntryPoints(): Record<string, EntryPoint> {
  return {
    initialize: entryPoint(
      { admin: 'address', usdc: 'address', lp_token: 'address', market: 'address', deposit_fee_bps: 'u32', withdraw_fee_bps: 'u32' },
      'void',
      initialize,
    ),
    ...settingEntryPoints(),
    pause: entryPoint({}, 'void', (env) => setPaused(env, true)),
    unpause: entryPoint({}, 'void', (env) => setPaused(env, false)),
    upgrade: upgradeEntryPoint(vault.requireAdmin),
    set_admin: entryPoint({ new_admin: 'address' }, 'void', (env, args) => {
      const [oldAdmin, newAdmin] = [vault.readAddress(env, vault.KEYS.admin), asAddress(args[0])]
      requireBothAuth(env, oldAdmin, newAdmin)
      env.set('instance', vault.KEYS.admin, address(newAdmin))
      emit(env, 'admin_updated', address(oldAdmin), address(newAdmin))
      return VOID
    }),
    ...fundEntryPoints(),
  }
}

function initialize(env: ContractEnv, args: readonly Val[]): Val {
  const [admin, usdc, lpToken, market] = [asAddress(args[0]), asAddress(args[1]), asAddress(args[2]), asAddress(args[3])]
  const [depositFeeBps, withdrawFeeBps] = [asU32(args[4]), asU32(args[5])]
  if (env.get('instance', vault.KEYS.admin) !== undefined) fail(vault.ALREADY_INITIALIZED)
  env.requireAuth(admin)
  if (depositFeeBps > vault.FEE_MAX_BPS || withdrawFeeBps > vault.FEE_MAX_BPS) fail(vault.INVALID_PARAMETER)
  env.set('instance', vault.KEYS.admin, address(admin))
  env.set('instance', vault.KEYS.usdc, address(usdc))
  env.set('instance', vault.KEYS.lpToken, address(lpToken))
  env.set('instance', vault.KEYS.market, address(market))
  env.set('instance', vault.KEYS.depositFeeBps, u32(depositFeeBps))
  env.set('instance', vault.KEYS.withdrawFeeBps, u32(withdrawFeeBps))
  emit(env, 'initialized', address(admin), address(market), address(usdc), address(lpToken))
  return VOID
}

function settingEntryPoints(): Record<string, EntryPoint> {
  return {
    set_market_contract: entryPoint({ market: 'address' }, 'void', (env, args) => {
      vault.requireAdmin(env)
      const oldMarket = vault.readAddress(env, vault.KEYS.market)
      env.set('instance', vault.KEYS.market, address(asAddress(args[0])))
      emit(env, 'market_updated', address(oldMarket), address(asAddress(args[0])))
      return VOID
    }),
    set_deposit_fee: entryPoint({ fee_bps: 'u32' }, 'void', (env, args) =>
      setFee(env, vault.KEYS.depositFeeBps, asU32(args[0]), 'deposit_fee_updated'),
    ),
    set_withdraw_fee: entryPoint({ fee_bps: 'u32' }, 'void', (env, args) =>
      setFee(env, vault.KEYS.withdrawFeeBps, asU32(args[0]), 'withdraw_fee_updated'),
    ),
    set_reserve_cap: entryPoint({ cap_bps: 'u32' }, 'void', (env, args) => {
      vault.requireAdmin(env)
      env.set('instance', vault.KEYS.reserveCapBps, u32(readCap(args[0])))
      return VOID
    }),
    set_asset_cap: entryPoint({ asset: 'symbol', cap_bps: 'u32' }, 'void', (env, args) => {
      vault.requireAdmin(env)
      env.set('persistent', vault.assetCapKey(asSymbol(args[0])), u32(readCap(args[1])))
      return VOID
    }),
    set_deposit_cap: entryPoint({ cap: 'i128' }, 'void', (env, args) => {
      const cap = asI128(args[0])
      vault.requireAdmin(env)
      if (cap < 0n) fail(vault.INVALID_AMOUNT)
      env.set('instance', vault.KEYS.readDepositCap, i128(cap))
      emit(env, 'deposit_cap_set', i128(cap))
      return VOID
    }),
  }
}

function fundEntryPoints(): Record<string, EntryPoint> {
  return {
    seed_buffer: entryPoint({ from: 'address', amount: 'i128' }, 'void', (env, args) => {
      const [from, amount] = [asAddress(args[0]), asI128(args[1])]
      const admin = vault.readAddress(env, vault.KEYS.admin)
      env.requireAuth(admin)
      if (amount <= 0n) fail(vault.INVALID_AMOUNT)
      if (from !== admin) env.requireAuth(from)
      transferToken(env, vault.readAddress(env, vault.KEYS.usdc), from, env.self, amount)
      const pool = vault.readPool(env)
      vault.writePool(env, { ...pool, buffer: checked(pool.buffer + amount) })
      emit(env, 'buffer_seeded', i128(amount))
      return VOID
    }),
    // Leaves the accounted USDC as it is.
    emergency_withdraw: entryPoint({ amount: 'i128', recipient: 'address' }, 'void', (env, args) => {
      const [amount, recipient] = [asI128(args[0]), asAddress(args[1])]
      vault.requireAdmin(env)
      if (!vault.isPaused(env)) fail(vault.INVALID_PARAMETER)
      if (amount <= 0n) fail(vault.INVALID_AMOUNT)
      const usdc = vault.readAddress(env, vault.KEYS.usdc)
      if (amount > tokenBalance(env, usdc, env.self)) fail(vault.INSUFFICIENT_LIQUIDITY)
      transferToken(env, usdc, env.self, recipient, amount)
      emit(env, 'emergency_withdraw', i128(amount), address(recipient))
      return VOID
    }),
  }
}

function setFee(env: ContractEnv, key: Val, feeBps: number, topic: string): Val {
  vault.requireAdmin(env)
  if (feeBps > vault.FEE_MAX_BPS) fail(vault.INVALID_PARAMETER)
  env.set('instance', key, u32(feeBps))
  emit(env, topic, u32(feeBps))
  return VOID
}

function readCap(val: Val | undefined): number {
  const capBps = asU32(val)
  if (capBps < 1 || capBps > vault.CAP_MAX_BPS) fail(vault.INVALID_PARAMETER)
  return capBps
}

function setPaused(env: ContractEnv, paused: boolean): Val {
  vault.requireAdmin(env)
  env.set('instance', vault.KEYS.paused, bool(paused))
  emit(env, paused ? 'paused' : 'unpaused')
  return VOID
}
