// Names errors of contracts and of the host (specification, "On-chain error decoding"). Each contract has its own code space, and a code stays the same when
// it passes through calling contracts.

import type { HostError, RaisedError } from '../chain/outcome.ts'
import type { ContractKey } from '../exchange/contracts.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { ContractError, HostErrorName } from '../resources/submit-result.ts'

export interface ContractErrors {
  /** The exchange's contract that raised the error. Falls back to the `invoked` contract when the diagnostics name none. */
  contractOf(raised: RaisedError, invoked: string | null): ContractKey | undefined
  /** The error as the API returns it; null for null. */
  describe(raised: RaisedError | null, invoked: string | null): ContractError | null
}

export function createContractErrors(deployment: CurrentDeployment): ContractErrors {
  function contractOf(raised: RaisedError, invoked: string | null): ContractKey | undefined {
    const contract = raised.contract ?? invoked
    return contract === null ? undefined : deployment.current.contractOf(contract)
  }

  return {
    contractOf,
    describe(raised, invoked) {
      if (raised === null) return null
      return { code: raised.code, name: deployment.current.errorName(contractOf(raised, invoked), raised.code) }
    },
  }
}

/** A host error as the API returns it: `{type: "storage", code: "exceeded_limit"}`. */
export function describeHostError(error: HostError | null): HostErrorName | null {
  return error === null ? null : { type: snakeCase(error.type), code: snakeCase(error.code) }
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()
}

/** An error as the host prints it, which clients of the deployed service look for in messages. */
export function hostText(cause: RaisedError | HostError): string {
  return 'contract' in cause ? `[Error(Contract, #${cause.code})]` : `[Error(${cause.type}, ${cause.code})]`
}
