// The vault's limits as it is configured now. The vault of generation 1 has no views for them: there the contract's defaults apply, and no limit on skew.

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

const GENERATION_1_ASSET_CAPS: AssetCaps = { sideBps: OPEN_INTEREST_CAPS_BPS.assetSide, sideAbsolute: 0n, skewBps: null }

/** The limits of generation 1. */
export function defaultVaultCaps(assets: readonly string[]): VaultCaps {
  return {
    reserveBps: OPEN_INTEREST_CAPS_BPS.reserved, assets: new Map(assets.map((asset) => [asset, GENERATION_1_ASSET_CAPS])), hasShortfallReserve: false,
  }
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
