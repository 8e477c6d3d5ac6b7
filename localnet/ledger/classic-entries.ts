// Accounts and trustlines on a view of the ledger: reading, writing and creating them.

import { type AccountEntry, TRUSTLINE_AUTHORIZED_FLAG, type TrustlineEntry } from './entries.ts'
import { accountKey, trustlineKey } from './keys.ts'
import { createLedgerEntry } from './ledger-entry.ts'
import { findEntry, type Layer, type View } from './state.ts'

export function findAccount(view: View, address: string): AccountEntry | undefined {
  const entry = findEntry(view, accountKey(address))
  return entry?.kind === 'account' ? entry : undefined
}

export function findTrustline(view: View, address: string, asset: string): TrustlineEntry | undefined {
  const entry = findEntry(view, trustlineKey(address, asset))
  return entry?.kind === 'trustline' ? entry : undefined
}

/** Writes an account; `sequence` is the ledger that changes it. */
export function putAccountEntry(layer: Layer, entry: AccountEntry, sequence: number): void {
  layer.put(accountKey(entry.account), createLedgerEntry(entry, sequence, null))
}

/** A new account. Its sequence number starts at its ledger's, so no envelope of an earlier account with this address is valid for it. */
export function createAccountEntry(account: string, balance: bigint, sequence: number): AccountEntry {
  return {
    kind: 'account', account, balance, seqNum: BigInt(sequence) << 32n, subEntries: 0, flags: 0, homeDomain: '',
    thresholds: [1, 0, 0, 0], signers: [], seqLedger: 0, seqTimeSec: 0,
  }
}

/** A new, authorized trustline. */
export function createTrustlineEntry(account: string, asset: string, balance: bigint, limit: bigint): TrustlineEntry {
  return { kind: 'trustline', account, asset, balance, limit, flags: TRUSTLINE_AUTHORIZED_FLAG }
}
