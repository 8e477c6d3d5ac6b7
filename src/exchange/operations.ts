// The ten operations of POST /v1/orders/prepare. One table maps each operation to the forms of the market function of the same name.

import { SIGNER, TIME_IN_FORCE, fieldNames } from './contracts/call-forms.ts'
import type { CallDefinition, CallForm, FieldNames, FieldsOf } from './contracts/call-forms.ts'

const ENTRY = [SIGNER, 'asset', 'collateral', 'leverage', 'direction'] as const
const OPEN = [{ since: '2.0', parameters: [...ENTRY, 'acceptablePrice?'] }, { since: '1', parameters: ENTRY }] as const
const CLOSE = [{ since: '2.0', parameters: [SIGNER, 'positionId', 'acceptablePrice?'] }, { since: '1', parameters: [SIGNER, 'positionId'] }] as const

const FORMS = {
  open_position: OPEN,
  open_position_cross: OPEN,
  close_position: CLOSE,
  close_position_cross: CLOSE,
  place_limit_order: [{
    since: '1',
    parameters: [SIGNER, 'asset', 'direction', 'collateral', 'leverage', 'triggerPrice', 'triggerCondition', 'slippageToleranceBps', TIME_IN_FORCE],
  }],
  place_stop_limit_order: [{
    since: '1',
    parameters: [
      SIGNER, 'asset', 'direction', 'collateral', 'leverage', 'triggerPrice', 'limitPrice', 'triggerCondition', 'slippageToleranceBps', TIME_IN_FORCE,
    ],
  }],
  place_trailing_stop: [{ since: '1', parameters: [SIGNER, 'positionId', 'trailingPercentBps', 'slippageToleranceBps'] }],
  set_stop_loss: [{ since: '1', parameters: [SIGNER, 'positionId', 'triggerPrice', 'slippageToleranceBps'] }],
  set_take_profit: [{ since: '1', parameters: [SIGNER, 'positionId', 'triggerPrice', 'slippageToleranceBps', 'limitPrice?'] }],
  cancel_order: [{ since: '1', parameters: [SIGNER, 'orderId'] }],
} as const satisfies Readonly<Record<string, readonly CallForm[]>>

export type OperationName = keyof typeof FORMS

export const OPERATION_NAMES = Object.keys(FORMS) as readonly OperationName[]

/** An operation and its fields. */
export type OperationRequest = { readonly [Op in OperationName]: { readonly op: Op } & FieldsOf<{ readonly forms: (typeof FORMS)[Op] }> }[OperationName]

export function operationFields(op: OperationName): FieldNames {
  return fieldNames(FORMS[op])
}

/** The market function of an operation. */
export function operationDefinition(op: OperationName): CallDefinition {
  return DEFINITIONS[op]
}

const DEFINITIONS = Object.fromEntries(
  OPERATION_NAMES.map((op): [OperationName, CallDefinition] => [op, { contract: 'market', functionName: op, forms: FORMS[op] }]),
) as Readonly<Record<OperationName, CallDefinition>>
