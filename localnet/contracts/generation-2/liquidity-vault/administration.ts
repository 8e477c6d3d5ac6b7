// The admin's entry points of the vault in generation 2: initialization, settings and pause.

import { requireBothAuth } from '../../shared/authorization.ts'
import { emit } from '../../shared/emit.ts'
import type { ContractEnv, EntryPoint, SpecType, Val } from '../../shared/host.ts'
import { address, bool, i128, symbol, u32, u64, VOID } from '../../shared/host.ts'
import { upgradeEntryPoint } from '../../shared/upgrade.ts'
import { asAddress, asI128, asSymbol, asU32, asU64, entryPoint, fail } from '../../shared/values.ts'
import { type Generation2Build, isSince } from '../build.ts'
import * as vault from './storage.ts'
import { AMOUNTS, BPS_MAX, ERRORS, FEE_MAX_BPS, KEYS, requireAdmin } from './storage.ts'

export function administrationEntryPoints(build: Generation2Build): Record<string, EntryPoint> {
  return {
    initialize: entryPoint(
      { admin: 'address', usdc: 'address', noe_token: 'address', market: 'address', deposit_fee_bps: 'u32', withdraw_fee_bps: 'u32' },
      'void',
      initialize,
    ),
    pause: entryPoint({}, 'void', (env) => setPaused(env, true)),
    unpause: entryPoint({}, 'void', (env) => setPaused(env, false)),
    upgrade: upgradeEntryPoint(requireAdmin),
    set_admin: entryPoint({ new_admin: 'address' }, 'void', (env, args) => {
      const [oldAdmin, newAdmin] = [vault.readAddress(env, KEYS.admin), asAddress(args[0])]
      requireBothAuth(env, oldAdmin, newAdmin)
      env.set('instance', KEYS.admin, address(newAdmin))
      emit(env, 'admin_updated', address(oldAdmin), address(newAdmin))
      return VOID
    }),
    set_market_contract: entryPoint({ market: 'address' }, 'void', (env, args) => {
      requireAdmin(env)
      const oldMarket = vault.readAddress(env, KEYS.market)
      env.set('instance', KEYS.market, address(asAddress(args[0])))
      emit(env, 'market_updated', address(oldMarket), address(asAddress(args[0])))
      return VOID
    }),
    ...settingEntryPoints(build),
  }
}

function initialize(env: ContractEnv, args: readonly Val[]): Val {
  const [admin, usdc, lpToken, market] = [asAddress(args[0]), asAddress(args[1]), asAddress(args[2]), asAddress(args[3])]
  const [depositFeeBps, withdrawFeeBps] = [asU32(args[4]), asU32(args[5])]
  if (env.get('instance', KEYS.admin) !== undefined) fail(ERRORS.AlreadyInitialized)
  env.requireAuth(admin)
  if (depositFeeBps > FEE_MAX_BPS || withdrawFeeBps > FEE_MAX_BPS) fail(ERRORS.InvalidParameter)
  env.set('instance', KEYS.admin, address(admin))
  env.set('instance', KEYS.usdc, address(usdc))
  env.set('instance', KEYS.lpToken, address(lpToken))
  env.set('instance', KEYS.market, address(market))
  env.set('instance', KEYS.depositFeeBps, u32(depositFeeBps))
  env.set('instance', KEYS.withdrawFeeBps, u32(withdrawFeeBps))
  for (const total of [AMOUNTS.totalUsdc, AMOUNTS.totalLp, AMOUNTS.unrealizedPnl, AMOUNTS.totalFees]) env.set('persistent', total, i128(0n))
  env.set('instance', KEYS.initialized, bool(true))
  vault.setPaused(env, false)
  emit(env, 'initialized', address(admin), address(market), address(usdc), address(lpToken))
  return VOID
}

function setPaused(env: ContractEnv, paused: boolean): Val {
  requireAdmin(env)
  vault.setPaused(env, paused)
  // The end of an emergency also ends its recovery.
  if (!paused) env.remove('instance', KEYS.recoveryProposal)
  emit(env, paused ? 'paused' : 'unpaused')
  return VOID
}

/** The setters. Those that emitted nothing in generation 1 and the new ones emit events from build 2.1 on. */
function settingEntryPoints(build: Generation2Build): Record<string, EntryPoint> {
  const newTopic = (topic: string): string | null => (isSince(build, '2.1') ? topic : null)
  const fee = (key: Val, topic: string): EntryPoint => bpsSetting('fee_bps', key, [0, FEE_MAX_BPS], topic)
  return {
    set_deposit_fee: fee(KEYS.depositFeeBps, 'deposit_fee_updated'),
    set_withdraw_fee: fee(KEYS.withdrawFeeBps, 'withdraw_fee_updated'),
    set_reserve_cap: bpsSetting('cap_bps', KEYS.reserveCapBps, [1, BPS_MAX], newTopic('reserve_cap_set')),
    set_buffer_target: bpsSetting('bps', KEYS.bufferTargetBps, [0, BPS_MAX], newTopic('buffer_target_set')),
    set_shortfall_inflow_bps: bpsSetting('bps', KEYS.shortfallInflowBps, [0, BPS_MAX], newTopic('shortfall_bps_set')),
    set_deposit_cap: capSetting(KEYS.depositCap, 'deposit_cap_set'),
    ...(isSince(build, '2.1') && { set_aum_cap: capSetting(KEYS.aumCap, 'aum_cap_set') }),
    set_withdraw_cooldown: adminSetting({ secs: 'u64' }, (env, args) => {
      const seconds = asU64(args[0])
      if (seconds > vault.WITHDRAW_COOLDOWN_MAX_SEC) fail(ERRORS.InvalidParameter)
      env.set('instance', KEYS.withdrawCooldownSec, u64(seconds))
      emitSetting(env, newTopic('withdraw_cooldown_set'), u64(seconds))
    }),
    set_asset_cap: assetBpsSetting(vault.assetCapKey, newTopic('asset_cap_set')),
    set_skew_cap: assetBpsSetting(vault.skewCapKey, newTopic('skew_cap_set')),
    set_asset_cap_abs: adminSetting({ asset: 'symbol', max_notional: 'i128' }, (env, args) => {
      const [asset, maximum] = [asSymbol(args[0]), asI128(args[1])]
      if (maximum < 0n) fail(ERRORS.InvalidParameter)
      env.set('persistent', vault.assetCapAbsKey(asset), i128(maximum))
      emitSetting(env, newTopic('asset_cap_abs_set'), symbol(asset), i128(maximum))
    }),
  }
}

/** A setter: 1, the admin's authorization, then its own checks. */
function adminSetting(inputs: Readonly<Record<string, SpecType>>, apply: (env: ContractEnv, args: readonly Val[]) => void): EntryPoint {
  return entryPoint(inputs, 'void', (env, args) => {
    requireAdmin(env)
    apply(env, args)
    return VOID
  })
}

function bpsSetting(input: string, key: Val, [minimum, maximum]: readonly [number, number], topic: string | null): EntryPoint {
  return adminSetting({ [input]: 'u32' }, (env, args) => {
    const bps = asU32(args[0])
    if (bps < minimum || bps > maximum) fail(ERRORS.InvalidParameter)
    env.set('instance', key, u32(bps))
    emitSetting(env, topic, u32(bps))
  })
}

function assetBpsSetting(keyOf: (asset: string) => Val, topic: string | null): EntryPoint {
  return adminSetting({ asset: 'symbol', cap_bps: 'u32' }, (env, args) => {
    const [asset, bps] = [asSymbol(args[0]), asU32(args[1])]
    if (bps < 1 || bps > BPS_MAX) fail(ERRORS.InvalidParameter)
    env.set('persistent', keyOf(asset), u32(bps))
    emitSetting(env, topic, symbol(asset), u32(bps))
  })
}

function capSetting(key: Val, topic: string): EntryPoint {
  return adminSetting({ cap: 'i128' }, (env, args) => {
    const cap = asI128(args[0])
    if (cap < 0n) fail(ERRORS.InvalidAmount)
    env.set('instance', key, i128(cap))
    emit(env, topic, i128(cap))
  })
}

function emitSetting(env: ContractEnv, topic: string | null, ...data: readonly Val[]): void {
  if (topic !== null) emit(env, topic, ...data)
}
