// Validates asset symbols in paths and bodies.

import type { Asset, AssetList } from '../exchange/assets.ts'
import { HttpFailure } from '../http/errors.ts'

const UNKNOWN_ASSET = 'The exchange has no market of this asset. GET /v1/markets lists the symbols, in upper case.'

/** Finds an asset by its symbol in any case. Throws 404 `Unknown asset`. */
export function knownAsset(assets: AssetList, text: string): Asset {
  const symbol = text.toUpperCase()
  const asset = assets.find(symbol)
  if (asset === undefined) throw new HttpFailure({ status: 404, body: { error: 'Unknown asset', message: UNKNOWN_ASSET, asset: symbol } })
  return asset
}

/** Throws 400 `unsupported_asset` if the body has an unsupported `asset`. Symbols must be upper case. */
export function requireSupportedAsset(assets: AssetList, body: object): void {
  if (!('asset' in body) || typeof body.asset !== 'string' || assets.find(body.asset) !== undefined) return
  throw new HttpFailure({ status: 400, body: { error: 'unsupported_asset', message: UNKNOWN_ASSET, asset: body.asset } })
}
