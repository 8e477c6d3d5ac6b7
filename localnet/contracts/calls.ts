// Calls that contracts make to other contracts of the deployment, with their arguments in order.

import type { ContractEnv } from './host.ts'
import { address, HostFailure, i128, symbol } from './host.ts'
import { asI128, asVec } from './values.ts'

/** Moves `amount` of a token; `from` is the calling contract, or an account that authorised this very move. */
export function transferToken(env: ContractEnv, token: string, from: string, to: string, amount: bigint): void {
  env.call(token, 'transfer', [address(from), address(to), i128(amount)])
}

export function tokenBalance(env: ContractEnv, token: string, holder: string): bigint {
  return asI128(env.call(token, 'balance', [address(holder)]))
}

/** What the vault paid of a profit; a loss settles at 0. */
export function callSettlePnl(env: ContractEnv, vault: string, pnl: bigint): bigint {
  return asI128(env.call(vault, 'settle_pnl', [i128(pnl)]))
}

/** Credits the vault with USDC that it has just been sent. */
export function callReceiveLoss(env: ContractEnv, vault: string, amount: bigint): void {
  env.call(vault, 'receive_loss', [i128(amount)])
}

/** Marks the traders' unrealised profit of one asset, and releases what a closed position had reserved. */
export function callSyncExposure(env: ContractEnv, vault: string, asset: string, unrealizedPnl: bigint, release: bigint): void {
  env.call(vault, 'sync_exposure', [symbol(asset), i128(unrealizedPnl), i128(release)])
}

/** Sets aside what a position of `size` could be owed; 82 or 40 when the vault cannot. */
export function callReserveForPosition(env: ContractEnv, vault: string, asset: string, size: bigint, sideOpenInterestAfter: bigint): void {
  env.call(vault, 'reserve_for_position', [symbol(asset), i128(size), i128(sideOpenInterestAfter)])
}

/** Tells the referral contract of a trade's fee; answers with the trader's discount on it. */
export function callRecordTrade(env: ContractEnv, referral: string, trader: string, fee: bigint): bigint {
  const [discount] = asVec(env.call(referral, 'record_trade', [address(trader), i128(fee)]))
  return asI128(discount)
}

/** Code cannot be exchanged on the local network: the host refuses as a real one refuses code that nobody uploaded. */
export function rejectUpgrade(): never {
  throw new HostFailure('Storage', 'MissingValue', 'Wasm does not exist')
}
