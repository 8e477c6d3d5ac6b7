// Reads of a contract's instance storage and of single persistent values.

import type { ContractEnv, Val } from './host.ts'
import { asAddress, asI128, asU32, fail } from './values.ts'

/** An address that `initialize` stores; fails with `notInitializedCode` before that. */
export function readInstanceAddress(env: ContractEnv, key: Val, notInitializedCode: number): string {
  return asAddress(env.get('instance', key) ?? fail(notInitializedCode))
}

/** A u32 setting, or its default while the admin has not set it. */
export function readInstanceU32(env: ContractEnv, key: Val, defaultValue: number): number {
  const stored = env.get('instance', key)
  return stored === undefined ? defaultValue : asU32(stored)
}

/** A persistent amount; 0 if nothing is stored. */
export function readPersistentI128(env: ContractEnv, key: Val): bigint {
  const stored = env.get('persistent', key)
  return stored === undefined ? 0n : asI128(stored)
}
