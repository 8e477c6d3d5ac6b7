// Actions other than the ten order operations: cross margin, the liquidity vault, trader vaults, referral. One table maps each action to its contract,
// function and arguments.

import { argumentOf, bool, i128, SHARED_ENCODERS, text, u32 } from './call-arguments.ts'
import type { CallArgument, ContractCall, Encoders } from './call-arguments.ts'
import type { ContractAddresses, ContractKey } from './contracts.ts'

/** The request fields of all actions. A field has the same meaning in every action. */
export interface ActionFields {
  readonly asset: string
  /** 7-decimal USDC. */
  readonly amount: string
  readonly collateral: string
  /** LP tokens and trader vault shares, both 7-decimal. */
  readonly lpAmount: string
  readonly shares: string
  readonly leverage: number
  readonly direction: 'Long' | 'Short'
  readonly vaultId: number
  readonly positionId: number | string
  readonly orderId: number | string
  readonly triggerPrice: string
  readonly triggerCondition: 'Above' | 'Below'
  readonly slippageToleranceBps: number
  /** Last ledger in which the allowance is valid. */
  readonly expirationLedger: number
  readonly name: string
  readonly code: string
  readonly paused: boolean
}

export type ActionField = keyof ActionFields

/** Arguments that do not come from the request. */
const SIGNER = Symbol('signer')
const LIQUIDITY_VAULT = Symbol('liquidity vault')

interface ActionRow {
  readonly contract: ContractKey
  readonly functionName: string
  readonly parameters: readonly (ActionField | symbol)[]
}

const ACTIONS = {
  deposit_cross_margin: { contract: 'market', functionName: 'deposit_cross_margin', parameters: [SIGNER, 'amount'] },
  withdraw_cross_margin: { contract: 'market', functionName: 'withdraw_cross_margin', parameters: [SIGNER, 'amount'] },
  deposit_liquidity: { contract: 'vault', functionName: 'deposit', parameters: [SIGNER, 'amount'] },
  // The vault pulls the LP tokens, so a withdrawal needs this allowance first.
  approve_liquidity_withdrawal: { contract: 'lpToken', functionName: 'approve', parameters: [SIGNER, LIQUIDITY_VAULT, 'lpAmount', 'expirationLedger'] },
  withdraw_liquidity: { contract: 'vault', functionName: 'withdraw', parameters: [SIGNER, 'lpAmount'] },
  create_vault: { contract: 'vaultFactory', functionName: 'create_vault', parameters: [SIGNER, 'name'] },
  deposit_vault: { contract: 'vaultFactory', functionName: 'deposit', parameters: [SIGNER, 'vaultId', 'amount'] },
  withdraw_vault: { contract: 'vaultFactory', functionName: 'withdraw', parameters: [SIGNER, 'vaultId', 'shares'] },
  leader_open_position: {
    contract: 'vaultFactory', functionName: 'leader_open_position', parameters: [SIGNER, 'vaultId', 'asset', 'collateral', 'leverage', 'direction'],
  },
  leader_close_position: { contract: 'vaultFactory', functionName: 'leader_close_position', parameters: [SIGNER, 'vaultId', 'positionId'] },
  leader_place_limit_order: {
    contract: 'vaultFactory',
    functionName: 'leader_place_limit_order',
    parameters: [SIGNER, 'vaultId', 'asset', 'collateral', 'leverage', 'direction', 'triggerPrice', 'triggerCondition', 'slippageToleranceBps'],
  },
  leader_cancel_order: { contract: 'vaultFactory', functionName: 'leader_cancel_order', parameters: [SIGNER, 'vaultId', 'orderId'] },
  claim_leader_fees: { contract: 'vaultFactory', functionName: 'claim_leader_fees', parameters: ['vaultId'] },
  set_vault_paused: { contract: 'vaultFactory', functionName: 'set_paused', parameters: ['vaultId', 'paused'] },
  create_referral_code: { contract: 'referral', functionName: 'create_code', parameters: [SIGNER, 'code'] },
  set_referrer: { contract: 'referral', functionName: 'set_referrer', parameters: [SIGNER, 'code'] },
  claim_referral: { contract: 'referral', functionName: 'claim', parameters: [SIGNER] },
} as const satisfies Readonly<Record<string, ActionRow>>

export type ActionName = keyof typeof ACTIONS

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[]

/** An action and its fields. */
export type ActionRequest = {
  readonly [Op in ActionName]: { readonly op: Op } & Pick<ActionFields, Extract<(typeof ACTIONS)[Op]['parameters'][number], ActionField>>
}[ActionName]

/** The fields of an action. All are required. */
export function actionFields(op: ActionName): readonly ActionField[] {
  const parameters: readonly (ActionField | symbol)[] = ACTIONS[op].parameters
  return parameters.filter((parameter) => typeof parameter === 'string')
}

/** The contract call for a request signed by account `signer`. */
export function actionCall(request: ActionRequest, signer: string, contracts: ContractAddresses): ContractCall & { readonly contract: ContractKey } {
  const { contract, functionName, parameters }: ActionRow = ACTIONS[request.op]
  const fields = request as Partial<ActionFields>
  const args = parameters.map((parameter): CallArgument => {
    if (typeof parameter === 'string') return argumentOf(ENCODERS, fields, parameter)
    return { type: 'address', value: parameter === SIGNER ? signer : contracts.vault }
  })
  return { contract, functionName, args }
}

const ENCODERS: Encoders<ActionFields> = {
  ...SHARED_ENCODERS, amount: i128, lpAmount: i128, shares: i128, vaultId: u32, expirationLedger: u32, name: text, code: text, paused: bool,
}
