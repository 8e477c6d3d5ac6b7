// Actions other than the ten order operations: partial closes, collateral, cross margin, the liquidity vault, trader vaults, referral, transfers of USDC. One
// table maps each action to its contract, function and forms.

import { LIQUIDITY_VAULT, SIGNER, fieldNames } from './contracts/call-forms.ts'
import type { CallDefinition, FieldNames, FieldsOf } from './contracts/call-forms.ts'

const GOOD_TILL_CANCELLED = { type: 'u32', value: 0 } as const
const LEADER_ENTRY = [SIGNER, 'vaultId', 'asset', 'collateral', 'leverage', 'direction'] as const
const LEADER_LIMIT = [...LEADER_ENTRY, 'triggerPrice', 'triggerCondition', 'slippageToleranceBps'] as const

const ACTIONS = {
  close_position_partial: {
    contract: 'market', functionName: 'close_position_partial', forms: [{ since: '2.0', parameters: [SIGNER, 'positionId', 'closeSize'] }],
  },
  add_collateral: { contract: 'market', functionName: 'add_collateral', forms: [{ since: '2.0', parameters: [SIGNER, 'positionId', 'amount'] }] },
  remove_collateral: { contract: 'market', functionName: 'remove_collateral', forms: [{ since: '2.0', parameters: [SIGNER, 'positionId', 'amount'] }] },
  deposit_cross_margin: { contract: 'market', functionName: 'deposit_cross_margin', forms: [{ since: '1', parameters: [SIGNER, 'amount'] }] },
  withdraw_cross_margin: { contract: 'market', functionName: 'withdraw_cross_margin', forms: [{ since: '1', parameters: [SIGNER, 'amount'] }] },
  deposit_liquidity: {
    contract: 'vault', functionName: 'deposit',
    forms: [{ since: '2.1', parameters: [SIGNER, 'amount', 'minOut?'] }, { since: '1', parameters: [SIGNER, 'amount'] }],
  },
  // The vault pulls the LP tokens, so a withdrawal needs this allowance first.
  approve_liquidity_withdrawal: {
    contract: 'lpToken', functionName: 'approve', forms: [{ since: '1', parameters: [SIGNER, LIQUIDITY_VAULT, 'lpAmount', 'expirationLedger'] }],
  },
  withdraw_liquidity: {
    contract: 'vault', functionName: 'withdraw',
    forms: [{ since: '2.1', parameters: [SIGNER, 'lpAmount', 'minOut?'] }, { since: '1', parameters: [SIGNER, 'lpAmount'] }],
  },
  claim_shortfall: { contract: 'vault', functionName: 'claim_shortfall', forms: [{ since: '2.0', parameters: [SIGNER] }] },
  create_vault: { contract: 'vaultFactory', functionName: 'create_vault', forms: [{ since: '1', parameters: [SIGNER, 'name'] }] },
  deposit_vault: {
    contract: 'vaultFactory', functionName: 'deposit',
    forms: [{ since: '2.1', parameters: [SIGNER, 'vaultId', 'amount', 'minOut?'] }, { since: '1', parameters: [SIGNER, 'vaultId', 'amount'] }],
  },
  withdraw_vault: {
    contract: 'vaultFactory', functionName: 'withdraw',
    forms: [{ since: '2.1', parameters: [SIGNER, 'vaultId', 'shares', 'minOut?'] }, { since: '1', parameters: [SIGNER, 'vaultId', 'shares'] }],
  },
  leader_open_position: { contract: 'vaultFactory', functionName: 'leader_open_position', forms: [{ since: '1', parameters: LEADER_ENTRY }] },
  leader_close_position: {
    contract: 'vaultFactory', functionName: 'leader_close_position', forms: [{ since: '1', parameters: [SIGNER, 'vaultId', 'positionId'] }],
  },
  leader_place_limit_order: {
    contract: 'vaultFactory', functionName: 'leader_place_limit_order',
    forms: [{ since: '2.0', parameters: [...LEADER_LIMIT, GOOD_TILL_CANCELLED] }, { since: '1', parameters: LEADER_LIMIT }],
  },
  leader_place_stop_limit: {
    contract: 'vaultFactory', functionName: 'leader_place_stop_limit',
    forms: [{ since: '2.0', parameters: [...LEADER_ENTRY, 'triggerPrice', 'limitPrice', 'triggerCondition', 'slippageToleranceBps'] }],
  },
  leader_set_stop_loss: {
    contract: 'vaultFactory', functionName: 'leader_set_stop_loss',
    forms: [{ since: '2.0', parameters: [SIGNER, 'vaultId', 'positionId', 'triggerPrice', 'slippageToleranceBps'] }],
  },
  leader_set_take_profit: {
    contract: 'vaultFactory', functionName: 'leader_set_take_profit',
    forms: [{ since: '2.0', parameters: [SIGNER, 'vaultId', 'positionId', 'triggerPrice', 'slippageToleranceBps', 'limitPrice?'] }],
  },
  leader_place_trailing_stop: {
    contract: 'vaultFactory', functionName: 'leader_place_trailing_stop',
    forms: [{ since: '2.0', parameters: [SIGNER, 'vaultId', 'positionId', 'trailingPercentBps', 'slippageToleranceBps'] }],
  },
  leader_cancel_order: { contract: 'vaultFactory', functionName: 'leader_cancel_order', forms: [{ since: '1', parameters: [SIGNER, 'vaultId', 'orderId'] }] },
  claim_leader_fees: { contract: 'vaultFactory', functionName: 'claim_leader_fees', forms: [{ since: '1', parameters: ['vaultId'] }] },
  set_vault_paused: { contract: 'vaultFactory', functionName: 'set_paused', forms: [{ since: '1', parameters: ['vaultId', 'paused'] }] },
  create_referral_code: { contract: 'referral', functionName: 'create_code', forms: [{ since: '1', parameters: [SIGNER, 'code'] }] },
  set_referrer: { contract: 'referral', functionName: 'set_referrer', forms: [{ since: '1', parameters: [SIGNER, 'code'] }] },
  claim_referral: { contract: 'referral', functionName: 'claim', forms: [{ since: '1', parameters: [SIGNER] }] },
  transfer_usdc: { contract: 'usdcToken', functionName: 'transfer', forms: [{ since: '1', parameters: [SIGNER, 'destination', 'amount'] }] },
} as const satisfies Readonly<Record<string, CallDefinition>>

export type ActionName = keyof typeof ACTIONS

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[]

/** An action and its fields. */
export type ActionRequest = { readonly [Op in ActionName]: { readonly op: Op } & FieldsOf<(typeof ACTIONS)[Op]> }[ActionName]

export function actionFields(op: ActionName): FieldNames {
  return fieldNames(ACTIONS[op].forms)
}

/** The contract function of an action. */
export function actionDefinition(op: ActionName): CallDefinition {
  return ACTIONS[op]
}
