// Runs contracts: frames, calls between contracts, authorisation, storage and events (soroban-rpc, "getTransaction outcomes",
// "Authorization").

import { assert, AssertionFailure } from '../../src/base/assert.ts'
import { type ContractCode, type ContractEnv, ContractFailure, HostFailure, type Val } from '../contracts/host.ts'
import { accountAddress } from './addresses.ts'
import type { Authorizer } from './auth.ts'
import { type AuthorizedCall, createCall, createInvocation } from './auth-tree.ts'
import { checkArguments, findEntryPoint } from './call-checks.ts'
import { createClassicBalances } from './classic-balances.ts'
import { CALL_DEPTH_MAX } from './constants.ts'
import { createContractStorage } from './contract-storage.ts'
import { hostFailure } from './failure.ts'
import type { EventVal, Failure, HostEvent } from './host-events.ts'
import type { HostStorage } from './host-storage.ts'
import { codeKey, instanceKey, type LedgerKey } from './keys.ts'
import type { Meter } from './meter.ts'
import { verifySignature } from './signatures.ts'
import { createEventLog } from './event-log.ts'

/** What a run of contracts works with. */
export interface HostOptions {
  readonly contracts: ReadonlyMap<string, ContractCode>
  readonly storage: HostStorage
  readonly authorizer: Authorizer
  readonly meter: Meter
  readonly ledger: ContractEnv['ledger']
}

/** A run of contracts. Its events are complete when `call` has returned or thrown. */
export interface Host {
  /** Calls a contract from outside. Throws ContractFailure or HostFailure; every change is then dropped. */
  call(contract: string, functionName: string, args: readonly EventVal[]): Val
  readonly events: readonly HostEvent[]
}

/** A contract that is running. */
interface Frame {
  readonly contract: string
  readonly functionName: string
  readonly args: readonly Val[]
  readonly code: ContractCode
  /** A failure that the contract may not survive, whether or not it lets it through. */
  fatalFailure: Failure | null
  /** Ids of deeper calls that this contract agrees to: within its next call, and within the one that is running. */
  grantsForNextCall: readonly string[]
  grantsForRunningCall: readonly string[]
}

const isBuiltIn = (code: ContractCode): boolean => code.asset !== undefined

/** Builds the host of one transaction or simulation. */
export function createHost(options: HostOptions): Host {
  const { contracts, storage, authorizer, meter, ledger } = options
  const trace = createEventLog()
  const frames: Frame[] = []

  /** Runs a function of the host for a contract: a failure is reported, and ends the contract even if it looks away. */
  function runHostFunction<T>(frame: Frame, name: string, run: () => T): T {
    try {
      return run()
    } catch (error) {
      if (!(error instanceof HostFailure)) throw error
      trace.recordHostFailure(frame.contract, error)
      if (!isBuiltIn(frame.code)) trace.recordEscalation(frame.contract, error, name)
      frame.fatalFailure = error
      throw error
    }
  }

  function envOf(frame: Frame): ContractEnv {
    const own = createContractStorage(storage, frame.contract)
    const classic = createClassicBalances(storage)
    return {
      self: frame.contract,
      ledger,
      get: (durability, key) => runHostFunction(frame, 'get_contract_data', () => own.get(durability, key)),
      set: (durability, key, value) => runHostFunction(frame, 'put_contract_data', () => own.set(durability, key, value)),
      remove: (durability, key) => runHostFunction(frame, 'del_contract_data', () => own.remove(durability, key)),
      requireAuth: (address) => runHostFunction(frame, 'require_auth', () => requireAuth(frame, address)),
      authorizeNextCall(contract, functionName, args) {
        meter.charge('auth')
        frame.grantsForNextCall = [...frame.grantsForNextCall, createInvocation(createCall(contract, functionName, args)).id]
      },
      call: (contract, functionName, args) => callFrom(frame, contract, functionName, args),
      verifySignature: (key, message, signature) => runHostFunction(frame, 'verify_sig_ed25519', () => verify(key, message, signature)),
      emit(topics, data) {
        meter.charge('event')
        trace.emit(frame.contract, topics, data)
      },
      classic: {
        balance: (account, asset) => runHostFunction(frame, 'balance', () => classic.balance(account, asset)),
        add: (account, asset, delta) => runHostFunction(frame, 'balance', () => classic.add(account, asset, delta)),
      },
    }
  }

  function requireAuth(frame: Frame, address: string): void {
    const caller = frames.at(-2)
    // Whoever calls directly agrees by calling.
    if (caller !== undefined && caller.contract === address) return meter.charge('auth')
    const call = createCall(frame.contract, frame.functionName, frame.args)
    if (consumeGrant(address, call)) return meter.charge('auth')
    authorizer.requireAuth(address, call)
  }

  /** Uses up what a contract further up agreed to, when it is this call. */
  function consumeGrant(address: string, call: AuthorizedCall): boolean {
    const grantor = frames.find(({ contract, grantsForRunningCall: granted }) => contract === address && granted.length > 0)
    const place = grantor?.grantsForRunningCall.indexOf(createInvocation(call).id) ?? -1
    if (grantor === undefined || place === -1) return false
    grantor.grantsForRunningCall = grantor.grantsForRunningCall.toSpliced(place, 1)
    return true
  }

  function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void {
    meter.charge('signature')
    const holds = verifySignature(accountAddress(publicKey), message, signature)
    if (!holds) throw hostFailure('Crypto', 'InvalidInput', 'failed ED25519 verification')
  }

  /** A contract calls another one. The failure passes through unchanged; a contract that catches it goes on without the call's effects. */
  function callFrom(frame: Frame, contract: string, functionName: string, args: readonly Val[]): Val {
    frame.grantsForRunningCall = frame.grantsForNextCall
    frame.grantsForNextCall = []
    try {
      return enter(contract, functionName, args)
    } catch (error) {
      if (isFailure(error)) trace.recordFailedCall(frame.contract, error, functionName, args)
      throw error
    } finally {
      frame.grantsForRunningCall = []
    }
  }

  function enter(contract: string, functionName: string, args: readonly EventVal[]): Val {
    meter.charge('call')
    trace.recordCall(frames.at(-1)?.contract ?? null, contract, functionName, args)
    const mark = trace.position()
    const grants = frames.map(({ grantsForRunningCall: granted }) => granted)
    storage.pushFrame()
    authorizer.pushFrame()
    let keep = false
    try {
      const value = runFrame(contract, functionName, args)
      trace.recordReturn(contract, functionName, value)
      keep = true
      return value
    } finally {
      authorizer.popFrame(keep)
      storage.popFrame(keep)
      // What a failed call used of its callers' agreements is theirs again.
      if (!keep) for (const [index, outer] of frames.entries()) outer.grantsForRunningCall = grants[index] ?? []
      // What a failed inner call emitted is not emitted; the outermost one's own reports are what the error's text is made of.
      if (!keep && frames.length > 0) trace.markFailedSince(mark)
    }
  }

  function runFrame(contract: string, functionName: string, args: readonly EventVal[]): Val {
    const code = resolve(contract)
    if (frames.length === 0 && functionName.startsWith('__')) {
      const name: Val = { type: 'symbol', value: functionName }
      throw refused(null, hostFailure('Context', 'InvalidAction', "can't invoke a reserved function directly", name))
    }
    const entryPoint = findEntryPoint(code, functionName)
    if (entryPoint instanceof HostFailure) throw refused(contract, entryPoint)
    const checkedArgs = checkArguments(code, entryPoint, functionName, args)
    if (checkedArgs instanceof HostFailure) throw refused(contract, checkedArgs)
    const frame: Frame = { contract, functionName, args: checkedArgs, code, fatalFailure: null, grantsForNextCall: [], grantsForRunningCall: [] }
    frames.push(frame)
    try {
      const value = entryPoint.run(envOf(frame), checkedArgs)
      if (frame.fatalFailure !== null) throw frame.fatalFailure
      return value
    } catch (error) {
      const failure = frame.fatalFailure ?? failureOf(error, functionName)
      recordFrameFailure(frame, failure)
      throw failure
    } finally {
      frames.pop()
    }
  }

  /** The last words of a failed frame: its own error, or that another's trapped it. */
  function recordFrameFailure(frame: Frame, failure: Failure): void {
    const { contract, code, functionName } = frame
    if (!trace.hasRecorded(failure)) {
      if (failure instanceof ContractFailure) trace.recordContractError(contract, failure, isBuiltIn(code))
      else trace.recordHostFailure(contract, failure)
    } else if (!isBuiltIn(code)) {
      trace.recordTrap(contract, failure, functionName)
    }
  }

  function refused(contract: string | null, failure: HostFailure): HostFailure {
    trace.recordHostFailure(contract, failure)
    return failure
  }

  /** The code at an address, when its instance is on the ledger. */
  function resolve(contract: string): ContractCode {
    if (frames.length >= CALL_DEPTH_MAX) throw refused(contract, hostFailure('Context', 'ExceededLimit', 'too many nested calls'))
    if (frames.some((frame) => frame.contract === contract)) {
      throw refused(contract, hostFailure('Context', 'InvalidAction', 'Contract re-entry is not allowed'))
    }
    const instance = load(instanceKey(contract))
    const code = contracts.get(contract)
    if (instance?.kind !== 'instance' || code === undefined) {
      const address: Val = { type: 'address', value: contract }
      throw refused(null, hostFailure('Storage', 'MissingValue', 'trying to get non-existing value for contract instance', address))
    }
    if (instance.wasmHash !== null) load(codeKey(instance.wasmHash))
    return code
  }

  /** Loads what a contract is made of, and keeps it alive. */
  function load(key: LedgerKey): ReturnType<HostStorage['get']> {
    try {
      const entry = storage.get(key)
      storage.extendIfNeeded(key)
      return entry
    } catch (error) {
      if (error instanceof HostFailure) trace.recordHostFailure(null, error)
      throw error
    }
  }

  return {
    events: trace.events,
    call(contract, functionName, args) {
      assert(frames.length === 0, 'a host runs one call at a time')
      return enter(contract, functionName, args)
    },
  }
}

const isFailure = (error: unknown): error is Failure => error instanceof ContractFailure || error instanceof HostFailure

/** A mistake inside a contract ends its call like a panic does; a broken invariant of the ledger itself is let through. */
function failureOf(error: unknown, functionName: string): Failure {
  if (isFailure(error)) return error
  if (error instanceof AssertionFailure) throw error
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const named = [{ type: 'symbol', value: functionName }, { type: 'string', value: what }] as const
  return hostFailure('WasmVm', 'InvalidAction', 'VM call trapped: UnreachableCodeReached', ...named)
}
