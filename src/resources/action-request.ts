// The body of POST /v1/actions/prepare: a union told apart by `op`. Which fields an action has is written in src/exchange/actions.ts; what each of them takes
// is written here.

import { Type } from 'typebox'
import type { TSchema, TUnsafe } from 'typebox'
import { ACTION_NAMES, actionFields } from '../exchange/actions.ts'
import type { ActionField, ActionName, ActionRequest } from '../exchange/actions.ts'
import { REFERRAL_CODE_LENGTH, VAULT_NAME_MAX_LENGTH } from '../limits.ts'
import { digits, integer, requestSchema, SHARED_FIELDS } from './request-fields.ts'

const U32 = { min: 0, max: 2 ** 32 - 1 } as const

const FIELDS: Readonly<Record<ActionField, object>> = {
  ...SHARED_FIELDS,
  amount: digits('7-decimal USDC', '1000000000'),
  lpAmount: digits('LP tokens, 7-decimal', '1000000000'),
  shares: digits('Shares of the vault, 7-decimal', '1000000000'),
  vaultId: integer(U32, 'The trader vault', 0),
  expirationLedger: integer(U32, 'The last ledger in which the allowance may be used', 1_234_567),
  name: { type: 'string', minLength: 1, maxLength: VAULT_NAME_MAX_LENGTH, description: 'At most 64 bytes', examples: ['North star'] },
  code: {
    type: 'string', minLength: REFERRAL_CODE_LENGTH.min, maxLength: REFERRAL_CODE_LENGTH.max, description: 'Upper and lower case differ', examples: ['STAR'],
  },
  paused: { type: 'boolean', description: 'No deposits, withdrawals or trades while it is true', examples: [true] },
}

const DESCRIPTIONS: Readonly<Record<ActionName, string>> = {
  deposit_cross_margin: 'Puts USDC into the account\'s cross margin pool',
  withdraw_cross_margin: 'Takes idle USDC out of the cross margin pool',
  deposit_liquidity: 'Deposits USDC into the liquidity vault and receives LP tokens',
  approve_liquidity_withdrawal: 'Lets the liquidity vault pull LP tokens: the step before withdraw_liquidity',
  withdraw_liquidity: 'Returns LP tokens to the liquidity vault for USDC; needs their allowance first',
  create_vault: 'Creates a trader vault that the account leads',
  deposit_vault: 'Deposits USDC into a trader vault and receives shares',
  withdraw_vault: 'Redeems shares of a trader vault for USDC',
  leader_open_position: 'Opens a position with the funds of a vault that the account leads',
  leader_close_position: 'Closes a position of the vaults',
  leader_place_limit_order: 'Places a limit order with the funds of a vault that the account leads',
  leader_cancel_order: 'Cancels an order of the vaults',
  claim_leader_fees: 'Takes the leader\'s share of the profit above the high-water mark',
  set_vault_paused: 'Pauses a vault that the account leads, or lets it go on',
  create_referral_code: 'Registers the account\'s referral code, once and for good',
  set_referrer: 'Binds the account to the owner of a referral code, once and for good',
  claim_referral: 'Claims what the account has earned as a referrer',
}

/** One schema per action. */
export const ACTION_REQUESTS: readonly TSchema[] = ACTION_NAMES.map((op) => {
  const fields = actionFields(op)
  return requestSchema(op, Object.fromEntries(fields.map((field) => [field, FIELDS[field]])), DESCRIPTIONS[op])
})

/** The union of them. */
export const ActionBody: TUnsafe<ActionRequest> = Type.Unsafe<ActionRequest>({
  type: 'object',
  discriminator: { propertyName: 'op' },
  required: ['op'],
  oneOf: ACTION_NAMES.map((op) => ({ $ref: `${op}#` })),
})
