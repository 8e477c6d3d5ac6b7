// The body of POST /v1/actions/prepare: a union discriminated by `op`. src/exchange/actions.ts lists the fields of each action; this file defines their
// schemas.

import { Type } from 'typebox'
import type { TSchema, TUnsafe } from 'typebox'
import { ACTION_NAMES, actionFields } from '../exchange/actions.ts'
import type { ActionField, ActionName, ActionRequest } from '../exchange/actions.ts'
import { REFERRAL_CODE_LENGTH, VAULT_NAME_MAX_LENGTH } from '../limits.ts'
import { digits, integer, requestSchema, SHARED_FIELDS } from './request-fields.ts'

const U32 = { min: 0, max: 2 ** 32 - 1 } as const

const DISPLAYABLE = 'Rejected with 400: control, bidirectional, invisible and unassigned characters, spaces at the ends, and text like \\x00.'

const FIELDS: Readonly<Record<ActionField, object>> = {
  ...SHARED_FIELDS,
  amount: digits('Amount in USDC, 7-decimal.', '1000000000'),
  lpAmount: digits('Number of LP tokens, 7-decimal.', '1000000000'),
  shares: digits('Number of vault shares, 7-decimal.', '1000000000'),
  vaultId: integer(U32, 'Trader vault id.', 0),
  expirationLedger: integer(U32, 'Last ledger in which the allowance is valid.', 1_234_567),
  name: {
    type: 'string', minLength: 1, maxLength: VAULT_NAME_MAX_LENGTH, format: 'displayable', description: `Vault name, 1 to 64 bytes. ${DISPLAYABLE}`,
    examples: ['North star'],
  },
  code: {
    type: 'string', minLength: REFERRAL_CODE_LENGTH.min, maxLength: REFERRAL_CODE_LENGTH.max, format: 'displayable',
    description: `Referral code, case-sensitive. ${DISPLAYABLE}`, examples: ['STAR'],
  },
  paused: { type: 'boolean', description: 'True pauses deposits, withdrawals and trades of the vault. False resumes them.', examples: [true] },
}

const DESCRIPTIONS: Readonly<Record<ActionName, string>> = {
  deposit_cross_margin: 'Deposits USDC into the cross margin pool of the account.',
  withdraw_cross_margin: 'Withdraws idle USDC from the cross margin pool.',
  deposit_liquidity: 'Deposits USDC into the liquidity vault in exchange for LP tokens.',
  approve_liquidity_withdrawal: 'Approves the liquidity vault to pull LP tokens. Required before withdraw_liquidity.',
  withdraw_liquidity: 'Redeems LP tokens for USDC. Requires approve_liquidity_withdrawal first.',
  create_vault: 'Creates a trader vault led by the account.',
  deposit_vault: 'Deposits USDC into a trader vault in exchange for shares.',
  withdraw_vault: 'Redeems shares of a trader vault for USDC.',
  leader_open_position: 'Opens a position with the funds of a vault led by the account.',
  leader_close_position: 'Closes a position of a vault led by the account.',
  leader_place_limit_order: 'Places a limit order with the funds of a vault led by the account.',
  leader_cancel_order: 'Cancels an order of a vault led by the account.',
  claim_leader_fees: 'Pays the leader their share of the profit above the high-water mark.',
  set_vault_paused: 'Pauses or resumes a vault led by the account.',
  create_referral_code: 'Registers the referral code of the account. A code cannot be changed.',
  set_referrer: 'Sets the owner of a referral code as the referrer of the account. A referrer cannot be changed.',
  claim_referral: 'Claims the earnings of the account as a referrer.',
}

export const ACTION_REQUESTS: readonly TSchema[] = ACTION_NAMES.map((op) => {
  const fields = actionFields(op)
  return requestSchema(op, Object.fromEntries(fields.map((field) => [field, FIELDS[field]])), DESCRIPTIONS[op])
})

export const ActionBody: TUnsafe<ActionRequest> = Type.Unsafe<ActionRequest>({
  type: 'object',
  discriminator: { propertyName: 'op' },
  required: ['op'],
  oneOf: ACTION_NAMES.map((op) => ({ $ref: `${op}#` })),
})
