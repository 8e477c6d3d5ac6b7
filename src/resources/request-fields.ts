// Schemas of request fields. A field has the same schema in every operation and action.

import { CLIENT_ID_MAX_LENGTH } from '../limits.ts'
import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import type { CallField } from '../exchange/contracts/call-arguments.ts'
import type { FieldNames } from '../exchange/contracts/call-forms.ts'
import { EXAMPLE_TRADER } from './fields.ts'
import { LEVERAGE, REFERRAL_CODE_LENGTH, SLIPPAGE_BPS, SLIPPAGE_TOLERANCE_BPS, TIME_IN_FORCE, TRAILING_PERCENT_BPS, VAULT_NAME_MAX_LENGTH } from '../limits.ts'

/** Digits of the largest i128 and of the largest u64. */
const I128_DIGITS = 39
const U64_DIGITS = 20
const ADDRESS_LENGTH = 56

/** An amount as a digit string, because a JSON number would lose precision. */
function digits(description: string, example: string): object {
  return { type: 'string', pattern: '^[0-9]+$', maxLength: I128_DIGITS, format: 'i128', description, examples: [example] }
}

function id(description: string): object {
  const asNumber = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  const asText = { pattern: '^[0-9]+$', maxLength: U64_DIGITS, format: 'u64' }
  return { type: ['integer', 'string'], ...asNumber, ...asText, description: `${description}, as an integer or a digit string.`, examples: [42] }
}

function integer(bounds: { readonly min: number; readonly max: number }, description: string, example: number): object {
  return { type: 'integer', minimum: bounds.min, maximum: bounds.max, description, examples: [example] }
}

const U32 = { min: 0, max: 2 ** 32 - 1 } as const
const DISPLAYABLE = 'Rejected with 400: control, bidirectional, invisible and unassigned characters, spaces at the ends, and text like \\x00.'

const FIELDS: Readonly<Record<CallField, object>> = {
  asset: { type: 'string', description: 'Symbol of a supported asset, in upper case.', examples: ['BTC'] },
  collateral: digits('Collateral in USDC, 7-decimal. The contract requires at least 10 USDC.', '100000000'),
  leverage: integer(LEVERAGE, 'Position size divided by collateral.', 5),
  direction: { type: 'string', enum: ['Long', 'Short'], description: 'Direction of the position.' },
  positionId: id('Position id'),
  orderId: id('Order id'),
  triggerPrice: digits('Price at which the order triggers, in USD, 7-decimal.', '1084215000000'),
  triggerCondition: { type: 'string', enum: ['Above', 'Below'], description: 'Whether the order triggers above or below the trigger price.' },
  slippageToleranceBps: integer(SLIPPAGE_TOLERANCE_BPS, 'Maximum price deviation at execution, basis points. The contract rejects 0.', 100),
  amount: digits('Amount in USDC, 7-decimal.', '1000000000'),
  closeSize: digits('Part of the size to close, in USD, 7-decimal.', '2500000000'),
  lpAmount: digits('Number of LP tokens, 7-decimal.', '1000000000'),
  shares: digits('Number of vault shares, 7-decimal.', '1000000000'),
  minOut: digits('Least to receive: LP tokens or shares of a deposit, USDC of a withdrawal, 7-decimal. 0 for no bound.', '990000000'),
  vaultId: integer(U32, 'Trader vault id.', 0),
  limitPrice: digits(
    'Limit price in USD, 7-decimal. Stop-limit: of the order placed at the trigger price. Take-profit: replaces the trigger price, and is between it and the ' +
    'entry price; 0 for none.',
    '1085000000000',
  ),
  acceptablePrice: digits('Worst price at which the position may be opened or closed, in USD, 7-decimal. 0 for no bound.', '1090000000000'),
  slippageBps: integer(
    SLIPPAGE_BPS,
    'Instead of acceptablePrice: sets it this many basis points from the price of the simulation, against you. Contracts of generation 2 or later.',
    50,
  ),
  trailingPercentBps: integer(TRAILING_PERCENT_BPS, 'Distance from the best price in basis points. The contract rejects values above 5000.', 250),
  timeInForce: integer(TIME_IN_FORCE, '0: good till cancelled. 1: immediate or cancel. 2: post-only.', 0),
  reduceOnly: { type: 'boolean', description: 'True if the order may only reduce an open position of the other direction.', examples: [false] },
  expirationLedger: integer(U32, 'Last ledger in which the allowance is valid.', 1_234_567),
  name: {
    type: 'string', minLength: 1, maxLength: VAULT_NAME_MAX_LENGTH, format: 'displayable', description: `Vault name, 1 to 64 bytes. ${DISPLAYABLE}`,
    examples: ['North star'],
  },
  code: {
    type: 'string', minLength: REFERRAL_CODE_LENGTH.min, maxLength: REFERRAL_CODE_LENGTH.max, format: 'displayable',
    description: `Referral code, case-sensitive. ${DISPLAYABLE}`, examples: ['STAR'],
  },
  destination: {
    type: 'string', minLength: ADDRESS_LENGTH, maxLength: ADDRESS_LENGTH, format: 'account', description: 'Account that receives the transfer (G…).',
    examples: [EXAMPLE_TRADER],
  },
  paused: { type: 'boolean', description: 'True pauses deposits, withdrawals and trades of the vault. False resumes them.', examples: [true] },
}

/** The defaults of optional fields. */
const DEFAULTS: Readonly<Partial<Record<CallField, string | number | boolean>>> = {
  acceptablePrice: '0', limitPrice: '0', minOut: '0', timeInForce: 0, reduceOnly: false,
}

/** A client's own name for a transaction. */
export const CLIENT_ID = {
  type: 'string', pattern: `^[A-Za-z0-9_.:-]{1,${CLIENT_ID_MAX_LENGTH}}$`,
  description: 'Your own id of the transaction: 1 to 64 of A-Z a-z 0-9 _ - . and colon. Unique among your submitted transactions of the last 24 hours.',
  examples: ['my-order-1'],
} as const

/** A request's body: a union discriminated by `op`, each member with an optional client id. */
export interface WithClientId {
  readonly clientId?: string
}

/** One member of a union discriminated by `op`, with exactly these fields. Its `$id` equals the value of `op`, as a discriminator requires. */
export function requestSchema(op: string, { required, optional }: FieldNames, description: string): TSchema {
  return Type.Unsafe({
    $id: op,
    type: 'object',
    properties: {
      op: { type: 'string', enum: [op], description: 'Operation name.' },
      ...Object.fromEntries(required.map((field) => [field, FIELDS[field]])),
      ...Object.fromEntries(optional.map((field) => [field, { ...FIELDS[field], ...(field in DEFAULTS ? { default: DEFAULTS[field] } : {}) }])),
      clientId: CLIENT_ID,
    },
    required: ['op', ...required],
    additionalProperties: false,
    description,
  })
}
