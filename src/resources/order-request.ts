// The body of POST /v1/orders/prepare: a union told apart by `op` (specification, "POST /v1/orders/prepare"). Which fields an operation has is written in
// src/exchange/operations.ts; what each of them takes is written here.

import { Type } from 'typebox'
import type { TSchema, TUnsafe } from 'typebox'
import { OPERATION_NAMES, operationFields } from '../exchange/operations.ts'
import type { OperationField, OperationName, OperationRequest } from '../exchange/operations.ts'
import { LEVERAGE, SLIPPAGE_TOLERANCE_BPS, TRAILING_PERCENT_BPS } from '../limits.ts'

/** Digits of the largest i128 and of the largest u64. */
const I128_DIGITS = 39
const U64_DIGITS = 20

/** An amount as a string of digits: a JSON number would have lost some of them on its way. */
function digits(description: string, example: string): object {
  return { type: 'string', pattern: '^[0-9]+$', maxLength: I128_DIGITS, format: 'i128', description, examples: [example] }
}

function id(description: string): object {
  const asNumber = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  const asText = { pattern: '^[0-9]+$', maxLength: U64_DIGITS, format: 'u64' }
  return { type: ['integer', 'string'], ...asNumber, ...asText, description: `${description}: an integer, or its digits`, examples: [42] }
}

function integer(bounds: { readonly min: number; readonly max: number }, description: string, example: number): object {
  return { type: 'integer', minimum: bounds.min, maximum: bounds.max, description, examples: [example] }
}

const FIELDS: Readonly<Record<OperationField, object>> = {
  asset: { type: 'string', description: 'Symbol of a supported asset, upper case', examples: ['BTC'] },
  collateral: digits('7-decimal USDC; the contract asks for 10 USDC at least', '100000000'),
  leverage: integer(LEVERAGE, 'Times the collateral', 5),
  direction: { type: 'string', enum: ['Long', 'Short'] },
  positionId: id('The position'),
  orderId: id('The order'),
  triggerPrice: digits('7-decimal price at which the order is triggered', '1084215000000'),
  limitPrice: digits('7-decimal price of the limit order that the stop becomes', '1085000000000'),
  triggerCondition: { type: 'string', enum: ['Above', 'Below'], description: 'On which side of the trigger price the order is triggered' },
  slippageToleranceBps: integer(SLIPPAGE_TOLERANCE_BPS, 'How far the price may be off at execution, basis points; the contract refuses 0', 100),
  trailingPercentBps: integer(TRAILING_PERCENT_BPS, 'Distance from the best price, basis points; the contract refuses more than 5000', 250),
}

const DESCRIPTIONS: Readonly<Record<OperationName, string>> = {
  open_position: 'Opens an isolated position at the market price',
  open_position_cross: 'Opens a position under cross margin at the market price',
  close_position: 'Closes an isolated position',
  close_position_cross: 'Closes a cross position',
  place_limit_order: 'Places an order that opens a position once the price is there',
  place_stop_limit_order: 'Places an order that becomes a limit order once the trigger price is there',
  place_trailing_stop: 'Attaches a stop to a position that follows its best price',
  set_stop_loss: 'Attaches a stop-loss to a position',
  set_take_profit: 'Attaches a take-profit to a position',
  cancel_order: 'Cancels a pending order; works while trading is paused',
}

/** One schema per operation, named as the operation: a discriminator's value is the name of its schema unless a mapping says otherwise. */
export const ORDER_REQUESTS: readonly TSchema[] = OPERATION_NAMES.map((op) => {
  const fields = operationFields(op)
  const properties = Object.fromEntries(fields.map((field) => [field, FIELDS[field]]))
  return Type.Unsafe({
    $id: op,
    type: 'object',
    properties: { op: { type: 'string', enum: [op] }, ...properties },
    required: ['op', ...fields],
    additionalProperties: false,
    description: DESCRIPTIONS[op],
  })
})

/** The union of them. */
export const OrderRequest: TUnsafe<OperationRequest> = Type.Unsafe<OperationRequest>({
  type: 'object',
  discriminator: { propertyName: 'op' },
  required: ['op'],
  oneOf: OPERATION_NAMES.map((op) => ({ $ref: `${op}#` })),
})
