// Which scope of a key allows what. A key that lacks it gets 403 `scope_missing`. Public endpoints need none.

import type { ActionName } from '../exchange/actions.ts'
import type { OperationName } from '../exchange/operations.ts'
import type { KeyScope } from './key-restrictions.ts'

/** Any one of these scopes suffices. */
export type ScopeChoice = readonly [KeyScope, ...KeyScope[]]

const READ: ScopeChoice = ['read']
const KEYS: ScopeChoice = ['keys']
/** Preparing, submitting and following transactions. What each scope allows depends on the call. */
const TRANSACTIONS: ScopeChoice = ['trade', 'close', 'vaults', 'referral']

/** The endpoints that require a key, by the name of the operation in the OpenAPI document. `own`: of the presented key. Null: no scope. */
export const ENDPOINT_SCOPES: Readonly<Record<string, ScopeChoice | null | { readonly own: null; readonly other: ScopeChoice }>> = {
  getAccountIdentity: READ,
  getAccountLimits: READ,
  getAccountPnl: READ,
  getAccountState: READ,
  getAccountHoldings: READ,
  listAccountEvents: READ,
  listAccountFills: READ,
  listAccountLedger: READ,
  listAccountOpenOrders: READ,
  listAccountOrderEvents: READ,
  listAccountOrderHistory: READ,
  listAccountPositions: READ,
  getMyReferral: READ,
  listMyReferralTrades: READ,
  listMyReferralClaims: READ,
  prepareOrder: TRANSACTIONS,
  prepareAction: TRANSACTIONS,
  submitTransaction: TRANSACTIONS,
  getTransaction: TRANSACTIONS,
  findTransaction: TRANSACTIONS,
  listAccountTransactions: TRANSACTIONS,
  getCurrentKey: null,
  listKeys: KEYS,
  revokeKey: KEYS,
  revokeOtherKeys: KEYS,
  rotateKey: { own: null, other: KEYS },
  lendKey: ['lend'],
}

const TRADE: ScopeChoice = ['trade']
const REDUCE: ScopeChoice = ['close', 'trade']
const VAULTS: ScopeChoice = ['vaults']
const REFERRAL: ScopeChoice = ['referral']

/** The scopes that let a key prepare a call, or submit it. */
const CALL_SCOPES: Readonly<Record<OperationName | ActionName, ScopeChoice>> = {
  open_position: TRADE,
  open_position_cross: TRADE,
  place_limit_order: TRADE,
  place_stop_limit_order: TRADE,
  close_position: REDUCE,
  close_position_cross: REDUCE,
  close_position_partial: REDUCE,
  place_trailing_stop: REDUCE,
  set_stop_loss: REDUCE,
  set_take_profit: REDUCE,
  cancel_order: REDUCE,
  add_collateral: REDUCE,
  remove_collateral: TRADE,
  deposit_cross_margin: TRADE,
  withdraw_cross_margin: TRADE,
  claim_shortfall: TRADE,
  deposit_liquidity: VAULTS,
  approve_liquidity_withdrawal: VAULTS,
  withdraw_liquidity: VAULTS,
  create_vault: VAULTS,
  deposit_vault: VAULTS,
  withdraw_vault: VAULTS,
  leader_open_position: VAULTS,
  leader_place_limit_order: VAULTS,
  leader_place_stop_limit: VAULTS,
  leader_close_position: VAULTS,
  leader_set_stop_loss: VAULTS,
  leader_set_take_profit: VAULTS,
  leader_place_trailing_stop: VAULTS,
  leader_cancel_order: VAULTS,
  claim_leader_fees: VAULTS,
  set_vault_paused: VAULTS,
  create_referral_code: REFERRAL,
  set_referrer: REFERRAL,
  claim_referral: REFERRAL,
  // It moves money out, as a withdrawal does.
  transfer_usdc: VAULTS,
}

/** The scopes of an operation or action; undefined for any other name. */
export function scopesOfCall(op: string | null): ScopeChoice | undefined {
  return op !== null && Object.hasOwn(CALL_SCOPES, op) ? CALL_SCOPES[op as keyof typeof CALL_SCOPES] : undefined
}
