// The body of POST /v1/orders/prepare: a union discriminated by `op` (specification, "POST /v1/orders/prepare"). src/exchange/operations.ts lists the fields
// of each operation.

import { Type } from 'typebox'
import type { TSchema, TUnsafe } from 'typebox'
import { OPERATION_NAMES, operationFields } from '../exchange/operations.ts'
import type { OperationName, OperationRequest } from '../exchange/operations.ts'
import { requestSchema } from './request-fields.ts'
import type { WithClientId } from './request-fields.ts'

const DESCRIPTIONS: Readonly<Record<OperationName, string>> = {
  open_position: 'Opens an isolated position at the market price.',
  open_position_cross: 'Opens a cross margin position at the market price.',
  close_position: 'Closes an isolated position.',
  close_position_cross: 'Closes a cross margin position.',
  place_limit_order: 'Places an order that opens a position when the price reaches the trigger price.',
  place_stop_limit_order: 'Places an order that becomes a limit order when the price reaches the trigger price.',
  place_trailing_stop: 'Attaches a stop order that trails the best price of the position.',
  set_stop_loss: 'Attaches a stop-loss order to a position.',
  set_take_profit: 'Attaches a take-profit order to a position.',
  cancel_order: 'Cancels a pending order. Works while trading is paused.',
}

export const ORDER_REQUESTS: readonly TSchema[] = OPERATION_NAMES.map((op) => requestSchema(op, operationFields(op), DESCRIPTIONS[op]))

export const OrderRequest: TUnsafe<OperationRequest & WithClientId> = Type.Unsafe<OperationRequest & WithClientId>({
  type: 'object',
  discriminator: { propertyName: 'op' },
  required: ['op'],
  oneOf: OPERATION_NAMES.map((op) => ({ $ref: `${op}#` })),
})
