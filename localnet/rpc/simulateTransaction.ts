import type { MethodContext } from './method.ts'
import type { Params } from './params.ts'
import { optionalObject, optionalString, optionalU32, requireBase64 } from './params.ts'
import { wrongType } from './rpc-error.ts'

/**
 * simulateTransaction (soroban-rpc, "simulateTransaction"): a failed simulation is a result with `error`. A JSON-RPC error means only that a parameter has the
 * wrong type.
 */
export function simulateTransaction({ chain }: MethodContext, params: Params): unknown {
  requireBase64(params)
  optionalString(params, 'transaction')
  optionalString(params, 'authMode')
  const { useUpgradedAuth } = params
  if (useUpgradedAuth !== undefined && useUpgradedAuth !== null && typeof useUpgradedAuth !== 'boolean') {
    throw wrongType('useUpgradedAuth must be a boolean')
  }
  optionalU32(optionalObject(params, 'resourceConfig') ?? {}, 'instructionLeeway')
  return chain.simulate(params)
}
