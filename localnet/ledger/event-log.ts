// The events of a run as they happen, in the host's own words.

import type { ContractFailure, HostFailure } from '../contracts/host.ts'
import { addressBytes } from './addresses.ts'
import { failureData } from './failure.ts'
import { type EventVal, type Failure, type HostEvent, joined } from './host-events.ts'

export interface EventLog {
  readonly events: readonly HostEvent[]
  emit(contract: string, topics: readonly EventVal[], data: EventVal): void
  /** `caller` is null for the outermost call. */
  recordCall(caller: string | null, callee: string, functionName: string, args: readonly EventVal[]): void
  recordReturn(contract: string, functionName: string, value: EventVal): void
  /** The first word of a failure that the host found. */
  recordHostFailure(contract: string | null, failure: HostFailure): void
  /** A function of the host failed under a contract: the contract is trapped. */
  recordEscalation(contract: string, failure: Failure, hostFunction: string): void
  /** A call that a contract made failed. */
  recordFailedCall(caller: string, failure: Failure, functionName: string, args: readonly EventVal[]): void
  /** The contract itself returned an error. */
  recordContractError(contract: string, failure: ContractFailure, asset: boolean): void
  /** A contract ended by a trap. */
  recordTrap(contract: string, failure: Failure, functionName: string): void
  /** True once any of the above named this very failure. */
  hasRecorded(failure: Failure): boolean
  /** Where the events stand; those after it can be marked as not emitted. */
  position(): number
  markFailedSince(mark: number): void
}

const symbol = (value: string): EventVal => ({ type: 'symbol', value })
const text = (value: string): EventVal => ({ type: 'string', value })
const list = (...value: readonly EventVal[]): EventVal => ({ type: 'list', value })
const errorVal = (value: Failure): EventVal => ({ type: 'error', value })

/** An empty trace. */
export function createEventLog(): EventLog {
  const events: HostEvent[] = []
  const known = new WeakSet<Failure>()

  function diagnose(contract: string | null, topics: readonly EventVal[], data: EventVal): void {
    events.push({ type: 'diagnostic', contract, topics, data, failed: false })
  }

  function report(contract: string | null, failure: Failure, data: EventVal): void {
    known.add(failure)
    diagnose(contract, [symbol('error'), errorVal(failure)], data)
  }

  const escalated: EventLog['recordEscalation'] = (contract, failure, hostFunction) =>
    report(contract, failure, text(`escalating error to VM trap from failed host function call: ${hostFunction}`))

  return {
    events,
    emit: (contract, topics, data) => void events.push({ type: 'contract', contract, topics, data, failed: false }),
    recordCall(caller, callee, functionName, args) {
      const calleeId: EventVal = { type: 'bytes', value: addressBytes(callee) }
      diagnose(caller, [symbol('fn_call'), calleeId, symbol(functionName)], joined(args))
    },
    recordReturn: (contract, functionName, value) => diagnose(contract, [symbol('fn_return'), symbol(functionName)], value),
    recordHostFailure: (contract, failure) => report(contract, failure, failureData(failure)),
    recordEscalation: escalated,
    recordFailedCall(caller, failure, functionName, args) {
      report(caller, failure, list(text('contract call failed'), symbol(functionName), list(...args)))
      escalated(caller, failure, 'call')
    },
    recordContractError(contract, failure, asset) {
      const words = asset ? assetErrorText(failure.code) : 'escalating Ok(ScErrorType::Contract) frame-exit to Err'
      report(contract, failure, text(words))
    },
    recordTrap(contract, failure, functionName) {
      diagnose(contract, [symbol('log')], list(text('VM call trapped with HostError'), symbol(functionName), errorVal(failure)))
    },
    hasRecorded: (failure) => known.has(failure),
    position: () => events.length,
    markFailedSince(mark) {
      for (const event of events.slice(mark)) event.failed = true
    },
  }
}

/** What the built-in contracts say with their codes (soroban-rpc, "Error type and code numbers"). */
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
