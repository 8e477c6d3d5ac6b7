// Trader vaults, read through the views of the vault factory.

import type { CallOptions } from '../rpc/rpc-request.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { readField, readStruct } from '../codec/structs.ts'
import { readView } from './contract-views.ts'

/** A vault as `view_vault` returns it. Amounts have 7 decimals. */
export interface VaultInfo {
  readonly vaultId: number
  readonly totalUsdc: bigint
  readonly circulatingShares: bigint
  readonly leaderShares: bigint
  readonly hwmNav: bigint
  readonly realizedPnl: bigint
  readonly profitShareBps: number
  readonly paused: boolean
  /** The ledger at which it was read. */
  readonly ledger: number
}

/** Reads a vault; null when the result is not a vault with this id. Rejects with RpcFailure, also when the vault does not exist. */
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
  /** The ledger at which it was read. */
  readonly ledger: number
}

/** Reads how many vaults the factory has: ids are assigned in sequence, from 0. Rejects with RpcFailure. */
export async function readVaultCount(rpc: Rpc, factory: string, options: CallOptions = {}): Promise<VaultCount> {
  const { value, ledger } = await readView(rpc, { contract: factory, functionName: 'vault_count', args: [] }, options)
  return { count: readField(value, 'u32') ?? null, ledger }
}
