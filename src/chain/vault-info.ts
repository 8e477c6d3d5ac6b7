// What the vault factory says of a vault.

import type { Rpc, CallOptions } from './rpc.ts'
import type { ScValue } from './scval.ts'
import { structField } from './scval.ts'
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
  const fields = {
    totalUsdc: i128In(value, 'total_usdc'),
    circulatingShares: i128In(value, 'circulating_shares'),
    leaderShares: i128In(value, 'leader_shares'),
    hwmNav: i128In(value, 'hwm_nav'),
    realizedPnl: i128In(value, 'realized_pnl'),
    profitShareBps: u32In(value, 'profit_share_bps'),
    paused: boolIn(value, 'paused'),
  }
  if (u32In(value, 'id') !== vaultId || Object.values(fields).includes(undefined)) return null
  return { vaultId, ledger, ...fields } as VaultInfo
}

function i128In(value: ScValue, name: string): bigint | undefined {
  const field = structField(value, name)
  return field?.type === 'i128' ? field.value : undefined
}

function u32In(value: ScValue, name: string): number | undefined {
  const field = structField(value, name)
  return field?.type === 'u32' ? field.value : undefined
}

function boolIn(value: ScValue, name: string): boolean | undefined {
  const field = structField(value, name)
  return field?.type === 'bool' ? field.value : undefined
}
