// Calls between the contracts of generation 2. Calls that generation 1 has too are in ../calls.ts.

import { callReceiveLoss, transferToken } from '../shared/calls.ts'
import type { ContractEnv } from '../shared/host.ts'
import { address, i128, symbol } from '../shared/host.ts'
import { tryCall } from '../shared/try-call.ts'
import { asI128, asVec } from '../shared/values.ts'

/** Settles a trader's PnL. Returns the profit that the vault paid; 0 for a loss. The vault owes the rest to the trader. */
export function callSettlePnl(env: ContractEnv, vault: string, trader: string, pnl: bigint): bigint {
  return asI128(env.call(vault, 'settle_pnl', [address(trader), i128(pnl)]))
}

/** Credits the vault with a trader's loss, which was just transferred to it. From build 2.3. */
export function callReceiveLossFor(env: ContractEnv, vault: string, trader: string, amount: bigint): void {
  env.call(vault, 'receive_loss_for', [address(trader), i128(amount)])
}

/** Values that the vault checks before it backs a position. The skew is the size of all longs less that of all shorts. */
export interface Reservation {
  readonly asset: string
  readonly size: bigint
  readonly sideOpenInterestAfter: bigint
  readonly skewBefore: bigint
  readonly skewAfter: bigint
}

/** Reserves the payout of a position; fails with 82 above a cap, with 89 above the skew cap, with 40 above the vault's balance. */
export function callReserveForPosition(env: ContractEnv, vault: string, reservation: Reservation): void {
  const { asset, size, sideOpenInterestAfter, skewBefore, skewAfter } = reservation
  env.call(vault, 'reserve_for_position', [symbol(asset), i128(size), i128(sideOpenInterestAfter), i128(skewBefore), i128(skewAfter)])
}

/** Credits the vault's insurance buffer with USDC that was just transferred to it. */
export function callFundBuffer(env: ContractEnv, vault: string, amount: bigint): void {
  env.call(vault, 'fund_buffer', [i128(amount)])
}

/** Transfers USDC from the caller to the vault's liquidity providers. Does nothing for zero or less. */
export function payVault(env: ContractEnv, usdc: string, vault: string, amount: bigint): void {
  if (amount <= 0n) return
  transferToken(env, usdc, env.self, vault, amount)
  callReceiveLoss(env, vault, amount)
}

/** Covers bad debt from the vault's buffer. Returns the covered part; the liquidity providers bear the rest. */
export function callDrawBuffer(env: ContractEnv, vault: string, amount: bigint): bigint {
  return asI128(env.call(vault, 'draw_buffer', [i128(amount)]))
}

/** Pays a keeper's bounty from the vault's buffer. Returns what was paid; 0 if the buffer is empty. */
export function callPayBounty(env: ContractEnv, vault: string, keeper: string, amount: bigint): bigint {
  return asI128(env.call(vault, 'pay_bounty', [address(keeper), i128(amount)]))
}

/** Transfers a protocol fee to the vault, which fills its buffer to the target and forwards the rest to the treasury. */
export function routeProtocolFee(env: ContractEnv, usdc: string, vault: string, amount: bigint, treasury: string): void {
  if (amount <= 0n) return
  transferToken(env, usdc, env.self, vault, amount)
  env.call(vault, 'route_protocol_fee', [i128(amount), address(treasury)])
}

/** A referral's share of a trade. */
export interface ReferralShare {
  /** Deducted from the trader's fee. */
  readonly discount: bigint
  /** For the referrer, out of the protocol's share of the fee. */
  readonly payout: bigint
}

/** Reports a trade to the referral contract. A failed call or a negative answer counts as no referral. */
export function tryRecordTrade(env: ContractEnv, referral: string, trader: string, fee: bigint, volume: bigint): ReferralShare {
  const answer = tryCall(env, referral, 'record_trade', [address(trader), i128(fee), i128(volume)])
  if (answer === undefined) return NO_REFERRAL
  const [discount, payout] = asVec(answer).map(asI128)
  if (discount === undefined || payout === undefined || discount < 0n || payout < 0n) return NO_REFERRAL
  return { discount, payout }
}

export const NO_REFERRAL: ReferralShare = { discount: 0n, payout: 0n }
