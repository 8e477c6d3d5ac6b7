import { RpcFailure } from '../chain/rpc/failure.ts'
import { MalformedResponse } from '../chain/rpc/responses.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { accountKey, readAccountSequence as decodeSequence } from '../chain/codec/transaction.ts'

export interface AccountSequence {
  /** Null when there is no such account. */
  readonly sequence: bigint | null
  readonly ledger: number
}

/** The sequence number of an account in `minLedger` or a later ledger; undefined when it cannot be read. */
export async function readAccountSequence(
  rpc: Rpc, account: string, { minLedger, signal }: { readonly minLedger: number; readonly signal: AbortSignal },
): Promise<AccountSequence | undefined> {
  const key = accountKey(account)
  try {
    const { entries, latestLedger } = await rpc.getLedgerEntries([key], { minLedger, signal, requester: 'submissions' })
    const entry = entries.find(({ keyXdr }) => keyXdr === key)
    return { sequence: entry === undefined ? null : decodeSequence(entry.dataXdr), ledger: latestLedger }
  } catch (error) {
    if (signal.aborted || error instanceof RpcFailure || error instanceof MalformedResponse) return undefined
    throw error
  }
}
