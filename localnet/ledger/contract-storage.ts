// The storage of one contract: its contract data entries and its instance storage.

import { defined } from '../../src/base/assert.ts'
import type { ContractEnv, HostFailure, Val } from '../contracts/shared/host.ts'
import { encodeVal, valToBase64 } from '../scval.ts'
import { DATA_ENTRY_BYTES_MAX, DATA_KEY_BYTES_MAX } from './constants.ts'
import type { InstanceEntry } from './entries.ts'
import { hostFailure } from './failure.ts'
import type { HostStorage } from './host-storage.ts'
import { contractDataKey, instanceKey } from './keys.ts'

type ContractStorage = Pick<ContractEnv, 'get' | 'set' | 'remove'>

/** Ledger keys are base64: four characters for three bytes. */
const DATA_KEY_CHARACTERS_MAX = Math.ceil(DATA_KEY_BYTES_MAX / 3) * 4

const tooLarge = (what: string, key: Val): HostFailure => hostFailure('Budget', 'ExceededLimit', `contract data ${what} is too large`, key)

export function createContractStorage(storage: HostStorage, contract: string): ContractStorage {
  const instanceLedgerKey = instanceKey(contract)

  function instance(): InstanceEntry {
    const entry = storage.get(instanceLedgerKey)
    return defined(entry?.kind === 'instance' ? entry : undefined, 'the instance of a running contract')
  }

  function changeInstance(change: (values: Map<string, readonly [Val, Val]>) => void): void {
    const entry = instance()
    const values = new Map(entry.storage)
    change(values)
    storage.put(instanceLedgerKey, { ...entry, storage: values })
  }

  return {
    get(durability, key) {
      if (durability === 'instance') return instance().storage.get(valToBase64(key))?.[1]
      const entry = storage.get(contractDataKey(contract, durability, key))
      return entry?.kind === 'contractData' ? entry.value : undefined
    },
    set(durability, key, value, lifetimeLedgers) {
      if (durability === 'instance') return changeInstance((values) => values.set(valToBase64(key), [key, value]))
      const ledgerKey = contractDataKey(contract, durability, key)
      if (ledgerKey.length > DATA_KEY_CHARACTERS_MAX) throw tooLarge('key', key)
      if (encodeVal(value).length > DATA_ENTRY_BYTES_MAX) throw tooLarge('entry', key)
      storage.put(ledgerKey, { kind: 'contractData', contract, key, durability, value }, { lifetimeLedgers })
    },
    remove(durability, key) {
      if (durability === 'instance') return changeInstance((values) => void values.delete(valToBase64(key)))
      storage.remove(contractDataKey(contract, durability, key))
    },
  }
}
