// The host's verdicts with the values that its diagnostics name.

import { HostFailure } from '../contracts/host.ts'
import type { EventVal } from './host-events.ts'

const diagnosticValues = new WeakMap<HostFailure, readonly EventVal[]>()

/** A HostFailure whose diagnostic carries `values` behind its sentence. */
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

/** What the diagnostic of a failure carries: its sentence alone, or a list of it and its values. */
export function failureData(failure: HostFailure): EventVal {
  const values = diagnosticValues.get(failure) ?? []
  const sentence: EventVal = { type: 'string', value: failure.message }
  return values.length === 0 ? sentence : { type: 'list', value: [sentence, ...values] }
}
