// The contract and diagnostic events of a run, in the wording of the real host.

import type { ContractFailure, HostFailure } from '../contracts/shared/host.ts'
import { addressBytes } from './addresses.ts'
import { failureData } from './failure.ts'
import { type EventVal, type Failure, type HostEvent, joined } from './host-events.ts'

export interface EventLog {
  readonly events: readonly HostEvent[]
  emit(contract: string, topics: readonly EventVal[], data: EventVal): void
  /** The system event of an upgrade. */
  recordUpgrade(contract: string, before: EventVal, after: EventVal): void
  /** `caller` is null for the outermost call. */
  recordCall(caller: string | null, callee: string, functionName: string, args: readonly EventVal[]): void
  recordReturn(contract: string, functionName: string, value: EventVal): void
  /** Records a failure that the host detected, and returns it so that the caller can throw it. */
  recordHostFailure(contract: string | null, failure: HostFailure): HostFailure
  /** A host function that the contract called failed, which traps the contract. */
  recordEscalation(contract: string, failure: Failure, hostFunction: string): void
  /** A call that a contract made failed. */
  recordFailedCall(caller: string, failure: Failure, functionName: string, args: readonly EventVal[]): void
  /** The contract returned an error of its own. */
  recordContractError(contract: string, failure: ContractFailure, asset: boolean): void
  /** A contract trapped. */
  recordTrap(contract: string, failure: Failure, functionName: string): void
  /** True when this failure (the same object) was recorded before. */
  hasRecorded(failure: Failure): boolean
  /** The number of events so far. */
  position(): number
  /** Marks the events from `position` on as not emitted. */
  markFailedSince(position: number): void
}

const symbol = (value: string): EventVal => ({ type: 'symbol', value })
const text = (value: string): EventVal => ({ type: 'string', value })
const list = (...value: readonly EventVal[]): EventVal => ({ type: 'list', value })
const errorVal = (value: Failure): EventVal => ({ type: 'error', value })

export function createEventLog(): EventLog {
  const events: HostEvent[] = []
  const recorded = new WeakSet<Failure>()

  function addDiagnostic(contract: string | null, topics: readonly EventVal[], data: EventVal): void {
    events.push({ type: 'diagnostic', contract, topics, data, failed: false })
  }

  function addError(contract: string | null, failure: Failure, data: EventVal): void {
    recorded.add(failure)
    addDiagnostic(contract, [symbol('error'), errorVal(failure)], data)
  }

  const recordEscalation: EventLog['recordEscalation'] = (contract, failure, hostFunction) =>
    addError(contract, failure, text(`escalating error to VM trap from failed host function call: ${hostFunction}`))

  return {
    events,
    emit: (contract, topics, data) => void events.push({ type: 'contract', contract, topics, data, failed: false }),
    recordUpgrade(contract, before, after) {
      events.push({ type: 'system', contract, topics: [symbol('executable_update'), before, after], data: list(), failed: false })
    },
    recordCall(caller, callee, functionName, args) {
      const calleeId: EventVal = { type: 'bytes', value: addressBytes(callee) }
      addDiagnostic(caller, [symbol('fn_call'), calleeId, symbol(functionName)], joined(args))
    },
    recordReturn: (contract, functionName, value) => addDiagnostic(contract, [symbol('fn_return'), symbol(functionName)], value),
    recordHostFailure(contract, failure) {
      addError(contract, failure, failureData(failure))
      return failure
    },
    recordEscalation,
    recordFailedCall(caller, failure, functionName, args) {
      addError(caller, failure, list(text('contract call failed'), symbol(functionName), list(...args)))
      recordEscalation(caller, failure, 'call')
    },
    recordContractError(contract, failure, asset) {
      addError(contract, failure, text(asset ? assetErrorText(failure.code) : 'escalating Ok(ScErrorType::Contract) frame-exit to Err'))
    },
    recordTrap(contract, failure, functionName) {
      addDiagnostic(contract, [symbol('log')], list(text('VM call trapped with HostError'), symbol(functionName), errorVal(failure)))
    },
    hasRecorded: (failure) => recorded.has(failure),
    position: () => events.length,
    markFailedSince(position) {
      for (const event of events.slice(position)) event.failed = true
    },
  }
}

/** The messages of the built-in asset contract by error code (soroban-rpc, "Error type and code numbers"). */
const ASSET_ERRORS: Readonly<Record<number, string>> = {
  2: 'operation is not supported',
  3: 'contract has already been initialized',
  4: 'not authorized',
  5: 'authentication failed',
  6: 'account entry is missing',
  7: 'account is not classic',
  8: 'negative amount is not allowed',
  9: 'not enough allowance to spend',
  10: 'balance is not sufficient to spend',
  11: 'balance is deauthorized',
  12: 'amount overflows',
  13: 'trustline entry is missing for account',
  14: 'account reserve is insufficient',
  15: 'account has too many subentries',
}

function assetErrorText(code: number): string {
  return ASSET_ERRORS[code] ?? 'operation failed'
}
