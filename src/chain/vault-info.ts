// What the vault factory says of a vault.

import type { CallOptions } from './rpc-request.ts'
import type { Rpc } from './rpc.ts'
import { readField, readStruct } from './structs.ts'
import { readView } from './views.ts'

/** A vault as `view_vault` tells it. Amounts have 7 decimals. */
export interface VaultInfo {
  readonly vaultId: number
  readonly totalUsdc: bigint
  readonly circulatingShares: bigint
  readonly leaderShares: bigint
  readonly hwmNav: bigint
  readonly realizedPnl: bigint
  readonly profitShareBps: number
  readonly paused: boolean
  /** The ledger that it was read at. */
  readonly ledger: number
}

/** Reads a vault; null when the answer is not a vault of this id. Rejects with RpcFailure, also when the factory knows no such vault. */
export async function readVaultInfo(rpc: Rpc, factory: string, vaultId: number, options: CallOptions = {}): Promise<VaultInfo | null> {
  const { value, ledger } = await readView(rpc, { contract: factory, functionName: 'view_vault', args: [{ type: 'u32', value: vaultId }] }, options)
  const info = readStruct(value, VAULT_INFO)
  if (info === undefined || info.id !== vaultId) return null
  return {
    vaultId,
    ledger,
    totalUsdc: info.total_usdc,
    circulatingShares: info.circulating_shares,
    leaderShares: info.leader_shares,
    hwmNav: info.hwm_nav,
    realizedPnl: info.realized_pnl,
    profitShareBps: info.profit_share_bps,
    paused: info.paused,
  }
}

const VAULT_INFO = {
  circulating_shares: 'i128', hwm_nav: 'i128', id: 'u32', leader_shares: 'i128', paused: 'bool', profit_share_bps: 'u32', realized_pnl: 'i128',
  total_usdc: 'i128',
} as const

/** Null: cannot be read. */
export interface VaultCount {
  readonly count: number | null
  /** The ledger that it was read at. */
  readonly ledger: number
}

/** How many vaults the factory has: ids are given out one after the other, from 0. Rejects with RpcFailure. */
export async function readVaultCount(rpc: Rpc, factory: string, options: CallOptions = {}): Promise<VaultCount> {
  const { value, ledger } = await readView(rpc, { contract: factory, functionName: 'vault_count', args: [] }, options)
  return { count: readField(value, 'u32') ?? null, ledger }
}
