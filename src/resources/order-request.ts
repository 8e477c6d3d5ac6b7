// The body of POST /v1/orders/prepare: a union told apart by `op` (specification, "POST /v1/orders/prepare"). Which fields an operation has is written in
// src/exchange/operations.ts; what each of them takes is written here.

import { Type } from 'typebox'
import type { TSchema, TUnsafe } from 'typebox'
import { OPERATION_NAMES, operationFields } from '../exchange/operations.ts'
import type { OperationField, OperationName, OperationRequest } from '../exchange/operations.ts'
import { TRAILING_PERCENT_BPS } from '../limits.ts'
import { digits, integer, requestSchema, SHARED_FIELDS } from './request-fields.ts'

const FIELDS: Readonly<Record<OperationField, object>> = {
  ...SHARED_FIELDS,
  limitPrice: digits('7-decimal price of the limit order that the stop becomes', '1085000000000'),
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

/** One schema per operation. */
export const ORDER_REQUESTS: readonly TSchema[] = OPERATION_NAMES.map((op) => {
  const fields = operationFields(op)
  return requestSchema(op, Object.fromEntries(fields.map((field) => [field, FIELDS[field]])), DESCRIPTIONS[op])
})

/** The union of them. */
export const OrderRequest: TUnsafe<OperationRequest> = Type.Unsafe<OperationRequest>({
  type: 'object',
  discriminator: { propertyName: 'op' },
  required: ['op'],
  oneOf: OPERATION_NAMES.map((op) => ({ $ref: `${op}#` })),
})
