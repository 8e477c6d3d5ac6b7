// A call that may fail without failing its caller.

import type { ContractEnv, Val } from './host.ts'
import { ContractFailure, HostFailure } from './host.ts'

/** Calls another contract. Returns undefined if the call fails; the host then undoes its effects. */
export function tryCall(env: ContractEnv, contract: string, functionName: string, args: readonly Val[]): Val | undefined {
  try {
    return env.call(contract, functionName, args)
  } catch (error) {
    if (error instanceof ContractFailure || error instanceof HostFailure) return undefined
    throw error
  }
}
