// The highest ledger in which this gateway has seen each account: a transaction applied, or its entries read. A lagging node would return a sequence number
// that is already used, or an older state than clients have seen.

import { createCache } from '../../base/cache.ts'
import type { Clock } from '../../base/clock.ts'

/** The maximum number of accounts; the least recently used is evicted. */
const MAX_WATERMARKS = 4_096
/** A node that lags more than this reports itself unhealthy, so older watermarks are not needed. */
export const WATERMARK_TTL_MS = 30_000

export interface LedgerWatermarks {
  /** Records that `account` was seen in `ledger`. */
  record(account: string, ledger: number): void
  /** The minimum ledger for reads of `account`; 0 when unknown. */
  get(account: string): number
}

export function createLedgerWatermarks(clock: Clock): LedgerWatermarks {
  const watermarks = createCache<string, number>(MAX_WATERMARKS, { clock, ttlMs: WATERMARK_TTL_MS })
  const currentWatermark = (account: string): number => watermarks.get(account) ?? 0

  return {
    record(account, ledger) {
      // A lower ledger does not renew the watermark. After a reset of the network it would otherwise stay above every ledger.
      if (ledger >= currentWatermark(account)) watermarks.set(account, ledger)
    },
    get: currentWatermark,
  }
}
