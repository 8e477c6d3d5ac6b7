// The number of events requested per page: halved when a page takes too long or is too large, doubled after each success.

import { RPC_CODES } from '../../chain/rpc/failure.ts'
import type { RpcFailure } from '../../chain/rpc/failure.ts'
import { EVENTS_PAGE_LIMIT } from '../../limits.ts'

/** Smaller pages would not be faster. */
export const EVENTS_PAGE_MIN = 10

export interface PageSize {
  limit(): number
  onSuccess(): void
  /** Only a page that took too long or was too large makes the next one smaller. */
  onFailure(failure: RpcFailure): void
}

export function createPageSize(): PageSize {
  let limit = EVENTS_PAGE_LIMIT
  return {
    limit: () => limit,
    onSuccess() {
      limit = Math.min(EVENTS_PAGE_LIMIT, limit * 2)
    },
    onFailure({ method, kind, code }) {
      const isTooLarge = kind === 'timeout' || kind === 'oversized' || code === RPC_CODES.processingLimit
      if (method !== 'getEvents' || !isTooLarge) return
      limit = Math.max(EVENTS_PAGE_MIN, Math.floor(limit / 2))
    },
  }
}
