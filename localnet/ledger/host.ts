// Runs contracts: frames, calls between contracts, and what their failures undo (soroban-rpc, "getTransaction outcomes").

import { assert, AssertionFailure } from '../../src/base/assert.ts'
import { ContractFailure, type EntryPoint, HostFailure, type Val } from '../contracts/shared/host.ts'
import { checkArguments, findEntryPoint, isBuiltIn } from './call-checks.ts'
import { createCallStack, type Frame } from './call-stack.ts'
import { createContractEnv, type HostServices } from './contract-env.ts'
import { loadContract } from './contract-loader.ts'
import { createEventLog } from './event-log.ts'
import { hostFailure } from './failure.ts'
import type { EventVal, Failure, HostEvent } from './host-events.ts'

export type HostOptions = Omit<HostServices, 'eventLog' | 'stack'>

/** One run of contracts. Its events are complete when `call` has returned or thrown. */
export interface Host {
  /** Calls a contract from outside. Throws ContractFailure or HostFailure; all changes are then dropped. */
  call(contract: string, functionName: string, args: readonly EventVal[]): Val
  readonly events: readonly HostEvent[]
}

/** Creates the host of one transaction or simulation. */
export function createHost(options: HostOptions): Host {
  const { storage, authorizer, meter } = options
  const eventLog = createEventLog()
  const stack = createCallStack()
  const services = { ...options, eventLog, stack }

  /** Makes one call. Its storage changes, authorizations and events are undone when it fails. */
  function invoke(contract: string, functionName: string, args: readonly EventVal[]): Val {
    meter.charge('call')
    eventLog.recordCall(stack.current()?.contract ?? null, contract, functionName, args)
    const firstEvent = eventLog.position()
    const restoreGrants = stack.saveGrants()
    storage.pushFrame()
    authorizer.pushFrame()
    let succeeded = false
    try {
      const value = runContract(contract, functionName, args)
      eventLog.recordReturn(contract, functionName, value)
      succeeded = true
      return value
    } finally {
      authorizer.popFrame(succeeded)
      storage.popFrame(succeeded)
      if (!succeeded) restoreGrants()
      // The events of a failed inner call are not emitted. Those of the outermost call stay as they are: they explain the error.
      if (!succeeded && stack.depth > 0) eventLog.markFailedSince(firstEvent)
    }
  }

  function runContract(contract: string, functionName: string, args: readonly EventVal[]): Val {
    const code = loadContract(services, contract)
    if (stack.depth === 0 && functionName.startsWith('__')) {
      const name: Val = { type: 'symbol', value: functionName }
      throw eventLog.recordHostFailure(null, hostFailure('Context', 'InvalidAction', "can't invoke a reserved function directly", name))
    }
    const entryPoint = findEntryPoint(code, functionName)
    if (entryPoint instanceof HostFailure) throw eventLog.recordHostFailure(contract, entryPoint)
    const checkedArgs = checkArguments(code, entryPoint, functionName, args)
    if (checkedArgs instanceof HostFailure) throw eventLog.recordHostFailure(contract, checkedArgs)
    return runFrame(stack.push({ contract, functionName, args: checkedArgs, code }), entryPoint)
  }

  function runFrame(frame: Frame, entryPoint: EntryPoint): Val {
    try {
      const env = createContractEnv(services, frame, (contract, functionName, args) => callFrom(frame, contract, functionName, args))
      const value = entryPoint.run(env, frame.args)
      if (frame.fatalFailure !== null) throw frame.fatalFailure
      return value
    } catch (error) {
      const failure = frame.fatalFailure ?? failureOf(error, frame.functionName)
      recordFrameFailure(frame, failure)
      throw failure
    } finally {
      stack.pop()
    }
  }

  /** A contract calls another. The failure is rethrown unchanged; a contract that catches it continues without the call's effects. */
  function callFrom(frame: Frame, contract: string, functionName: string, args: readonly Val[]): Val {
    const endGrants = stack.activateGrants(frame)
    try {
      return invoke(contract, functionName, args)
    } catch (error) {
      if (isFailure(error)) eventLog.recordFailedCall(frame.contract, error, functionName, args)
      throw error
    } finally {
      endGrants()
    }
  }

  /** A failure that was logged before came from another frame or from a host function: it trapped this contract. */
  function recordFrameFailure({ contract, code, functionName }: Frame, failure: Failure): void {
    if (eventLog.hasRecorded(failure)) {
      if (!isBuiltIn(code)) eventLog.recordTrap(contract, failure, functionName)
    } else if (failure instanceof ContractFailure) {
      eventLog.recordContractError(contract, failure, isBuiltIn(code))
    } else {
      eventLog.recordHostFailure(contract, failure)
    }
  }

  return {
    events: eventLog.events,
    call(contract, functionName, args) {
      assert(stack.depth === 0, 'a host runs one call at a time')
      return invoke(contract, functionName, args)
    },
  }
}

const isFailure = (error: unknown): error is Failure => error instanceof ContractFailure || error instanceof HostFailure

/** Any other error in a contract's code ends the call like a panic. A broken invariant of the ledger itself is rethrown. */
function failureOf(error: unknown, functionName: string): Failure {
  if (isFailure(error)) return error
  if (error instanceof AssertionFailure) throw error
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const values = [{ type: 'symbol', value: functionName }, { type: 'string', value: detail }] as const
  return hostFailure('WasmVm', 'InvalidAction', 'VM call trapped: UnreachableCodeReached', ...values)
}
