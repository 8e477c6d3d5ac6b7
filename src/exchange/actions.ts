// What accounts sign besides the ten order operations: cross margin, the liquidity vault, trader vaults, referral. One table: the contract and function of
// each action, the fields that it takes, and how they become the function's arguments.

import { argumentOf, bool, i128, SHARED_ENCODERS, text, u32 } from './call-arguments.ts'
import type { CallArgument, ContractCall, Encoders } from './call-arguments.ts'
import type { ContractAddresses, ContractKey } from './contracts.ts'

/** The fields of all actions, as a body holds them. A name means the same in each action that has it. */
export interface ActionFields {
  readonly asset: string
  /** 7-decimal USDC. */
  readonly amount: string
  readonly collateral: string
  /** 7-decimal LP tokens, and shares of a trader vault. */
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
  /** The last ledger of an allowance. */
  readonly expirationLedger: number
  readonly name: string
  readonly code: string
  readonly paused: boolean
}

export type ActionField = keyof ActionFields

/** The account that signs, and the liquidity vault's address. */
const SIGNER = Symbol('signer')
const LIQUIDITY_VAULT = Symbol('liquidity vault')

interface ActionRow {
  readonly contract: ContractKey
  readonly functionName: string
  readonly takes: readonly (ActionField | symbol)[]
}

const ACTIONS = {
  deposit_cross_margin: { contract: 'market', functionName: 'deposit_cross_margin', takes: [SIGNER, 'amount'] },
  withdraw_cross_margin: { contract: 'market', functionName: 'withdraw_cross_margin', takes: [SIGNER, 'amount'] },
  deposit_liquidity: { contract: 'vault', functionName: 'deposit', takes: [SIGNER, 'amount'] },
  // The vault pulls the LP tokens, so that a withdrawal needs their allowance first.
  approve_liquidity_withdrawal: { contract: 'lpToken', functionName: 'approve', takes: [SIGNER, LIQUIDITY_VAULT, 'lpAmount', 'expirationLedger'] },
  withdraw_liquidity: { contract: 'vault', functionName: 'withdraw', takes: [SIGNER, 'lpAmount'] },
  create_vault: { contract: 'vaultFactory', functionName: 'create_vault', takes: [SIGNER, 'name'] },
  deposit_vault: { contract: 'vaultFactory', functionName: 'deposit', takes: [SIGNER, 'vaultId', 'amount'] },
  withdraw_vault: { contract: 'vaultFactory', functionName: 'withdraw', takes: [SIGNER, 'vaultId', 'shares'] },
  leader_open_position: {
    contract: 'vaultFactory', functionName: 'leader_open_position', takes: [SIGNER, 'vaultId', 'asset', 'collateral', 'leverage', 'direction'],
  },
  leader_close_position: { contract: 'vaultFactory', functionName: 'leader_close_position', takes: [SIGNER, 'vaultId', 'positionId'] },
  leader_place_limit_order: {
    contract: 'vaultFactory',
    functionName: 'leader_place_limit_order',
    takes: [SIGNER, 'vaultId', 'asset', 'collateral', 'leverage', 'direction', 'triggerPrice', 'triggerCondition', 'slippageToleranceBps'],
  },
  leader_cancel_order: { contract: 'vaultFactory', functionName: 'leader_cancel_order', takes: [SIGNER, 'vaultId', 'orderId'] },
  claim_leader_fees: { contract: 'vaultFactory', functionName: 'claim_leader_fees', takes: ['vaultId'] },
  set_vault_paused: { contract: 'vaultFactory', functionName: 'set_paused', takes: ['vaultId', 'paused'] },
  create_referral_code: { contract: 'referral', functionName: 'create_code', takes: [SIGNER, 'code'] },
  set_referrer: { contract: 'referral', functionName: 'set_referrer', takes: [SIGNER, 'code'] },
  claim_referral: { contract: 'referral', functionName: 'claim', takes: [SIGNER] },
} as const satisfies Readonly<Record<string, ActionRow>>

export type ActionName = keyof typeof ACTIONS

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[]

/** A request for one of the actions: its name and its own fields. */
export type ActionRequest = {
  readonly [Op in ActionName]: { readonly op: Op } & Pick<ActionFields, Extract<(typeof ACTIONS)[Op]['takes'][number], ActionField>>
}[ActionName]

/** The fields that an action takes, all of them required. */
export function actionFields(op: ActionName): readonly ActionField[] {
  const takes: readonly (ActionField | symbol)[] = ACTIONS[op].takes
  return takes.filter((part) => typeof part === 'string')
}

/** The call that a request asks for, on behalf of the account `signer`. */
export function actionCall(request: ActionRequest, signer: string, contracts: ContractAddresses): ContractCall & { readonly contract: ContractKey } {
  const { contract, functionName, takes }: ActionRow = ACTIONS[request.op]
  const fields = request as Partial<ActionFields>
  const args = takes.map((part): CallArgument => {
    if (typeof part === 'string') return argumentOf(ENCODERS, fields, part)
    return { type: 'address', value: part === SIGNER ? signer : contracts.vault }
  })
  return { contract, functionName, args }
}

const ENCODERS: Encoders<ActionFields> = {
  ...SHARED_ENCODERS, amount: i128, lpAmount: i128, shares: i128, vaultId: u32, expirationLedger: u32, name: text, code: text, paused: bool,
}
