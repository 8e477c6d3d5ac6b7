// The vault's limits as it is configured now. Older vaults have no views for them: there the contract's defaults apply, and no limit on skew.

import type { ScValue } from '../chain/scval.ts'
import { readField } from '../chain/structs.ts'
import type { CallOptions } from '../chain/rpc-request.ts'
import type { Rpc } from '../chain/rpc.ts'
import { viewOrNull } from '../chain/views.ts'
import { OPEN_INTEREST_CAPS_BPS } from '../limits.ts'
import type { AssetCaps } from './headroom.ts'

export interface VaultCaps {
  /** Maximum reserved payouts as a share of AUM. */
  readonly reserveBps: number
  readonly assets: ReadonlyMap<string, AssetCaps>
}

const DEFAULT_ASSET_CAPS: AssetCaps = { sideBps: OPEN_INTEREST_CAPS_BPS.assetSide, sideAbsolute: 0n, skewBps: null }

/** Reads the limits of these assets. Rejects with RpcFailure. */
export async function readVaultCaps(rpc: Rpc, vault: string, assets: readonly string[], options: CallOptions): Promise<VaultCaps> {
  const reserve = await viewOrNull(rpc, { contract: vault, functionName: 'get_reserve_cap', args: [] }, options)
  const reserveBps = readField(reserve?.value, 'u32')
  if (reserveBps === undefined) return { reserveBps: OPEN_INTEREST_CAPS_BPS.reserved, assets: new Map(assets.map((asset) => [asset, DEFAULT_ASSET_CAPS])) }
  const caps = await Promise.all(assets.map(async (asset): Promise<[string, AssetCaps]> => {
    const view = { contract: vault, functionName: 'get_asset_caps', args: [{ type: 'symbol', value: asset } as const] }
    return [asset, assetCapsOf((await viewOrNull(rpc, view, options))?.value) ?? DEFAULT_ASSET_CAPS]
  }))
  return { reserveBps, assets: new Map(caps) }
}

/** `get_asset_caps` returns side bps, absolute side cap, skew bps, and the effective cap. */
function assetCapsOf(value: ScValue | undefined): AssetCaps | undefined {
  if (value?.type !== 'vec') return undefined
  const [side, absolute, skew] = value.value
  const [sideBps, sideAbsolute, skewBps] = [readField(side, 'u32'), readField(absolute, 'i128'), readField(skew, 'u32')]
  return sideBps === undefined || sideAbsolute === undefined || skewBps === undefined ? undefined : { sideBps, sideAbsolute, skewBps }
}
