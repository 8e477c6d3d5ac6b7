// Calls from one contract of the deployment to another.

import type { ContractEnv } from './host.ts'
import { address, i128, symbol } from './host.ts'
import { asI128, asVec } from './values.ts'

/** Transfers `amount` of a token. `from` is the calling contract or an account that authorized this transfer. */
export function transferToken(env: ContractEnv, token: string, from: string, to: string, amount: bigint): void {
  env.call(token, 'transfer', [address(from), address(to), i128(amount)])
}

export function tokenBalance(env: ContractEnv, token: string, holder: string): bigint {
  return asI128(env.call(token, 'balance', [address(holder)]))
}

/** Pulls tokens from `owner` to the calling contract, with an allowance: the owner's authorization of the call does not cover the transfer. */
export function transferTokenFrom(env: ContractEnv, token: string, owner: string, amount: bigint): void {
  env.call(token, 'transfer_from', [address(env.self), address(owner), address(env.self), i128(amount)])
}

/** Settles a trader's PnL. Returns the profit that the vault paid; 0 for a loss. */
export function callSettlePnl(env: ContractEnv, vault: string, pnl: bigint): bigint {
  return asI128(env.call(vault, 'settle_pnl', [i128(pnl)]))
}

/** Credits the vault with USDC that was just transferred to it. */
export function callReceiveLoss(env: ContractEnv, vault: string, amount: bigint): void {
  env.call(vault, 'receive_loss', [i128(amount)])
}

/** Reports the traders' unrealized PnL of one asset and releases the reservation of a closed position. */
export function callSyncExposure(env: ContractEnv, vault: string, asset: string, unrealizedPnl: bigint, release: bigint): void {
  env.call(vault, 'sync_exposure', [symbol(asset), i128(unrealizedPnl), i128(release)])
}

/** Reserves the payout of a position of `size`; fails with 82 or 40 if the vault cannot back it. */
export function callReserveForPosition(env: ContractEnv, vault: string, asset: string, size: bigint, sideOpenInterestAfter: bigint): void {
  env.call(vault, 'reserve_for_position', [symbol(asset), i128(size), i128(sideOpenInterestAfter)])
}

/** Reports a trade's fee to the referral contract. Returns the trader's discount. */
export function callRecordTrade(env: ContractEnv, referral: string, trader: string, fee: bigint): bigint {
  const [discount] = asVec(env.call(referral, 'record_trade', [address(trader), i128(fee)]))
  return asI128(discount)
}
