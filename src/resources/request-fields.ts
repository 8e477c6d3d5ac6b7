// What the fields of prepare bodies take: the same name takes the same in every operation and action.

import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import { LEVERAGE, SLIPPAGE_TOLERANCE_BPS } from '../limits.ts'

/** Digits of the largest i128 and of the largest u64. */
const I128_DIGITS = 39
const U64_DIGITS = 20

/** An amount as a string of digits: a JSON number would have lost some of them on its way. */
export function digits(description: string, example: string): object {
  return { type: 'string', pattern: '^[0-9]+$', maxLength: I128_DIGITS, format: 'i128', description, examples: [example] }
}

export function id(description: string): object {
  const asNumber = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  const asText = { pattern: '^[0-9]+$', maxLength: U64_DIGITS, format: 'u64' }
  return { type: ['integer', 'string'], ...asNumber, ...asText, description: `${description}: an integer, or its digits`, examples: [42] }
}

export function integer(bounds: { readonly min: number; readonly max: number }, description: string, example: number): object {
  return { type: 'integer', minimum: bounds.min, maximum: bounds.max, description, examples: [example] }
}

/** Fields that both order operations and other actions have. */
export const SHARED_FIELDS = {
  asset: { type: 'string', description: 'Symbol of a supported asset, upper case', examples: ['BTC'] },
  collateral: digits('7-decimal USDC; the contract asks for 10 USDC at least', '100000000'),
  leverage: integer(LEVERAGE, 'Times the collateral', 5),
  direction: { type: 'string', enum: ['Long', 'Short'] },
  positionId: id('The position'),
  orderId: id('The order'),
  triggerPrice: digits('7-decimal price at which the order is triggered', '1084215000000'),
  triggerCondition: { type: 'string', enum: ['Above', 'Below'], description: 'On which side of the trigger price the order is triggered' },
  slippageToleranceBps: integer(SLIPPAGE_TOLERANCE_BPS, 'How far the price may be off at execution, basis points; the contract refuses 0', 100),
} as const satisfies Readonly<Record<string, object>>

/** The body of one member of a union that `op` tells apart: exactly these fields. It is named as its tag's value, which is what a discriminator looks for. */
export function requestSchema(op: string, fields: Readonly<Record<string, object>>, description: string): TSchema {
  return Type.Unsafe({
    $id: op,
    type: 'object',
    properties: { op: { type: 'string', enum: [op] }, ...fields },
    required: ['op', ...Object.keys(fields)],
    additionalProperties: false,
    description,
  })
}
