// Names errors of contracts and of the host (specification, "On-chain error decoding"). Each contract has its own code space, and a code stays the same when
// it passes through calling contracts.

import type { HostError, RaisedError } from '../chain/rpc/outcome.ts'
import type { CurrentDeployment } from '../exchange/deployment.ts'
import type { ContractError, HostErrorName } from '../resources/submit-result.ts'
import { adviceForContractError } from './advice.ts'

interface ExplainedError {
  /** The error as the API returns it. */
  readonly contractError: ContractError
  /** Its meaning and what to do, as the continuation of a sentence. */
  readonly advice: string
}

export interface ContractErrors {
  /** Names and explains an error. It counts as raised by the `invoked` contract when the diagnostics name none. */
  explain(raised: RaisedError, invoked: string | null): ExplainedError
}

export function createContractErrors(deployment: CurrentDeployment): ContractErrors {
  return {
    explain({ code, contract }, invoked) {
      const { contractOf, errorName, generationOf, generation } = deployment.current
      const address = contract ?? invoked
      const raisedBy = address === null ? undefined : contractOf(address)
      const contractError = { code, name: errorName(raisedBy, code) }
      const advice = adviceForContractError(contractError, { raisedBy, generation: raisedBy === undefined ? generation : generationOf(raisedBy) })
      return { contractError, advice }
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
