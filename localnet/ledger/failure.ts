// Host failures, with the values that their diagnostic events carry.

import { HostFailure } from '../contracts/shared/host.ts'
import type { EventVal } from './host-events.ts'

const diagnosticValues = new WeakMap<HostFailure, readonly EventVal[]>()

/** A HostFailure whose diagnostic event carries `values` after its message. */
export function hostFailure(
  errorType: HostFailure['errorType'],
  errorCode: HostFailure['errorCode'],
  detail: string,
  ...values: readonly EventVal[]
): HostFailure {
  const failure = new HostFailure(errorType, errorCode, detail)
  diagnosticValues.set(failure, values)
  return failure
}

/** The data of a failure's diagnostic event: the message, or a list of the message and the values. */
export function failureData(failure: HostFailure): EventVal {
  const values = diagnosticValues.get(failure) ?? []
  const message: EventVal = { type: 'string', value: failure.message }
  return values.length === 0 ? message : { type: 'list', value: [message, ...values] }
}
