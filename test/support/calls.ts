// The contract calls of requests, for tests.

import { defined } from '../../src/base/assert.ts'
import { actionDefinition } from '../../src/exchange/actions.ts'
import type { ActionName, ActionRequest } from '../../src/exchange/actions.ts'
import type { CallFields, ContractCall } from '../../src/exchange/contracts/call-arguments.ts'
import { encodeCall, findForm } from '../../src/exchange/contracts/call-forms.ts'
import type { CallDefinition } from '../../src/exchange/contracts/call-forms.ts'
import type { ContractAddresses, ContractKey } from '../../src/exchange/contracts/contracts.ts'
import type { Generation } from '../../src/exchange/contracts/generations.ts'
import { OPERATION_NAMES, operationDefinition } from '../../src/exchange/operations.ts'
import type { OperationName, OperationRequest } from '../../src/exchange/operations.ts'

type Request = OperationRequest | ActionRequest

export function definitionOf(op: OperationName | ActionName): CallDefinition {
  return (OPERATION_NAMES as readonly string[]).includes(op) ? operationDefinition(op as OperationName) : actionDefinition(op as ActionName)
}

/** The call of a request on contracts of a generation. */
export function callOf(
  request: Request,
  signer: string,
  { contracts, generation = '1' }: { readonly contracts: Pick<ContractAddresses, 'vault'>; readonly generation?: Generation },
): ContractCall & { readonly contract: ContractKey } {
  const definition = definitionOf(request.op)
  const form = defined(findForm(definition, { generation, accepts: null }), `a form of ${request.op} in generation ${generation}`)
  return encodeCall(definition, form, { fields: request as Partial<CallFields>, signer, contracts })
}
