// Trader vaults as the factory stores them.

import type { Val } from '../contracts/shared/host.ts'
import { navOf } from '../contracts/shared/trader-vaults/shares.ts'
import { sharesKey, VAULT_INFO, vaultKey } from '../contracts/shared/trader-vaults/vaults.ts'
import type { Vault } from '../contracts/shared/trader-vaults/vaults.ts'
import { asI128 } from '../contracts/shared/values.ts'
import { contractDataKey, contractDataValue } from './exchange-state.ts'
import type { EntryReader } from './exchange-state.ts'

/** Actors read only the first vaults, because users can create any number of them. */
const MAX_VAULTS = 20

/** The first vaults, in the order of their ids. */
export async function readVaults(reader: EntryReader, factory: string): Promise<readonly Vault[]> {
  const keys = Array.from({ length: MAX_VAULTS }, (_, id) => contractDataKey(factory, vaultKey(id)))
  const values = await readValues(reader, keys)
  return keys.flatMap((key) => {
    const value = values.get(key)
    return value === undefined ? [] : [VAULT_INFO.fromVal(value)]
  })
}

/** The shares of a vault that an account holds. */
export async function readShares(reader: EntryReader, factory: string, vaultId: number, holder: string): Promise<bigint> {
  const key = contractDataKey(factory, sharesKey(vaultId, holder))
  const value = (await readValues(reader, [key])).get(key)
  return value === undefined ? 0n : asI128(value)
}

/** True if a vault has gained since its leader last claimed fees. */
export function hasGained(vault: Vault): boolean {
  return vault.circulating_shares > 0n && navOf(vault) > vault.hwm_nav
}

async function readValues(reader: EntryReader, keys: readonly string[]): Promise<ReadonlyMap<string, Val>> {
  const entries = await reader.readEntries(keys)
  return new Map([...entries].map(([key, entry]) => [key, contractDataValue(entry)]))
}
