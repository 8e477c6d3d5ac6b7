// What a transaction calls, from its own bytes: the arguments by the names that the contract's interface gives them.

import type { Invocation } from '../../chain/codec/prepared-envelope.ts'
import { readArguments } from '../../chain/codec/prepared-envelope.ts'
import { readSingleCall } from '../../chain/codec/transaction.ts'
import type { ScValue } from '../../chain/codec/scval.ts'
import { ACTION_NAMES, actionDefinition } from '../../exchange/actions.ts'
import { decodeCall, parameterNames } from '../../exchange/contracts/call-forms.ts'
import type { CallDefinition } from '../../exchange/contracts/call-forms.ts'
import { findFunction } from '../../exchange/contracts/contract-spec.ts'
import type { ContractKey } from '../../exchange/contracts/contracts.ts'
import type { Deployment } from '../../exchange/deployment.ts'
import { OPERATION_NAMES, operationDefinition } from '../../exchange/operations.ts'
import type { CallIntent } from '../../resources/prepared-transaction.ts'

interface KnownCall {
  readonly op: string
  readonly definition: CallDefinition
}

const KNOWN_CALLS = new Map<string, KnownCall>([
  ...OPERATION_NAMES.map((op) => ({ op, definition: operationDefinition(op) })),
  ...ACTION_NAMES.map((op) => ({ op, definition: actionDefinition(op) })),
].map((known) => [callKey(known.definition.contract, known.definition.functionName), known]))

function callKey(contract: ContractKey, functionName: string): string {
  return `${contract} ${functionName}`
}

/** The operation or action that calls this function of a contract (`C…`); null when there is none. */
export function findOperation(contract: string | null, functionName: string | null, { contractOf }: Deployment): string | null {
  const key = contract === null ? undefined : contractOf(contract)
  return key === undefined || functionName === null ? null : KNOWN_CALLS.get(callKey(key, functionName))?.op ?? null
}

/** A call of the exchange, from the bytes of the transaction that a client signed. */
export interface SubmittedCall {
  readonly op: string
  /** The account that makes it. */
  readonly signer: string
  readonly asset?: string
  readonly leverage?: number
  readonly collateral?: bigint
}

/** The call of a transaction; null when it is not exactly one call that can be prepared for its source account. Throws as decodeEnvelope does. */
export function readSubmittedCall(envelopeXdr: string, { contractOf, contracts }: Deployment): SubmittedCall | null {
  const call = readSingleCall(envelopeXdr)
  const key = call === null ? undefined : contractOf(call.contract)
  const known = call === null || key === undefined ? undefined : KNOWN_CALLS.get(callKey(key, call.functionName))
  if (call === null || known === undefined) return null
  const fields = decodeCall(known.definition, readArguments(call), { signer: call.source, contracts })
  if (fields === undefined) return null
  const { asset, leverage, collateral } = fields
  return {
    op: known.op, signer: call.source,
    ...(typeof asset === 'string' ? { asset } : {}), ...(typeof leverage === 'number' ? { leverage } : {}),
    ...(typeof collateral === 'bigint' ? { collateral } : {}),
  }
}

export function describeIntent({ contract, functionName, args }: Invocation, deployment: Deployment): CallIntent {
  const key = deployment.contractOf(contract)
  const known = key === undefined ? undefined : KNOWN_CALLS.get(callKey(key, functionName))
  const declared = key === undefined ? null : deployment.interfaces[key]?.spec ?? null
  const inputs = declared === null ? undefined : findFunction(declared, functionName)?.inputs.map(({ name }) => name)
  const names = inputs?.length === args.length ? inputs : known === undefined ? undefined : parameterNames(known.definition, args.length)
  return {
    op: known?.op ?? null,
    contract,
    function: functionName,
    args: Object.fromEntries(args.map((arg, index) => [names?.[index] ?? `arg${index}`, plainValue(arg)])),
  }
}

/** As JSON: 64-bit and 128-bit integers as digits, structs by their fields. */
function plainValue(value: ScValue): unknown {
  switch (value.type) {
    case 'void':
      return null
    case 'u64':
    case 'i128':
      return value.value.toString()
    case 'vec':
      return value.value.map(plainValue)
    case 'map':
      return Object.fromEntries(value.value.map(([key, item]) => [key.type === 'symbol' ? key.value : JSON.stringify(plainValue(key)), plainValue(item)]))
    case 'other':
      return value.xdrType
    default:
      return value.value
  }
}
