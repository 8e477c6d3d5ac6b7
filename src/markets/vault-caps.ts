// The vault's limits as it is configured now. The vault of generation 1 has no views for them, and no limit on skew: its entries are read. It stores a limit
// only once its administrator has set it; until then the contract's defaults apply.

import { readEntrySnapshot } from '../chain/views/entry-snapshot.ts'
import type { EntrySnapshot } from '../chain/views/entry-snapshot.ts'
import { RpcFailure } from '../chain/rpc/failure.ts'
import { contractDataKey, contractDataValue, instanceKey, instanceStorage } from '../chain/codec/ledger-keys.ts'
import type { ScValue } from '../chain/codec/scval.ts'
import { readField } from '../chain/codec/structs.ts'
import type { CallOptions } from '../chain/rpc/rpc-request.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { viewOrNull } from '../chain/views/contract-views.ts'
import { OPEN_INTEREST_CAPS_BPS } from '../limits.ts'
import type { AssetCaps } from './headroom.ts'

export interface VaultCaps {
  /** Maximum reserved payouts as a share of AUM. Null: cannot be read. */
  readonly reserveBps: number | null
  /** Assets whose limits cannot be read are missing. */
  readonly assets: ReadonlyMap<string, AssetCaps>
  /** True if the vault sets USDC aside for profits that it could not pay. */
  readonly hasShortfallReserve: boolean
}

/** Reads the limits of generation 1 from the vault's entries. Rejects with RpcFailure. */
export async function readStoredVaultCaps(rpc: Rpc, vault: string, assets: readonly string[], options: CallOptions): Promise<VaultCaps> {
  const instance = instanceKey(vault)
  const capKeys = assets.map((asset) => [asset, capKey(vault, 'AssetCapBps', asset)] as const)
  const { entries } = await readVaultEntries(rpc, [instance, ...capKeys.map(([, key]) => key)], options)
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

/**
 * The entries that hold the limits from generation 2 on, as one text: while it is the same, so are the limits. The vault's interface does not say whether a
 * limit is in its instance or in an entry of its own, so both are read. Rejects with RpcFailure.
 */
export async function readVaultCapsVersion(
  rpc: Rpc, vault: string, assets: readonly string[], options: CallOptions,
): Promise<{ readonly version: string; readonly ledger: number }> {
  const keys = [instanceKey(vault), ...STORED_CAPS.flatMap((name) => assets.map((asset) => capKey(vault, name, asset)))]
  const { entries, ledger } = await readVaultEntries(rpc, keys, options)
  return { version: keys.map((key) => entries.get(key) ?? '').join(' '), ledger }
}

const STORED_CAPS = ['AssetCapBps', 'AssetCapAbs', 'SkewCapBps'] as const

function capKey(vault: string, name: typeof STORED_CAPS[number], asset: string): string {
  return contractDataKey(vault, { type: 'vec', value: [{ type: 'symbol', value: name }, { type: 'symbol', value: asset }] })
}

async function readVaultEntries(rpc: Rpc, keys: readonly string[], options: CallOptions): Promise<EntrySnapshot> {
  const snapshot = await readEntrySnapshot(rpc, keys, options)
  if (snapshot !== undefined) return snapshot
  throw new RpcFailure({ method: 'getLedgerEntries', kind: 'malformed', retryable: true, detail: 'a ledger closed between the entries of the vault' })
}

/** Reads the limits of these assets from the vault's views, one call for each; `ledger` is the oldest one that was read. Rejects with RpcFailure. */
export async function readVaultCaps(
  rpc: Rpc, vault: string, assets: readonly string[], options: CallOptions,
): Promise<{ readonly caps: VaultCaps; readonly ledger: number }> {
  const [reserve, ...caps] = await Promise.all([
    viewOrNull(rpc, { contract: vault, functionName: 'get_reserve_cap', args: [] }, options),
    ...assets.map((asset) => viewOrNull(rpc, { contract: vault, functionName: 'get_asset_caps', args: [{ type: 'symbol', value: asset }] }, options)),
  ])
  const known = new Map<string, AssetCaps>()
  for (const [index, asset] of assets.entries()) {
    const found = assetCapsOf(caps[index]?.value)
    if (found !== undefined) known.set(asset, found)
  }
  return {
    caps: { reserveBps: readField(reserve?.value, 'u32') ?? null, assets: known, hasShortfallReserve: true },
    ledger: Math.min(...[reserve, ...caps].flatMap((view) => view?.ledger ?? [])),
  }
}

/** `get_asset_caps` returns side bps, absolute side cap, skew bps, and the effective cap. */
function assetCapsOf(value: ScValue | undefined): AssetCaps | undefined {
  if (value?.type !== 'vec') return undefined
  const [side, absolute, skew] = value.value
  const [sideBps, sideAbsolute, skewBps] = [readField(side, 'u32'), readField(absolute, 'i128'), readField(skew, 'u32')]
  return sideBps === undefined || sideAbsolute === undefined || skewBps === undefined ? undefined : { sideBps, sideAbsolute, skewBps }
}
