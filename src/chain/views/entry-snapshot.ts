// Ledger entries of one ledger, in as many calls as their number needs.

import type { CallOptions } from '../rpc/rpc-request.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { ENTRY_KEYS_MAX } from '../rpc/rpc.ts'

export interface EntrySnapshot {
  readonly ledger: number
  /** The data of the entries that exist, by key. */
  readonly entries: ReadonlyMap<string, string>
}

/** Reads all entries at one ledger. Undefined when a ledger closed between the calls. Rejects with RpcFailure. */
export async function readEntrySnapshot(rpc: Rpc, keys: readonly string[], call: CallOptions): Promise<EntrySnapshot | undefined> {
  const batches: (readonly string[])[] = []
  for (let start = 0; start < keys.length; start += ENTRY_KEYS_MAX) batches.push(keys.slice(start, start + ENTRY_KEYS_MAX))
  const responses = await Promise.all(batches.map((batch) => rpc.getLedgerEntries(batch, call)))
  const [first] = responses
  if (first === undefined || responses.some(({ latestLedger }) => latestLedger !== first.latestLedger)) return undefined
  return { ledger: first.latestLedger, entries: new Map(responses.flatMap(({ entries }) => entries.map(({ keyXdr, dataXdr }) => [keyXdr, dataXdr]))) }
}
