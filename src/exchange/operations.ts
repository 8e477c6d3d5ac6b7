// The ten operations of POST /v1/orders/prepare. One table maps each operation to the arguments of the market function of the same name. The trader is the
// first argument of every function and is omitted from the table.

import { argumentOf, i128, SHARED_ENCODERS, u32 } from './call-arguments.ts'
import type { CallArgument, Encoders } from './call-arguments.ts'

/** The request fields of all operations. A field has the same meaning in every operation. */
export interface OperationFields {
  readonly asset: string
  /** 7-decimal USDC. */
  readonly collateral: string
  readonly leverage: number
  readonly direction: 'Long' | 'Short'
  readonly positionId: number | string
  readonly orderId: number | string
  /** 7-decimal prices. */
  readonly triggerPrice: string
  readonly limitPrice: string
  readonly triggerCondition: 'Above' | 'Below'
  readonly slippageToleranceBps: number
  readonly trailingPercentBps: number
}

export type OperationField = keyof OperationFields

/** Good till cancelled, the only time in force that the API offers. */
const TIME_IN_FORCE: CallArgument = { type: 'u32', value: 0 }
const NO_LIMIT_PRICE: CallArgument = { type: 'i128', value: 0n }

const ENTRY = ['asset', 'collateral', 'leverage', 'direction'] as const

/** Arguments of each market function after the trader, in order: a request field or a fixed value. */
const ARGUMENTS = {
  open_position: ENTRY,
  open_position_cross: ENTRY,
  close_position: ['positionId'],
  close_position_cross: ['positionId'],
  place_limit_order: [
    'asset', 'direction', 'collateral', 'leverage', 'triggerPrice', 'triggerCondition', 'slippageToleranceBps', TIME_IN_FORCE,
  ],
  place_stop_limit_order: [
    'asset', 'direction', 'collateral', 'leverage', 'triggerPrice', 'limitPrice', 'triggerCondition', 'slippageToleranceBps', TIME_IN_FORCE,
  ],
  place_trailing_stop: ['positionId', 'trailingPercentBps', 'slippageToleranceBps'],
  set_stop_loss: ['positionId', 'triggerPrice', 'slippageToleranceBps'],
  set_take_profit: ['positionId', 'triggerPrice', 'slippageToleranceBps', NO_LIMIT_PRICE],
  cancel_order: ['orderId'],
} as const satisfies Readonly<Record<string, readonly (OperationField | CallArgument)[]>>

export type OperationName = keyof typeof ARGUMENTS

export const OPERATION_NAMES = Object.keys(ARGUMENTS) as readonly OperationName[]

/** An operation and its fields. */
export type OperationRequest = {
  readonly [Op in OperationName]: { readonly op: Op } & Pick<OperationFields, Extract<(typeof ARGUMENTS)[Op][number], OperationField>>
}[OperationName]

/** The fields of an operation. All are required. */
export function operationFields(op: OperationName): readonly OperationField[] {
  return ARGUMENTS[op].filter((part) => typeof part === 'string')
}

/** The market call for a request, with `trader` as the first argument. */
export function operationCall(request: OperationRequest, trader: string): { readonly functionName: string; readonly args: readonly CallArgument[] } {
  const fields = request as Partial<OperationFields>
  const args = ARGUMENTS[request.op].map((part) => (typeof part === 'string' ? argumentOf(ENCODERS, fields, part) : part))
  return { functionName: request.op, args: [{ type: 'address', value: trader }, ...args] }
}

const ENCODERS: Encoders<OperationFields> = { ...SHARED_ENCODERS, limitPrice: i128, trailingPercentBps: u32 }
