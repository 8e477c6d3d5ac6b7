// Finds the code of a contract that is called. The refusals are those of the real host.

import { type ContractCode, HostFailure, type Val } from '../contracts/shared/host.ts'
import type { CallStack } from './call-stack.ts'
import type { CodeRegistry } from './code-registry.ts'
import { CALL_DEPTH_MAX } from './constants.ts'
import type { Entry } from './entries.ts'
import type { EventLog } from './event-log.ts'
import { hostFailure } from './failure.ts'
import type { HostStorage } from './host-storage.ts'
import { codeKey, instanceKey, type LedgerKey } from './keys.ts'

interface LoaderOptions {
  readonly codes: CodeRegistry
  readonly storage: HostStorage
  readonly eventLog: EventLog
  readonly stack: CallStack
}

/** Loads the instance and code entries of a contract and extends their TTL. Throws HostFailure when it cannot be called. */
export function loadContract({ codes, storage, eventLog, stack }: LoaderOptions, contract: string): ContractCode {
  function load(key: LedgerKey): Entry | undefined {
    try {
      const entry = storage.get(key)
      storage.extendIfNeeded(key)
      return entry
    } catch (error) {
      if (error instanceof HostFailure) eventLog.recordHostFailure(null, error)
      throw error
    }
  }

  if (stack.depth >= CALL_DEPTH_MAX) {
    throw eventLog.recordHostFailure(contract, hostFailure('Context', 'ExceededLimit', 'too many nested calls'))
  }
  if (stack.isRunning(contract)) {
    throw eventLog.recordHostFailure(contract, hostFailure('Context', 'InvalidAction', 'Contract re-entry is not allowed'))
  }
  const instance = load(instanceKey(contract))
  if (instance?.kind !== 'instance') {
    const address: Val = { type: 'address', value: contract }
    const detail = 'trying to get non-existing value for contract instance'
    throw eventLog.recordHostFailure(null, hostFailure('Storage', 'MissingValue', detail, address))
  }
  if (instance.wasmHash !== null) load(codeKey(instance.wasmHash))
  return codes.codeOf(instance)
}
