// The highest ledger in which this gateway has seen each account: a transaction applied, or its entries read. A lagging node would return a sequence number
// that is already used, or an older state than clients have seen.

import type { Clock } from '../../base/clock.ts'

/** The maximum number of accounts; the oldest is evicted. */
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
  const watermarks = new Map<string, { readonly ledger: number; readonly atMs: number }>()
  function currentWatermark(account: string): number {
    const watermark = watermarks.get(account)
    return watermark === undefined || clock.elapsedMs() - watermark.atMs >= WATERMARK_TTL_MS ? 0 : watermark.ledger
  }

  return {
    record(account, ledger) {
      // A lower ledger does not renew the watermark. After a reset of the network it would otherwise stay above every ledger.
      if (ledger < currentWatermark(account)) return
      // Reinserting keeps the map in order of age.
      watermarks.delete(account)
      watermarks.set(account, { ledger, atMs: clock.elapsedMs() })
      for (const oldest of watermarks.keys()) {
        if (watermarks.size <= MAX_WATERMARKS) break
        watermarks.delete(oldest)
      }
    },
    get: currentWatermark,
  }
}
