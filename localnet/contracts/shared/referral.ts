// The referral contract: codes, referrers and their rewards (contracts, "Referral"). As deployed, the market never reports a trade, and a
// claim resets the claimable amount without transferring USDC.

import { ONE_E7 } from '../../../src/base/fixed-point.ts'
import { bytesOfText } from '../../../src/base/text.ts'
import { REFERRAL_ERRORS } from '../../../src/exchange/errors/errors.ts'
import { emit } from './emit.ts'
import type { ContractCode, ContractEnv, EntryPoint, Val } from './host.ts'
import { address, bool, i128, symbol, text, u32, vec, VOID } from './host.ts'
import { readInstanceAddress, readInstanceU32 } from './instance-storage.ts'
import { asAddress, asI128, asText, asU32, bpsOf, checked, type CodecRecord, entryPoint, fail, storageKey, structCodec } from './values.ts'

/** Error codes that the contract raises (specification, "Referral errors"). */
export const ERRORS = {
  AlreadyInitialized: 1, NotInitialized: 2, InvalidParameter: 5, CodeTooShort: 6, CodeTooLong: 7, CodeAlreadyTaken: 8, AlreadyHasCode: 9,
  UnknownCode: 10, AlreadyHasReferrer: 11, SelfReferral: 12, NothingToClaim: 14, Overflow: 15,
} as const

/** The initial configuration. */
const DISCOUNT_BPS = 400
const SHARE_BPS = 1000
const MIN_CODE_VOLUME = 10_000n * ONE_E7

const BPS_MAX = 5000
const CODE_MIN_BYTES = 3
const CODE_MAX_BYTES = 16

/** Instance keys. */
export const KEYS = {
  admin: storageKey('Admin'),
  market: storageKey('Market'),
  initialized: storageKey('Initialized'),
  discountBps: storageKey('DiscountBps'),
  shareBps: storageKey('ReferrerShareBps'),
  minCodeVolume: storageKey('MinCodeVolume'),
} as const

/** Persistent keys. */
const infoKey = (referrer: string): Val => storageKey('Info', address(referrer))
export const codeKey = (code: string): Val => storageKey('Code', text(code))
export const referrerKey = (referee: string): Val => storageKey('RefereeOf', address(referee))

export const INFO = structCodec({
  claimable: 'i128', code: 'string', created_at: 'u64', referred_count: 'u32', referrer: 'address', total_earned: 'i128',
  total_volume_generated: 'i128',
})

export type Info = CodecRecord<typeof INFO>

/** The referral contract's code. Call `initialize(admin, market)` first. */
export function referralContract(): ContractCode {
  return {
    name: 'referral',
    structs: { ReferralInfo: INFO.spec },
    errors: REFERRAL_ERRORS,
    entryPoints: { ...userEntryPoints(), ...settingEntryPoints(), ...viewEntryPoints() },
  }
}

function userEntryPoints(): Record<string, EntryPoint> {
  return {
    initialize: entryPoint({ admin: 'address', market: 'address' }, 'void', initialize),
    create_code: entryPoint({ referrer: 'address', code: 'string' }, 'void', createCode),
    set_referrer: entryPoint({ referee: 'address', code: 'string' }, 'void', setReferrer),
    record_trade: entryPoint({ referee: 'address', original_fee: 'i128' }, { tuple: ['i128', 'i128'] }, recordTrade),
    claim: entryPoint({ referrer: 'address' }, 'i128', claim),
  }
}

function initialize(env: ContractEnv, args: readonly Val[]): Val {
  const [admin, market] = [asAddress(args[0]), asAddress(args[1])]
  storeDeployment(env, admin, market)
  emit(env, 'initialized', address(admin), address(market))
  return VOID
}

/** The common part of `initialize`: 1, authorization; stores the initial settings. */
export function storeDeployment(env: ContractEnv, admin: string, market: string): void {
  if (env.get('instance', KEYS.admin) !== undefined) fail(ERRORS.AlreadyInitialized)
  env.requireAuth(admin)
  env.set('instance', KEYS.admin, address(admin))
  env.set('instance', KEYS.market, address(market))
  env.set('instance', KEYS.discountBps, u32(DISCOUNT_BPS))
  env.set('instance', KEYS.shareBps, u32(SHARE_BPS))
  env.set('instance', KEYS.minCodeVolume, i128(MIN_CODE_VOLUME))
  env.set('instance', KEYS.initialized, bool(true))
}

function createCode(env: ContractEnv, args: readonly Val[]): Val {
  const [referrer, code] = [asAddress(args[0]), asText(args[1])]
  requireAccountAuth(env, referrer)
  return registerCode(env, referrer, code)
}

/** Stores a new code: 6, 7, 8, 9. */
export function registerCode(env: ContractEnv, referrer: string, code: string): Val {
  const length = bytesOfText(code).length
  if (length < CODE_MIN_BYTES) fail(ERRORS.CodeTooShort)
  if (length > CODE_MAX_BYTES) fail(ERRORS.CodeTooLong)
  if (env.get('persistent', codeKey(code)) !== undefined) fail(ERRORS.CodeAlreadyTaken)
  if (readInfo(env, referrer) !== undefined) fail(ERRORS.AlreadyHasCode)
  env.set('persistent', codeKey(code), address(referrer))
  const created = { code, referrer, created_at: env.ledger.timestampSec }
  writeInfo(env, { ...created, claimable: 0n, referred_count: 0, total_earned: 0n, total_volume_generated: 0n })
  emit(env, 'code_created', address(referrer), text(code))
  return VOID
}

function setReferrer(env: ContractEnv, args: readonly Val[]): Val {
  const [referee, code] = [asAddress(args[0]), asText(args[1])]
  requireAccountAuth(env, referee)
  return bindReferrer(env, referee, findReferrer(env, referee, code), code)
}

/** The owner of a code that the referee may bind to: 11, 10, 12. */
export function findReferrer(env: ContractEnv, referee: string, code: string): string {
  if (env.get('persistent', referrerKey(referee)) !== undefined) fail(ERRORS.AlreadyHasReferrer)
  const referrer = asAddress(env.get('persistent', codeKey(code)) ?? fail(ERRORS.UnknownCode))
  if (referrer === referee) fail(ERRORS.SelfReferral)
  return referrer
}

export function bindReferrer(env: ContractEnv, referee: string, referrer: string, code: string): Val {
  env.set('persistent', referrerKey(referee), address(referrer))
  const info = requireInfo(env, referrer)
  writeInfo(env, { ...info, referred_count: info.referred_count + 1 })
  emit(env, 'referrer_set', address(referee), address(referrer), text(code))
  return VOID
}

/** Callable by the market only. As deployed, the volume counts the fee rather than the size. */
function recordTrade(env: ContractEnv, args: readonly Val[]): Val {
  const [referee, fee] = [asAddress(args[0]), asI128(args[1])]
  env.requireAuth(readAddress(env, KEYS.market))
  const storedReferrer = env.get('persistent', referrerKey(referee))
  if (fee <= 0n || storedReferrer === undefined) return NO_REWARD
  return creditReward(env, { referee, info: requireInfo(env, asAddress(storedReferrer)), fee, volume: fee })
}

/** The result of a trade that earns no discount and no payout. */
export const NO_REWARD: Val = vec(i128(0n), i128(0n))

export interface ReferredTrade {
  readonly referee: string
  readonly info: Info
  readonly fee: bigint
  readonly volume: bigint
}

/** Credits the referrer and emits `trade_recorded` with the additional `data`. Returns discount and payout. */
export function creditReward(env: ContractEnv, { referee, info, fee, volume }: ReferredTrade, ...data: readonly Val[]): Val {
  const discount = bpsOf(fee, readInstanceU32(env, KEYS.discountBps, 0), ERRORS.Overflow)
  const payout = bpsOf(fee, readInstanceU32(env, KEYS.shareBps, 0), ERRORS.Overflow)
  const sum = (a: bigint, b: bigint): bigint => checked(a + b, ERRORS.Overflow)
  writeInfo(env, {
    ...info,
    total_volume_generated: sum(info.total_volume_generated, volume),
    total_earned: sum(info.total_earned, payout),
    claimable: sum(info.claimable, payout),
  })
  emit(env, 'trade_recorded', address(referee), address(info.referrer), i128(fee), i128(discount), i128(payout), ...data)
  return vec(i128(discount), i128(payout))
}

function claim(env: ContractEnv, args: readonly Val[]): Val {
  return resetClaimable(env, requireClaimable(env, asAddress(args[0])))
}

/** The record of a referrer with something to claim: 2, authorization, 10, 14. */
export function requireClaimable(env: ContractEnv, referrer: string): Info {
  requireAccountAuth(env, referrer)
  const info = requireInfo(env, referrer)
  if (info.claimable <= 0n) fail(ERRORS.NothingToClaim)
  return info
}

export function resetClaimable(env: ContractEnv, info: Info): Val {
  writeInfo(env, { ...info, claimable: 0n })
  emit(env, 'claimed', address(info.referrer), i128(info.claimable))
  return i128(info.claimable)
}

export function settingEntryPoints(): Record<string, EntryPoint> {
  const bpsSetter = (key: Val): EntryPoint =>
    entryPoint({ bps: 'u32' }, 'void', (env, args) => {
      env.requireAuth(readAddress(env, KEYS.admin))
      if (asU32(args[0]) > BPS_MAX) fail(ERRORS.InvalidParameter)
      env.set('instance', key, u32(asU32(args[0])))
      return VOID
    })
  return {
    set_discount_bps: bpsSetter(KEYS.discountBps),
    set_referrer_share_bps: bpsSetter(KEYS.shareBps),
    set_min_code_volume: entryPoint({ min_volume: 'i128' }, 'void', (env, args) => {
      env.requireAuth(readAddress(env, KEYS.admin))
      if (asI128(args[0]) < 0n) fail(ERRORS.InvalidParameter)
      env.set('instance', KEYS.minCodeVolume, i128(asI128(args[0])))
      return VOID
    }),
  }
}

export function viewEntryPoints(): Record<string, EntryPoint> {
  return {
    get_info: entryPoint({ referrer: 'address' }, { struct: 'ReferralInfo' }, (env, args) => {
      requireInitialized(env)
      return INFO.toVal(requireInfo(env, asAddress(args[0])))
    }),
    get_referrer: entryPoint({ referee: 'address' }, { option: 'address' }, (env, args) =>
      env.get('persistent', referrerKey(asAddress(args[0]))) ?? VOID,
    ),
    resolve_code: entryPoint({ code: 'string' }, { option: 'address' }, (env, args) => env.get('persistent', codeKey(asText(args[0]))) ?? VOID),
    get_config: entryPoint({}, { tuple: ['u32', 'u32', 'i128'] }, (env) => {
      requireInitialized(env)
      return vec(u32(readInstanceU32(env, KEYS.discountBps, 0)), u32(readInstanceU32(env, KEYS.shareBps, 0)), i128(readMinCodeVolume(env)))
    }),
    get_admin: entryPoint({}, 'address', (env) => address(readAddress(env, KEYS.admin))),
    get_market: entryPoint({}, 'address', (env) => address(readAddress(env, KEYS.market))),
    version: entryPoint({}, 'symbol', () => symbol('referral_v1')),
  }
}

/** The 14-day volume that a new code requires; 0 for none. */
export function readMinCodeVolume(env: ContractEnv): bigint {
  const stored = env.get('instance', KEYS.minCodeVolume)
  return stored === undefined ? 0n : asI128(stored)
}

/** Fails with 2 before initialization. */
function requireInitialized(env: ContractEnv): void {
  readAddress(env, KEYS.admin)
}

/** Fails with 2 before initialization, then requires the account's authorization. */
export function requireAccountAuth(env: ContractEnv, account: string): void {
  requireInitialized(env)
  env.requireAuth(account)
}

export function readAddress(env: ContractEnv, key: Val): string {
  return readInstanceAddress(env, key, ERRORS.NotInitialized)
}

function readInfo(env: ContractEnv, referrer: string): Info | undefined {
  const stored = env.get('persistent', infoKey(referrer))
  return stored === undefined ? undefined : INFO.fromVal(stored)
}

/** The referrer's record; fails with 10 for an account without a code. */
export function requireInfo(env: ContractEnv, referrer: string): Info {
  return readInfo(env, referrer) ?? fail(ERRORS.UnknownCode)
}

function writeInfo(env: ContractEnv, info: Info): void {
  env.set('persistent', infoKey(info.referrer), INFO.toVal(info))
}
