// The declarations in the code of a deployment's contracts: which generation it is, and what the gateway does not understand of it.

import type { CallTarget } from './call-forms.ts'
import { CONTRACT_KEYS } from './contracts.ts'
import type { ContractAddresses, ContractKey } from './contracts.ts'
import { acceptsArguments, declaredErrorName, findFunction, signatureOf } from './contract-spec.ts'
import type { ContractSpec } from './contract-spec.ts'
import { contractErrorName, UNKNOWN_CONTRACT_ERROR } from '../errors/errors.ts'
import { listNotUnderstood, recogniseGeneration } from './generations.ts'
import type { Generation } from './generations.ts'

/** The interface of one contract, as its code declares it. */
export interface ContractInterface {
  /** Lower-case hex; null: the code is unknown. */
  readonly wasmHash: string | null
  /** The ledger from which on this code is known to run. */
  readonly sinceLedger: number
  /** Null: the interface is of no known generation, or could not be read. */
  readonly generation: Generation | null
  /** Null: the code has no readable interface, or it was not read yet. */
  readonly spec: ContractSpec | null
  /** The parts that the gateway does not understand, one line each. */
  readonly notUnderstood: readonly string[]
}

/** Null: the code of the contract is not known. Asset contracts have none. */
export type ContractInterfaces = Readonly<Record<ContractKey, ContractInterface | null>>

export const UNKNOWN_INTERFACES = Object.fromEntries(CONTRACT_KEYS.map((key) => [key, null])) as Record<ContractKey, null>

/** The code that a contract runs. */
export interface RunningCode {
  /** Null: unknown. */
  readonly wasmHash: string | null
  readonly sinceLedger: number
  readonly spec: ContractSpec | null
  /** The reason why there is no interface or no code; null also while the code was not read yet. */
  readonly problem: string | null
}

/** The interfaces of a deployment from the code at its addresses. `expected` is the generation that the manifest declares. */
export function composeInterfaces(contracts: ContractAddresses, codeAt: ReadonlyMap<string, RunningCode>, expected: Generation | null): ContractInterfaces {
  const market = interfaceOf('market', codeAt.get(contracts.market), expected)
  // Most contracts do not change with every generation. The market does, so it decides.
  const generation = market?.generation ?? expected
  const others = CONTRACT_KEYS.map((key) => [key, key === 'market' ? market : interfaceOf(key, codeAt.get(contracts[key]), generation)])
  return Object.fromEntries(others) as ContractInterfaces
}

function interfaceOf(key: ContractKey, code: RunningCode | undefined, expected: Generation | null): ContractInterface | null {
  if (code === undefined) return null
  const { wasmHash, sinceLedger, spec, problem } = code
  if (spec === null) return { wasmHash, sinceLedger, generation: null, spec, notUnderstood: problem === null ? [] : [problem] }
  const generation = recogniseGeneration(key, spec, expected)
  const knowsError = (errorCode: number): boolean => isKnownError(key, errorCode, generation ?? expected ?? '1')
  return { wasmHash, sinceLedger, generation, spec, notUnderstood: listNotUnderstood(key, spec, { generation, expected, knowsError }) }
}

/** The specification serves this error of the first generation without its name (DepositCapExceeded), so it is known although no table has it. */
const UNNAMED_ERROR = 43
const SHARING_ERRORS: readonly ContractKey[] = ['market', 'vault', 'oracleShim', 'router']

function isUnnamed(key: ContractKey, code: number, generation: Generation): boolean {
  return code === UNNAMED_ERROR && generation === '1' && SHARING_ERRORS.includes(key)
}

function isKnownError(key: ContractKey, code: number, generation: Generation): boolean {
  return isUnnamed(key, code, generation) || contractErrorName(key, code, generation) !== UNKNOWN_CONTRACT_ERROR
}

/** The name of an error code: from the gateway's tables, otherwise the contract's own. `expected` is the generation of contracts without a known interface. */
export function errorName(interfaces: ContractInterfaces, expected: Generation, raisedBy: ContractKey | undefined, code: number): string {
  if (raisedBy === undefined) return UNKNOWN_CONTRACT_ERROR
  const generation = interfaces[raisedBy]?.generation ?? expected
  const known = contractErrorName(raisedBy, code, generation)
  if (known !== UNKNOWN_CONTRACT_ERROR || isUnnamed(raisedBy, code, generation)) return known
  const spec = interfaces[raisedBy]?.spec ?? null
  return (spec === null ? undefined : declaredErrorName(spec, code)) ?? UNKNOWN_CONTRACT_ERROR
}

/** The calls that the contract accepts, in the form of `expected` while its interface is unknown. */
export function callTargetOf(declared: ContractInterface | null, expected: Generation): CallTarget {
  const spec = declared?.spec ?? null
  const generation = declared?.generation ?? expected
  if (spec === null) return { generation, accepts: null }
  return {
    generation,
    accepts(functionName, types) {
      const found = findFunction(spec, functionName)
      return found !== undefined && acceptsArguments(spec, found, types)
    },
  }
}

/** A function as the contract declares it; null when it has none of this name, and while its interface is unknown. */
export function declaredSignature(declared: ContractInterface | null, functionName: string): string | null {
  const found = declared === null || declared.spec === null ? undefined : findFunction(declared.spec, functionName)
  return found === undefined ? null : signatureOf(found)
}
