// Responses built from a price snapshot, serialised once per snapshot.

import { CACHE_ONE_SECOND, prepareResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import type { PriceSnapshot } from '../oracle/price-book.ts'

const STALE_HEADER = { 'x-stale': '1' } as const

/** Caches the response of the latest snapshot. `serialise` must be pure. */
export function createSnapshotResponse(serialise: (snapshot: PriceSnapshot) => string): (snapshot: PriceSnapshot) => PreparedResponse {
  let cached: { readonly snapshot: PriceSnapshot; readonly response: PreparedResponse } | undefined
  return (snapshot) => {
    if (cached?.snapshot !== snapshot) cached = { snapshot, response: priceResponse(serialise(snapshot), snapshot.anyOutdated) }
    return cached.response
  }
}

export function priceResponse(json: string, outdated: boolean): PreparedResponse {
  return prepareResponse(json, { 'cache-control': CACHE_ONE_SECOND, ...(outdated ? STALE_HEADER : {}) })
}
