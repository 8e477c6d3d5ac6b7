// Answers built from the board of prices: serialised once for as long as the board stands, whatever number of requests asks for it.

import { CACHE_ONE_SECOND, prepareAnswer } from '../http/answer.ts'
import type { Answer } from '../http/answer.ts'
import type { PriceBoard } from '../oracle/prices.ts'

export const STALE_HEADER = { 'x-stale': '1' } as const

/** Remembers the answer of the board that was asked for last. `serialise` is pure. */
export function createBoardAnswer(serialise: (board: PriceBoard) => string): (board: PriceBoard) => Answer {
  let built: { readonly board: PriceBoard; readonly answer: Answer } | undefined
  return (board) => {
    if (built?.board !== board) built = { board, answer: priceAnswer(serialise(board), board.anyStale) }
    return built.answer
  }
}

/** An answer that holds prices. */
export function priceAnswer(json: string, stale: boolean): Answer {
  return prepareAnswer(json, { 'cache-control': CACHE_ONE_SECOND, ...(stale ? STALE_HEADER : {}) })
}
