// The upgrade function, which replaces a contract's own code.

import type { ContractEnv, EntryPoint } from './host.ts'
import { VOID } from './host.ts'
import { asBytes, entryPoint } from './values.ts'

/** `upgrade(new_wasm_hash)` of a contract. `requireAdmin` fails unless the admin authorized the call. */
export function upgradeEntryPoint(requireAdmin: (env: ContractEnv) => void): EntryPoint {
  return entryPoint({ new_wasm_hash: { bytesN: 32 } }, 'void', (env, args) => {
    requireAdmin(env)
    env.updateCurrentContractWasm(asBytes(args[0]))
    return VOID
  })
}
