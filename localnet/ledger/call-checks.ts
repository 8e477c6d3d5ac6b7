// Before a contract runs: is there such a function, and do the arguments fit it? The refusals are those of the real host.

import type { ContractCode, EntryPoint, HostFailure, Val } from '../contracts/host.ts'
import { hostFailure } from './failure.ts'
import type { EventVal } from './host-events.ts'
import { matchesType } from './spec-match.ts'

/** The entry point of a contract, or why it cannot be called. */
export function findEntryPoint(code: ContractCode, functionName: string): EntryPoint | HostFailure {
  const entryPoint = Object.hasOwn(code.entryPoints, functionName) ? code.entryPoints[functionName] : undefined
  if (entryPoint !== undefined) return entryPoint
  const name: Val = { type: 'symbol', value: functionName }
  if (code.asset !== undefined) return hostFailure('Context', 'MissingValue', 'calling unknown contract function', name)
  return hostFailure('WasmVm', 'MissingValue', 'trying to invoke non-existent contract function', name)
}

/** The arguments, counted and typed against the published interface; or how a contract that is given others ends. */
export function checkArguments(
  code: ContractCode,
  { inputs }: EntryPoint,
  functionName: string,
  args: readonly EventVal[],
): readonly Val[] | HostFailure {
  const isBuiltIn = code.asset !== undefined
  const name: Val = { type: 'symbol', value: functionName }
  if (args.length !== inputs.length) {
    if (isBuiltIn) return hostFailure('Context', 'UnexpectedSize', 'unexpected number of arguments', name)
    return hostFailure('WasmVm', 'UnexpectedSize', 'VM call failed: Func(MismatchingParameterLen)', name)
  }
  const fitting = args.filter((arg, index): arg is Val => matchesInput(arg, inputs[index]?.[1] ?? 'void', code))
  if (fitting.length === args.length) return fitting
  if (isBuiltIn) return hostFailure('Value', 'UnexpectedType', 'unexpected argument type', name)
  return hostFailure('WasmVm', 'InvalidAction', 'VM call trapped: UnreachableCodeReached', name)
}

function matchesInput(arg: EventVal, type: EntryPoint['inputs'][number][1], code: ContractCode): boolean {
  if (arg.type === 'foreign' || arg.type === 'error' || arg.type === 'list') return false
  return matchesType(arg, type, code.structs)
}
