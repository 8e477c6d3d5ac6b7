// The asset that a path or a body names.

import { findAsset } from '../exchange/assets.ts'
import type { Asset } from '../exchange/assets.ts'
import { HttpFailure } from '../http/errors.ts'

/** The asset of this symbol, in any case; 404 `Unknown asset` for every other text. */
export function knownAsset(text: string): Asset {
  const symbol = text.toUpperCase()
  const asset = findAsset(symbol)
  if (asset === undefined) throw new HttpFailure({ status: 404, body: { error: 'Unknown asset', asset: symbol } })
  return asset
}

/** Refuses a body whose `asset` is none of the supported symbols, which are upper case: 400 `unsupported_asset`. */
export function requireSupportedAsset(body: object): void {
  if (!('asset' in body) || typeof body.asset !== 'string' || findAsset(body.asset) !== undefined) return
  throw new HttpFailure({ status: 400, body: { error: 'unsupported_asset', asset: body.asset } })
}
