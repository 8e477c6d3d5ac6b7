// The asset that a path names.

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
