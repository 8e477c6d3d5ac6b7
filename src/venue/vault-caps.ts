// The vault's limits as it is configured now. The vault of generation 1 has no views for them, and no limit on skew: its entries are read. It stores a limit
// only once its administrator has set it; until then the contract's defaults apply.

import { readEntrySnapshot } from '../chain/entry-snapshot.ts'
import { RpcFailure } from '../chain/failure.ts'
import { contractDataKey, contractDataValue, instanceKey, instanceStorage } from '../chain/ledger-keys.ts'
import type { ScValue } from '../chain/scval.ts'
import { readField } from '../chain/structs.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import { viewOrNull } from '../chain/views.ts'
import { OPEN_INTEREST_CAPS_BPS } from '../limits.ts'
import type { AssetCaps } from './headroom.ts'

export interface VaultCaps {
  /** Maximum reserved payouts as a share of AUM. Null: cannot be read. */
  readonly reserveBps: number | null
  /** Assets whose limits cannot be read are missing. */
  readonly assets: ReadonlyMap<string, AssetCaps>
  /** Whether the vault sets USDC aside for profits that it could not pay. */
  readonly hasShortfallReserve: boolean
}

/** Reads the limits of generation 1 from the vault's entries. Rejects with RpcFailure. */
export async function readStoredVaultCaps(rpc: Rpc, vault: string, assets: readonly string[], options: CallOptions): Promise<VaultCaps> {
  const instance = instanceKey(vault)
  const capKeys = assets.map((asset) => [asset, assetCapKey(vault, asset)] as const)
  const snapshot = await readEntrySnapshot(rpc, [instance, ...capKeys.map(([, key]) => key)], options)
  if (snapshot === undefined) {
    throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'a ledger closed between the entries of the vault' })
  }
  const { entries } = snapshot
  const instanceXdr = entries.get(instance)
  const storage = instanceXdr === undefined ? undefined : instanceStorage(instanceXdr)
  const known = new Map<string, AssetCaps>()
  for (const [asset, key] of capKeys) {
    const entry = entries.get(key)
    const sideBps = entry === undefined ? OPEN_INTEREST_CAPS_BPS.assetSide : readField(contractDataValue(entry), 'u32')
    if (sideBps !== undefined) known.set(asset, { sideBps, sideAbsolute: 0n, skewBps: null })
  }
  return { reserveBps: storage === undefined ? null : reserveIn(storage), assets: known, hasShortfallReserve: false }
}

function reserveIn(storage: ReadonlyMap<string, ScValue>): number | null {
  const stored = storage.get('ReserveCapBps')
  return stored === undefined ? OPEN_INTEREST_CAPS_BPS.reserved : readField(stored, 'u32') ?? null
}

function assetCapKey(vault: string, asset: string): string {
  return contractDataKey(vault, { type: 'vec', value: [{ type: 'symbol', value: 'AssetCapBps' }, { type: 'symbol', value: asset }] })
}

/** Reads the limits of these assets. Rejects with RpcFailure. */
export async function readVaultCaps(rpc: Rpc, vault: string, assets: readonly string[], options: CallOptions): Promise<VaultCaps> {
  const [reserve, ...caps] = await Promise.all([
    viewOrNull(rpc, { contract: vault, functionName: 'get_reserve_cap', args: [] }, options),
    ...assets.map((asset) => viewOrNull(rpc, { contract: vault, functionName: 'get_asset_caps', args: [{ type: 'symbol', value: asset }] }, options)),
  ])
  const known = new Map<string, AssetCaps>()
  for (const [index, asset] of assets.entries()) {
    const found = assetCapsOf(caps[index]?.value)
    if (found !== undefined) known.set(asset, found)
  }
  return { reserveBps: readField(reserve?.value, 'u32') ?? null, assets: known, hasShortfallReserve: true }
}

/** `get_asset_caps` returns side bps, absolute side cap, skew bps, and the effective cap. */
function assetCapsOf(value: ScValue | undefined): AssetCaps | undefined {
  if (value?.type !== 'vec') return undefined
  const [side, absolute, skew] = value.value
  const [sideBps, sideAbsolute, skewBps] = [readField(side, 'u32'), readField(absolute, 'i128'), readField(skew, 'u32')]
  return sideBps === undefined || sideAbsolute === undefined || skewBps === undefined ? undefined : { sideBps, sideAbsolute, skewBps }
}
