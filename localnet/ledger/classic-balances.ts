// Balances of accounts and trustlines, as the built-in asset contracts read and change them.

import type { ClassicBalances } from '../contracts/shared/host.ts'
import { ACCOUNT_RESERVE_ENTRIES, BASE_RESERVE_STROOPS, INT64_MAX } from './constants.ts'
import type { AccountEntry } from './entries.ts'
import type { HostStorage } from './host-storage.ts'
import { accountKey, trustlineKey } from './keys.ts'

/** The minimum balance of an account with this many subentries, stroops. */
export function minimumBalance(subEntries: number): bigint {
  return BigInt(ACCOUNT_RESERVE_ENTRIES + subEntries) * BASE_RESERVE_STROOPS
}

/** The balance above the minimum, stroops. */
export function availableBalance(account: AccountEntry): bigint {
  const available = account.balance - minimumBalance(account.subEntries)
  return available > 0n ? available : 0n
}

/** Balances read and written through the storage of a run. */
export function createClassicBalances(storage: HostStorage): ClassicBalances {
  function account(address: string): AccountEntry | undefined {
    const entry = storage.get(accountKey(address))
    return entry?.kind === 'account' ? entry : undefined
  }

  function addNative(address: string, delta: bigint): ReturnType<ClassicBalances['add']> {
    const entry = account(address)
    if (entry === undefined) return 'account-missing'
    if (delta < 0n && availableBalance(entry) < -delta) return 'insufficient'
    if (entry.balance + delta > INT64_MAX) return 'overflow'
    storage.put(accountKey(address), { ...entry, balance: entry.balance + delta })
    return 'ok'
  }

  return {
    balance(address, asset) {
      if (asset === 'native') return account(address)?.balance
      const entry = storage.get(trustlineKey(address, asset))
      return entry?.kind === 'trustline' ? entry.balance : undefined
    },
    add(address, asset, delta) {
      if (asset === 'native') return addNative(address, delta)
      const key = trustlineKey(address, asset)
      const entry = storage.get(key)
      if (entry?.kind !== 'trustline') return 'trustline-missing'
      const balance = entry.balance + delta
      if (balance < 0n) return 'insufficient'
      if (balance > entry.limit) return 'overflow'
      storage.put(key, { ...entry, balance })
      return 'ok'
    },
  }
}
