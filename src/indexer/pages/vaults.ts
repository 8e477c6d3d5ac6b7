// Reads vaults from their factory: after a leader's trade, because no event reports its outcome, and periodically.

import { isOutage, RpcFailure } from '../../chain/rpc/failure.ts'
import type { CallOptions } from '../../chain/rpc/rpc-request.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { VaultInfo } from '../../chain/views/vault-info.ts'
import { readVaultInfo } from '../../chain/views/vault-info.ts'
import type { EventContracts } from '../../projections/state/epochs.ts'
import { listVaultsToRead, recordVaultObservations } from '../../projections/vaults/vault-observations.ts'
import type { EntrySubject } from './entry-observer.ts'

/** Each vault takes one simulation. */
const VAULTS_PER_BATCH = 8
/** Interval between reads of a vault without trades. */
const VAULT_READ_INTERVAL_MS = 5 * 60_000

export const VAULTS: EntrySubject<{ readonly vaultId: number }, VaultInfo> = {
  name: 'vaults',
  batch: VAULTS_PER_BATCH,
  idOf: ({ vaultId }) => vaultId,
  listUnknown: (db, epoch, { limit, except, nowMs }) => listVaultsToRead(db, epoch, { limit, except, readBeforeMs: nowMs - VAULT_READ_INTERVAL_MS }),
  observe: observeVaults,
  record: recordVaultObservations,
}

async function observeVaults(
  rpc: Rpc,
  { vaultFactory }: EventContracts,
  vaults: readonly { readonly vaultId: number }[],
  indexedLedger: number,
  options: CallOptions,
): Promise<readonly VaultInfo[] | undefined> {
  const read = await Promise.all(vaults.map(({ vaultId }) => readVaultOrNull(rpc, vaultFactory, vaultId, options)))
  const found = read.filter((info) => info !== null)
  return found.some(({ ledger }) => ledger < indexedLedger) ? undefined : found
}

/** Null when the factory returns no vault; the observer then counts an attempt. */
async function readVaultOrNull(rpc: Rpc, factory: string, vaultId: number, options: CallOptions): Promise<VaultInfo | null> {
  try {
    return await readVaultInfo(rpc, factory, vaultId, options)
  } catch (error) {
    if (!(error instanceof RpcFailure) || isOutage(error) || error.retryable) throw error
    return null
  }
}
