// The body of POST /v1/actions/prepare: a union discriminated by `op`. src/exchange/actions.ts lists the fields of each action.

import { Type } from 'typebox'
import type { TSchema, TUnsafe } from 'typebox'
import { ACTION_NAMES, actionFields } from '../exchange/actions.ts'
import type { ActionName, ActionRequest } from '../exchange/actions.ts'
import { requestSchema } from './request-fields.ts'
import type { WithClientId } from './request-fields.ts'

const DESCRIPTIONS: Readonly<Record<ActionName, string>> = {
  close_position_partial: 'Closes part of a position. The rest keeps its orders.',
  add_collateral: 'Adds USDC to the collateral of an isolated position.',
  remove_collateral: 'Removes USDC from the collateral of an isolated position.',
  deposit_cross_margin: 'Deposits USDC into the cross margin pool of the account.',
  withdraw_cross_margin: 'Withdraws idle USDC from the cross margin pool.',
  deposit_liquidity: 'Deposits USDC into the liquidity vault in exchange for LP tokens.',
  approve_liquidity_withdrawal: 'Approves the liquidity vault to pull LP tokens. Required before withdraw_liquidity.',
  withdraw_liquidity: 'Redeems LP tokens for USDC. Requires approve_liquidity_withdrawal first.',
  claim_shortfall: 'Claims profit that the liquidity vault could not pay when a position was closed.',
  create_vault: 'Creates a trader vault led by the account.',
  deposit_vault: 'Deposits USDC into a trader vault in exchange for shares.',
  withdraw_vault: 'Redeems shares of a trader vault for USDC.',
  leader_open_position: 'Opens a position with the funds of a vault led by the account.',
  leader_close_position: 'Closes a position of a vault led by the account.',
  leader_place_limit_order: 'Places a limit order with the funds of a vault led by the account.',
  leader_place_stop_limit: 'Places a stop-limit order with the funds of a vault led by the account.',
  leader_set_stop_loss: 'Attaches a stop-loss order to a position of a vault led by the account.',
  leader_set_take_profit: 'Attaches a take-profit order to a position of a vault led by the account.',
  leader_place_trailing_stop: 'Attaches a trailing stop order to a position of a vault led by the account.',
  leader_cancel_order: 'Cancels an order of a vault led by the account.',
  claim_leader_fees: 'Pays the leader their share of the profit above the high-water mark.',
  set_vault_paused: 'Pauses or resumes a vault led by the account.',
  create_referral_code: 'Registers the referral code of the account. A code cannot be changed.',
  set_referrer: 'Sets the owner of a referral code as the referrer of the account. A referrer cannot be changed.',
  claim_referral: 'Claims the earnings of the account as a referrer.',
  transfer_usdc: 'Sends USDC from the account to another account, which needs a trustline for USDC.',
}

export const ACTION_REQUESTS: readonly TSchema[] = ACTION_NAMES.map((op) => requestSchema(op, actionFields(op), DESCRIPTIONS[op]))

export const ActionBody: TUnsafe<ActionRequest & WithClientId> = Type.Unsafe<ActionRequest & WithClientId>({
  type: 'object',
  discriminator: { propertyName: 'op' },
  required: ['op'],
  oneOf: ACTION_NAMES.map((op) => ({ $ref: `${op}#` })),
})
