// The host functions that a running contract can call (soroban-rpc, "Authorization").

import { defined } from '../../src/base/assert.ts'
import { bytes, type ContractEnv, HostFailure, symbol, type Val, vec } from '../contracts/shared/host.ts'
import { accountAddress } from './addresses.ts'
import type { Authorizer } from './auth.ts'
import { authorizedCall, createInvocation } from './auth-tree.ts'
import type { CallStack, Frame } from './call-stack.ts'
import { isBuiltIn } from './call-checks.ts'
import { createClassicBalances } from './classic-balances.ts'
import type { CodeRegistry } from './code-registry.ts'
import { createContractStorage } from './contract-storage.ts'
import type { EventLog } from './event-log.ts'
import { hostFailure } from './failure.ts'
import type { HostStorage } from './host-storage.ts'
import { codeKey, instanceKey } from './keys.ts'
import type { Meter } from './meter.ts'
import { verifySignature } from './signatures.ts'
import { fromHex, toHex } from './xdr-writer.ts'

/** The parts that host functions read and change during one run. */
export interface HostServices {
  readonly storage: HostStorage
  readonly authorizer: Authorizer
  readonly meter: Meter
  readonly ledger: ContractEnv['ledger']
  readonly eventLog: EventLog
  readonly stack: CallStack
  readonly codes: CodeRegistry
}

/** The environment of one frame. `callContract` runs a call that this contract makes. */
export function createContractEnv(services: HostServices, frame: Frame, callContract: ContractEnv['call']): ContractEnv {
  const { storage, meter, eventLog } = services
  const contractStorage = createContractStorage(storage, frame.contract)
  const balances = createClassicBalances(storage)

  /** Runs a host function. Its failure is logged and traps the contract, even when the contract catches it. */
  function hostFunction<T>(name: string, run: () => T): T {
    try {
      return run()
    } catch (error) {
      if (!(error instanceof HostFailure)) throw error
      eventLog.recordHostFailure(frame.contract, error)
      if (!isBuiltIn(frame.code)) eventLog.recordEscalation(frame.contract, error, name)
      frame.fatalFailure = error
      throw error
    }
  }

  return {
    self: frame.contract,
    ledger: services.ledger,
    get: (durability, key) => hostFunction('get_contract_data', () => contractStorage.get(durability, key)),
    set: (durability, key, value, lifetimeLedgers) =>
      hostFunction('put_contract_data', () => contractStorage.set(durability, key, value, lifetimeLedgers)),
    remove: (durability, key) => hostFunction('del_contract_data', () => contractStorage.remove(durability, key)),
    requireAuth: (address) => hostFunction('require_auth', () => requireAuth(services, frame, address)),
    authorizeNextCall(contract, functionName, args: readonly Val[]) {
      meter.charge('auth')
      frame.grantsForNextCall = [...frame.grantsForNextCall, createInvocation(authorizedCall(contract, functionName, args)).id]
    },
    call: callContract,
    verifySignature: (key, message, signature) => hostFunction('verify_sig_ed25519', () => verify(meter, key, message, signature)),
    updateCurrentContractWasm: (wasmHash) => hostFunction('update_current_contract_wasm', () => updateWasm(services, frame.contract, wasmHash)),
    emit(topics, data) {
      meter.charge('event')
      eventLog.emit(frame.contract, topics, data)
    },
    classic: {
      balance: (account, asset) => hostFunction('balance', () => balances.balance(account, asset)),
      add: (account, asset, delta) => hostFunction('balance', () => balances.add(account, asset, delta)),
    },
  }
}

function requireAuth({ authorizer, meter, stack }: HostServices, frame: Frame, address: string): void {
  // A contract that calls directly authorizes its own call.
  if (stack.caller()?.contract === address) return meter.charge('auth')
  const call = authorizedCall(frame.contract, frame.functionName, frame.args)
  if (stack.consumeGrant(address, call)) return meter.charge('auth')
  authorizer.requireAuth(address, call)
}

function updateWasm({ codes, storage, meter, eventLog }: HostServices, contract: string, wasmHash: Uint8Array): void {
  const hash = toHex(wasmHash)
  if (storage.get(codeKey(hash)) === undefined || !codes.has(hash)) throw hostFailure('Storage', 'MissingValue', 'Wasm does not exist', bytes(wasmHash))
  const entry = storage.get(instanceKey(contract))
  const instance = defined(entry?.kind === 'instance' ? entry : undefined, 'the instance of a running contract')
  meter.charge('event')
  eventLog.recordUpgrade(contract, executableVal(instance.wasmHash), executableVal(hash))
  storage.put(instanceKey(contract), { ...instance, wasmHash: hash })
}

/** The executable in a system event: an enum value of the built-in types. */
function executableVal(wasmHash: string | null): Val {
  return wasmHash === null ? vec(symbol('StellarAsset')) : vec(symbol('Wasm'), bytes(fromHex(wasmHash)))
}

function verify(meter: Meter, publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void {
  meter.charge('signature')
  const valid = verifySignature(accountAddress(publicKey), message, signature)
  if (!valid) throw hostFailure('Crypto', 'InvalidInput', 'failed ED25519 verification')
}
