// The referral contract of generation 2: the market reports trades with their volume, claims pay USDC, and the admin can revoke codes, end
// bindings and pause the registry (generation 2, "Referral").

import { requireBothAuth } from '../shared/authorization.ts'
import { tokenBalance, transferToken } from '../shared/calls.ts'
import { emit } from '../shared/emit.ts'
import type { ContractCode, ContractEnv, EntryPoint, SpecType, Val } from '../shared/host.ts'
import { address, bool, i128, symbol, text, VOID } from '../shared/host.ts'
import { readInstanceAddress } from '../shared/instance-storage.ts'
import {
  bindReferrer, codeKey, creditReward, ERRORS as ERRORS_1, findReferrer, INFO, KEYS, NO_REWARD, readAddress, readMinCodeVolume, referrerKey, registerCode,
  requireAccountAuth, requireClaimable, requireInfo, resetClaimable, settingEntryPoints, storeDeployment, viewEntryPoints,
} from '../shared/referral.ts'
import { tryCall } from '../shared/try-call.ts'
import { upgradeEntryPoint } from '../shared/upgrade.ts'
import { asAddress, asBool, asI128, asText, entryPoint, fail, positivePart, storageKey } from '../shared/values.ts'
import { REFERRAL_ERRORS } from './errors.ts'

const ERRORS = { ...ERRORS_1, InsufficientVolume: 13, ClaimUnfunded: 16, RegistryPaused: 17, RevokedCode: 18 } as const

const USDC = storageKey('UsdcToken')
const PAUSED = storageKey('Paused')
/** The owner of a revoked code. */
const revokedKey = (referrer: string): Val => storageKey('Revoked', address(referrer))

/** The referral contract's code. Call `initialize(admin, market, usdc_token)` first. */
export function referralContract(): ContractCode {
  return {
    name: 'referral',
    structs: { ReferralInfo: INFO.spec },
    errors: REFERRAL_ERRORS,
    entryPoints: { ...userEntryPoints(), ...settingEntryPoints(), ...administrationEntryPoints(), ...viewEntryPoints() },
  }
}

function userEntryPoints(): Record<string, EntryPoint> {
  return {
    initialize: entryPoint({ admin: 'address', market: 'address', usdc_token: 'address' }, 'void', (env, args) => {
      const [admin, market] = [asAddress(args[0]), asAddress(args[1])]
      storeDeployment(env, admin, market)
      env.set('instance', USDC, address(asAddress(args[2])))
      emit(env, 'initialized', address(admin), address(market))
      return VOID
    }),
    create_code: entryPoint({ referrer: 'address', code: 'string' }, 'void', (env, args) => {
      const [referrer, code] = [asAddress(args[0]), asText(args[1])]
      requireAccountAuth(env, referrer)
      requireActive(env)
      requireVolume(env, referrer)
      return registerCode(env, referrer, code)
    }),
    set_referrer: entryPoint({ referee: 'address', code: 'string' }, 'void', (env, args) => {
      const [referee, code] = [asAddress(args[0]), asText(args[1])]
      requireAccountAuth(env, referee)
      requireActive(env)
      const referrer = findReferrer(env, referee, code)
      if (isRevoked(env, referrer)) fail(ERRORS.RevokedCode)
      return bindReferrer(env, referee, referrer, code)
    }),
    record_trade: entryPoint({ referee: 'address', original_fee: 'i128', volume: 'i128' }, { tuple: ['i128', 'i128'] }, recordTrade),
    claim: entryPoint({ referrer: 'address' }, 'i128', (env, args) => {
      const info = requireClaimable(env, asAddress(args[0]))
      const usdc = readInstanceAddress(env, USDC, ERRORS.NotInitialized)
      if (tokenBalance(env, usdc, env.self) < info.claimable) fail(ERRORS.ClaimUnfunded)
      transferToken(env, usdc, env.self, info.referrer, info.claimable)
      return resetClaimable(env, info)
    }),
  }
}

function recordTrade(env: ContractEnv, args: readonly Val[]): Val {
  const [referee, fee, volume] = [asAddress(args[0]), asI128(args[1]), asI128(args[2])]
  env.requireAuth(readAddress(env, KEYS.market))
  const referrer = env.get('persistent', referrerKey(referee))
  if (fee <= 0n || isPaused(env) || referrer === undefined) return NO_REWARD
  if (isRevoked(env, asAddress(referrer))) return NO_REWARD
  const info = requireInfo(env, asAddress(referrer))
  return creditReward(env, { referee, info, fee, volume: positivePart(volume) }, i128(volume))
}

function administrationEntryPoints(): Record<string, EntryPoint> {
  return {
    revoke_code: codeEntryPoint('code_revoked', (env, referrer) => env.set('persistent', revokedKey(referrer), bool(true))),
    unrevoke_code: codeEntryPoint('code_unrevoked', (env, referrer) => env.remove('persistent', revokedKey(referrer))),
    // Succeeds without a binding too.
    unbind: adminEntryPoint({ referee: 'address' }, (env, args) => {
      const referee = asAddress(args[0])
      env.remove('persistent', referrerKey(referee))
      // The data is the address itself, not a tuple, as deployed.
      env.emit([symbol('unbound')], address(referee))
    }),
    set_paused: adminEntryPoint({ paused: 'bool' }, (env, args) => {
      const paused = bool(asBool(args[0]))
      env.set('instance', PAUSED, paused)
      // The data is the flag itself, not a tuple, as deployed.
      env.emit([symbol('registry_paused')], paused)
    }),
    set_market: adminEntryPoint({ market: 'address' }, (env, args) => env.set('instance', KEYS.market, address(asAddress(args[0])))),
    set_usdc_token: adminEntryPoint({ usdc_token: 'address' }, (env, args) => env.set('instance', USDC, address(asAddress(args[0])))),
    set_admin: entryPoint({ new_admin: 'address' }, 'void', (env, args) => {
      const [oldAdmin, newAdmin] = [readAddress(env, KEYS.admin), asAddress(args[0])]
      requireBothAuth(env, oldAdmin, newAdmin)
      env.set('instance', KEYS.admin, address(newAdmin))
      emit(env, 'admin_rotated', address(oldAdmin), address(newAdmin))
      return VOID
    }),
    upgrade: upgradeEntryPoint(requireAdmin),
  }
}

/** An admin call: 2, authorization, then its own checks. */
function adminEntryPoint(inputs: Readonly<Record<string, SpecType>>, apply: (env: ContractEnv, args: readonly Val[]) => void): EntryPoint {
  return entryPoint(inputs, 'void', (env, args) => {
    requireAdmin(env)
    apply(env, args)
    return VOID
  })
}

function codeEntryPoint(topic: string, apply: (env: ContractEnv, referrer: string) => void): EntryPoint {
  return adminEntryPoint({ code: 'string' }, (env, args) => {
    const code = asText(args[0])
    const referrer = env.get('persistent', codeKey(code)) ?? fail(ERRORS.UnknownCode)
    apply(env, asAddress(referrer))
    emit(env, topic, referrer, text(code))
  })
}

function requireAdmin(env: ContractEnv): void {
  env.requireAuth(readAddress(env, KEYS.admin))
}

function requireActive(env: ContractEnv): void {
  if (isPaused(env)) fail(ERRORS.RegistryPaused)
}

/** Fails with 13 below the minimum 14-day volume, if there is one. A volume that cannot be read counts as 0. */
function requireVolume(env: ContractEnv, referrer: string): void {
  const minimum = readMinCodeVolume(env)
  if (minimum <= 0n) return
  const volume = tryCall(env, readAddress(env, KEYS.market), 'get_trader_volume', [address(referrer)])
  if ((volume === undefined ? 0n : asI128(volume)) < minimum) fail(ERRORS.InsufficientVolume)
}

function isPaused(env: ContractEnv): boolean {
  const stored = env.get('instance', PAUSED)
  return stored !== undefined && asBool(stored)
}

function isRevoked(env: ContractEnv, referrer: string): boolean {
  return env.get('persistent', revokedKey(referrer)) !== undefined
}
