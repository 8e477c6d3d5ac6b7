// Responses built from a price snapshot, serialised once per snapshot.

import { CACHE_ONE_SECOND, prepareResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import type { PriceSnapshot } from '../markets/price-book.ts'

const STALE_HEADER = { 'x-stale': '1' } as const

/** Caches the response of the latest snapshot, and of what else it is built from. `serialise` must be pure. */
export function createSnapshotResponse<Other = undefined>(
  serialise: (snapshot: PriceSnapshot, other: Other) => string,
): (snapshot: PriceSnapshot, other: Other) => PreparedResponse {
  let cached: { readonly snapshot: PriceSnapshot; readonly other: Other; readonly response: PreparedResponse } | undefined
  return (snapshot, other) => {
    if (cached?.snapshot !== snapshot || cached.other !== other) {
      cached = { snapshot, other, response: priceResponse(serialise(snapshot, other), snapshot.anyOutdated) }
    }
    return cached.response
  }
}

export function priceResponse(json: string, outdated: boolean): PreparedResponse {
  return prepareResponse(json, { 'cache-control': CACHE_ONE_SECOND, ...(outdated ? STALE_HEADER : {}) })
}
