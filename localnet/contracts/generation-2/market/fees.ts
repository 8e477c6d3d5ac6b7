// Trading fees: referral discounts and the split between liquidity providers, protocol and referrers (generation 2, "Fees and referral").

import { callReceiveLoss, transferToken } from '../../shared/calls.ts'
import { addVolume, type FeeKind, tierFee } from '../../shared/market/fees.ts'
import { INSTANCE, usdcOf, vaultOf } from '../../shared/market/storage.ts'
import { asAddress, asU32, bpsOf, minOf, mulDiv } from '../../shared/values.ts'
import { isSince } from '../build.ts'
import { callReceiveLossFor, NO_REFERRAL, payVault, type ReferralShare, routeProtocolFee, tryRecordTrade } from '../calls.ts'
import type { MarketEnv } from './env.ts'
import { readConfig } from './storage.ts'

/** Rates in tenths of a basis point. */
const DECI_BPS_DENOMINATOR = 100_000n

/** A fee that was charged, and the referrer's claim on it. */
export interface Fee {
  readonly amount: bigint
  readonly payout: bigint
}

/** The fee of a trade: the tier's rate less the referral discount. The trade counts towards the volume only afterwards. */
export function chargeFee(env: MarketEnv, trader: string, size: bigint, kind: FeeKind): Fee {
  const gross = tierFee(env, trader, size, kind)
  addVolume(env, trader, size)
  const { discount, payout } = referralShare(env, trader, gross, size)
  return { amount: gross - minOf(discount, gross), payout }
}

function referralShare(env: MarketEnv, trader: string, fee: bigint, size: bigint): ReferralShare {
  const referral = referralOf(env)
  return referral === undefined || fee <= 0n ? NO_REFERRAL : tryRecordTrade(env, referral, trader, fee, size)
}

/** The referral contract; undefined until the admin sets one. The first build calls none. */
function referralOf(env: MarketEnv): string | undefined {
  const referral = isSince(env.build, '2.1') ? env.get('instance', INSTANCE.referral) : undefined
  return referral === undefined ? undefined : asAddress(referral)
}

/** Distributes a fee: the protocol's share, out of which the referrer is paid, and the rest to the liquidity providers. */
export function distributeFee(env: MarketEnv, fee: Fee): void {
  const [usdc, vault] = [usdcOf(env), vaultOf(env)]
  const treasury = env.get('instance', INSTANCE.treasury)
  const shareBps = env.get('instance', INSTANCE.protocolFeeBps)
  const share = treasury === undefined || shareBps === undefined ? 0n : bpsOf(fee.amount, asU32(shareBps))
  const referral = referralOf(env)
  const payout = referral === undefined ? 0n : minOf(fee.payout, share)
  if (referral !== undefined && payout > 0n) transferToken(env, usdc, env.self, referral, payout)
  if (treasury !== undefined) routeProtocolFee(env, usdc, vault, share - payout, asAddress(treasury))
  payVault(env, usdc, vault, fee.amount - share)
}

/** Transfers a trader's loss to the vault and credits it there. Does nothing for zero or less. */
export function payLoss(env: MarketEnv, trader: string, amount: bigint): void {
  if (amount <= 0n) return
  const vault = vaultOf(env)
  transferToken(env, usdcOf(env), env.self, vault, amount)
  if (isSince(env.build, '2.3')) callReceiveLossFor(env, vault, trader, amount)
  else callReceiveLoss(env, vault, amount)
}

/** The keeper's nominal fee for executing an order over this size. */
export function keeperFeeOf(env: MarketEnv, size: bigint): bigint {
  const { keeper_fee_base: base, keeper_fee_deci_bps: rate } = readConfig(env)
  return base + mulDiv(size, BigInt(rate), DECI_BPS_DENOMINATOR)
}
