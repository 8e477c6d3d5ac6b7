// Trading fees by volume tier and their distribution (contracts, "Fee tier and volume").

import { callReceiveLoss, callRecordTrade, transferToken } from '../calls.ts'
import type { ContractEnv } from '../host.ts'
import { i128, struct, u64, vec } from '../host.ts'
import { asAddress, asI128, asU32, asU64, asVec, bpsOf, checked, fieldOf, mulDiv } from '../values.ts'
import { INSTANCE, KEYS, readConfig, usdcOf, vaultOf } from './storage.ts'
import { FEE_TIER, type FeeTier } from './types.ts'

const VOLUME_DAYS = 14
const DAY_SEC = 86_400n
/** The tiers' rates are tenths of a basis point. */
const FEE_RATE_DENOMINATOR = 100_000n

export type FeeKind = 'maker' | 'taker'

interface VolumeRecord {
  readonly daily: readonly bigint[]
  readonly lastDay: bigint
}

/** The fee of a trade by the trader's tier. The trade counts towards the volume only afterwards. */
export function chargeFee(env: ContractEnv, trader: string, size: bigint, kind: FeeKind): bigint {
  const fee = tierFee(env, trader, size, kind)
  addVolume(env, trader, size)
  return fee - referralDiscount(env, trader, fee)
}

/** The fee by the trader's tier before discounts. Slots of elapsed days count until the next trade clears them. */
export function tierFee(env: ContractEnv, trader: string, size: bigint, kind: FeeKind): bigint {
  const volume = checked(readVolume(env, trader).daily.reduce((sum, slot) => sum + slot, 0n))
  const tiers = readTiers(env)
  const config = readConfig(env)
  if (tiers.length === 0) return bpsOf(size, config.trading_fee_bps)
  const tier = tiers.findLast((candidate) => candidate.min_volume <= volume)
  const rate = kind === 'maker' ? (tier?.maker_fee_bps ?? config.base_maker_fee_bps) : (tier?.taker_fee_bps ?? config.base_taker_fee_bps)
  return mulDiv(size, BigInt(rate), FEE_RATE_DENOMINATOR)
}

/** The referral discount; 0 until the admin sets a referral contract, which the deployed market never does. */
function referralDiscount(env: ContractEnv, trader: string, fee: bigint): bigint {
  const referral = env.get('instance', INSTANCE.referral)
  return referral === undefined ? 0n : callRecordTrade(env, asAddress(referral), trader, fee)
}

/** Adds a trade to today's slot, after clearing the slots of the days since the last trade. */
export function addVolume(env: ContractEnv, trader: string, size: bigint): void {
  const record = readVolume(env, trader)
  const today = env.ledger.timestampSec / DAY_SEC
  const daily = clearElapsedDays(record, today)
  const slot = Number(today % BigInt(VOLUME_DAYS))
  daily[slot] = checked((daily[slot] ?? 0n) + size)
  env.set('persistent', KEYS.traderVolume(trader), struct({ daily_volumes: vec(...daily.map(i128)), last_update_day: u64(today) }))
}

/** Transfers USDC from the market to the vault and credits it there. Does nothing for zero or less. */
export function sendToVault(env: ContractEnv, amount: bigint): void {
  if (amount <= 0n) return
  transferToken(env, usdcOf(env), env.self, vaultOf(env), amount)
  callReceiveLoss(env, vaultOf(env), amount)
}

/** Pays a trading fee: the treasury's share, if one is set, and the rest to the vault. */
export function distributeFee(env: ContractEnv, fee: bigint): void {
  const treasury = env.get('instance', INSTANCE.treasury)
  const bps = env.get('instance', INSTANCE.protocolFeeBps)
  const share = treasury === undefined || bps === undefined ? 0n : bpsOf(fee, asU32(bps))
  if (treasury !== undefined && share > 0n) transferToken(env, usdcOf(env), env.self, asAddress(treasury), share)
  sendToVault(env, fee - share)
}

/** The trader's volume of the last 14 days, without the slots of elapsed days. */
export function recentVolume(env: ContractEnv, trader: string): bigint {
  const daily = clearElapsedDays(readVolume(env, trader), env.ledger.timestampSec / DAY_SEC)
  return checked(daily.reduce((sum, slot) => sum + slot, 0n))
}

export function readTiers(env: ContractEnv): readonly FeeTier[] {
  const stored = env.get('persistent', KEYS.feeTiers)
  return stored === undefined ? [] : asVec(stored).map((tier) => FEE_TIER.fromVal(tier))
}

function readVolume(env: ContractEnv, trader: string): VolumeRecord {
  const stored = env.get('persistent', KEYS.traderVolume(trader))
  if (stored === undefined) return { daily: Array.from({ length: VOLUME_DAYS }, () => 0n), lastDay: env.ledger.timestampSec / DAY_SEC }
  return { daily: asVec(fieldOf(stored, 'daily_volumes')).map(asI128), lastDay: asU64(fieldOf(stored, 'last_update_day')) }
}

function clearElapsedDays(record: VolumeRecord, today: bigint): bigint[] {
  const passedDays = today - record.lastDay
  if (passedDays >= BigInt(VOLUME_DAYS)) return record.daily.map(() => 0n)
  const daily = [...record.daily]
  for (let day = record.lastDay + 1n; day <= today; day++) daily[Number(day % BigInt(VOLUME_DAYS))] = 0n
  return daily
}
