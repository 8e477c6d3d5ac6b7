// Checks a call before the contract runs: the function exists, and the arguments match it. The failures are those of the real host.

import type { ContractCode, EntryPoint, HostFailure, Val } from '../contracts/shared/host.ts'
import { hostFailure } from './failure.ts'
import type { EventVal } from './host-events.ts'
import { matchesType } from './spec-match.ts'

/** True for the built-in asset contract, which has no WASM. */
export const isBuiltIn = (code: ContractCode): boolean => code.asset !== undefined

/** The entry point of a contract, or the failure of calling it. */
export function findEntryPoint(code: ContractCode, functionName: string): EntryPoint | HostFailure {
  const entryPoint = Object.hasOwn(code.entryPoints, functionName) ? code.entryPoints[functionName] : undefined
  if (entryPoint !== undefined) return entryPoint
  const name: Val = { type: 'symbol', value: functionName }
  if (isBuiltIn(code)) return hostFailure('Context', 'MissingValue', 'calling unknown contract function', name)
  return hostFailure('WasmVm', 'MissingValue', 'trying to invoke non-existent contract function', name)
}

/** The arguments, when their number and types match the contract's interface; otherwise the failure of a contract that gets others. */
export function checkArguments(
  code: ContractCode,
  { inputs }: EntryPoint,
  functionName: string,
  args: readonly EventVal[],
): readonly Val[] | HostFailure {
  const name: Val = { type: 'symbol', value: functionName }
  if (args.length !== inputs.length) {
    if (isBuiltIn(code)) return hostFailure('Context', 'UnexpectedSize', 'unexpected number of arguments', name)
    return hostFailure('WasmVm', 'UnexpectedSize', 'VM call failed: Func(MismatchingParameterLen)', name)
  }
  const matching = args.filter((arg, index): arg is Val => matchesInput(arg, inputs[index]?.[1] ?? 'void', code))
  if (matching.length === args.length) return matching
  if (isBuiltIn(code)) return hostFailure('Value', 'UnexpectedType', 'unexpected argument type', name)
  return hostFailure('WasmVm', 'InvalidAction', 'VM call trapped: UnreachableCodeReached', name)
}

function matchesInput(arg: EventVal, type: EntryPoint['inputs'][number][1], code: ContractCode): boolean {
  if (arg.type === 'foreign' || arg.type === 'error' || arg.type === 'list') return false
  return matchesType(arg, type, code.structs)
}
