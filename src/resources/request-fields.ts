// Schemas of request fields. A field has the same schema in every operation and action.

import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import { LEVERAGE, SLIPPAGE_TOLERANCE_BPS } from '../limits.ts'

/** Digits of the largest i128 and of the largest u64. */
const I128_DIGITS = 39
const U64_DIGITS = 20

/** An amount as a digit string, because a JSON number would lose precision. */
export function digits(description: string, example: string): object {
  return { type: 'string', pattern: '^[0-9]+$', maxLength: I128_DIGITS, format: 'i128', description, examples: [example] }
}

export function id(description: string): object {
  const asNumber = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  const asText = { pattern: '^[0-9]+$', maxLength: U64_DIGITS, format: 'u64' }
  return { type: ['integer', 'string'], ...asNumber, ...asText, description: `${description}, as an integer or a digit string.`, examples: [42] }
}

export function integer(bounds: { readonly min: number; readonly max: number }, description: string, example: number): object {
  return { type: 'integer', minimum: bounds.min, maximum: bounds.max, description, examples: [example] }
}

/** Fields shared by order operations and other actions. */
export const SHARED_FIELDS = {
  asset: { type: 'string', description: 'Symbol of a supported asset, in upper case.', examples: ['BTC'] },
  collateral: digits('Collateral in USDC, 7-decimal. The contract requires at least 10 USDC.', '100000000'),
  leverage: integer(LEVERAGE, 'Position size divided by collateral.', 5),
  direction: { type: 'string', enum: ['Long', 'Short'], description: 'Direction of the position.' },
  positionId: id('Position id'),
  orderId: id('Order id'),
  triggerPrice: digits('Price at which the order triggers, in USD, 7-decimal.', '1084215000000'),
  triggerCondition: { type: 'string', enum: ['Above', 'Below'], description: 'Whether the order triggers above or below the trigger price.' },
  slippageToleranceBps: integer(SLIPPAGE_TOLERANCE_BPS, 'Maximum price deviation at execution, basis points. The contract rejects 0.', 100),
} as const satisfies Readonly<Record<string, object>>

/** One member of a union discriminated by `op`, with exactly these fields. Its `$id` equals the value of `op`, as a discriminator requires. */
export function requestSchema(op: string, fields: Readonly<Record<string, object>>, description: string): TSchema {
  return Type.Unsafe({
    $id: op,
    type: 'object',
    properties: { op: { type: 'string', enum: [op], description: 'Operation name.' }, ...fields },
    required: ['op', ...Object.keys(fields)],
    additionalProperties: false,
    description,
  })
}
