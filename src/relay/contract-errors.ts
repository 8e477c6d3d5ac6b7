// Contract errors under their names (specification, "On-chain error decoding"): each contract has its own code space, and a code keeps its number when it
// passes through the contracts that called.

import type { RaisedError } from '../chain/outcome.ts'
import type { ContractAddresses, ContractKey } from '../exchange/contracts.ts'
import { CONTRACT_KEYS } from '../exchange/contracts.ts'
import { contractErrorName } from '../exchange/errors.ts'
import type { ContractError } from '../resources/submit-result.ts'

export interface ContractErrors {
  /** Which of the exchange's contracts raised the error; where the diagnostics do not say, the one that was `invoked`. */
  contractOf(raised: RaisedError, invoked: string | null): ContractKey | undefined
  /** The error as it is served; null for null. */
  describe(raised: RaisedError | null, invoked: string | null): ContractError | null
}

export function createContractErrors(contracts: ContractAddresses): ContractErrors {
  const keys = new Map(CONTRACT_KEYS.map((key) => [contracts[key], key]))

  function raisedBy(raised: RaisedError, invoked: string | null): ContractKey | undefined {
    const contract = raised.contract ?? invoked
    return contract === null ? undefined : keys.get(contract)
  }

  return {
    contractOf: raisedBy,
    describe(raised, invoked) {
      if (raised === null) return null
      return { code: raised.code, name: contractErrorName(raisedBy(raised, invoked), raised.code) }
    },
  }
}
