// How many events a page is asked for: fewer after a node ran out of time over one, more again as pages succeed.

import { RPC_CODES } from '../chain/failure.ts'
import type { RpcFailure } from '../chain/failure.ts'
import { EVENTS_PAGE_LIMIT } from '../limits.ts'

/** Below this the number of events is not what takes the time. */
export const EVENTS_PAGE_MIN = 10

export interface PageSize {
  limit(): number
  /** A page came. */
  succeeded(): void
  /** A call failed; only a page that took too long makes the next one smaller. */
  failed(failure: RpcFailure): void
}

export function createPageSize(): PageSize {
  let limit = EVENTS_PAGE_LIMIT
  return {
    limit: () => limit,
    succeeded() {
      limit = Math.min(EVENTS_PAGE_LIMIT, limit * 2)
    },
    failed({ method, kind, code }) {
      if (method !== 'getEvents' || (kind !== 'timeout' && code !== RPC_CODES.processingLimit)) return
      limit = Math.max(EVENTS_PAGE_MIN, Math.floor(limit / 2))
    },
  }
}
