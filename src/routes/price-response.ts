// Answers built from the board of prices: serialised once for as long as the board stands, whatever number of requests asks for it.

import { CACHE_ONE_SECOND, prepareResponse } from '../http/response.ts'
import type { PreparedResponse } from '../http/response.ts'
import type { PriceSnapshot } from '../oracle/prices.ts'

export const STALE_HEADER = { 'x-stale': '1' } as const

/** Remembers the response of the board that was asked for last. `serialise` is pure. */
export function createBoardResponse(serialise: (board: PriceSnapshot) => string): (board: PriceSnapshot) => PreparedResponse {
  let built: { readonly board: PriceSnapshot; readonly response: PreparedResponse } | undefined
  return (board) => {
    if (built?.board !== board) built = { board, response: priceResponse(serialise(board), board.anyStale) }
    return built.response
  }
}

/** An response that holds prices. */
export function priceResponse(json: string, stale: boolean): PreparedResponse {
  return prepareResponse(json, { 'cache-control': CACHE_ONE_SECOND, ...(stale ? STALE_HEADER : {}) })
}
